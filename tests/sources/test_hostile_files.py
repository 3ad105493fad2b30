"""Files made to do harm: each is read or refused in words, within limits, and the next file is read as ever."""

import gzip
import io
import random
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evals.fuzz_formats import MAX_GROWTH_MB, good_files, run
from evals.tables import shared_data
from masis.errors import UnreadableFile
from masis.sources import supported_extensions
from masis.sources.archives import MAX_DEPTH
from masis.sources.sandbox.pool import Sandbox
from masis.types import ParsedDocument
from tests.sources.files import docx_of, heading, pdf_of, scanned_pdf
from tests.sources.hostile import XML_BOMB, docx_with, tar_of, xlsx_with, xxe, zip_bomb, zip_of

SECRET = "the-content-of-another-file"


def read_or_refused(sandbox: Sandbox, data: bytes, name: str) -> ParsedDocument | None:
    document, error = None, None
    try:
        document = sandbox.parse(data, name)
    except UnreadableFile as refusal:
        error = refusal
    assert document or (error and error.advice and name in str(error))
    assert sandbox.parse(b"Revenue rose.", "next.txt").text == "Revenue rose."
    return document


def refused(sandbox: Sandbox, data: bytes, name: str) -> str:
    with pytest.raises(UnreadableFile) as error:
        sandbox.parse(data, name)
    assert error.value.advice
    return str(error.value)


def _sheet(dimension: bytes, cells: bytes) -> bytes:
    return xlsx_with(b'<dimension ref="%s"/><sheetData>%s</sheetData>' % (dimension, cells))


