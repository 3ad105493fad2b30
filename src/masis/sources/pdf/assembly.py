"""Assembles the text of a page and its blocks from its lines and tables and what the whole document shows about
them."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from masis.language.unit_captions import is_unit_line
from masis.sources.pdf.drafts import Draft, DraftLine, DraftTable
from masis.sources.pdf.lines import BULLETS, CAPTION, LIST_MARKER
from masis.sources.pdf.styles import ADDRESS, Styles, continuing, header_alone, is_mark_of_continuation
from masis.sources.table_grid import is_pairs, table_lines
from masis.types import Block, BlockKind, Box, Page

_NEW_PARAGRAPH = 1.28
"""Factor of the usual step from line to line."""
_OF_STEPS = 0.4
_RAGGED = 0.3
_ENDS = (".", "!", "?", ":", ";", "…", ".”", '."', ".)")
_CAPTION_CHARS = 160
_FIELD = re.compile(r"[^:]{1,40}: \S")
"""“Prepared by: Sarah Martinez” is not about a table below it."""
_NOTE_MARK = re.compile(r"\(?[\d*†‡§a-z]{1,2}[)\s]|[*†‡§]")
_INDENT = 5.0
_HEADING_LINES, _HEADING_CHARS = 3, 220
_NOTE_REACH = 40.0
"""Points below a table within which its notes begin."""


@dataclass(slots=True)
class _Part:
    """A block under construction."""

    kind: BlockKind
    text: str
    drafts: list[Draft]
    level: int = 0
    marker: str = ""
    is_display: bool = False
    """Whether it is running text in the type of a heading."""
    is_close: bool = False
    """Whether it follows the part above without an empty line."""


class Assembler:
    def __init__(self, styles: Styles, vocabulary: frozenset[str]) -> None:
        self._styles = styles
        self._vocabulary = vocabulary
        self._open_table: DraftTable | None = None
        self._in_notes = False
        self._open_line: DraftLine | None = None
        """The last line of the page before, if that ends with a paragraph."""

    def page(self, number: int, drafts: Sequence[Draft], furniture: set[int], size: tuple[float, float]) -> Page:
        running = {id(drafts[index]) for index in furniture}
        drafts = continuing(self._open_table, drafts, running) if self._open_table else drafts
        parts = self._captioned(_without_addresses(list(self._parts(drafts, running))))
        text, blocks = "", []
        body = [part for part in parts if part.kind != "furniture"]
        continued = self._continued(body)
        for part in parts:
            if text:
                text += "\n" if part.is_close else "\n\n"
            block = Block(part.kind, len(text), len(text) + len(part.text), part.level, part.marker)
            blocks.append(replace(block, is_continued=part is continued, box=_box(part.drafts, size)))
            text += part.text
        self._remember(body)
        return Page(number, text, blocks=tuple(blocks))

    def _parts(self, drafts: Sequence[Draft], running: set[int]) -> Iterator[_Part]:
        step = _usual_step(drafts)
        open_part: _Part | None = None
        for index, draft in enumerate(drafts):
            if id(draft) in running and isinstance(draft, DraftLine):
                if open_part:
                    yield open_part
                open_part = None
                yield _Part("furniture", draft.text, [draft])
                continue
            if isinstance(draft, DraftTable):
                if open_part:
                    yield open_part
                open_part = None
                yield _table_part(draft)
            elif open_part is not None and self._goes_on(open_part, draft, step):
                last = open_part.drafts[-1]
                assert isinstance(last, DraftLine)
                open_part.text = self._joined(open_part.text, draft.text, last)
                open_part.drafts.append(draft)
                _refuse_long_heading(open_part)
            else:
                if open_part:
                    yield open_part
                open_part = self._begun(draft, _last_written(drafts[max(index - 3, 0) : index]))
        if open_part:
            yield open_part

    def _begun(self, line: DraftLine, above: Draft | None) -> _Part:
        level = self._styles.level(line)
        in_notes, self._in_notes = self._in_notes, False
        marker, _, rest = line.text.partition(" ")
        is_bullet = marker in BULLETS
        if level and not (line.is_item and is_bullet) and not _is_small(line.text):
            return _Part("heading", f"{'#' * level} {line.text}", [line], level)
        is_below = isinstance(above, DraftTable) and line.top - above.bottom < _NOTE_REACH
        if (is_below or (in_notes and not is_bullet)) and _NOTE_MARK.match(line.text):
            self._in_notes = True
            return _Part("note", line.text, [line])
        if line.is_item and LIST_MARKER.fullmatch(marker) and rest:
            marker = "-" if is_bullet else marker
            return _Part("item", f"{marker} {rest}", [line], 1, marker)
        return _Part("paragraph", line.text, [line])

    def _goes_on(self, part: _Part, line: DraftLine, step: float) -> bool:
        above = part.drafts[-1]
        if not isinstance(above, DraftLine) or part.kind == "furniture":
            return False
        is_next_column = line.region != above.region
        if part.kind == "heading" or part.is_display:
            same = abs(above.size - line.size) < 0.6 and above.is_bold == line.is_bold and not is_next_column
            is_near = line.top - above.top < 1.5 * (above.bottom - above.top)
            goes_on = _is_wrapped(above, line) or _is_small(line.text)
            return same and is_near and goes_on and not line.is_item
        is_same_type = abs(above.size - line.size) < 0.3 and above.is_bold == line.is_bold
        is_item = line.is_item and not _is_inside_sentence(part.text, above, line)
        if is_item or CAPTION.match(line.text) or (self._styles.level(line) and not is_same_type):
            return False
        if is_next_column:
            return is_same_type and _is_open(part.text, above, line)
        if (
            line.top - above.top > _NEW_PARAGRAPH * max(step * above.size, above.bottom - above.top)
            or abs(above.size - line.size) > 1.5
        ):
            return False
        first = part.drafts[0]
        is_indented = line.left > above.left + _INDENT and line.left > first.left + _INDENT
        if is_indented and part.kind == "paragraph" and above is not first:
            return False
        return _is_wrapped(above, line) or (_is_small(line.text) and not part.text.endswith(_ENDS))

    def _joined(self, text: str, more: str, last: DraftLine) -> str:
        if not text.endswith("-") or not more[:1].islower() or not text[-2:-1].isalpha():
            return f"{text} {more}" if not last.is_joined else text + more
        head, tail = re.split(r"[^\w-]", text[:-1])[-1].lower(), re.split(r"[^\w-]", more)[0].lower()
        whole, known = head + tail, self._vocabulary
        # Words are broken to fill lines, so in a line that is not full the hyphen is the word's own.
        is_ragged = last.right < last.edges[1] - _RAGGED * last.size
        keeps = whole not in known and (f"{head}-{tail}" in known or (head in known and tail in known) or is_ragged)
        return f"{text if keeps else text[:-1]}{more}"

    def _captioned(self, parts: list[_Part]) -> list[_Part]:
        """Short lines directly above a table are its caption and unit."""
        kept: list[_Part] = []
        for part in parts:
            if part.kind == "item" and kept and kept[-1].kind in ("item", "paragraph"):
                part.is_close = kept[-1].kind == "item"
                self._indent(kept, part)
            if part.kind == "table":
                captions = 0
                if kept and kept[-1].kind == "heading" and kept[-1].text.endswith(":"):
                    # “Fiscal year:” above the labels of a table.
                    _as_paragraph(kept[-1])
                while kept and captions < 2 and _names(kept[-1], part):
                    above = kept.pop()
                    captions += 0 if _is_unit(above) else 1
                    part.text = f"{above.text}\n{part.text}"
                    part.drafts = [*above.drafts, *part.drafts]
                    part.is_close = above.is_close
            kept.append(part)
        return kept

    @staticmethod
    def _indent(above: Sequence[_Part], part: _Part) -> None:
        """An item further right than the one above is nested in it."""
        before = above[-1]
        if before.kind != "item":
            return
        shift = part.drafts[0].left - before.drafts[0].left
        part.level = before.level + 1 if shift > _INDENT else before.level
        if shift < -_INDENT:
            outer = [
                p for p in reversed(above) if p.kind == "item" and abs(p.drafts[0].left - part.drafts[0].left) < _INDENT
            ]
            part.level = outer[0].level if outer else 1
        part.text = "  " * (part.level - 1) + part.text.lstrip()

    def _continued(self, body: Sequence[_Part]) -> _Part | None:
        if not body:
            return None
        first = body[0]
        if first.kind == "paragraph" and self._open_line is not None:
            line, above = first.drafts[0], self._open_line
            if isinstance(line, DraftLine) and _is_open(above.text, above, line):
                return first
        return next(
            (part for part in body if any(isinstance(d, DraftTable) and d.is_continued for d in part.drafts)), None
        )

    def _remember(self, body: Sequence[_Part]) -> None:
        last = body[-1] if body else None
        ending = (p for p in reversed(body) if p.kind == "table" or not _may_follow_a_cut_table(p))
        table = next(ending, None)
        tables = [d for d in table.drafts if isinstance(d, DraftTable)] if table and table.kind == "table" else []
        self._open_table = tables[-1] if tables else header_alone(table.drafts) if table else None
        line = last.drafts[-1] if last and last.kind == "paragraph" else None
        self._open_line = line if isinstance(line, DraftLine) else None


def _may_follow_a_cut_table(part: _Part) -> bool:
    return part.kind == "note" or is_mark_of_continuation(part.text)


def _is_small(text: str) -> bool:
    """Whether it begins like the middle of a sentence; a name like “iPhone” does not."""
    return text[:1].islower() and not text[1:2].isupper()


def _last_written(drafts: Sequence[Draft]) -> Draft | None:
    """Skips lines that are only a rule made of characters."""
    written = (d for d in reversed(drafts) if isinstance(d, DraftTable) or any(map(str.isalnum, d.text)))
    return next(written, None)


def _is_inside_sentence(text: str, above: DraftLine, line: DraftLine) -> bool:
    """“(1) … (2) …” in running text may open a line."""
    is_level = abs(above.left - line.left) < 2 and _is_wrapped(above, line)
    return is_level and line.text.startswith("(") and text[-1:] not in ".:;!?…"


def _as_paragraph(part: _Part) -> None:
    part.kind, part.text, part.level = "paragraph", part.text.lstrip("# "), 0


def _without_addresses(parts: list[_Part]) -> list[_Part]:
    """A bold line directly above an address in the same type belongs to that address, whatever the street is called."""
    for below, part in itertools.pairwise(reversed(parts)):
        last, first = part.drafts[-1], below.drafts[0]
        if part.kind == "heading" and isinstance(last, DraftLine) and isinstance(first, DraftLine):
            is_alike = last.is_bold == first.is_bold and abs(last.size - first.size) < 0.3
            is_near = 0 < first.top - last.top < 1.5 * last.size
            if is_alike and is_near and ADDRESS.search(first.text):
                _as_paragraph(part)
    return parts


def _refuse_long_heading(part: _Part) -> None:
    """Turns a heading with too many lines into text in large type."""
    if part.kind == "heading" and (len(part.drafts) > _HEADING_LINES or len(part.text) > _HEADING_CHARS):
        _as_paragraph(part)
        part.is_display = True


def _is_open(text: str, above: DraftLine, line: DraftLine) -> bool:
    """Whether the line at the top of the next column or page continues the paragraph."""
    if text.endswith(_ENDS):
        return text.endswith((":", ";")) and _is_wrapped(above, line) and not line.is_item
    return line.text[:1].islower() or (_is_wrapped(above, line) and abs(above.size - line.size) < 0.3)


def _is_wrapped(above: DraftLine, line: DraftLine) -> bool:
    """Whether the line's first word would not have fitted into the line above."""
    space = above.edges[1] - above.right
    return line.first_width + 0.2 * above.size > space - 0.02 * (above.edges[1] - above.edges[0])


