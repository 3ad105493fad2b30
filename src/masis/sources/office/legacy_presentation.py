"""PowerPoint 97 to 2003 (PPT): the text of each slide, from the records of the presentation's stream."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from masis.sources.dates import find_date
from masis.sources.office.package import CompoundFile, encrypted
from masis.sources.plain import clean, one_line
from masis.types import Page, ParsedDocument

_STREAM, _USER = "PowerPoint Document", "Current User"
_ENCRYPTED_USER = b"\xdf\xc4\xd1\xf3"
_SLIDE, _LIST, _SLIDE_START, _TEXT_KIND, _WIDE_TEXT, _TEXT, _NOTES = 0x3EE, 0xFF0, 0x3F3, 0xF9F, 0xFA0, 0xFA8, 0x3F0
_CONTAINER = 0xF
_TITLES = (0, 6)
_FURNITURE = "*"
_MAX_DEPTH = 30


@dataclass(slots=True)
class _Slide:
    title: str = ""
    texts: list[str] = field(default_factory=list[str])

    def add(self, text: str, kind: int) -> None:
        """Adds a text once, although both the outline and the drawing may contain it."""
        if kind in _TITLES and not self.title:
            self.title = one_line(text)
        elif text.strip() not in ("", _FURNITURE, self.title) and text not in self.texts:
            self.texts.append(text)

    def text(self) -> str:
        return clean("\n\n".join([f"# {self.title}" if self.title else "", *self.texts]).strip("\n"))


def parse_legacy_presentation(data: bytes, file_name: str) -> ParsedDocument:
    with CompoundFile(data, file_name, "a PowerPoint presentation") as file:
        if (file.read(_USER) or b"")[12:16] == _ENCRYPTED_USER:
            raise encrypted(file_name)
        stream = file.required(_STREAM)
    outline, drawn = list(_outline(stream)), list(_drawn(stream))
    slides = [_merged(outline, drawn, index) for index in range(max(len(outline), len(drawn)))]
    pages = [Page(index, slide.text(), label=f"slide {index}") for index, slide in enumerate(slides, start=1)]
    if not any(page.text for page in pages):
        raise file.damaged()
    first = next((slide for slide in slides if slide.text()), _Slide())
    return ParsedDocument(pages, title=first.title or None, date=find_date(first.text()))


def _merged(outline: list[_Slide], drawn: list[_Slide], index: int) -> _Slide:
    slide = outline[index] if index < len(outline) else _Slide()
    for each in drawn[index : index + 1]:
        for text in [each.title, *each.texts]:
            slide.add(text, -1)
    return slide


@dataclass(frozen=True, slots=True)
class _Record:
    kind: int
    instance: int
    data: bytes
    is_container: bool


def _records(data: bytes) -> Iterator[_Record]:
    position = 0
    while position + 8 <= len(data):
        head = int.from_bytes(data[position : position + 2], "little")
        size = int.from_bytes(data[position + 4 : position + 8], "little")
        kind = int.from_bytes(data[position + 2 : position + 4], "little")
        yield _Record(kind, head >> 4, data[position + 8 : position + 8 + size], head & 15 == _CONTAINER)
        position += 8 + size


def _walk(data: bytes, depth: int = 0) -> Iterator[_Record]:
    for record in _records(data):
        yield record
        if record.is_container and record.kind != _NOTES and depth < _MAX_DEPTH:
            yield from _walk(record.data, depth + 1)


def _outline(stream: bytes) -> Iterator[_Slide]:
    """The slides with their texts; lists of masters and notes are other instances of the same record."""
    slide: _Slide | None = None
    for record in _walk(stream):
        if record.kind == _LIST and record.instance == 0:
            kind = -1
            for each in _records(record.data):
                if each.kind == _SLIDE_START:
                    if slide:
                        yield slide
                    slide, kind = _Slide(), -1
                elif each.kind == _TEXT_KIND:
                    kind = int.from_bytes(each.data[:4], "little")
                elif slide and each.kind in (_TEXT, _WIDE_TEXT):
                    slide.add(_text(each), kind)
    if slide:
        yield slide


def _drawn(stream: bytes) -> Iterator[_Slide]:
    for record in _walk(stream):
        if record.kind == _SLIDE and record.is_container:
            slide, kind = _Slide(), -1
            for each in _walk(record.data):
                if each.kind == _TEXT_KIND:
                    kind = int.from_bytes(each.data[:4], "little")
                elif each.kind in (_TEXT, _WIDE_TEXT):
                    slide.add(_text(each), kind)
            yield slide


def _text(record: _Record) -> str:
    encoding = "utf-16-le" if record.kind == _WIDE_TEXT else "latin-1"
    return record.data.decode(encoding, "replace").replace("\x0b", "\n").replace("\r", "\n")
