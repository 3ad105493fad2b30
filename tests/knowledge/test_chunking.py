import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masis.knowledge.ingestion.chunking import chunk_document, statements
from masis.settings import Settings
from masis.types import Block, Chunk, Page, ParsedDocument
from tests.support.growth import MOST, growth

LIMIT = 300
SETTINGS = Settings(chunk_chars=LIMIT)


def cut(*pages: str, limit: int = LIMIT) -> list[Chunk]:
    parsed = ParsedDocument([Page(number, text) for number, text in enumerate(pages, start=1)], date="2026-03-14")
    return chunk_document(parsed, "d" * 64, "report.md", Settings(chunk_chars=limit))


def sentences(count: int, word: str = "Revenue") -> str:
    return " ".join(f"{word} rose to {number} million dollars in the year." for number in range(count))


# Properties

line = st.one_of(
    st.text(max_size=80),
    st.sampled_from(["| a | b |", "|---|---|", "| 1 | 2 |", "(in thousands)", "1. One", "(b) Two", "• Three"]),
    st.sampled_from(["", "", "# Results", "## Region", "### Deep", "```", "Table 1: Sales", "- item one", "a:"]),
    st.sampled_from(["Region | 2024 | 2025", "Europe | 1 | 2", "Products $ 63,355 $ 63,948", "June 25,", "2022"]),
    st.text("abc .!?\t\u2003", min_size=200, max_size=900),
)
page = st.lists(line, max_size=40).map("\n".join)


@settings(max_examples=100)
@given(st.lists(page, min_size=1, max_size=4), st.integers(200, 500))
def test_spans_are_exact_and_every_character_is_in_one_chunk(pages: list[str], limit: int) -> None:
    chunks = cut(*pages, limit=limit)
    text = ParsedDocument([Page(1, content) for content in pages]).text
    position = 0
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.start >= position
        assert is_left_out(text[position : chunk.start])
        assert chunk.text == chunk.text.strip() != ""
        assert len(chunk.text) <= (2 if "|" in chunk.text else 1.25) * limit
        position = chunk.end
    assert is_left_out(text[position:])


def is_left_out(text: str) -> bool:
    """Blank, or titles that stand alone on their pages."""
    return all(not line.strip() or re.match("#+ ", line) for line in text.split("\n"))


@given(st.lists(page, min_size=1, max_size=4))
def test_a_chunk_stays_on_its_page(pages: list[str]) -> None:
    starts = [0]
    for content in pages:
        starts.append(starts[-1] + len(content) + 2)
    for chunk in cut(*pages):
        assert starts[chunk.page - 1] <= chunk.start <= chunk.end <= starts[chunk.page] - 2


@given(st.lists(page, min_size=1, max_size=3))
def test_the_same_document_gives_the_same_chunks(pages: list[str]) -> None:
    first = cut(*pages)
    assert cut(*pages) == first
    assert len({chunk.chunk_id for chunk in first}) == len(first)


# Where it cuts


def test_what_fits_is_one_chunk() -> None:
    [chunk] = cut("Revenue rose.\n\nCosts fell.")
    assert (chunk.text, chunk.page, chunk.start, chunk.end) == ("Revenue rose.\n\nCosts fell.", 1, 0, 26)
    assert (chunk.document_id, chunk.file_name, chunk.date, chunk.heading) == (
        "d" * 64,
        "report.md",
        "2026-03-14",
        None,
    )


def test_an_empty_page_has_no_chunks() -> None:
    assert [chunk.page for chunk in cut("", " \n ", "Text.", "")] == [3]


def test_cuts_between_sentences() -> None:
    chunks = cut(sentences(30))
    assert len(chunks) > 4
    assert all(chunk.text.startswith("Revenue") and chunk.text.endswith("year.") for chunk in chunks)
    assert all(len(chunk.text) > LIMIT / 4 for chunk in chunks)


def test_sentences_across_wrapped_lines_stay_whole() -> None:
    wrapped = sentences(20).replace(" million", "\nmillion")
    assert all(chunk.text.endswith("year.") for chunk in cut(wrapped))