def _usual_step(drafts: Sequence[Draft]) -> float:
    """The usual step from a line to the next in its paragraph, in type sizes; most steps are, unless paragraphs are
    very short."""
    steps = sorted(
        (b.top - a.top) / a.size
        for a, b in itertools.pairwise(drafts)
        if isinstance(a, DraftLine)
        and isinstance(b, DraftLine)
        and a.region == b.region
        and abs(a.size - b.size) < 0.3
        and 0 < b.top - a.top < 3 * a.size
    )
    return steps[int(_OF_STEPS * len(steps))] if steps else 1.2


def _table_part(table: DraftTable) -> _Part:
    rows, header_rows = table.rows, table.header_rows
    if table.is_unnamed:
        return _Part("paragraph", "\n".join(" ".join(filter(None, row)) for row in rows), [table])
    is_form = header_rows is None and is_pairs(rows)
    lines = [*table.notes, *table_lines(rows, 0 if is_form else header_rows)]
    return _Part("table", "\n".join(lines), [table])


def _names(above: _Part, table: _Part) -> bool:
    if above.kind not in ("paragraph", "note") or len(above.text) > _CAPTION_CHARS:
        return False
    if _FIELD.match(above.text) and not CAPTION.match(above.text):
        return False
    gap = table.drafts[0].top - above.drafts[-1].bottom
    if gap > 30 or gap < -5:
        return False
    return _is_unit(above) or not above.text.endswith((".", ";", ","))


def _is_unit(part: _Part) -> bool:
    lines = [draft.text for draft in part.drafts if isinstance(draft, DraftLine)]
    return all(map(is_unit_line, lines)) or (part.text.startswith("(") and part.text.endswith(")"))


def _box(drafts: Sequence[Draft], size: tuple[float, float]) -> Box:
    width, height = max(size[0], 1.0), max(size[1], 1.0)
    left, top = min(draft.left for draft in drafts), min(draft.top for draft in drafts)
    right, bottom = max(draft.right for draft in drafts), max(draft.bottom for draft in drafts)
    return tuple(
        round(min(max(value, 0.0), 1.0), 4) for value in (left / width, top / height, right / width, bottom / height)
    )  # type: ignore[return-value]
