import gzip
import importlib
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.errors import UnreadableFile
from masis.sources import parse, supported_extensions
from masis.sources.sniff import is_image
from masis.types import ParsedDocument
from tests.sources.files import docx_of, pdf_of, scanned_pdf
from tests.sources.hostile import xlsx_with, zip_of

parse_module = importlib.import_module("masis.sources.parse")

PDF = pdf_of("Revenue rose.")
RTF = b"{\\rtf1\\ansi Revenue rose.}"
XLSX = xlsx_with(b"<sheetData/>")
DOCX = docx_of(lambda document: document.add_paragraph("Revenue rose."))


def test_the_extensions_that_are_read() -> None:
    expected = """.txt .md .html .htm .xhtml .pdf .docx .docm .xlsx .xlsm .xlsb .xls .ods .pptx .odp .odt .doc .rtf
        .epub .eml .msg .csv .tsv .json .jsonl .xml .ipynb .rst .adoc .org .tex .vtt .srt .zip .tar .gz .tgz .bz2 .xz"""
    assert set(expected.split()) <= set(supported_extensions())


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
        ("a.rtf", RTF),
        ("no extension", b"Revenue rose."),
        ("no extension", PDF),
        ("no extension", DOCX),
        ("no extension", b"<!DOCTYPE html><body>Revenue rose."),
        ("page.txt", b"  <html><body><p>Revenue rose.</p></body></html>"),
        ("folder.with.dots/report.final.txt", b"Revenue rose."),
        # An extension that says nothing is no lie.
        ("server.log", b"Revenue rose."),
        ("settings.cfg", b"Revenue rose."),
        ("main.py", b"Revenue rose."),
        ("Annual report v1.2", PDF),
        ("report.pdf.bak", PDF),
        # Word and reporting tools themselves write these.
        ("letter.doc", RTF),
        ("export.xls", b"<html><body>Revenue rose."),
    ],
)
def test_reads_every_kind_it_claims(name: str, data: bytes) -> None:
    assert parse(data, name).text == "Revenue rose."


def test_mail_without_an_extension() -> None:
    data = b"From: Ann <ann@example.com>\r\nTo: Bob <bob@example.com>\r\nSubject: Sales\r\n\r\nRevenue rose.\r\n"
    assert parse(data, "1730000000.M1P2").text == parse(data, "a.txt").text
    assert parse(data, "message").text == parse(data, "message.eml").text


def test_a_text_about_pdf_is_text() -> None:
    assert parse(b"A file begins with %PDF-1.7 and ends with %%EOF.", "a.txt").text.startswith("A file")


def test_a_pdf_may_begin_late() -> None:
    assert parse(b"HTTP/1.1 200 OK\n\n" + PDF, "a.pdf").text == "Revenue rose."


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
        ("a.odt", b"Just some text.", "named .odt, but its content is text", "end in .txt"),
        ("a.png", b"Just some text.", "named .png, but its content is text", "end in .txt"),
        ("a.docx", XLSX, "named .docx, but its content is an Excel workbook", "end in .xlsx"),
        ("a.xlsx", DOCX, "named .xlsx, but its content is a Word document", "end in .docx"),
        ("a.docx", zip_of({"a.txt": b"x"}), "its content is a ZIP archive", "end in .zip"),
        ("a.pdf", b"<html><body>Revenue rose.", "its content is text", "end in .txt"),
        ("a.zip", gzip.compress(b"x", mtime=0), "its content is a gzip archive", "end in .gz"),
        ("a.xlsx", b"PK\x05\x06" + bytes(18), "an empty ZIP archive", "end in .zip"),
    ],
)
def test_a_lying_extension_is_named(name: str, data: bytes, says: str, advice: str) -> None:
    with pytest.raises(UnreadableFile, match=says) as error:
        parse(data, name)
    assert advice in error.value.advice


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.7z", b"7z\xbc\xaf\x27\x1c" + b"\0" * 100, "a 7z archive"),
        ("a.txt", b"\x7fELF" + b"\0" * 100, "a program"),
        ("a.mp4", b"\0\0\0\x18ftypmp42" + b"\0" * 100, "an audio or video file"),
        ("a.pages", zip_of({"Index/Document.iwa": b"x"}), "an Apple Pages"),
    ],
)
def test_what_is_not_read_is_named_with_what_is(name: str, data: bytes, says: str) -> None:
    with pytest.raises(UnreadableFile, match=says) as error:
        parse(data, name)
    assert error.value.advice.endswith("as PDF, Word, Excel, PowerPoint, HTML, Markdown or plain text.")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
        b"\xff\xd8\xff\xe0" + b"\0" * 100,
        b"GIF89a" + b"\0" * 100,
        b"II*\0" + b"\0" * 100,
        b"RIFF\x10\0\0\0WEBPVP8 " + b"\0" * 100,
        b"\0\0\0\x18ftypheic" + b"\0" * 100,
    ],
)
def test_an_image_says_what_it_needs(data: bytes) -> None:
    assert is_image(data)
    for name in ("a.png", "a.pdf", "a"):
        with pytest.raises(UnreadableFile, match="is an image") as error:
            parse(data, name)
        assert "MASIS_VISION_MODEL" in error.value.advice


def test_what_is_no_image() -> None:
    assert not any(
        is_image(data) for data in (PDF, DOCX, b"Just text.", b"BMW sold more cars in Europe.", b"GIF8", b"")
    )


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_a_cut_off_container_is_told_from_a_wrong_one(keep: float) -> None:
    with pytest.raises(UnreadableFile, match="damaged or cut off") as error:
        parse(DOCX[: int(len(DOCX) * keep)], "a.docx")
    assert "again" in error.value.advice


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.p7m", bytes.fromhex("30820122 0609 2a864886f70d010703 a0820113".replace(" ", "")) + bytes(50)),
        ("a.asc", b"-----BEGIN PGP MESSAGE-----\n\nhQEMA1...\n-----END PGP MESSAGE-----\n"),
        (
            "a.odt",
            zip_of(
                {
                    "mimetype": b"application/vnd.oasis.opendocument.text",
                    "META-INF/manifest.xml": b"<manifest><encryption-data/></manifest>",
                    "content.xml": bytes(100),
                }
            ),
        ),
        ("a.pdf", pdf_of("Secret.", password="s3cret")),
    ],
)
def test_what_is_encrypted_says_so(name: str, data: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"encrypted|password"):
        parse(data, name)


def test_an_error_nobody_foresaw_is_still_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, says in ((ZeroDivisionError(), "ZeroDivisionError"), (MemoryError(), "more memory")):

        def fail(*_: object, error: Exception = error) -> ParsedDocument:
            raise error

        monkeypatch.setattr(parse_module, "parser_for", lambda *_, fail=fail: fail)
        with pytest.raises(UnreadableFile, match=says):
            parse(b"Revenue rose.", "a.txt")


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
    st.sampled_from([*supported_extensions(), "", ".xyz"]),
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
        "heavy = {'pypdfium2', 'docx', 'lxml', 'numpy', 'openai', 'olefile', 'python_calamine'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
