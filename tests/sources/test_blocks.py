from masis.sources.blocks import blocks_of, read_blocks, read_table
from masis.types import Block, Page

TEXT = """# Report
Sales rose
in Europe.

- one
  goes on
  1. inner

Revenue by region
(in thousands)
| Region | 2024 |
|---|---|
| Europe | 5 |
|  | 6 |
After the table.

Note by Ann: checked
"""


def test_blocks_with_their_characters() -> None:
    found = [(block.kind, block.level, block.marker, TEXT[block.start : block.end]) for block in read_blocks(TEXT)]
    assert found == [
        ("heading", 1, "", "# Report"),
        ("paragraph", 0, "", "Sales rose\nin Europe."),
        ("item", 1, "-", "- one\n  goes on"),
        ("item", 2, "1.", "  1. inner"),
        ("table", 0, "", TEXT[TEXT.index("Revenue") : TEXT.index("\nAfter")]),
        ("paragraph", 0, "", "After the table."),
        ("note", 0, "", "Note by Ann: checked"),
    ]


def test_a_table_has_caption_unit_header_and_cells() -> None:
    (block,) = (block for block in read_blocks(TEXT) if block.kind == "table")
    table = read_table(TEXT, block)
    assert (table.caption, table.unit, table.header) == ("Revenue by region", "(in thousands)", ("Region", "2024"))
    assert [[TEXT[start:end] for start, end in row] for row in table.rows] == [["Europe", "5"], ["", "6"]]


def test_a_row_in_code_is_no_table() -> None:
    assert [block.kind for block in read_blocks("```\n| a | b |\n\n# x\n```\n")] == ["paragraph"]


def test_what_the_parser_saw_goes_before_what_the_text_shows() -> None:
    seen = (Block("furniture", 0, 6),)
    assert blocks_of(Page(1, "Page 1", blocks=seen)) == seen
    assert [block.kind for block in blocks_of(Page(1, "Page 1"))] == ["paragraph"]


def test_a_numbered_line_over_a_paragraph_is_a_heading_and_an_item_stays_one() -> None:
    prose = "The group reports its results by line of business and reviews them every quarter."
    text = f"1. Introduction\n\n{prose}\n\n2.1 Scope of the report\n\n{prose}\n\n1. First\n\n2. Second\n\nEnd."
    assert [(block.kind, block.level) for block in read_blocks(text)][:4] == [
        ("heading", 2),
        ("paragraph", 0),
        ("heading", 3),
        ("paragraph", 0),
    ]
    assert [block.kind for block in read_blocks(text)][4:] == ["item", "item", "paragraph"]
