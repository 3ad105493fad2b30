"""Pictures of text: what can read one, and what kind of picture it is."""

from collections.abc import Sequence
from typing import Protocol

_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


class ImageReader(Protocol):
    @property
    def name(self) -> str:
        """Who read it, for the document's note."""
        ...

    async def read(self, data: bytes, file_name: str) -> str:
        """The text in the picture; raises UnreadableFile or a ModelError when there is none to be had."""
        ...

    async def read_pages(self, data: bytes, file_name: str, numbers: Sequence[int]) -> dict[int, str]:
        """Pages of a PDF that are nothing but pictures, by number; those it does not read are left out."""
        ...


def media_type(data: bytes) -> str | None:
    """By its first bytes, whatever it is called; None for what no reader takes."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), None)
