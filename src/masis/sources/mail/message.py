"""Mail (EML): the headers a reader sees, then the body; attached files are separate documents."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from email import policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from masis.errors import UnreadableFile
from masis.sources.blocks import read_blocks
from masis.sources.markup.webpage import parse_webpage
from masis.sources.office.package import encrypted
from masis.sources.plain import clean, decode, one_line
from masis.sources.table_grid import with_tables
from masis.types import Block, Member, Page, ParsedDocument

_SIGNED = bytes.fromhex("2a864886f70d010702")
_OCTETS, _OBJECT, _CONSTRUCTED = 0x04, 0x06, 0x20
_SIGNED_MAX_DEPTH = 12


@dataclass(frozen=True, slots=True)
class _Field:
    tag: int
    data: bytes
    fields: tuple["_Field", ...]


def signed_content(data: bytes) -> bytes | None:
    """The signed message; None if the data are not signed but, for instance, encrypted."""
    fields, _ = _read(data, 0, len(data), 0)
    outer = fields[0].fields if fields else ()
    if len(outer) < 2 or outer[0].tag != _OBJECT or outer[0].data != _SIGNED:
        return None
    signed = outer[1].fields[0].fields if outer[1].fields else ()
    # Version and digests come first, then the kind of the content and the content itself.
    content = signed[2].fields[1:2] if len(signed) > 2 else ()
    return b"".join(_octets(each) for each in content) or None


def _octets(field: _Field) -> bytes:
    """The content of a string; a long one is split into several."""
    if field.tag == _OCTETS:
        return field.data
    return b"".join(_octets(each) for each in field.fields)


def _read(data: bytes, position: int, end: int, depth: int) -> tuple[tuple[_Field, ...], int]:
    fields = []
    while position + 2 <= end and depth < _SIGNED_MAX_DEPTH:
        tag, size = data[position], data[position + 1]
        position += 2
        if tag == 0 and size == 0:
            break
        if size == 0x80:
            inner, after = _read(data, position, end, depth + 1)
        else:
            length = int.from_bytes(data[position : position + (size & 127)], "big") if size > 0x80 else size
            position += size & 127 if size > 0x80 else 0
            after = min(position + length, end)
            inner = _read(data, position, after, depth + 1)[0] if tag & _CONSTRUCTED else ()
        fields.append(_Field(tag, data[position:after] if not inner else b"", inner))
        position = after
    return tuple(fields), position


_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_SIGNATURES = ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
_SMIME = ("application/pkcs7-mime", "application/x-pkcs7-mime")
# A list of our own, because the system's list of types is a file.
_EXTENSIONS = {
    "text/plain": ".txt", "text/html": ".html", "text/csv": ".csv", "text/markdown": ".md", "text/xml": ".xml",
    "application/pdf": ".pdf", "application/json": ".json", "application/xml": ".xml", "application/zip": ".zip",
    "application/rtf": ".rtf", "application/msword": ".doc", "application/vnd.ms-excel": ".xls",
    "application/vnd.ms-powerpoint": ".ppt", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif",
}  # fmt: skip
_PGP = "-----BEGIN PGP MESSAGE-----"
_QUOTE_MARKS = re.compile(r"^[ \t]?(?:>[ \t]?)*>(?: |$)?", re.MULTILINE)
_HEAD_OF_AN_EARLIER_ONE = re.compile(
    r"(?:^[-_ ]{1,60}(?:(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine)"
    r"[-_ ]{0,60})?\n)?"
    r"^\*?(?:From|Von|De|Van):\*? (?P<who>.{1,300})\n(?P<fields>(?:\*?[A-Z][\w-]{1,14}:\*?[ \t].*\n){1,6})",
    re.MULTILINE,
)
_FIELD = re.compile(r"^\*?(?P<name>[A-Z][\w-]{1,14}):\*?[ \t]+(?P<value>.*)$", re.MULTILINE)
_WHEN = ("Sent", "Date", "Gesendet", "Datum", "Envoyé", "Enviado", "Verzonden")
_WHAT = ("Subject", "Betreff", "Objet", "Asunto", "Onderwerp")
_WROTE = re.compile(r"^(?P<who>On (?=[^\n]{0,120}\d)[^\n]{8,120}(?:\n[^\n]{1,80})?) wrote:[ \t]*$", re.MULTILINE)
_MAX_DEPTH = 20


def parse_mail(data: bytes, file_name: str) -> ParsedDocument:
    # The old policy keeps broken headers as they are; the new one raises.
    message = BytesParser(policy=policy.compat32).parsebytes(data)
    if not message.keys() or not any(message[name] for name in (*_HEADERS, "Content-Type", "Received")):
        raise UnreadableFile(
            f"{file_name} is not a mail message: it has no headers.", advice="Export it again from the mail program."
        )
    letter = _Letter(message, file_name)
    body = clean("\n\n".join(letter.texts))
    if not body and not letter.has_documents:
        raise UnreadableFile(
            f"{file_name} contains no text, only headers{' and pictures' if letter.members else ''}.",
            advice="Save its attachments and ingest those.",
        )
    return ParsedDocument(
        [message_page(header_lines(letter.headers, letter.members), body)],
        title=letter.headers.get("Subject"),
        date=_iso_date(message["Date"]),
        author=letter.headers.get("From"),
        members=letter.members,
    )


def message_page(fields: Sequence[str], body: str) -> Page:
    """A page with the fields as a note above the body."""
    above = clean("\n".join(fields))
    text = clean(f"{above}\n\n{body}")
    start = len(above) if above else 0
    below = [replace(each, start=start + each.start, end=start + each.end) for each in read_blocks(text[start:])]
    return Page(1, text, blocks=(*([Block("note", 0, start)] if above else []), *below))


def as_thread(body: str) -> str:
    """Removes quote marks from earlier messages and puts each under a heading with its sender and date."""
    bare = with_tables(clean(_QUOTE_MARKS.sub("", body)))
    headed = _HEAD_OF_AN_EARLIER_ONE.sub(_heading, bare)
    return _WROTE.sub(lambda found: f"\n## {one_line(found['who'])} wrote\n", headed)


def _heading(found: re.Match[str]) -> str:
    fields = {each["name"]: each["value"].strip() for each in _FIELD.finditer(found["fields"])}
    sent = next((fields.pop(name) for name in _WHEN if name in fields), "")
    about = next((fields.pop(name) for name in _WHAT if name in fields), "")
    if not sent:
        return found[0]
    title = ": ".join(filter(None, [f"Message from {found['who'].strip()}, {sent}", about]))
    return "\n".join(["", f"## {title}", "", *(f"{name}: {value}" for name, value in fields.items()), ""])


def header_lines(headers: dict[str, str], members: Sequence[Member] = ()) -> list[str]:
    """One field per line, including the names of attachments."""
    attached = {"Attachments": ", ".join(one_line(member.name) for member in members)}
    return [f"{name}: {value}" for name, value in (headers | attached).items() if value]


def refuse_encrypted_text(text: str, file_name: str) -> None:
    if text.lstrip().startswith(_PGP):
        raise encrypted(file_name)


class _Letter:
    """One message with everything nested in it."""

    def __init__(self, message: Message, file_name: str) -> None:
        self._file_name = file_name
        self.headers = {name: value for name in _HEADERS if (value := _header(message, name))}
        self.texts: list[str] = []
        self.members: list[Member] = []
        self.has_documents = False
        """Whether anything but pictures is attached."""
        self._read(message, depth=0)

    def _read(self, part: Message, depth: int) -> None:
        kind = part.get_content_type()
        if depth > _MAX_DEPTH:
            raise UnreadableFile(f"{self._file_name} nests messages more than {_MAX_DEPTH} deep.")
        if kind == "multipart/encrypted":
            raise encrypted(self._file_name)
        if kind in _SMIME:
            self._read_signed(part, depth)
        elif kind == "message/rfc822":
            self._read_nested(part, depth)
        elif kind == "multipart/alternative":
            self._read_best(part, depth)
        elif part.is_multipart():
            for each in _parts(part):
                self._read(each, depth + 1)
        elif kind not in _SIGNATURES:
            self._read_leaf(part, kind)

    def _read_nested(self, part: Message, depth: int) -> None:
        for message in _parts(part):
            headers = {name: _header(message, name) for name in _HEADERS}
            self.texts.append("\n".join(["Forwarded message", *header_lines(headers)]))
            self._read(message, depth + 1)

    def _read_signed(self, part: Message, depth: int) -> None:
        content = signed_content(_content(part))
        if content is None:
            raise encrypted(self._file_name)
        self._read(BytesParser(policy=policy.compat32).parsebytes(content), depth + 1)

    def _read_best(self, part: Message, depth: int) -> None:
        """Plain text and HTML say the same, so the plain text is read unless it is empty."""
        ranked = sorted(_parts(part), key=lambda each: each.get_content_type() != "text/plain")
        before = len(self.texts)
        for each in ranked:
            # Calendars and pictures among the alternatives are files; of the texts, one is enough.
            if len(self.texts) == before or each.get_content_maintype() not in ("text", "multipart"):
                self._read(each, depth + 1)

    def _read_leaf(self, part: Message, kind: str) -> None:
        name = _file_name_of(part)
        data = _content(part)
        if name or part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text":
            if data:
                self.members.append(Member(name or self._invented_name(kind), data))
                self.has_documents |= not kind.startswith("image/")
        elif text := _text(data, kind, part.get_content_charset(), self._file_name):
            refuse_encrypted_text(text, self._file_name)
            self.texts.append(as_thread(text) if kind != "text/html" else text)

    def _invented_name(self, kind: str) -> str:
        return f"attachment-{len(self.members) + 1}{_EXTENSIONS.get(kind, '.bin')}"


def _parts(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    yield from (each for each in payload if isinstance(each, Message)) if isinstance(payload, list) else ()


def _content(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(data: bytes, kind: str, charset: str | None, file_name: str) -> str:
    if not data.strip():
        return ""
    try:
        if kind == "text/html":
            return parse_webpage(data if _is_declared(data) else _as_utf8(data, charset, file_name), file_name).text
        return clean(decode(data, file_name, charset))
    except UnreadableFile:
        # A message truncated or damaged on its way: what can be read of it is better than nothing.
        return clean(data.decode("utf-8", "replace"))


def _is_declared(data: bytes) -> bool:
    return b"charset" in data[:4096].lower()


def _as_utf8(data: bytes, charset: str | None, file_name: str) -> bytes:
    return decode(data, file_name, charset).encode("utf-8", "replace")


def _header(message: Message, name: str) -> str:
    """Decodes encoded words; a header in an unknown encoding stays as it is."""
    value = ", ".join(str(each) for each in message.get_all(name, []))
    with suppress(ValueError, LookupError, MessageError):
        value = str(make_header(decode_header(value)))
    return one_line(clean(value))


def _file_name_of(part: Message) -> str:
    try:
        name = part.get_filename() or ""
        return one_line(clean(str(make_header(decode_header(name)))))
    except (ValueError, LookupError, TypeError, MessageError):
        return ""


def _iso_date(value: object) -> str | None:
    try:
        return parsedate_to_datetime(str(value)).date().isoformat() if value else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
