from email.message import EmailMessage

import pytest

from masis.errors import UnreadableFile
from masis.sources.mail.message import parse_mail


def message(subject: str = "Results", body: str | None = "Sales rose by 5 %.") -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Cc"] = "Ann <ann@example.org>", "bob@example.org", "Zoë <zoe@example.org>"
    mail["Date"], mail["Subject"] = "Tue, 24 Feb 2026 10:00:00 +0100", subject
    if body is not None:
        mail.set_content(body)
    return mail


def test_headers_then_the_body() -> None:
    document = parse_mail(message("Größe").as_bytes(), "a.eml")
    assert document.text == (
        "From: Ann <ann@example.org>\nTo: bob@example.org\nCc: Zoë <zoe@example.org>\n"
        "Date: Tue, 24 Feb 2026 10:00:00 +0100\nSubject: Größe\n\nSales rose by 5 %."
    )
    assert (document.title, document.date) == ("Größe", "2026-02-24")


def test_plain_text_is_preferred_to_the_same_in_html() -> None:
    mail = message()
    mail.add_alternative("<p>HTML says it too</p>", subtype="html")
    assert parse_mail(mail.as_bytes(), "a.eml").text.endswith("\n\nSales rose by 5 %.")


@pytest.mark.parametrize("plain", [None, " \n"])
def test_html_when_plain_text_says_nothing(plain: str | None) -> None:
    mail = message(body=plain)
    if plain is None:
        mail.set_content("<h1>News</h1><p>Sales <b>rose</b> – again.</p>", subtype="html")
    else:
        mail.add_alternative("<h1>News</h1><p>Sales <b>rose</b> – again.</p>", subtype="html")
    assert parse_mail(mail.as_bytes(), "a.eml").text.endswith("\n\n# News\n\nSales rose – again.")


def test_attached_files_are_members() -> None:
    mail = message()
    mail.add_attachment(b"a,b\n1,2", maintype="text", subtype="csv", filename="größe.csv")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf")
    document = parse_mail(mail.as_bytes(), "a.eml")
    assert [(member.name, member.data) for member in document.members] == [
        ("größe.csv", b"a,b\n1,2"),
        ("attachment-2.pdf", b"%PDF-"),
    ]
    assert "1,2" not in document.text
    assert "\nAttachments: größe.csv, attachment-2.pdf\n\n" in document.text
    assert (document.author, document.date) == ("Ann <ann@example.org>", "2026-02-24")


def test_a_message_in_a_message() -> None:
    inner = message("Original", "Said first.")
    inner.add_attachment(b"x", maintype="application", subtype="pdf", filename="inner.pdf")
    outer = message("Fwd", "See below.")
    outer.add_attachment(inner)
    document = parse_mail(outer.as_bytes(), "a.eml")
    assert "See below.\n\nForwarded message\nFrom: Ann" in document.text
    assert "Subject: Original\n\nSaid first." in document.text
    assert [member.name for member in document.members] == ["inner.pdf"]


def test_a_message_that_is_only_an_attachment_keeps_it() -> None:
    mail = message(body=None)
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="report.pdf")
    assert [member.name for member in parse_mail(mail.as_bytes(), "a.eml").members] == ["report.pdf"]


@pytest.mark.parametrize("charset", ["koi8-r", "windows-1251", "unknown-8bit", "nonsense"])
def test_the_body_in_another_encoding(charset: str) -> None:
    words = "Выручка компании выросла на пять процентов."
    encoding = charset if charset in ("koi8-r", "windows-1251") else "koi8-r"
    raw = f"From: a@b.c\nSubject: x\nContent-Type: text/plain; charset={charset}\n\n".encode() + words.encode(encoding)
    assert parse_mail(raw, "a.eml").text.endswith(words)


@pytest.mark.parametrize(
    "raw",
    [
        b"Subject: x\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--",
        b"Subject: x\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIAG",
        b"Subject: x\n\n-----BEGIN PGP MESSAGE-----\nhQEMA\n-----END PGP MESSAGE-----\n",
    ],
)
def test_encrypted_mail(raw: bytes) -> None:
    with pytest.raises(UnreadableFile, match="encrypted"):
        parse_mail(raw, "a.eml")