def test_prefers_paragraphs_to_sentences() -> None:
    chunks = cut(f"{sentences(4)}\n\n{sentences(5, 'Profit')}")
    assert chunks[0].text == sentences(4)
    assert chunks[1].text.startswith("Profit")


@pytest.mark.parametrize(
    "phrase",
    ["approx. 5", "e.g. Acme", "Acme Inc. And", "Dr. Vos", "the U.S. Market", "No. 5", "J. P. Morgan"],
)
def test_abbreviations_end_no_sentence(phrase: str) -> None:
    # Without a sentence end in the window the cut falls at a word, and that is after the phrase.
    first = cut(f"{'x' * 150} {phrase} {'y ' * 40}{'z' * 200}")[0].text
    assert phrase in first
    assert first.endswith("y")


def test_a_numbered_item_keeps_its_number() -> None:
    items = "\n".join(f"{number}. {sentences(2, 'Profit')}" for number in range(1, 9))
    assert all(chunk.text[0].isdigit() or chunk.text.startswith("Profit") for chunk in cut(items))
    assert not any(chunk.text.rstrip().endswith(tuple(f"\n{n}." for n in range(9))) for chunk in cut(items))


def test_a_very_long_line_is_cut_at_words_and_one_word_anywhere() -> None:
    words = cut("word " * 500)
    assert all(chunk.text.startswith("word") and chunk.text.endswith("word") for chunk in words)
    assert [len(chunk.text) for chunk in cut("x" * 700)] == [300, 300, 100]


def test_leaves_no_stray_line_at_the_end() -> None:
    text = "\n\n".join([sentences(6), "Short end."])
    assert min(len(chunk.text) for chunk in cut(text)) > 70


def test_japanese_is_cut_after_its_full_stop() -> None:
    chunks = cut("売上高は前年比で増加しました。" * 60)
    assert all(chunk.text.endswith("。") for chunk in chunks)


# Headings


def test_headings_above_a_passage_are_its_path() -> None:
    results, europe = sentences(14), sentences(14, "Profit")
    text = f"# Report\n\n## Results\n\n{results}\n\n### Europe\n\n{europe}\n\n## Outlook\n\n{sentences(3)}"
    paths = {chunk.text.split(" rose")[0]: chunk.heading for chunk in cut(text)}
    assert paths == {
        "# Report\n\n## Results\n\nRevenue": None,
        "Revenue": "Report > Results",
        "### Europe\n\nProfit": "Report > Results",
        "Profit": "Report > Results > Europe",
        "## Outlook\n\nRevenue": "Report",
    }


def test_a_heading_opens_a_chunk_when_the_last_is_reasonably_full() -> None:
    chunks = cut(f"# One\n\n{sentences(3)}\n\n# Two\n\nShort.")
    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["# One", "# Two"]
    assert len(cut("# One\n\nShort.\n\n# Two\n\nShort.")) == 1


def test_a_heading_stays_with_its_text() -> None:
    text = f"{sentences(5)}\n\n# Alone\n\n## And below\n\n{sentences(10)}"
    assert not any(chunk.text.split("\n")[-1].startswith("#") for chunk in cut(text))


def test_the_path_goes_on_over_pages() -> None:
    assert [chunk.heading for chunk in cut("# Report\n\nStart.", "More.", "# Annex\n\nEnd.")] == [
        None,
        "Report",
        None,
    ]


def test_a_comment_in_code_is_no_heading() -> None:
    chunks = cut(f"# Guide\n\n```\n# comment\n```\n\n{sentences(12)}")
    assert {chunk.heading for chunk in chunks[1:]} == {"Guide"}


def test_a_line_that_announces_a_list_stays_with_it() -> None:
    text = f"{sentences(4)}\n\nThe three drivers were:\n\n- {sentences(1)}\n- {sentences(1)}\n- {sentences(1)}"
    assert not any(chunk.text.endswith(":") for chunk in cut(text))


