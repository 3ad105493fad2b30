from hypothesis import given
from hypothesis import strategies as st

from masis.knowledge.ingestion.chunk_ids import chunk_id
from masis.knowledge.ingestion.chunking import chunk_document
from masis.knowledge.search.neighbours import joined
from masis.settings import Settings
from masis.types import EvidenceChunk, Page, ParsedDocument

PAGES = ["One is here. " * 60, "Two is there. " * 60]
PARSED = ParsedDocument([Page(number, text) for number, text in enumerate(PAGES, start=1)], date="2026-03-14")
CHUNKS = chunk_document(PARSED, "d" * 64, "report.md", Settings(chunk_chars=200))
LONG = 10_000


def evidence(*numbers: int) -> list[EvidenceChunk]:
    """Passages of the document by their number in it, best first."""
    return [
        EvidenceChunk(
            chunk_id=CHUNKS[number].chunk_id,
            file_name="report.md",
            text=CHUNKS[number].text,
            score=0.9 - rank / 100,
            document_id="d" * 64,
            page=CHUNKS[number].page,
            start=CHUNKS[number].start,
            end=CHUNKS[number].end,
            heading=f"heading {number}",
            date="2026-03-14",
        )
        for rank, number in enumerate(numbers)
    ]


def text_of(document_id: str) -> str | None:
    return PARSED.text if document_id == "d" * 64 else None


def test_two_neighbours_become_one_with_exact_text() -> None:
    [one] = joined(evidence(1, 0), text_of, LONG)
    start, end = CHUNKS[0].start, CHUNKS[1].end
    assert one["text"] == PARSED.text[start:end]
    assert (one["start"], one["end"], one["score"]) == (start, end, 0.9)
    assert one["chunk_id"] == chunk_id("d" * 64, start, end, one["text"])
    # What stands above the first part stands above the whole.
    assert (one["heading"], one["page"], one["date"]) == ("heading 0", 1, "2026-03-14")


def test_stands_where_its_best_part_stood() -> None:
    spans = [(found["start"], found["score"]) for found in joined(evidence(3, 0, 2), text_of, LONG)]
    assert spans == [(CHUNKS[2].start, 0.9), (CHUNKS[0].start, 0.89)]


def test_a_passage_between_two_others_joins_all_three() -> None:
    [one] = joined(evidence(0, 2, 1), text_of, LONG)
    assert (one["start"], one["end"]) == (CHUNKS[0].start, CHUNKS[2].end)


def test_never_over_the_limit() -> None:
    found = evidence(0, 1, 2)
    assert joined(found, text_of, len(found[0]["text"]) + 10) == found
    first, second = joined(found, text_of, CHUNKS[1].end - CHUNKS[0].start)
    assert (first["end"], second) == (CHUNKS[1].end, found[2])


def test_pages_and_gaps_divide() -> None:
    last_of_first_page = max(number for number, chunk in enumerate(CHUNKS) if chunk.page == 1)
    for numbers in ((last_of_first_page, last_of_first_page + 1), (0, 2)):
        found = evidence(*numbers)
        assert joined(found, text_of, LONG) == found


def test_documents_divide() -> None:
    found = evidence(0, 1)
    found[1]["document_id"] = "e" * 64
    assert joined(found, lambda _: PARSED.text, LONG) == found


def test_text_that_is_gone_or_has_changed_joins_nothing() -> None:
    found = evidence(0, 1)
    assert joined(found, lambda _: None, LONG) == found
    assert joined(found, lambda _: PARSED.text.replace("One", "Six"), LONG) == found


@given(st.permutations(range(len(CHUNKS))), st.integers(0, len(CHUNKS)), st.integers(100, 900))
def test_keeps_every_character_once_and_exactly(numbers: list[int], count: int, limit: int) -> None:
    found = evidence(*numbers[:count])
    passages = joined(found, text_of, limit)
    for passage in passages:
        assert passage["text"] == PARSED.text[passage["start"] : passage["end"]]
        assert len(passage["text"]) <= max(limit, 200)
    covered = {place for passage in passages for place in range(passage["start"], passage["end"])}
    asked = {place for passage in found for place in range(passage["start"], passage["end"])}
    assert asked <= covered
    assert not "".join(PARSED.text[place] for place in covered - asked).strip()
    assert sum(len(passage["text"]) for passage in passages) == len(covered)
    assert [passage["score"] for passage in passages] == sorted((p["score"] for p in passages), reverse=True)
