"""Parses the blocks of a markdown text, with exact spans: paragraphs, headings, list items, table rows, code.

Markers (`#`, `-`, `1.`, `>`, table rules, fence lines) are outside the spans. Anything uncertain counts as prose: the
audit would rather read too much than skip a claim.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from masis.language.abbreviations import begins_with_dated_word
from masis.language.characters import LINE_BREAK
from masis.language.titles import (
    ends_like_a_sentence,
    is_asked_title,
    is_bare_title,
    is_bold_title,
    is_colon_title,
    is_list_title,
    may_be_title,
    unmarked_items,
)

_FENCE = re.compile(r"[ \t\u00a0]*(`{3,}|~{3,})([^`]*)")
_PROSE_LABELS = {"markdown", "md"}
_WRAPPING_LABELS = {"", "markdown", "md", "text", "txt", "plaintext"}


@dataclass(frozen=True, slots=True)
class Fences:
    code: dict[int, int]
    """Opening line of a code block → its closing line."""
    packaging: set[int]
    """Fence lines around prose."""


@dataclass(frozen=True, slots=True)
class _FenceLine:
    index: int
    mark: str
    label: str

    def closes(self, opening: "_FenceLine") -> bool:
        return not self.label and self.mark[0] == opening.mark[0] and len(self.mark) >= len(opening.mark)


def find_fences(lines: Sequence[str]) -> Fences:
    fences = Fences({}, set())
    marks = [
        _FenceLine(index, match[1], match[2].strip().lower())
        for index, line in enumerate(lines)
        if (match := _FENCE.fullmatch(line))
    ]
    filled = [index for index, line in enumerate(lines) if line.strip()]
    never_closed: dict[str, int] = {}
    at = 0
    while at < len(marks):
        opening = marks[at]
        closing = _closing(marks, at, never_closed)
        if closing is None:
            fences.packaging.add(opening.index)
        elif opening.label in _PROSE_LABELS or (
            opening.label in _WRAPPING_LABELS and (opening.index, marks[closing].index) == (filled[0], filled[-1])
        ):
            fences.packaging.update((opening.index, marks[closing].index))
            # The fenced text may itself contain code, with shorter or other fences.
        else:
            fences.code[opening.index] = marks[closing].index
            at = closing
        at += 1
    return fences


def _closing(marks: Sequence[_FenceLine], at: int, never_closed: dict[str, int]) -> int | None:
    opening = marks[at]
    # If a shorter fence is never closed, a longer one is not either. Without this check, many open fences would take
    # quadratic time.
    if len(opening.mark) >= never_closed.get(opening.mark[0], len(opening.mark) + 1):
        return None
    for later in range(at + 1, len(marks)):
        if marks[later].closes(opening):
            return later
    never_closed[opening.mark[0]] = len(opening.mark)
    return None


BlockKind = Literal["prose", "heading", "bullet", "table", "code"]

_MARGIN = r"[ \t\u00a0\u200b\ufeff]*"
_QUOTE = re.compile(rf"(?:{_MARGIN}>)+")
_HEADING = re.compile(rf"{_MARGIN}#{{1,6}}(?=\s|$)")
_STRONG_MARKER = r"[-*•◦▪▫‣⁃●○■□►▶➤]"
_WEAK_MARKER = r"[+–—·∙→]|\(?\d{1,3}[.)]|\(?[A-Za-z]\)|\(?[ivxIVX]{2,5}\)|[a-z]\."
_BULLET = re.compile(
    rf"(?P<margin>{_MARGIN})(?P<marker>{_WEAK_MARKER}|{_STRONG_MARKER})(?:[ \t\u00a0]+|$)"
    r"(?:(?:\d{1,3}[.)]|[A-Za-z]\))[ \t\u00a0]+)?(?:\[[ xX✓]\][ \t]+)?"
)
_IDEOGRAPHIC_BULLET = re.compile(rf"(?P<margin>{_MARGIN})(?P<marker>\d{{1,2}}、|[①-⑳])\s*")
_LONGEST_TITLE = 60
_SHORTER = 0.6
"""Largest length of a title, as a share of the line below it."""
_RULE_CHARACTERS = ("-", "*", "_", "=", "+")


@dataclass(frozen=True, slots=True)
class Block:
    kind: BlockKind
    start: int
    end: int
    is_title: bool = False
    """The block names what follows and states nothing: a table's header row, or an item above its own list."""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    """Start after the marks of a block quote."""
    end: int
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def is_rule(self) -> bool:
        """A thematic break, an underline or an empty item: one character, repeated."""
        bare = "".join(self.text.split())
        return bare != "" and bare[0] in _RULE_CHARACTERS and bare == bare[0] * len(bare)

    @property
    def is_table_rule(self) -> bool:
        return set(self.text.strip()) <= set("|-:+= \t") and "-" in self.text and bool({"|", "+"} & set(self.text))

    @property
    def is_framed_row(self) -> bool:
        bare = self.text.strip()
        return bare.startswith("|") and bare.count("|") >= (2 if bare.endswith("|") else 3)