def test_a_short_section_is_one_chunk_and_shares_it_with_no_other() -> None:
    first, second, third = (f"## {name}\n\n{sentences(count)}" for name, count in (("A", 2), ("B", 7), ("C", 3)))
    assert LIMIT < len(second) <= 1.25 * LIMIT
    assert [chunk.text for chunk in cut(f"{first}\n\n{second}\n\n{third}")] == [first, second, third]


def test_a_heading_is_never_a_chunk_of_its_own() -> None:
    chunks = cut("# Report", f"{sentences(5)}\n\n## Europe", f"{sentences(3, 'Profit')}\n\n## Annex\n\nA.", "## End")
    assert [(chunk.page, chunk.heading) for chunk in chunks] == [(2, "Report"), (3, "Report > Europe"), (3, "Report")]
    assert chunks[0].text.endswith("## Europe")
    assert [chunk.text for chunk in cut("# Title")] == ["# Title"]


# Lists


def items(count: int) -> str:
    return "\n".join(f"- Obligation {number} is to be met within {number} days." for number in range(count))


def test_a_list_that_fits_moves_whole_with_the_sentence_that_introduces_it() -> None:
    introduced = f"The supplier must meet these:\n\n{items(5)}"
    assert 0.8 * LIMIT < len(introduced) <= LIMIT
    for before in range(1, 6):
        chunks = cut(f"{sentences(before)} {introduced}\n\n{sentences(4)}")
        assert any(introduced in chunk.text for chunk in chunks)


def test_a_list_that_is_cut_carries_its_introduction() -> None:
    chunks = cut(f"# Duties\n\nSome apply always. The supplier must meet these:\n\n{items(30)}\n\n{sentences(14)}")
    listed = [chunk for chunk in chunks if chunk.text.startswith("- ")]
    assert len(listed) > 3
    assert {chunk.heading for chunk in listed} == {"Duties > The supplier must meet these:"}
    assert chunks[-1].heading == "Duties"


@pytest.mark.parametrize("mark", ["* ", "• ", "1. ", "2) ", "(a) ", "(iv) "])
def test_what_marks_an_item(mark: str) -> None:
    text = "\n".join(f"{mark}{sentences(1)}" for _ in range(20))
    assert all(chunk.heading == "These:" for chunk in cut(f"These:\n{text}")[1:])


# Tables


def rows(count: int, first: int = 0) -> str:
    return "\n".join(f"Region {number} | {number}.5 | {number}.9" for number in range(first, first + count))


def test_rows_are_never_cut_and_later_parts_carry_the_header() -> None:
    chunks = cut(f"# Results\n\nSales by region\n\nRegion | 2023 | 2024\n{rows(60)}")
    assert len(chunks) > 3
    assert chunks[0].text.startswith("# Results\n\nSales by region\n\nRegion | 2023 | 2024\nRegion 0")
    for chunk in chunks[1:]:
        assert chunk.heading == "Results > Sales by region > Region | 2023 | 2024"
        assert all(row.count(" | ") == 2 for row in chunk.text.split("\n"))


def test_every_part_of_a_table_names_its_caption_unit_and_header() -> None:
    body = "\n".join(f"| Region {number} | {number}.5 | {number}.9 |" for number in range(90))
    above = "Net sales by region\n\n(in thousands, except per share amounts)\n\n"
    table = f"{above}| Region | 2023 | 2024 |\n|---|---|---|\n{body}"
    chunks = cut(f"# Results\n\nSales were good. They were better than before.\n\n{table}")
    assert len(chunks) > 3
    path = "Results > Net sales by region > (in thousands, except per share amounts) > | Region | 2023 | 2024 |"
    for chunk in chunks[1:]:
        assert chunk.heading == path
        assert all(row.startswith("| Region ") and row.endswith(" |") for row in chunk.text.split("\n"))


def test_a_header_is_not_cut_off_from_its_rule_or_the_first_row() -> None:
    for before in range(1, 8):
        text = f"{sentences(before)}\n\n| Region | 2023 |\n| --- | --- |\n" + "| Europe | 5 |\n" * 60
        assert not any(chunk.text.endswith(("2023 |", "--- |")) for chunk in cut(text))


