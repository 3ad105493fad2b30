import struct
from datetime import UTC, datetime

import pytest

from masis.errors import UnreadableFile
from masis.sources.mail.outlook import parse_outlook
from masis.sources.office.rich_text import unpacked
from tests.sources.compound_files import compound_of, message_of

SUBJECT, BODY, SENDER, ADDRESS, TO, CC, CLASS = "0037", "1000", "0C1A", "5D01", "0E04", "0E03", "001A"
HTML, RTF, ATTACHED, NAME = "1013", "1009", "3701", "3707"
HEADERS = {SUBJECT: "Größe", SENDER: "Ann", ADDRESS: "ann@example.org", TO: "Bob", CC: "Zoë"}
SENT = (datetime(2026, 2, 24, 9, tzinfo=UTC) - datetime(1601, 1, 1, tzinfo=UTC)) // datetime.resolution * 10


def stored(rtf: bytes) -> bytes:
    """Rich text as Outlook keeps it when it saves no space."""
    return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf


def test_headers_then_the_body() -> None:
    document = parse_outlook(compound_of(message_of(HEADERS | {BODY: "Sales rose.\r\n"}, sent=SENT)), "a.msg")
    assert document.text == (
        "From: Ann <ann@example.org>\nTo: Bob\nCc: Zoë\nDate: 2026-02-24\nSubject: Größe\n\nSales rose."
    )
    assert (document.title, document.date) == ("Größe", "2026-02-24")


@pytest.mark.parametrize(
    ("number", "data"),
    [
        (HTML, b"<html><body><p>Sales <b>rose</b>.</p></body></html>"),
        (RTF, stored(b"{\\rtf1\\ansi Sales {\\b rose}.}")),
        (
            RTF,
            stored(
                b"{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p>}\\htmlrtf \\par \\htmlrtf0 Sales {\\*\\htmltag84 <b>}"
                b"\\htmlrtf {\\b \\htmlrtf0 rose\\htmlrtf }\\htmlrtf0 {\\*\\htmltag92 </b>}.{\\*\\htmltag72 </p>}}"
            ),
        ),
    ],
)
def test_a_body_in_html_or_rich_text_only(number: str, data: bytes) -> None:
    document = parse_outlook(compound_of(message_of({SUBJECT: "x"}, binaries={number: data})), "a.msg")
    assert document.text == "Subject: x\n\nSales rose."


def test_packed_rich_text() -> None:
    """The example of the format's description."""
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert unpacked(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert unpacked(packed[:30]).startswith(b"{\\rtf1\\ansi\\ansicpg1252")


def test_attachments_and_a_message_inside() -> None:
    file = message_of({NAME: "report.pdf"}, binaries={ATTACHED: b"%PDF-1.7"})
    inner = message_of({SUBJECT: "Original", BODY: "Said first."}, attachments=[file])
    outer = message_of(HEADERS | {BODY: "See below."}, attachments=[file, {f"__substg1.0_{ATTACHED}000D": inner}])
    document = parse_outlook(compound_of(outer), "a.msg")
    assert [(member.name, member.data) for member in document.members] == [("report.pdf", b"%PDF-1.7")] * 2
    assert "Attachments: report.pdf, report.pdf\n\nSee below." in document.text
    assert document.text.endswith("\n\nForwarded message\nSubject: Original\nAttachments: report.pdf\n\nSaid first.")
    assert document.author == "Ann <ann@example.org>"


def test_an_encrypted_message() -> None:
    file = message_of({NAME: "smime.p7m"}, binaries={ATTACHED: b"\x30\x80"})
    with pytest.raises(UnreadableFile, match="encrypted"):
        parse_outlook(compound_of(message_of({CLASS: "IPM.Note.SMIME"}, attachments=[file])), "a.msg")


def test_a_signed_message_is_mail_inside() -> None:
    mail = b"Content-Type: multipart/signed; boundary=b\n\n--b\n\nSigned words.\n--b--\n"
    file = message_of({NAME: "smime.p7m"}, binaries={ATTACHED: mail})
    tree = message_of({CLASS: "IPM.Note.SMIME.MultipartSigned", SUBJECT: "x"}, attachments=[file])
    assert parse_outlook(compound_of(tree), "a.msg").text == "Subject: x\n\nSigned words."


@pytest.mark.parametrize(
    "data", [b"x" * 2000, compound_of({"WordDocument": b"x"}), compound_of(message_of(HEADERS))[:600]]
)
def test_damaged_messages(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_outlook(data, "a.msg")
