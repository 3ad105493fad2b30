"""Reads a worker's answer about a file frame by frame. Nothing in it is trusted, and everything is bounded."""

import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, get_args

from masis.errors import ScannedFile, UnreadableFile
from masis.sources.pdf.page_image import MOST_PIXELS, PageImage
from masis.types import Block, BlockKind, Box, Member, Page, ParsedDocument

if TYPE_CHECKING:
    from masis.settings import Settings  # not needed in the confined process

_SIZES = struct.Struct(">IQ")
_MAX_HEADER_BYTES = 1 << 20


class BrokenFrame(Exception):
    """The other end stopped in the middle, or does not speak the protocol."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes | None: ...


class Writable(Protocol):
    def write(self, data: bytes | memoryview, /) -> int | None: ...


def write_frame(stream: Writable, header: Mapping[str, object], body: bytes = b"") -> None:
    encoded = json.dumps(header).encode()
    _write_all(stream, _SIZES.pack(len(encoded), len(body)) + encoded)
    _write_all(stream, body)


def read_header(stream: Readable) -> tuple[dict[str, Any], int]:
    """The header, and the number of bytes in the body that follows."""
    header_bytes, body_bytes = _SIZES.unpack(read_exactly(stream, _SIZES.size))
    if header_bytes > _MAX_HEADER_BYTES:
        raise BrokenFrame
    try:
        header = json.loads(read_exactly(stream, header_bytes))
    except ValueError:
        raise BrokenFrame from None
    if not isinstance(header, dict):
        raise BrokenFrame
    return header, body_bytes


def read_exactly(stream: Readable, size: int) -> bytes:
    parts: list[bytes] = []
    missing = size
    while missing:
        part = stream.read(missing)
        if not part:
            raise BrokenFrame
        parts.append(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _write_all(stream: Writable, data: bytes) -> None:
    # An unbuffered stream may take less than it is given.
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) or 0 :]


_MAX_CHARACTERS = 100_000_000
_MAX_BYTES_A_CHARACTER = 4
_MAX_FRAMES = 2_000_000
_MAX_IMAGE_BYTES = 4 * MOST_PIXELS

_MARKER_CHARS = 20
_BLOCK_CHARS = 50
"""Characters that a block counts as, so that the number of blocks is bounded too."""
_KINDS: dict[str, BlockKind] = {kind: kind for kind in get_args(BlockKind)}

Header = dict[str, Any]


def read_answer(stream: Readable, file_name: str, settings: "Settings") -> ParsedDocument | UnreadableFile:
    """The document, or why the worker refused it. Raises BrokenFrame, or UnreadableFile if the answer is too long."""
    return _Answer(stream, file_name, settings).read()


def read_image(stream: Readable) -> PageImage | UnreadableFile:
    """A page as a picture, or why there is none."""
    header, size = read_header(stream)
    try:
        if "refused" in header:
            return UnreadableFile(str(header["refused"]), advice=str(header["advice"]))
        if size > _MAX_IMAGE_BYTES:
            raise BrokenFrame
        boxes = tuple(_box(*edges) for edges in header["boxes"])
        return PageImage(read_exactly(stream, size), int(header["width"]), int(header["height"]), boxes)
    except (KeyError, TypeError, ValueError) as error:
        raise BrokenFrame from error


def _box(left: float, top: float, right: float, bottom: float) -> Box:
    return float(left), float(top), float(right), float(bottom)


def _block(
    kind: str, start: int, end: int, level: int, marker: str, is_continued: bool, box: list[float] | None, *, text: str
) -> Block:
    if kind not in _KINDS or not 0 <= int(start) <= int(end) <= len(text):
        raise BrokenFrame
    place = None if box is None else _box(*box)
    return Block(_KINDS[kind], int(start), int(end), int(level), str(marker)[:_MARKER_CHARS], bool(is_continued), place)


class _Answer:
    def __init__(self, stream: Readable, file_name: str, settings: "Settings") -> None:
        self._stream = stream
        self._file_name = file_name
        self._members_left = settings.max_members
        self._bytes_left = settings.max_unpacked_bytes
        self._characters_left = _MAX_CHARACTERS
        self._pages: list[Page] = []
        self._members: list[Member] = []
        self._notes: list[str] = []

    def read(self) -> ParsedDocument | UnreadableFile:
        try:
            for _ in range(_MAX_FRAMES):
                header, size = read_header(self._stream)
                if "scanned_pages" in header:
                    return ScannedFile(str(header["refused"]), pages=int(header["scanned_pages"]))
                if "refused" in header:
                    return UnreadableFile(str(header["refused"]), advice=str(header["advice"]))
                if "title" in header:
                    return self._document(header)
                self._take(header, size)
        except (KeyError, TypeError, ValueError) as error:
            raise BrokenFrame from error
        raise self._too_much()

    def _document(self, header: Header) -> ParsedDocument:
        title, date, made, author = (_optional(header.get(name)) for name in ("title", "date", "made", "author"))
        scanned = [int(number) for number in header["scanned"]]
        return ParsedDocument(
            self._pages,
            title=title,
            date=date,
            made=made,
            author=author,
            members=self._members,
            notes=self._notes,
            scanned=scanned,
        )

    def _take(self, header: Header, size: int) -> None:
        # Labels, names and notes count as text: what comes besides the pages must be bounded too.
        self._characters_left -= sum(len(said) for said in header.values() if isinstance(said, str))
        if "page" in header:
            text = self._body(size, self._characters_left * _MAX_BYTES_A_CHARACTER).decode()
            self._characters_left -= len(text)
            said_blocks = header.get("blocks", ())
            self._characters_left -= _BLOCK_CHARS * len(said_blocks)
            blocks = tuple(_block(*said, text=text) for said in said_blocks)
            self._pages.append(Page(int(header["page"]), text, _optional(header["label"]), blocks))
        elif "member" in header:
            self._bytes_left -= size
            self._members_left -= 1
            self._members.append(Member(str(header["member"]), self._body(size, self._bytes_left + size)))
        else:
            self._notes.append(str(header["note"]))
            self._body(size, 0)
        if self._characters_left < 0 or self._members_left < 0:
            raise self._too_much()

    def _body(self, size: int, limit: int) -> bytes:
        if size > limit:
            raise self._too_much()
        return read_exactly(self._stream, size)

    def _too_much(self) -> UnreadableFile:
        return UnreadableFile(
            f"{self._file_name} holds more text or larger files than any document should.",
            advice="Split it into parts.",
        )


def _optional(value: object) -> str | None:
    return None if value is None else str(value)
