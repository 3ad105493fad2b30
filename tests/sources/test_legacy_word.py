import pytest

from masis.errors import UnreadableFile
from masis.sources.office.legacy_word import parse_legacy_word
from tests.sources.compound_files import compound_of, word_of
from tests.sources.files import bare

IN_TABLE, ENDS_ROW, LIST = b"\x16\x24\x01", b"\x16\x24\x01\x17\x24\x01", b"\x0b\x46\x01\x00"


@pytest.mark.parametrize("wide", [False, True])
def test_headings_items_and_table_rows(wide: bool) -> None:
    data = word_of(
        ("Board Memo\r", 1, b""),
        ("Date: 24 February 2026 – final\r", 0, b""),
        ("Budget\r", 2, b""),
        ("approved\r", 0, LIST),
        ("Item\x07", 0, IN_TABLE),
        ("\x07", 0, IN_TABLE),
        ("2026\x07", 0, IN_TABLE),
        ("\x07", 0, ENDS_ROW),
        ("two\r", 0, IN_TABLE),
        ("lines\x07", 0, IN_TABLE),
        ("x\x07", 0, IN_TABLE),
        ("3\x07", 0, IN_TABLE),
        ("\x07", 0, ENDS_ROW),
        ("After.\r", 0, b""),
        wide=wide,
    )
    document = parse_legacy_word(data, "a.doc")
    assert bare(document.text) == (
        "# Board Memo\n\nDate: 24 February 2026 – final\n\n## Budget\n\n- approved\n"
        "Item |  | 2026\ntwo lines | x | 3\n\nAfter."
    )
    assert document.title == "Board Memo"


def test_letters_beyond_one_pair_of_bytes_do_not_shift_the_paragraphs() -> None:
    data = word_of(("😀😀 Москва\r", 1, b""), ("text\r", 0, b""), wide=True)
    assert parse_legacy_word(data, "a.doc").text == "# 😀😀 Москва\n\ntext"


def test_fields_show_their_result() -> None:
    field = '\x13 HYPERLINK "x" \x14the \x13 REF y \x14inner\x15 page\x15'
    assert parse_legacy_word(word_of((f"See {field}.\r", 0, b"")), "a.doc").text == "See the inner page."


def test_a_field_that_goes_on_in_the_next_paragraph() -> None:
    data = word_of(('\x13 TOC \\o "1-3" \x14One\t1\r', 0, b""), ("Two\t2\x15\r", 0, b""))
    assert parse_legacy_word(data, "a.doc").text == "One\t1\n\nTwo\t2"


def test_a_password() -> None:
    with pytest.raises(UnreadableFile, match="password"):
        parse_legacy_word(word_of(("x\r", 0, b""), encrypted=True), "a.doc")


@pytest.mark.parametrize(
    "data",
    [
        b"not a container",
        compound_of({"Workbook": b"x"}),
        compound_of({"WordDocument": b"\xec\xa5"}),
        word_of(("x\r", 0, b""))[:1000],
    ],
)
def test_damaged_documents(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_legacy_word(data, "a.doc")
