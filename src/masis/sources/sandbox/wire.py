"""How the two ends of the sandbox talk: frames of a JSON header and raw bytes.

Never pickle: one end reads hostile files, and a pickle can be made to do anything.
"""

import json
import struct
from collections.abc import Mapping
from typing import Any, Protocol

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
    """The header, and how many bytes of body follow."""
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
