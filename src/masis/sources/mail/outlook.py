"""Outlook messages (MSG): like mail, but stored in numbered properties."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from masis.sources.mail.message import as_thread, header_lines, message_page, parse_mail, refuse_encrypted_text
from masis.sources.markup.webpage import parse_webpage
from masis.sources.office.package import CompoundFile, encrypted
from masis.sources.office.rich_text import RichTextReader, rich_text, unpacked
from masis.sources.plain import clean, decode, one_line
from masis.types import Member, ParsedDocument

_CLASS, _SUBJECT, _SENDER, _SENDER_ADDRESS, _SENDER_SMTP = "001A", "0037", "0C1A", "0C1F", "5D01"
_TO, _CC, _BCC = "0E04", "0E03", "0E02"
_BODY, _HTML, _PACKED_RTF = "1000", "1013", "1009"
_ATTACHED_DATA, _LONG_NAME, _SHORT_NAME, _DISPLAY_NAME = "3701", "3707", "3704", "3001"
_SENT, _RECEIVED = b"\x40\x00\x39\x00", b"\x40\x00\x06\x0e"
_CODE_PAGES = (b"\x03\x00\xfd\x3f", b"\x03\x00\xde\x3f")
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_MAX_DEPTH = 10


def parse_outlook(data: bytes, file_name: str) -> ParsedDocument:
    with CompoundFile(data, file_name, "an Outlook message") as file:
        if not any(path.startswith(("__properties", "__substg1.0_")) for path in file.paths):
            raise file.damaged()
        message = _Message(file, "", depth=0)
        if message.kind.upper().startswith("IPM.NOTE.SMIME"):
            return _signed(message, file_name)
        return _document(message, message.body(), list(message.members()))


def _signed(message: "_Message", file_name: str) -> ParsedDocument:
    """Outlook stores a signed message as mail inside an attachment; an encrypted one looks the same but is not mail."""
    inner = next(iter(message.members()), None)
    if inner is None or not message.kind.upper().endswith("MULTIPARTSIGNED"):
        raise encrypted(file_name)
    document = parse_mail(inner.data, file_name)
    return _document(message, document.text, document.members)


def _document(message: "_Message", body: str, members: Sequence[Member]) -> ParsedDocument:
    return ParsedDocument(
        [message_page(header_lines(message.headers(), members), body)],
        title=message.subject or None,
        date=message.date,
        author=message.headers()["From"] or None,
        members=members,
    )


class _Message:
    """One message of the file, at its root or inside an attachment."""

    def __init__(self, file: CompoundFile, prefix: str, *, depth: int) -> None:
        self._file = file
        self._prefix = prefix
        self._depth = depth
        self._properties = file.read(f"{prefix}__properties_version1.0") or b""
        self._encoding = self._code_page()
        self.kind = self._string(_CLASS)
        self.subject = one_line(self._string(_SUBJECT))
        self.date = self._date()

    def headers(self) -> dict[str, str]:
        name, address = self._string(_SENDER), self._string(_SENDER_SMTP) or self._string(_SENDER_ADDRESS)
        has_address = "@" in address and address != name
        sender = f"{name} <{address}>".strip() if has_address else name or address
        return {
            "From": one_line(sender),
            "To": one_line(self._string(_TO)),
            "Cc": one_line(self._string(_CC)),
            "Bcc": one_line(self._string(_BCC)),
            "Date": self.date or "",
            "Subject": self.subject,
        }

    def body(self) -> str:
        """The text, with that of the messages attached to it."""
        own = self._body()
        refuse_encrypted_text(own, self._file.file_name)
        nested = [
            "\n".join(["Forwarded message", *header_lines(inner.headers(), list(inner.members())), "", inner.body()])
            for inner in self._nested()
        ]
        return "\n\n".join([own, *nested])

    def members(self) -> Iterator[Member]:
        for index, place in enumerate(self._attachments(), start=1):
            data = self._file.read(f"{place}__substg1.0_{_ATTACHED_DATA}0102")
            names = (self._string(name, place) for name in (_LONG_NAME, _SHORT_NAME, _DISPLAY_NAME))
            if data:
                yield Member(one_line(next(filter(None, names), f"attachment-{index}.bin")), data)
        for message in self._nested():
            yield from message.members()

    def _nested(self) -> Iterator["_Message"]:
        for place in self._attachments() if self._depth < _MAX_DEPTH else ():
            inner = f"{place}__substg1.0_{_ATTACHED_DATA}000D/"
            if any(path.startswith(f"{inner}__properties") for path in self._file.paths):
                yield _Message(self._file, inner, depth=self._depth + 1)

    def _attachments(self) -> list[str]:
        start = f"{self._prefix}__attach_version1.0_"
        found = (path[len(start) :].split("/", 1)[0] for path in self._file.paths if path.startswith(start))
        return [f"{start}{number}/" for number in sorted(set(found))]

    def _body(self) -> str:
        if (plain := self._string(_BODY)).strip():
            return as_thread(clean(plain))
        html = self._binary(_HTML) or self._string(_HTML).encode()
        if not html and (packed := self._binary(_PACKED_RTF)):
            data = unpacked(packed)
            reader = RichTextReader(data)
            if not reader.is_html:
                return rich_text(data, self._file.file_name)
            html = reader.text().encode("utf-8", "replace")
        return parse_webpage(html, self._file.file_name).text if html.strip() else ""

    def _string(self, number: str, place: str | None = None) -> str:
        start = f"{self._prefix if place is None else place}__substg1.0_{number}"
        if (wide := self._file.read(f"{start}001F")) is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = (self._file.read(f"{start}001E") or b"").rstrip(b"\0")
        return decode(narrow, self._file.file_name, self._encoding) if narrow else ""

    def _binary(self, number: str) -> bytes:
        return self._file.read(f"{self._prefix}__substg1.0_{number}0102") or b""

    def _fixed(self, tag: bytes) -> int | None:
        """Reads a short value; these are in one list of 16-byte entries: tag, flags, value."""
        for start in range(len(self._properties) % 16, len(self._properties) - 15, 16):
            if self._properties[start : start + 4] == tag:
                return int.from_bytes(self._properties[start + 8 : start + 16], "little")
        return None

    def _code_page(self) -> str | None:
        number = next((found for tag in _CODE_PAGES if (found := self._fixed(tag))), None)
        return f"cp{number & 0xFFFF}" if number else None

    def _date(self) -> str | None:
        ticks = self._fixed(_SENT) or self._fixed(_RECEIVED)
        try:
            return (_EPOCH + timedelta(microseconds=ticks // 10)).date().isoformat() if ticks else None
        except OverflowError:
            return None
