"""What a report is made of, whatever it is written as. Its texts are harmless already; a writer only escapes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Span:
    text: str
    strong: bool = False
    notes: tuple[int, ...] = ()
    """The footnotes called for after it."""


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    spans: Sequence[Span]
    style: Literal["plain", "item", "quote", "small"] = "plain"


@dataclass(frozen=True, slots=True)
class Table:
    rows: Sequence[Sequence[str]]
    """The first one is the header."""


Block = Heading | Paragraph | Table


@dataclass(frozen=True, slots=True)
class Note:
    """A source: the footnote of this number."""

    number: int
    source: str
    """Which document, and where in it."""
    quote: str | None
    verdict: str

    @property
    def text(self) -> str:
        quoted = f": “{self.quote}”" if self.quote else ""
        return f"{self.source}{quoted} ({self.verdict})"


@dataclass(frozen=True, slots=True)
class Report:
    title: str
    blocks: Sequence[Block]
    notes: Sequence[Note]


SOURCES = "Sources"
"""The heading above the notes, where a format has no footnotes of its own."""


def said(text: str, style: Literal["plain", "item", "quote", "small"] = "plain", *, strong: bool = False) -> Paragraph:
    return Paragraph((Span(text, strong),), style)
