"""What a document is at a glance: every line with its place in the text, and questions whose answers stand there."""

from masis.knowledge.overview import overview_of
from masis.types import PAGE_BREAK, Page, ParsedDocument

FIRST = """# Harbour Report 2025

The harbour company of Lindmoor runs the port, the ferry and the fish market.

## Traffic

Cargo revenue in fiscal 2025 was $12.4 million; cargo is shipped to Oslo. It rose by 4%.
This was $3 million more than planned.

## Is the quay safe?

The quay is inspected twice a year."""
SECOND = """## Figures

| | 2024 | 2025 |
|---|---|---|
| Operating expenses | 9.1 | 9.9 |
| Total | 1 | 2 |"""


def document() -> ParsedDocument:
    return ParsedDocument([Page(1, FIRST), Page(2, SECOND)], title="Harbour Report 2025", date="2026-02-01")


def test_each_line_is_a_place_in_the_text() -> None:
    parsed = document()
    found = overview_of(parsed)
    assert (found.title, found.date, found.pages) == ("Harbour Report 2025", "2026-02-01", 2)
    assert found.opening is not None
    assert found.opening.text == "The harbour company of Lindmoor runs the port, the ferry and the fish market."
    for quoted in (found.opening, *found.figures, *found.sections):
        assert quoted.text in " ".join(parsed.text[quoted.start : quoted.end].replace("#", "").split())
    assert [section.text for section in found.sections] == [
        "Harbour Report 2025", "Traffic", "Is the quay safe?", "Figures",
    ]  # fmt: skip
    assert found.figures[1].page == 2
    assert found.figures[1].start > len(FIRST + PAGE_BREAK)


def test_questions_are_of_what_it_says_and_of_its_sections() -> None:
    assert overview_of(document()).questions == [
        "What was cargo revenue in fiscal 2025?",
        "What was Operating expenses in 2025?",
        "Is the quay safe?",
        "What is this document about?",
        "What are the main points of this document?",
    ]


def test_of_a_document_without_text_nothing_is_said() -> None:
    found = overview_of(ParsedDocument([]))
    assert (found.opening, found.sections, found.figures, found.questions) == (None, [], [], [])
