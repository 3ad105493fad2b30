import struct

import pytest

from masis.errors import UnreadableFile
from masis.sources.office.legacy_presentation import parse_legacy_presentation
from tests.sources.compound_files import compound_of

SLIDE, SLIDES, SLIDE_START, TEXT_KIND, WIDE_TEXT, TEXT = 0x3EE, 0xFF0, 0x3F3, 0xF9F, 0xFA0, 0xFA8


def atom(kind: int, data: bytes) -> bytes:
    return struct.pack("<HHI", 0, kind, len(data)) + data


def container(kind: int, *parts: bytes, instance: int = 0) -> bytes:
    data = b"".join(parts)
    return struct.pack("<HHI", instance << 4 | 0xF, kind, len(data)) + data


def text(words: str, kind: int = 1) -> bytes:
    wide = atom(WIDE_TEXT, words.encode("utf-16-le"))
    return atom(TEXT_KIND, struct.pack("<I", kind)) + (atom(TEXT, words.encode()) if words.isascii() else wide)


def ppt_of(*records: bytes, user: bytes = b"") -> bytes:
    stream = container(0x3E8, *records)
    return compound_of({"PowerPoint Document": stream, "Current User": bytes(12) + user + bytes(20)})


def test_titles_and_texts_of_each_slide_read_once() -> None:
    start = atom(SLIDE_START, bytes(20))
    outline = container(SLIDES, start, text("Plan für 2026", 0), text("first\rsecond"), start, text("Second slide", 0))
    masters = container(SLIDES, start, text("Click to edit"), instance=1)
    drawing = container(SLIDE, container(0x40C, text("Plan für 2026", 0), text("A box"), text("*")))
    document = parse_legacy_presentation(ppt_of(masters, outline, drawing), "a.ppt")
    assert [(page.label, page.text) for page in document.pages] == [
        ("slide 1", "# Plan für 2026\n\nfirst\nsecond\n\nA box"),
        ("slide 2", "# Second slide"),
    ]
    assert document.title == "Plan für 2026"


def test_a_password() -> None:
    with pytest.raises(UnreadableFile, match="password"):
        parse_legacy_presentation(ppt_of(user=b"\xdf\xc4\xd1\xf3"), "a.ppt")


@pytest.mark.parametrize("data", [b"x" * 600, compound_of({"Workbook": b"x"}), ppt_of(), ppt_of(b"\xff" * 200)])
def test_damaged_presentations(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_legacy_presentation(data, "a.ppt")