def test_signed_mail_is_read_without_its_signature() -> None:
    raw = (
        b'Subject: x\nContent-Type: multipart/signed; boundary=b; protocol="application/pgp-signature"\n\n'
        b"--b\nContent-Type: text/plain\n\nSigned words.\n--b\n"
        b'Content-Type: application/pgp-signature; name="s.asc"\n\niQEz\n--b--\n'
    )
    document = parse_mail(raw, "a.eml")
    assert document.text == "Subject: x\n\nSigned words."
    assert not document.members


def field(tag: int, *parts: bytes, indefinite: bool = False) -> bytes:
    data = b"".join(parts)
    if indefinite:
        return bytes([tag, 0x80]) + data + b"\0\0"
    return bytes([tag, 0x82]) + len(data).to_bytes(2, "big") + data


@pytest.mark.parametrize("indefinite", [False, True])
def test_mail_inside_its_signature(indefinite: bool) -> None:
    words = b"Content-Type: text/plain\n\nSigned words."
    octets = field(0x24, field(4, words[:20]), field(4, words[20:]), indefinite=indefinite)
    content = field(0x30, field(6, b"\x2a\x03"), field(0xA0, octets, indefinite=indefinite), indefinite=indefinite)
    signed = field(0x30, field(2, b"\x01"), field(0x31), content, indefinite=indefinite)
    kind = field(6, bytes.fromhex("2a864886f70d010702"))
    whole = field(0x30, kind, field(0xA0, signed, indefinite=indefinite), indefinite=indefinite)
    mail = EmailMessage()
    mail["Subject"] = "x"
    mail.set_content(whole, maintype="application", subtype="pkcs7-mime", filename="smime.p7m")
    assert parse_mail(mail.as_bytes(), "a.eml").text == "Subject: x\n\nSigned words."


def test_a_picture_alone_is_no_text() -> None:
    mail = message(body=None)
    mail.add_attachment(b"\xff\xd8\xff", maintype="image", subtype="jpeg", filename="scan.jpg")
    with pytest.raises(UnreadableFile, match="contains no text, only headers and pictures"):
        parse_mail(mail.as_bytes(), "a.eml")


@pytest.mark.parametrize("raw", [b"   \n\n   ", b"no headers at all", b"\x00\x01\x02"])
def test_what_is_no_mail(raw: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"not a mail message|no text"):
        parse_mail(raw, "a.eml")


def test_broken_headers_are_kept_as_they_are() -> None:
    raw = b"Subject: =?utf-8?b?abc?= and \xff\nDate: someday\nFrom: =?nonsense?q?x?=\n\nBody."
    document = parse_mail(raw, "a.eml")
    assert document.text.endswith("\n\nBody.")
    assert document.date is None


def test_endless_nesting_ends() -> None:
    raw = b"Subject: x\n\nBody."
    for _ in range(40):
        raw = b"Subject: x\nContent-Type: message/rfc822\n\n" + raw
    with pytest.raises(UnreadableFile, match="deep"):
        parse_mail(raw, "a.eml")


EARLIER = """We agree.

> On Tue, 3 Mar 2026 at 09:12, Bo Lind <bo@example.org> wrote:
> The pier costs
>   Part     EUR
>   Deck     120
>
>> From: Cy Ray
>> Sent: Monday, 2 March 2026 17:30
>> To: Bo Lind; Ann Bell
>> Subject: The pier
>>
>> What does it cost?
"""


def test_what_is_quoted_stands_under_its_writer_and_time_without_marks() -> None:
    document = parse_mail(message(body=EARLIER).as_bytes(), "re.eml")
    below = document.text.partition("We agree.")[2]
    assert below.split("\n\n") == [
        "",
        "## On Tue, 3 Mar 2026 at 09:12, Bo Lind <bo@example.org> wrote",
        "The pier costs\n  Part     EUR\n  Deck     120",
        "## Message from Cy Ray, Monday, 2 March 2026 17:30: The pier",
        "To: Bo Lind; Ann Bell",
        "What does it cost?",
    ]
    headings = [document.text[b.start : b.end] for b in document.pages[0].blocks if b.kind == "heading"]
    assert len(headings) == 2


@pytest.mark.parametrize(
    "body",
    [
        "Profit > 5 is fine.\n5 > 3",
        "From: the start we knew.\nIt was late.",
        "From: Cy\nRate: 5\nThat was all.",
        "On the 3rd of May he wrote: no.",
    ],
)
def test_a_message_that_quotes_nothing_stays_as_it_is(body: str) -> None:
    assert parse_mail(message(body=body).as_bytes(), "a.eml").text.endswith(f"\n\n{body}")