FAR_CELL = b'<row r="1048576"><c r="XFD1048576"><v>5</v></c></row>'
BOMBS = {
    "bomb.xml": XML_BOMB,
    "bomb.svg": XML_BOMB,
    "bomb.docx": docx_with(XML_BOMB),
    "bomb.xlsx": xlsx_with(XML_BOMB[XML_BOMB.index(b"<!DOCTYPE") :]),
    "deep.json": b"[" * 2_000_000,
    "deep.jsonl": b'{"a":' * 500_000,
    "deep.xml": b"<a>" * 500_000,
    "deep.html": b"<div>" * 500_000,
    "deep.docx": docx_with(b"<a>" * 200_000),
    "deep.rtf": b"{\\rtf1 " + b"{" * 500_000,
    "deep.md": b"> " * 200_000 + b"Revenue rose.",
    "deep.eml": b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (level, level) for level in range(3000)
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(sandbox: Sandbox, name: str) -> None:
    read_or_refused(sandbox, BOMBS[name], name)


@pytest.mark.parametrize("dimension", [b"A1:XFD1048576", b"A1", b"A1:ZZZZZZ99999999999"])
def test_a_sheet_that_claims_every_cell_there_is(sandbox: Sandbox, dimension: bytes) -> None:
    read_or_refused(sandbox, _sheet(dimension, FAR_CELL), "a.xlsx")
    near = b'<row r="1"><c r="A1" t="inlineStr"><is><t>Revenue rose.</t></is></c></row>'
    document = read_or_refused(sandbox, _sheet(b"A1:XFD1048576", near), "a.xlsx")
    assert document is None or "Revenue rose." in document.text


def test_a_zip_bomb(sandbox: Sandbox) -> None:
    assert "unpacks to more than 300 times its size" in refused(sandbox, zip_bomb(80), "a.zip")


def test_archives_in_archives_come_out_one_level_at_a_time(sandbox: Sandbox) -> None:
    data = b"Revenue rose."
    for level in range(MAX_DEPTH + 3):
        data = zip_of({f"{level}.zip" if level else "a.txt": data})
    (member,) = sandbox.parse(data, "a.zip").members
    assert member.name == f"{MAX_DEPTH + 2}.zip"
    assert zipfile.is_zipfile(io.BytesIO(member.data))


def test_names_that_lead_out_of_an_archive(sandbox: Sandbox) -> None:
    for data in (zip_of({"../../evil.txt": b"x"}), tar_of({"/etc/evil.txt": b"x"}, "w:gz")):
        document = sandbox.parse(data, "a.zip" if data.startswith(b"PK") else "a.tgz")
        assert [member.name for member in document.members] == ["evil.txt"]


@pytest.mark.parametrize("extension", [*supported_extensions(), "", ".xyz"])
def test_random_bytes(sandbox: Sandbox, extension: str) -> None:
    assert refused(sandbox, random.Random(extension).randbytes(5000), f"noise{extension}")


@pytest.mark.parametrize(
    "extension", [".docx", ".xlsx", ".pptx", ".odt", ".epub", ".doc", ".xls", ".msg", ".pdf", ".png"]
)
def test_random_bytes_behind_a_true_beginning(sandbox: Sandbox, extension: str) -> None:
    starts = {".pdf": b"%PDF-1.7\n", ".png": b"\x89PNG\r\n\x1a\n"}
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" if extension in (".doc", ".xls", ".msg") else b"PK\x03\x04"
    assert refused(sandbox, starts.get(extension, ole) + random.Random(1).randbytes(5000), f"noise{extension}")


@pytest.fixture
def requests_seen() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback that nobody should call."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/entity", seen
    server.shutdown()
    server.server_close()


def _carriers(entity: bytes, address: str) -> dict[str, bytes]:
    link = f'<html><head><link rel=stylesheet href="{address}"></head><body><img src="{address}">Revenue.'.encode()
    odt = {"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": entity}
    return {
        "a.xml": entity,
        "a.svg": entity,
        "a.nxml": entity,
        "a.html": entity,
        "a.docx": docx_with(entity),
        "a.xlsx": xlsx_with(entity[entity.index(b"<!DOCTYPE") :]),
        "a.odt": zip_of(odt),
        "b.html": link,
        "a.md": f"![picture]({address}) Revenue.".encode(),
        "a.eml": b"From: a@example.com\r\nTo: b@example.com\r\nContent-Type: text/html\r\n\r\n" + link,
        "a.tex": f"\\input{{{address}}} Revenue.".encode(),
    }


def test_nothing_is_fetched_and_no_other_file_is_read(
    sandbox: Sandbox, requests_seen: tuple[str, list[str]], tmp_path: Path
) -> None:
    web, seen = requests_seen
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    for address in (web, secret.as_uri(), str(secret)):
        for name, data in _carriers(xxe(address), address).items():
            document = read_or_refused(sandbox, data, name)
            assert document is None or SECRET not in document.text
    assert seen == []


def test_a_compressed_file_of_itself_stays_one_file(sandbox: Sandbox) -> None:
    inner = gzip.compress(gzip.compress(b"Revenue rose."))
    (member,) = sandbox.parse(inner, "a.gz.gz").members
    assert (member.name, gzip.decompress(member.data)) == ("a.gz", b"Revenue rose.")


def _generated() -> list[tuple[str, bytes]]:
    table = [["Region", "2025"], ["North", "85.5"]]
    cell = b'<row r="1"><c r="A1" t="inlineStr"><is><t>Revenue</t></is></c><c r="B1"><v>5</v></c></row>'
    return [
        ("a.pdf", pdf_of(heading("Report"), "Revenue rose.", table, None, "Second page.")),
        ("scan.pdf", scanned_pdf()),
        ("a.docx", docx_of(lambda document: document.add_paragraph("Revenue rose."))),
        ("a.xlsx", xlsx_with(b"<sheetData>%s</sheetData>" % cell)),
        ("a.html", b"<html><body><h1>Report</h1><table><tr><td>Revenue</td><td>5</td></tr></table></body></html>"),
        ("a.rtf", b"{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}\\b Revenue\\b0  rose by 5 \\'80.\\par}"),
        ("a.json", b'[{"region": "North", "revenue": 85.5}, {"region": "South", "revenue": 62.8}]'),
        ("a.xml", b'<?xml version="1.0"?><report><title>Revenue</title><row year="2025">85.5</row></report>'),
        ("a.eml", b"From: a@example.com\r\nSubject: Sales\r\nMIME-Version: 1.0\r\n\r\nRevenue rose.\r\n"),
        ("a.csv", b"Region,Revenue\nNorth,85.5\n"),
        ("a.zip", zip_of({"a.txt": b"Revenue rose.", "b.txt": b"Costs fell."})),
        ("a.tar.gz", tar_of({"a.txt": b"Revenue rose."}, "w:gz")),
    ]


def test_100_damaged_files() -> None:
    tally = run([*_generated(), *(good_files() if shared_data("formats") else [])], 100, seed=7)
    assert tally.unexpected == []
    assert tally.outcomes.total() == 100
    assert tally.outcomes["read"] > 30
    assert tally.outcomes["refused"] > 30
    assert tally.growth_mb < MAX_GROWTH_MB
