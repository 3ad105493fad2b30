"""The confined side of the sandbox: `python -P -B -m masis.sources.sandbox.inside PIPE MODULE…`, started by `process`.

It loads the parsers once, sends {"ready"}, and forks for each file, so that a file costs milliseconds and any damage
stays in its process. A request is a header {"name", "memory_bytes", "seconds", "max_members", "max_unpacked_bytes"}
with the file as its body. The answer consists of frames: any number of {"page", "label", "blocks"}, {"member"} and
{"note"}, then {"title", "date", "made", "author", "scanned"} or {"refused", "advice"}, with {"scanned_pages"} if that
is why. With {"image": {"page", "width", "quote", "expected"}}, the answer is one frame, {"width", "height", "boxes"},
with a PNG as its body. If a child dies, this process ends too, with a status that says how.
"""

import gc
import importlib
import mimetypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import astuple
from io import FileIO
from typing import Any

from masis.errors import ScannedFile, UnreadableFile
from masis.sources.archives import Limits, unpack
from masis.sources.parse import add_formats, damaged, is_archive, parse, too_much_memory
from masis.sources.pdf.page_image import Wanted, draw_page
from masis.sources.sandbox import confinement
from masis.sources.sandbox.answer import BrokenFrame, read_exactly, read_header, write_frame
from masis.sources.sandbox.confinement import read_nothing_else
from masis.types import ParsedDocument

_DIED_BY_SIGNAL = 128

_HEAVY = (
    *("pypdfium2", "pypdfium2.raw", "lxml.etree", "selectolax.lexbor", "python_calamine"),
    *("olefile", "zipfile", "tarfile", "lzma", "bz2", "gzip", "email.parser", "email.policy"),
    *("csv", "json", "encodings.idna", "encodings.cp1252", "encodings.utf_16", "encodings.utf_32"),
)
_TITLE_CHARS = 1000
_MOST_BLOCKS = 5000
"""The most blocks of a page, because the size of a header is limited."""


def main() -> None:
    requests, answers = FileIO(0), FileIO(os.dup(1), "w")
    # Whatever a library prints must not get between the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    confinement.leave_network()
    confinement.volunteer_for_oom()
    for module in sys.argv[2:]:
        add_formats(module)
    if hasattr(os, "fork"):
        _preload()
    taken_bytes = confinement.address_space()
    read_nothing_else()
    write_frame(answers, {"ready": True})
    while True:
        try:
            request, size = read_header(requests)
            request["taken_bytes"] = taken_bytes
        except BrokenFrame:
            return
        if not hasattr(os, "fork"):
            _answer(request, read_exactly(requests, size), answers)
            return
        if status := _answer_in_child(request, size, requests, answers):
            sys.exit(status)
        # The child cannot send this, nor anything more, so the parent can now check for leftover output.
        os.write(_ended(), b".")


def _ended() -> int:
    return int(sys.argv[1])


def _preload() -> None:
    for name in _HEAVY:
        with suppress(ImportError):
            importlib.import_module(name)
    # They read system files on first use, which a child may not do.
    mimetypes.init()
    time.tzset()
    # Shared with every child, so that garbage collection there does not copy it.
    gc.collect()
    gc.freeze()


def _answer_in_child(request: dict[str, Any], size: int, requests: FileIO, answers: FileIO) -> int:
    worker = os.getpid()
    finished, held_by_child = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(_ended())
            confinement.die_with(worker)
            _answer(request, read_exactly(requests, size), answers)
            status = 0
        finally:
            os._exit(status)
    os.close(held_by_child)
    _wait_for(child, finished, requests)
    os.close(finished)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return _DIED_BY_SIGNAL - code if code < 0 else code


def _wait_for(child: int, finished: int, requests: FileIO) -> None:
    """Waits until the child has ended; ends it if the caller is gone."""
    import select

    poller = select.poll()
    poller.register(finished, 0)
    poller.register(requests, 0)
    if finished not in {descriptor for descriptor, _ in poller.poll()}:
        os.kill(child, signal.SIGKILL)


def _answer(request: dict[str, Any], data: bytes, answers: FileIO) -> None:
    name = str(request["name"])
    try:
        memory, seconds, taken = int(request["memory_bytes"]), float(request["seconds"]), int(request["taken_bytes"])
        confinement.confine(memory, len(data), seconds, taken)
        limits = Limits(int(request["max_members"]), int(request["max_unpacked_bytes"]))
        frames = _image(data, name, request["image"]) if "image" in request else _frames(data, name, limits)
        for header, body in frames:
            write_frame(answers, header, body)
    except UnreadableFile as refused:
        _refuse(answers, refused)
    except MemoryError:
        _refuse(answers, too_much_memory(name))
    except BaseException as error:  # parsers written in Rust panic with a class that is not an Exception
        _refuse(answers, damaged(name, error))


def _refuse(answers: FileIO, error: UnreadableFile) -> None:
    scan = {"scanned_pages": error.pages} if isinstance(error, ScannedFile) else {}
    write_frame(answers, {"refused": str(error), "advice": error.advice, **scan})


Frame = tuple[dict[str, object], bytes]


def _image(data: bytes, name: str, wanted: dict[str, Any]) -> Iterator[Frame]:
    image = draw_page(data, name, Wanted(**wanted))
    yield {"width": image.width, "height": image.height, "boxes": image.boxes}, image.png


def _frames(data: bytes, name: str, limits: Limits) -> Iterator[Frame]:
    if is_archive(data, name):
        # One at a time: all of them together may exceed this process's memory limit.
        notes: list[str] = []
        for member in unpack(data, name, notes, limits):
            yield {"member": member.name}, member.data
        document = ParsedDocument([], notes=notes)
    else:
        document = parse(data, name)
    for page in document.pages:
        blocks = [astuple(block) for block in page.blocks[:_MOST_BLOCKS]]
        yield {"page": page.number, "label": page.label, "blocks": blocks}, page.text.encode("utf-8", "replace")
    for member in document.members:
        yield {"member": member.name}, member.data
    for note in document.notes:
        yield {"note": note}, b""
    title = (document.title or "")[:_TITLE_CHARS] or None
    said = {
        "title": title,
        "date": document.date,
        "made": document.made,
        "author": (document.author or "")[:_TITLE_CHARS],
    }
    yield {**said, "scanned": list(document.scanned)}, b""


if __name__ == "__main__":
    main()
