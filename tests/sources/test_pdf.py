import asyncio
import subprocess
import sys
import zlib

import pytest

from masis.errors import UnreadableFile
from masis.sources import pdf, pdf_worker
from masis.sources.pdf import parse_pdf
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
    lines = document.pages[0].text.split("\n")
    assert lines[:2] == ["# Annual Report 2025", "Published: 12 March 2026"]
    assert lines[-4:] == ["## Regions", "Region 2024 2025", "North America 79.0 85.5", "Europe 56.6 62.8"]
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


def test_many_at_once() -> None:
    """pdfium is not safe in threads: each file has a process of its own."""
    files = [pdf_of(f"Document number {n}.") for n in range(6)]

    async def read_all() -> list[str]:
        documents = await asyncio.gather(*(asyncio.to_thread(parse_pdf, data, "a.pdf") for data in files))
        return [document.text for document in documents]

    assert asyncio.run(read_all()) == [f"Document number {n}." for n in range(6)]


def _bomb(megabytes: int) -> bytes:
    """One page whose compressed content unpacks to that many megabytes of drawing commands."""
    stream = zlib.compress(b"BT /F1 9 Tf (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET\n" * (megabytes * 16_000), 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(body)
    return body + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        start,
    )


def test_a_bomb_ends_in_its_own_process() -> None:
    assert len(_bomb(1)) < 20_000
    with pytest.raises(UnreadableFile, match="within the limits of memory and time"):
        parse_pdf(_bomb(400), "bomb.pdf")


def test_a_worker_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_WALL_SECONDS", 0.01)
    with pytest.raises(UnreadableFile, match="within the limits"):
        parse_pdf(pdf_of("Revenue rose."), "a.pdf")


def test_the_worker_needs_nothing_of_masis() -> None:
    command = [sys.executable, "-P", pdf_worker.__file__]
    done = subprocess.run(command, input=pdf_of("Revenue rose."), capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b'{"pages": 1}'
