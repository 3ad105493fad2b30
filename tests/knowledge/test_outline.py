from masis.knowledge.search.passages import meant_document, openings, rest_of_table
from masis.types import Chunk, Document


def document(name: str) -> Document:
    return Document("w", f"id-{name}", name, "READY")


def part(number: int, heading: str | None) -> Chunk:
    return Chunk(f"c{number}", "d", "report.pdf", f"Text {number}.", 1, number * 10, number * 10 + 7, heading)


def test_the_document_that_the_question_names() -> None:
    documents = [document("press-release.txt"), document("privacy_policy.pdf")]
    assert meant_document("Summarise the press release", documents, []) == "id-press-release.txt"
    assert meant_document("What is the privacy policy about?", documents, []) == "id-privacy_policy.pdf"
    assert meant_document("Summarise it", documents, []) is None
    assert meant_document("Summarise it", documents[:1], []) == "id-press-release.txt"


def test_the_first_passage_and_one_under_each_heading() -> None:
    chunks = [part(3, "B"), part(0, None), part(2, "A"), part(1, "A")]
    assert [e["chunk_id"] for e in openings(chunks, 10)] == ["c0", "c1", "c3"]
    assert [e["chunk_id"] for e in openings(chunks, 2)] == ["c0", "c1"]


def test_the_other_rows_of_a_table_that_was_cut_are_found_and_nothing_beyond_it() -> None:
    header = "| Team | Points |"
    parts = [
        Chunk("c1", "d", "league.md", f"Results:\n{header}\n|---|---|\n| A | 3 |", 1, 0, 40),
        Chunk("c2", "d", "league.md", "| B | 5 |\n| C | 1 |", 1, 41, 60, heading=f"League > {header}"),
        Chunk("c3", "d", "league.md", "| D | 4 |", 1, 61, 70, heading=f"League > {header}"),
        Chunk("c4", "d", "league.md", "The season was long.", 1, 72, 92, heading="League"),
    ]
    (found,) = openings(parts[1:2], 1)
    assert [chunk["chunk_id"] for chunk in rest_of_table(parts, found)] == ["c1", "c3"]
    (prose,) = openings(parts[3:], 1)
    assert rest_of_table(parts, prose) == []
