from masis.knowledge.search.passages import beside, meant_document, rest_of_table, substance
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
    assert [e["chunk_id"] for e in substance(chunks, 10)] == ["c0", "c1", "c3"]
    assert [e["chunk_id"] for e in substance(chunks, 2)] == ["c0", "c1"]


def test_the_other_rows_of_a_table_that_was_cut_are_found_and_nothing_beyond_it() -> None:
    header = "| Team | Points |"
    parts = [
        Chunk("c1", "d", "league.md", f"Results:\n{header}\n|---|---|\n| A | 3 |", 1, 0, 40),
        Chunk("c2", "d", "league.md", "| B | 5 |\n| C | 1 |", 1, 41, 60, heading=f"League > {header}"),
        Chunk("c3", "d", "league.md", "| D | 4 |", 1, 61, 70, heading=f"League > {header}"),
        Chunk("c4", "d", "league.md", "The season was long.", 1, 72, 92, heading="League"),
    ]
    (found,) = substance(parts[1:2], 1)
    assert [chunk["chunk_id"] for chunk in rest_of_table(parts, found)[0]] == ["c1", "c3"]
    (prose,) = substance(parts[3:], 1)
    assert rest_of_table(parts, prose) == ([], 0)


def test_of_a_table_too_long_to_be_read_whole_the_rows_are_counted() -> None:
    header, row = "| Team | Points |", "| A | 3 |"
    parts = [Chunk("c0", "d", "t.csv", f"{header}\n|---|---|\n{row}", 1, 0, 40)]
    text = "\n".join([row] * 1000)
    for number in range(1, 5):
        start = parts[-1].end + 1
        parts.append(Chunk(f"c{number}", "d", "t.csv", text, 1, start, start + len(text), heading=header))
    (found,) = substance(parts[2:3], 1)
    assert rest_of_table(parts, found) == ([], 4001)


def test_what_stands_between_two_found_passages_and_right_behind_the_best_is_read_as_well() -> None:
    length = 300
    parts = [Chunk(f"c{n}", "d", "act.md", f"Part {n}.", 1, n * length, n * length + 250) for n in range(12)]
    found = substance([parts[1], parts[3], parts[10]], 3)
    assert list(beside(parts, found, [], 100)) == ["c2"]
    assert list(beside(parts, found, found[1:2], 100)) == ["c2", "c4", "c5", "c6"]
    assert list(beside(parts, found, found[1:2], 15)) == ["c2", "c4"]
