import io
import json
import struct

import pytest

from masis.errors import UnreadableFile
from masis.settings import Settings
from masis.sources.sandbox import answer as sandbox_answer
from masis.sources.sandbox.answer import BrokenFrame, read_answer, write_frame
from masis.types import Member, Page, ParsedDocument

END: tuple[dict[str, object], bytes] = ({"title": None, "date": None, "scanned": []}, b"")


def stream_of(*frames: tuple[dict[str, object], bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    for header, body in frames:
        write_frame(stream, header, body)
    stream.seek(0)
    return stream


def test_a_whole_answer() -> None:
    stream = stream_of(
        ({"page": 3, "label": "sheet Data"}, "État".encode()),
        ({"member": "a/b.txt"}, b"\x00\xff"),
        ({"note": "Page 4 is damaged."}, b""),
        ({"title": "Report", "date": "2026-03", "made": "2026-04-01", "author": "Ann", "scanned": [4]}, b""),
    )
    assert read_answer(stream, "a.xlsx", Settings()) == ParsedDocument(
        [Page(3, "État", "sheet Data")],
        title="Report",
        date="2026-03",
        made="2026-04-01",
        author="Ann",
        members=[Member("a/b.txt", b"\x00\xff")],
        notes=["Page 4 is damaged."],
        scanned=[4],
    )


def test_a_refusal() -> None:
    refused = read_answer(stream_of(({"refused": "It is empty.", "advice": "Fill it."}, b"")), "a", Settings())
    assert isinstance(refused, UnreadableFile)
    assert (str(refused), refused.advice) == ("It is empty.", "Fill it.")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\x00\x00",
        b"Segmentation fault, and a few words more",
        struct.pack(">IQ", 1 << 31, 0),
        struct.pack(">IQ", 3, 0) + b"{{{",
        struct.pack(">IQ", 2, 0) + b"[]",
        stream_of(({"page": "three", "label": None}, b"")).getvalue(),
        stream_of(({"page": None, "label": None}, b"")).getvalue(),
        stream_of(({"page": 1}, b"no label")).getvalue(),
        stream_of(({"page": 1, "label": None}, b"\xff\xfe not text")).getvalue(),
        stream_of(({"page": 1, "label": None}, b"text"), END).getvalue()[:-5],
        stream_of(({"unknown": 1}, b"")).getvalue(),
        stream_of(({"refused": "without advice"}, b"")).getvalue(),
    ],
)
def test_what_is_no_answer(said: bytes) -> None:
    with pytest.raises(BrokenFrame):
        read_answer(io.BytesIO(said), "a.txt", Settings())


def test_a_size_that_is_too_large_is_not_even_read() -> None:
    header = json.dumps({"page": 1, "label": None}).encode()
    stream = io.BytesIO(struct.pack(">IQ", len(header), 1 << 60) + header)
    with pytest.raises(UnreadableFile, match="than any document should"):
        read_answer(stream, "a.txt", Settings())


def test_more_members_or_bytes_than_allowed() -> None:
    members: list[tuple[dict[str, object], bytes]] = [({"member": f"{n}.txt"}, b"12345") for n in range(4)]
    assert read_answer(stream_of(*members, END), "a.zip", Settings(max_members=4, max_unpacked_bytes=20))
    with pytest.raises(UnreadableFile):
        read_answer(stream_of(*members, END), "a.zip", Settings(max_members=3))
    with pytest.raises(UnreadableFile):
        read_answer(stream_of(*members, END), "a.zip", Settings(max_unpacked_bytes=19))


def test_an_answer_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_answer, "_MAX_FRAMES", 100)
    with pytest.raises(UnreadableFile, match="than any document should"):
        read_answer(stream_of(*([({"note": "again"}, b"")] * 101)), "a.txt", Settings())
