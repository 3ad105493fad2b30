"""Marking what is data in a prompt, with marks the data cannot forge.

The mark carries a hash of everything it encloses: a document that wanted to close its own block would have to
contain a hash of itself. It is not random, so that the same run makes the same prompt.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """Text that is to be read and never to be obeyed."""

    label: str
    text: str


def seal(blocks: Sequence[Block]) -> str:
    mark = _mark(blocks)
    marked = [f"<<<{one_line(block.label)} {mark}>>>\n{block.text.strip()}\n<<<end {mark}>>>" for block in blocks]
    return "\n\n".join([f"The data marks of this message carry the code {mark}.", *marked])


def one_line(text: str) -> str:
    """File names and headings come from documents too: they get no line of their own."""
    return " ".join(text.split())


def _mark(blocks: Sequence[Block]) -> str:
    content = "\x00".join(f"{block.label}\x01{block.text}" for block in blocks)
    mark = ""
    while not mark or mark in content:
        mark = hashlib.sha256(f"{mark}{content}".encode(errors="surrogatepass")).hexdigest()[:16]
    return mark
