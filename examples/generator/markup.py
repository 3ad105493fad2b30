"""The small part of Markdown that the templates use, read into blocks that every writer understands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    texts: tuple[str, ...]
    numbered: bool


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[str, ...], ...]
    """The header is the first."""


@dataclass(frozen=True, slots=True)
class PageBreak:
    pass


Block = Heading | Paragraph | Items | Table | PageBreak


def read_blocks(markdown: str) -> list[Block]:
    return [_block(part) for part in markdown.strip().split("\n\n")]


def _block(part: str) -> Block:
    if part == "***":
        return PageBreak()
    if part.startswith("#"):
        marks, text = part.split(" ", 1)
        return Heading(len(marks), text)
    lines = part.split("\n")
    if part.startswith("|"):
        return Table(tuple(_cells(line) for line in lines if not line.startswith(("| ---", "|---"))))
    if part.startswith(("- ", "1. ")):
        return Items(tuple(line.split(" ", 1)[1] for line in lines), numbered=part.startswith("1. "))
    return Paragraph(" ".join(lines))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip("| ").split(" | "))


def is_number(cell: str) -> bool:
    """Whether a table cell is set to the right."""
    return cell.strip("-%").replace(",", "").replace(".", "").isdigit()
