import pytest

from masis.errors import UnreadableFile
from masis.sources.office.rich_text import parse_rich_text
from tests.sources.files import bare


def text_of(body: str, head: str = "\\ansi\\ansicpg1252") -> str:
    return parse_rich_text(f"{{\\rtf1{head} {body}}}".encode("ascii"), "a.rtf").text


def test_paragraphs_headings_and_items() -> None:
    body = (
        "{\\stylesheet{\\s1\\fs32 heading 1;}}{\\pard\\s1 Annual report\\par}{\\pard Date: 24 February 2026\\par}"
        "{\\pard\\outlinelevel1 Detail\\par}"
        "{\\pard\\ls1{\\listtext\\'b7\\tab}first\\par}{\\pard\\ls1 second\\par}\\pard End."
    )
    document = parse_rich_text(f"{{\\rtf1\\ansi {body}}}".encode(), "a.rtf")
    assert document.text == ("# Annual report\n\nDate: 24 February 2026\n\n## Detail\n\n- first\n- second\n\nEnd.")
    assert (document.title, document.date) == ("Annual report", "2026-02-24")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("M\\'fcller\\'92s", "Müller’s"),
        ("\\u8364?5 \\u-10179?\\u-8704?", "€5 😀"),
        ("{\\uc2\\u946xy}eta", "βeta"),
        ("a\\~b\\emdash c\\line d\\{\\}\\\\", "a\u00a0b—c\nd{}\\"),
        ("{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}}\\f1\\'cc\\'ee\\'f1\\'ea\\'e2\\'e0", "Москва"),
        ("{\\fonttbl{\\f2\\fcharset128 C;}}{\\f2\\'93\\'8c\\'8b\\'9e}", "東京"),
    ],
)
def test_letters_in_any_code_page(body: str, text: str) -> None:
    assert text_of(body) == text


def test_the_code_page_of_the_file() -> None:
    assert text_of("\\'b3\\'f3d\\'9f", "\\ansi\\ansicpg1250") == "łódź"


def test_table_rows() -> None:
    rows = "\\trowd\\intbl Year\\cell Sales\\cell\\row\\trowd\\intbl 2025\\cell two\\par lines\\cell\\row"
    body = f"Before\\par{rows}\\pard After"
    assert bare(text_of(body)) == "Before\n\nYear | Sales\n2025 | two lines\n\nAfter"


def test_what_is_not_text_is_left_out() -> None:
    body = (
        "{\\info{\\title T}}{\\*\\generator G;}{\\header H}{\\pict\\wmetafile8 0102}{\\object{\\*\\objdata 00}}"
        "{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt shown}} \\bin3 }}{after"
    )
    assert text_of(body) == "shown after"


@pytest.mark.parametrize("body", ["{{{", "}}}}", "\\u", "\\'zz", "\\bin999999999 x", "\\f99999 x", "\\uc-5\\u65x"])
def test_broken_marks_do_not_hide_the_text_before_them(body: str) -> None:
    assert text_of(f"text {body}").startswith("text")


def test_something_else() -> None:
    with pytest.raises(UnreadableFile, match="not rich text"):
        parse_rich_text(b"plain", "a.rtf")
