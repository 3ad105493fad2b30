import random
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.errors import UnreadableFile
from masis.sources import parse, supported_extensions
from masis.types import ParsedDocument
from tests.sources.files import docx_of, pdf_of, scanned_pdf

PDF = pdf_of("Revenue rose.")
DOCX = docx_of(lambda document: document.add_paragraph("Revenue rose."))


def test_the_extensions_that_are_read() -> None:
    expected = {
        ".txt",
        ".text",
        ".md",
        ".markdown",
        ".html",
        ".htm",
        ".xhtml",
        ".pdf",
        ".docx",
        ".csv",
        ".tsv",
    }
    assert set(supported_extensions()) == expected


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"Revenue rose."),
        ("a.TXT", b"Revenue rose."),
        ("a.md", b"Revenue rose."),
        ("a.html", b"<p>Revenue rose.</p>"),
        ("a.htm", b"Revenue rose."),
        ("a.csv", b"Revenue rose."),
        ("a.pdf", PDF),
        ("a.docx", DOCX),
        ("no extension", b"Revenue rose."),
        ("no extension", PDF),
        ("no extension", DOCX),
        ("no extension", b"<!DOCTYPE html><body>Revenue rose."),
        ("page.txt", b"  <html><body><p>Revenue rose.</p></body></html>"),
        ("folder.with.dots/report.final.txt", b"Revenue rose."),
    ],
)
def test_reads_every_kind_it_claims(name: str, data: bytes) -> None:
    assert parse(data, name).text == "Revenue rose."


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.pdf", "a.docx", "a.csv", "a.xyz"])
@pytest.mark.parametrize("data", [b"", b"\n \t\r\n"])
def test_an_empty_file_says_so(name: str, data: bytes) -> None:
    with pytest.raises(UnreadableFile, match=f"{name} is empty"):
        parse(data, name)


@pytest.mark.parametrize(
    ("name", "data", "says", "advice"),
    [
        ("a.txt", PDF, "named .txt, but its content is a PDF", "rename it to end in .pdf"),
        ("a.md", DOCX, "named .md, but its content is a Word document", "end in .docx"),
        ("a.docx", PDF, "its content is a PDF", "end in .pdf"),
        ("a.pdf", b"Just some text.", "named .pdf, but its content is text", "end in .txt"),
        ("a.docx", b"Just some text.", "named .docx, but its content is text", "end in .txt"),
    ],
)
def test_a_lying_extension_is_named(name: str, data: bytes, says: str, advice: str) -> None:
    with pytest.raises(UnreadableFile, match=says) as error:
        parse(data, name)
    assert advice in error.value.advice


def _zip_of(*names: str) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 100)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.json", b'{"revenue": 5}', "a .json file"),
        ("a.xlsx", _zip_of("xl/workbook.xml"), "an Excel workbook"),
        ("a.pptx", _zip_of("ppt/presentation.xml"), "a PowerPoint presentation"),
        ("a.odt", _zip_of("mimetype"), "OpenDocument"),
        ("a.zip", _zip_of("a.txt"), "a ZIP archive"),
        (
            "a.doc",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
            "an old or password-protected Office file",
        ),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "password-protected"),
        ("a.rtf", b"{\\rtf1 Revenue rose.}", "rich text"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "an image"),
        ("a.txt", b"\x7fELF" + b"\0" * 100, "a program"),
        ("a.docx", DOCX[: len(DOCX) // 2], "cut-off"),
    ],
)
def test_what_is_not_read_is_named_with_what_is(name: str, data: bytes, says: str) -> None:
    with pytest.raises(UnreadableFile, match=says) as error:
        parse(data, name)
    assert all(extension in error.value.advice for extension in supported_extensions())


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.csv", "a.tsv"])
def test_binary_garbage_is_not_text(name: str) -> None:
    with pytest.raises(UnreadableFile, match="binary data"):
        parse(random.Random(1).randbytes(4000), name)


def test_only_marks_and_no_words() -> None:
    with pytest.raises(UnreadableFile, match="contains no text"):
        parse(b"--- *** ... |||", "a.txt")
    with pytest.raises(UnreadableFile, match="contains no text"):
        parse(b"<html><body><script>let a = 1</script></body></html>", "a.html")


def read_or_refused(data: bytes, name: str) -> ParsedDocument | None:
    try:
        return parse(data, name)
    except UnreadableFile as refused:
        error = refused
    assert name in str(error)
    assert error.advice
    return None


@given(
    st.binary(min_size=1, max_size=400)
    | st.sampled_from([b"PK\x03\x04", b"{\\rtf", b"<html>", b"\xff\xfe"]).flatmap(
        lambda start: st.binary(max_size=300).map(lambda rest: start + rest)
    ),
    st.sampled_from([*(e for e in supported_extensions() if e != ".pdf"), "", ".xyz"]),
)
def test_any_bytes_are_read_or_refused_in_words(data: bytes, extension: str) -> None:
    document = read_or_refused(data, f"file{extension}")
    if document:
        document.text.encode()  # storable anywhere: no lone surrogates
        assert "\x00" not in document.text


@pytest.mark.parametrize("keep", [0.02, 0.3, 0.6, 0.97])
@pytest.mark.parametrize(("name", "data"), [("a.pdf", PDF), ("a.docx", DOCX)])
def test_a_truncated_file_is_refused(name: str, data: bytes, keep: float) -> None:
    with pytest.raises(UnreadableFile):
        parse(data[: int(len(data) * keep)], name)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("name", "data"), [("a.pdf", PDF), ("a.docx", DOCX), ("scan.pdf", scanned_pdf())])
def test_flipped_bytes_are_read_or_refused(name: str, data: bytes, seed: int) -> None:
    chance = random.Random(seed)
    broken = bytearray(data)
    for _ in range(30):
        broken[chance.randrange(10, len(broken))] = chance.randrange(256)
    read_or_refused(bytes(broken), name)


def test_importing_the_parsers_loads_no_heavy_library() -> None:
    code = (
        "import sys, masis.sources\n"
        "heavy = {'pypdfium2', 'docx', 'lxml', 'numpy', 'openai'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