def parse_blocks(text: str) -> list[Block]:
    return [block for found in _Parser(text).blocks() if (block := _trimmed(text, found))]


def _trimmed(text: str, block: Block) -> Block | None:
    start, end = block.start, block.end
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Block(block.kind, start, end, block.is_title) if start < end else None


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for end, following in [*(m.span() for m in LINE_BREAK.finditer(text)), (len(text), len(text))]:
        quote = _QUOTE.match(text, start, end)
        inner = quote.end() if quote else start
        yield _Line(inner, end, text[inner:end])
        start = following


class _Parser:
    """Reads line by line; `open` holds the paragraph or list item that may still continue."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = list(_lines(text))
        self.fences = find_fences([line.text for line in self.lines])
        self.items = unmarked_items([line.text for line in self.lines])
        self.last_filled = max((i for i, line in enumerate(self.lines) if not line.is_blank), default=-1)
        self.in_table = False
        self.open: Block | None = None
        self.open_lines = 0

    def blocks(self) -> Iterator[Block]:
        index = 0
        while index < len(self.lines):
            closing = self.fences.code.get(index)
            if closing is None:
                yield from self._line(index)
                index += 1
            else:
                yield from self._close(index)
                yield Block("code", self.lines[index].end, self.lines[closing].start)
                index = closing + 1
        yield from self._close(index)

    def _line(self, index: int) -> Iterator[Block]:
        line = self.lines[index]
        if line.is_blank or index in self.fences.packaging or line.is_rule or line.is_table_rule:
            yield from self._close(index)
            self.in_table = self.in_table and line.is_table_rule
        elif self._is_row(index):
            yield from self._close(index)
            yield self._row(index)
            self.in_table = True
        else:
            self.in_table = False
            yield from self._text_line(index)

    def _text_line(self, index: int) -> Iterator[Block]:
        line = self.lines[index]
        heading = _HEADING.match(line.text)
        bullet = self._bullet(line)
        if heading:
            yield from self._close(index)
            yield Block("heading", line.start + heading.end(), line.end)
        elif bullet:
            yield from self._close(index)
            self._begin("bullet", line.start + bullet.end(), line.end, self._heads_a_list(index, bullet))
        elif index in self.items:
            yield from self._close(index)
            self._begin("bullet", line.start, line.end)
        elif is_bold_title(line.text) or (self.open is None and is_colon_title(line.text)):
            yield from self._close(index)
            yield Block("heading", line.start, line.end)
        elif self.open is None:
            self._begin("prose", line.start, line.end)
        elif self._heads_a_paragraph(line):
            yield from self._as_heading()
            self._begin("prose", line.start, line.end)
        elif index - 1 in self.items:
            yield from self._close(index)
            self._begin("prose", line.start, line.end)
        else:
            self.open = Block(self.open.kind, self.open.start, line.end)
            self.open_lines += 1

    def _heads_a_paragraph(self, line: _Line) -> bool:
        """A question, or “Who we are” above a longer line that begins a new sentence. The lines of a wrapped paragraph
        are all about as long."""
        if self.open is None or self.open_lines > 1:
            return False
        if self.open.kind == "bullet" and line.text[:1].isspace():
            # A line indented below an item continues the item.
            return False
        title, below = self.text[self.open.start : self.open.end].strip(), line.text.strip()
        if self.open.kind == "prose" and is_asked_title(title):
            return True
        is_short = len(title) <= _LONGEST_TITLE and len(title) < _SHORTER * len(below)
        begins = below[:1].isupper() or below[:1] in "\"“‘'"
        return is_short and begins and title[:1].isupper() and title[-1:].isalnum() and may_be_title(title)

    def _as_heading(self) -> Iterator[Block]:
        block, self.open = self.open, None
        if block:
            yield Block("heading", block.start, block.end)

    def _begin(self, kind: BlockKind, start: int, end: int, is_title: bool = False) -> None:
        self.open = Block(kind, start, end, is_title)
        self.open_lines = 1

    def _close(self, index: int) -> Iterator[Block]:
        """Ends the open block before line `index`."""
        block, self.open = self.open, None
        if block is None:
            return
        if block.kind == "prose" and self.open_lines == 1 and self._is_title_before(block, index):
            block = Block("heading", block.start, block.end)
        yield block

    def _is_title_before(self, block: Block, index: int) -> bool:
        line = self.text[block.start : block.end]
        if index > self.last_filled:
            return False
        below = self.lines[index]
        is_underlined = below.is_rule and below.text.strip()[:2] in ("--", "==")
        is_titled = (is_underlined and may_be_title(line)) or (below.is_blank and is_bare_title(line))
        return is_titled or is_asked_title(line)

    def _is_row(self, index: int) -> bool:
        line = self.lines[index]
        return line.is_framed_row or ("|" in line.text and (self.in_table or self._rule_follows(index)))

    def _row(self, index: int) -> Block:
        line = self.lines[index]
        bare = line.text.strip().strip("|")
        start = line.start + line.text.find(bare)
        return Block("table", start, start + len(bare), not self.in_table and self._is_header(index))

    def _is_header(self, index: int) -> bool:
        """The row above the rule or, without a rule, a first row without digits above other rows."""
        if self._rule_follows(index):
            return True
        followed = index + 1 < len(self.lines) and self.lines[index + 1].is_framed_row
        return followed and not any(character.isdigit() for character in self.lines[index].text)

    def _rule_follows(self, index: int) -> bool:
        return index + 1 < len(self.lines) and self.lines[index + 1].is_table_rule

    def _bullet(self, line: _Line) -> re.Match[str] | None:
        bullet = _bullet_of(line)
        if bullet and bullet["marker"].endswith(".") and begins_with_dated_word(line.text[bullet.end() :]):
            return None
        if bullet is None or self.open is None or self.open.kind == "bullet":
            return bullet
        # “…sold\n12. That was” is a wrapped paragraph: a weak marker starts a list only after a full stop.
        tail = self.text[max(self.open.start, self.open.end - 80) : self.open.end].rstrip()
        ended = ends_like_a_sentence(tail) or tail.endswith((":", "：", "]", "】"))
        is_weak = re.fullmatch(_WEAK_MARKER, bullet["marker"]) is not None
        return None if is_weak and not ended else bullet

    def _heads_a_list(self, index: int, bullet: re.Match[str]) -> bool:
        if not is_list_title(bullet.string[bullet.end() :]) or index + 1 >= len(self.lines):
            return False
        below = _bullet_of(self.lines[index + 1])
        if below is None:
            return False
        deeper = len(below["margin"].expandtabs()) > len(bullet["margin"].expandtabs())
        return deeper or (bullet["marker"][-1] in ".)" and below["marker"][-1] not in ".)")


def _bullet_of(line: _Line) -> re.Match[str] | None:
    return _BULLET.match(line.text) or _IDEOGRAPHIC_BULLET.match(line.text)
