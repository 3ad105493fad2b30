from masis.knowledge.search.passages import meant_document, openings
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
