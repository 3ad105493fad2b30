"""Recognises the text of pictures and scanned pages on this machine (extra `masis[ocr]`)."""

import asyncio
import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Protocol

from masis.errors import UnreadableFile
from masis.sources.images import ocr_worker
from masis.sources.sandbox.process import harmless_environment

_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


class ImageReader(Protocol):
    @property
    def name(self) -> str:
        """Name of the reader, for the document's note."""
        ...

    async def read(self, data: bytes, file_name: str) -> str:
        """The text in the picture; raises UnreadableFile or a ModelError if there is none."""
        ...

    async def read_pages(self, data: bytes, file_name: str, numbers: Sequence[int]) -> dict[int, str]:
        """The text of scanned PDF pages by page number; pages that cannot be read are left out."""
        ...


def media_type(data: bytes) -> str | None:
    """The media type by the first bytes, whatever the file name; None if no reader accepts it."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), None)


_STARTING_SECONDS = 60
_MOST_PAGES = 1000
"""The most pages of one file: more would take hours and exceed the length of a command line."""


def ocr_is_installed() -> bool:
    return importlib.util.find_spec("rapidocr") is not None


class OcrReader:
    """Uses one process per file, because recognition handles untrusted bytes in libraries not made for that."""

    name = "text recognition on this machine"

    async def read(self, data: bytes, file_name: str) -> str:
        if media_type(data) is None:
            raise UnreadableFile(
                f"{file_name} is a kind of picture that cannot be read.", advice="Save it as PNG or JPEG."
            )
        text = (await asyncio.to_thread(_recognised, data, file_name, ()))[1]
        if not text.strip():
            raise UnreadableFile(f"No text was found in {file_name}.", advice="No action needed.")
        return text

    async def read_pages(self, data: bytes, file_name: str, numbers: Sequence[int]) -> dict[int, str]:
        """The text of scanned PDF pages by page number."""
        some = numbers[:_MOST_PAGES]
        return await asyncio.to_thread(_recognised, data, file_name, some) if some else {}


def _recognised(data: bytes, file_name: str, numbers: Sequence[int]) -> dict[int, str]:
    command = [sys.executable, "-P", "-B", "-m", ocr_worker.__name__, *map(str, numbers)]
    seconds = _STARTING_SECONDS + ocr_worker.PAGE_SECONDS * max(1, len(numbers))
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=seconds, check=False, env=harmless_environment()
        )
    except subprocess.TimeoutExpired:
        raise _gave_up(file_name) from None
    records: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines() if line.endswith(b"}")]
    last = records.pop() if records else {}
    if "refused" in last:
        raise UnreadableFile(f"{file_name} {last['refused']}.") from RuntimeError(last.get("detail", ""))
    if "done" not in last:
        raise _gave_up(file_name) from RuntimeError(done.stderr.decode(errors="replace")[-2000:])
    return {record["page"]: record["text"] for record in records}


def _gave_up(file_name: str) -> UnreadableFile:
    return UnreadableFile(
        f"The text of {file_name} could not be recognised within the limits of memory and time.",
        advice="Make the picture smaller, or recognise its text with another tool and ingest the result.",
    )