def test_a_table_that_a_page_continues_has_the_header_of_the_page_before() -> None:
    table = "Sales\n\n| Region | 2023 |\n|---|---|\n| Europe | 5 |"
    more = "| Asia | 6 |\n| Africa | 7 |"
    pages = [Page(1, table), Page(2, f"{more}\n\nText.", blocks=[Block("table", 0, len(more), is_continued=True)])]
    parsed = ParsedDocument(pages)
    first, second = chunk_document(parsed, "d" * 64, "report.pdf", SETTINGS)
    assert (first.heading, second.heading) == (None, "Sales > | Region | 2023 |")
    apart = ParsedDocument([Page(1, table), Page(2, more)])
    assert chunk_document(apart, "d" * 64, "report.pdf", SETTINGS)[1].heading is None


def test_running_headers_and_page_numbers_are_in_no_chunk() -> None:
    text = f"Acme | Form 10-Q | 5\n\n{sentences(3)}\n\n17"
    furniture = [Block("furniture", 0, 20), Block("furniture", len(text) - 2, len(text))]
    parsed = ParsedDocument([Page(1, text, blocks=furniture)])
    [chunk] = chunk_document(parsed, "d" * 64, "report.pdf", SETTINGS)
    assert chunk.text == sentences(3) == parsed.text[chunk.start : chunk.end]


@pytest.mark.parametrize("before", range(1, 6))
def test_a_table_that_fits_moves_whole_with_its_caption(before: int) -> None:
    table = f"Table 1: Sales by region\n\nRegion | 2023 | 2024\n{rows(11)}"
    assert 0.9 * LIMIT < len(table) <= LIMIT
    chunks = cut(f"{sentences(before)}\n\n{table}\n\n{sentences(4)}")
    assert any(table in chunk.text for chunk in chunks)


def test_text_after_a_table_has_no_table_header() -> None:
    chunks = cut(f"Region | 2023 | 2024\n{rows(30)}\n\n{sentences(12)}")
    after = [chunk for chunk in chunks if chunk.text.startswith("Revenue")]
    assert after
    assert all(chunk.heading is None for chunk in after)


def test_a_printed_table_keeps_its_period_with_every_part() -> None:
    figures = "\n".join(f"Line of business {number} $ {number},355 $ {number},948" for number in range(30))
    above = "Results were good, as the table shows.\nYear ended\nJune 25,\n2022\nJune 26,\n2021"
    chunks = cut(f"{above}\n{figures}")
    assert len(chunks) > 3
    assert all(chunk.heading == "Year ended June 25, 2022 June 26, 2021" for chunk in chunks[1:])


def test_a_csv_part_is_read_with_its_header() -> None:
    chunks = cut(f"region | year | sales\n{rows(100)}", limit=900)
    assert all(chunk.heading == "region | year | sales" for chunk in chunks[1:])


@pytest.mark.parametrize(
    "piece", ["region | year | sales\n", "A sentence of some words. ", "# H\n\ntext\n\n", "x", "\n"]
)
def test_time_grows_with_the_length_only(piece: str) -> None:
    assert growth(cut, piece) < MOST


# Statements


def test_statements_are_sentences_and_whole_tables() -> None:
    table = f"Sales by region\n\nRegion | 2023 | 2024\n{rows(5)}"
    text = f"{sentences(2)}\n\n{table}\n\n{sentences(1, 'Profit')}"
    assert [text[start:end].strip() for start, end in statements(text)] == [
        "Revenue rose to 0 million dollars in the year.",
        "Revenue rose to 1 million dollars in the year.",
        table,
        "Profit rose to 0 million dollars in the year.",
    ]


@given(page)
def test_statements_follow_each_other_without_a_gap(text: str) -> None:
    spans = statements(text)
    assert "".join(text[start:end] for start, end in spans) == text


def test_marks_of_notes_do_not_hide_the_end_of_a_sentence() -> None:
    text = " ".join(
        f"The outlet said that the group promised recruits {n} rubles and a contract.[{n}]" for n in range(20)
    )
    assert all(chunk.text.startswith("The outlet") and chunk.text.endswith("]") for chunk in cut(text))
