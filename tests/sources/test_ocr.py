import io

import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from masis.errors import UnreadableFile
from masis.sources.images.ocr import OcrReader, ocr_is_installed
from masis.sources.images.ocr_worker import lines_of

needs_ocr = pytest.mark.skipif(not ocr_is_installed(), reason="text recognition is not installed (masis[ocr])")
PNG_START = b"\x89PNG\r\n\x1a\n"


def drawn(*lines: str) -> bytes:
    """A PDF page with these lines."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(480, 60 + 40 * len(lines)))
    canvas.setFont("Helvetica", 18)
    for number, line in enumerate(lines):
        canvas.drawString(40, 20 + 40 * (len(lines) - number), line)
    canvas.save()
    return file.getvalue()


def picture(pdf: bytes, kind: str = "png") -> bytes:
    file = io.BytesIO()
    document = pypdfium2.PdfDocument(pdf)
    document[0].render(scale=2).to_pil().save(file, kind)
    document.close()
    return file.getvalue()


def test_cells_of_a_row_stand_on_one_line() -> None:
    boxes = [
        (200.0, 11.0, 20.0, "Q1"),
        (10.0, 10.0, 20.0, "Region"),
        (200.0, 41.0, 20.0, "7.1"),
        (10.0, 42.0, 18.0, "South"),
    ]
    texts = [[text for *_, text in line] for line in lines_of(boxes)]
    assert texts == [["Region", "Q1"], ["South", "7.1"]]
    assert lines_of([]) == []


async def test_what_is_no_picture_is_refused_at_once() -> None:
    with pytest.raises(UnreadableFile, match=r"note\.txt") as error:
        await OcrReader().read(b"only text", "note.txt")
    assert "PNG" in error.value.advice


async def test_no_pages_are_no_work() -> None:
    assert await OcrReader().read_pages(b"", "x.pdf", []) == {}


@pytest.mark.skipif(ocr_is_installed(), reason="text recognition is installed")
async def test_a_recogniser_that_cannot_start_is_an_error_not_a_crash() -> None:
    with pytest.raises(UnreadableFile, match="could not be recognised"):
        await OcrReader().read(PNG_START, "x.png")


@needs_ocr
async def test_text_in_a_picture_is_read() -> None:
    text = await OcrReader().read(picture(drawn("Quarterly report 2025", "Revenue rose 12.4 percent")), "scan.png")
    assert "Quarterly report 2025" in text
    assert "12.4 percent" in text


@needs_ocr
async def test_scanned_pages_are_read_by_number() -> None:
    scan = picture(drawn("Revenue rose 12.4 percent"), "pdf")
    assert "12.4 percent" in (await OcrReader().read_pages(scan, "scan.pdf", [1]))[1]


@needs_ocr
@pytest.mark.parametrize("data", [PNG_START, PNG_START + bytes(range(256)) * 40])
async def test_a_damaged_picture_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read"):
        await OcrReader().read(data, "x.png")


@needs_ocr
async def test_a_picture_without_text_is_no_document() -> None:
    with pytest.raises(UnreadableFile, match="No text"):
        await OcrReader().read(picture(drawn("")), "x.png")
