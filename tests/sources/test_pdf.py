import io
import re

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable

from masis.errors import UnreadableFile
from masis.sources.pdf.text import parse_pdf
from tests.sources.files import heading, pdf_of, scanned_pdf


def test_pages_lines_and_headings() -> None:
    data = pdf_of(
        heading("Annual Report 2025"),
        "Published: 12 March 2026",
        "Revenue rose in every region. " * 10,
        heading("Regions", 2),
        [["Region", "2024", "2025"], ["North America", "79.0", "85.5"], ["Europe", "56.6", "62.8"]],
        None,
        "Second page.",
    )
    document = parse_pdf(data, "a.pdf")
    assert [page.number for page in document.pages] == [1, 2]
    lines = [line for line in document.pages[0].text.split("\n") if line]
    assert lines[:2] == ["# Annual Report 2025", "Published: 12 March 2026"]
    assert lines[2:4] == [("Revenue rose in every region. " * 10).strip(), "## Regions"]
    assert lines[4:] == [
        "| Region | 2024 | 2025 |",
        "|---|---|---|",
        "| North America | 79.0 | 85.5 |",
        "| Europe | 56.6 | 62.8 |",
    ]
    assert document.pages[1].text == "Second page."
    assert (document.title, document.date) == ("Annual Report 2025", "2026-03-12")


def test_a_large_figure_is_no_heading() -> None:
    data = pdf_of(heading("$184.1 million"), "Revenue rose. " * 30)
    assert "# " not in parse_pdf(data, "a.pdf").text


def test_an_empty_page_keeps_the_numbers_of_the_others() -> None:
    document = parse_pdf(pdf_of("One.", None, heading("&nbsp;"), None, "Three."), "a.pdf")
    assert [(page.number, page.text) for page in document.pages] == [(1, "One."), (2, ""), (3, "Three.")]


def test_a_password() -> None:
    with pytest.raises(UnreadableFile, match=r"a.pdf is password-protected\.") as error:
        parse_pdf(pdf_of("Secret.", password="s3cret"), "a.pdf")
    assert "without a password" in error.value.advice


def test_a_scan_needs_text_recognition() -> None:
    with pytest.raises(UnreadableFile, match=r"no text: its 2 page\(s\) seem to be scanned") as error:
        parse_pdf(scanned_pdf(2), "a.pdf")
    assert "OCR" in error.value.advice


def test_a_cut_off_file() -> None:
    data = pdf_of("Revenue rose. " * 200)
    with pytest.raises(UnreadableFile, match="cut off"):
        parse_pdf(data[: len(data) // 2], "a.pdf")


def test_rubbish_with_a_header_and_an_end() -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_pdf(b"%PDF-1.7\n" + b"nonsense " * 100 + b"\n%%EOF", "a.pdf")


@pytest.mark.parametrize(
    ("parts", "note"),
    [
        (["One.", None, "scan"], "Page 2 has no text and seems to be scanned; run text recognition (OCR) on it."),
        (
            ["scan", None, "Two.", None, "scan"],
            "Pages 1 and 3 have no text and seem to be scanned; run text recognition (OCR) on them.",
        ),
        (
            ["scan", None, "Two.", None, "scan", None, "scan", None, "scan", None, "Six.", None, "scan", None, "scan"],
            "Pages 1, 3 to 5, 7 and 8 have no text and seem to be scanned; run text recognition (OCR) on them.",
        ),
    ],
)
def test_scanned_pages_among_others_are_reported(parts: list[str | None], note: str) -> None:
    drawn = [Scan() if part == "scan" else part for part in parts]
    document = parse_pdf(pdf_of(*drawn), "a.pdf")
    assert document.notes == [note]
    assert len(document.pages) == 1 + parts.count(None)


class Scan(Flowable):
    """A drawing where text should be."""

    def draw(self) -> None:
        self.canv.rect(100, 100, 200, 200, fill=1)


def test_an_empty_page_is_not_reported_as_scanned() -> None:
    assert parse_pdf(pdf_of("One.", None, heading("&nbsp;"), None, "Three."), "a.pdf").notes == []


def test_only_empty_pages() -> None:
    with pytest.raises(UnreadableFile, match=r"no text: its 1 page\(s\) are empty"):
        parse_pdf(pdf_of(heading("&nbsp;")), "a.pdf")


def test_empty_pages_behind_a_password_nobody_asked_for() -> None:
    """Such a file opens without its password, but what it shows then may not be what it holds."""
    data = pdf_of(heading("&nbsp;"), password=StandardEncryption("", ownerPassword="s3cret"))
    with pytest.raises(UnreadableFile, match="password-protected"):
        parse_pdf(data, "a.pdf")
    assert parse_pdf(pdf_of("Open.", password=StandardEncryption("", ownerPassword="s3cret")), "a.pdf").text == "Open."


def test_a_damaged_page_does_not_take_the_others() -> None:
    data = pdf_of("One.", None, "Two.", None, "Three.")
    first, second, third = (match.start() for match in re.finditer(rb"/Type /Page\b(?!s)", data))
    assert first < second < third
    broken = data[:second] + b"/Type /Nope" + data[second + len(b"/Type /Page") :]
    document = parse_pdf(broken, "a.pdf")
    assert "One." in document.text
    assert "Three." in document.text


def test_rows_of_a_table_keep_label_and_figures_on_one_line() -> None:
    rows = [["Item", "2024", "2025"]] + [[f"Line item {n}", f"{n}.5", f"({n},000)"] for n in range(1, 60)]
    lines = parse_pdf(pdf_of(rows), "a.pdf").text.split("\n")
    wanted = [f"| Line item {n} | {n}.5 | ({n},000) |" for n in range(1, 60)]
    assert wanted == [line for line in lines if "Line" in line]


def test_who_made_it_and_when_is_told_apart_from_what_it_says() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.setAuthor("Ann  Example")
    canvas.drawString(100, 700, "Minutes of the board.")
    canvas.save()
    document = parse_pdf(buffer.getvalue(), "a.pdf")
    assert (document.author, document.date) == ("Ann Example", None)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", document.made or "")
