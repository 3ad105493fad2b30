"""Stable names for passages: the same file gives the same ids on every machine."""

import hashlib
from itertools import count

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 10


def chunk_id(document_id: str, start: int, end: int, text: str) -> str:
    """`c` and ten characters of which at least one is a digit, so that no id reads like a word."""
    content = f"{document_id}\n{start}\n{end}\n{text}"
    for attempt in count():
        # The first attempt hashes the content alone; 1 in 42 needs another.
        digest = hashlib.sha256((content + f"\n{attempt}" if attempt else content).encode()).digest()
        name = _base32(digest)
        if any(character.isdigit() for character in name):
            return "c" + name
    raise AssertionError("count() does not end")


def _base32(digest: bytes) -> str:
    bits = int.from_bytes(digest[:8], "big") >> (64 - 5 * _LENGTH)
    return "".join(_CROCKFORD[bits >> 5 * place & 31] for place in reversed(range(_LENGTH)))
