"""Groups words into lines, and lines into fragments: pieces set apart on one line, with signs joined to their
figures."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from statistics import median

from masis.sources.pdf.page_words import RIGHT_TO_LEFT, Word

_SAME_LINE = 0.6
"""Share of the smaller of two heights that must overlap."""
_STACKED = 0.3
"""Factor of the smaller of two type sizes: centres further apart than this belong to two lines."""
_APART = 0.75
"""Factor of the type size: a gap wider than any space between words."""
_WIDER, _WIDER_SIZE = 1.5, 0.38
"""Factors of the line's usual space, and of the type size."""
_LEAST_GAPS, _EVEN = 4, 0.12
_NUMBERS_APART = 0.5
_LETTERS = 4
_SIGN_APART = 0.36
FIGURE = re.compile(
    r"[-–—−+~<>]?\s?[($€£¥₹\[]*\s?[-–—−+]?\s?[$€£¥₹]?\s?\(?\d[\d.,'’\u202f]*(?:[-–/:]\d[\d.,]*){0,3}(?:\s?(?:%|bps|x|pts?))?[)\]]*%?[*†‡]*"
    r"|[-–—−]{1,2}[)%]?|[nN]/?[aAmM]\.?|[$€£¥]\s?[-–—−]+"
)
SIGN = re.compile(r"(?:US|C|A|HK)?[$€£¥₹]|\(|\$\(")
_MINUS = re.compile(r"[-–−]")
_AFTER = re.compile(r"\)|%|\)%|%\)|\)\*?|\*+|†+|pts?")
CAPTION = re.compile(
    r"(?i:Table|Figure|Exhibit|Chart|Abb\.|Tab\.|Tabelle|Tableau)\s+(?:[A-Z]{0,2}[.-]?\d[\w.-]{0,6}|[A-Z]|[IVX]{1,5})[.:]?\s"
)
BULLETS = frozenset("*•◦▪‣●○■□▶➢✓–·\uf0b7\uf0a7\u2043-o")
LIST_MARKER = re.compile(
    r"[-*•◦▪‣●○■□▶➢✓–·\uf0b7\uf0a7\u2043]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|\(?[ivxIVX]{1,5}[.)]|\([a-z]\)|o"
)


@dataclass
class Fragment:
    words: list[Word]

    @cached_property
    def left(self) -> float:
        return self.words[0].left

    @cached_property
    def inner(self) -> float:
        """Where it begins, without a currency sign set apart."""
        is_signed = len(self.words) > 1 and SIGN.fullmatch(self.words[0].text) and self.is_figure
        return self.words[1 if is_signed else 0].left

    @cached_property
    def right(self) -> float:
        return max(word.right for word in self.words)

    @cached_property
    def text(self) -> str:
        return joined(self.words)

    @cached_property
    def is_figure(self) -> bool:
        return bool(FIGURE.fullmatch(self.text))

    @cached_property
    def is_bold(self) -> bool:
        return all(word.is_bold for word in self.words)


@dataclass
class Line:
    words: list[Word] = field(default_factory=list)
    """From left to right."""
    is_pair: bool = False
    """Whether it is a label and its value in a form."""

    @cached_property
    def left(self) -> float:
        return min(word.left for word in self.words)

    @cached_property
    def right(self) -> float:
        return max(word.right for word in self.words)

    @cached_property
    def top(self) -> float:
        return median(word.top for word in self.words)

    @cached_property
    def bottom(self) -> float:
        return median(word.bottom for word in self.words)

    @cached_property
    def size(self) -> float:
        """The type size of most of its characters."""
        counts: dict[float, int] = {}
        for word in self.words:
            counts[word.size] = counts.get(word.size, 0) + len(word.text)
        return max(counts, key=lambda size: (counts[size], size))

    @cached_property
    def is_bold(self) -> bool:
        letters = [word for word in self.words if any(map(str.isalpha, word.text))]
        return bool(letters) and all(word.is_bold for word in letters)

    @cached_property
    def is_all_bold(self) -> bool:
        return all(word.is_bold for word in self.words)

    @cached_property
    def text(self) -> str:
        return joined(self.words)

    @cached_property
    def fragments(self) -> list[Fragment]:
        return fragments_of(self.words)

    @cached_property
    def is_item(self) -> bool:
        is_marked = len(self.words) > 1 and LIST_MARKER.fullmatch(self.words[0].text)
        return bool(is_marked) and not self.words[1].text[0].isdigit()


_NO_SPACE_BEFORE = re.compile(r"\)|%|\)%|%\)")
_NO_SPACE_AFTER = re.compile(r"(?:US|C|A|HK)?[$€£¥₹]\(?|\(")


def joined(words: Sequence[Word]) -> str:
    """The words on one line; a sign set apart from its figure is joined to it."""
    text = _as_given(words)
    if text.isascii() or not RIGHT_TO_LEFT.search(text):
        return text
    return _as_given(in_reading_order(words))


def _as_given(words: Sequence[Word]) -> str:
    parts: list[str] = []
    before: Word | None = None
    for word in words:
        if before is not None and not _touches(before, word):
            parts.append(" ")
        parts.append(word.text)
        before = word
    return "".join(parts)


def in_reading_order(words: Sequence[Word]) -> Sequence[Word]:
    """Left to right as given. If most letters are Arabic or Hebrew, right to left on each line, with other words among
    them left as they are."""
    if all(word.text.isascii() for word in words):
        return words
    is_turned = [bool(RIGHT_TO_LEFT.search(word.text)) for word in words]
    if 2 * sum(is_turned) < sum(any(map(str.isalpha, word.text)) for word in words) or not any(is_turned):
        return words
    ordered: list[Word] = []
    for line in lines_of(words):
        runs = groupby(reversed(line.words), key=lambda word: bool(RIGHT_TO_LEFT.search(word.text)))
        ordered += [word for turned, run in runs for word in (run if turned else reversed(list(run)))]
    return ordered


def _touches(left: Word, right: Word) -> bool:
    before, after = left.text, right.text
    if before.isalpha() and after.isalpha():
        # Handles most words, of which there are very many.
        return False
    if before[-1:] == "-" and len(before) > 1 and right.top > left.bottom - 0.3 * left.size:
        # A word broken at its hyphen.
        return before[-2].isalpha() and after[0].isalpha()
    if _NO_SPACE_BEFORE.fullmatch(after) and before[-1:].isdigit():
        return True
    return bool(_NO_SPACE_AFTER.fullmatch(before)) and (after[:1].isdigit() or after[:1] in "(-–—−.")


def lines_of(words: Iterable[Word]) -> list[Line]:
    """Words whose heights overlap share a line; lines are sorted from the top, words from the left."""
    lines: list[tuple[float, float, list[Word]]] = []
    for word in sorted(words, key=lambda each: (each.middle, each.left)):
        if lines:
            top, bottom, own = lines[-1]
            overlap = min(bottom, word.bottom) - max(top, word.top)
            if overlap >= _SAME_LINE * min(bottom - top, word.bottom - word.top):
                own.append(word)
                # A small raised mark does not move the line.
                if word.bottom - word.top > bottom - top:
                    lines[-1] = (word.top, word.bottom, own)
                continue
        lines.append((word.top, word.bottom, [word]))
    found = (sorted(own, key=lambda word: word.left) for _, _, own in lines)
    return [Line(line) for words in found for line in (_unstacked(words) if _is_stacked(words) else [words])]


def _is_stacked(words: Sequence[Word]) -> bool:
    """Whether lines above each other were taken for one because of a large figure or heading beside them."""
    return any(
        after.left < before.right - 0.3 * min(before.right - before.left, after.right - after.left)
        and abs(before.middle - after.middle) > _STACKED * min(before.size, after.size)
        for before, after in pairwise(words)
    )


def _unstacked(words: Sequence[Word]) -> list[list[Word]]:
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda each: (each.middle, each.left)):
        if lines and word.middle - lines[-1][-1].middle < _STACKED * min(word.size, lines[-1][-1].size):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: word.left) for line in lines]


_BESIDE = 0.15
"""Share of the smaller of two heights: lines that overlap by this much are side by side."""
_MOST_BESIDE, _OFF_CENTRE = 7, 0.35


def levelled(lines: Sequence[Line]) -> list[Line]:
    """Joins a row whose cells are centred beside taller ones into one line, each cell with all its own lines."""
    groups: list[list[Line]] = []
    for line in lines:
        if groups and _stands_beside(groups[-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [line for group in groups for line in (_one_row(group) if 1 < len(group) <= _MOST_BESIDE else group)]


def _stands_beside(group: Sequence[Line], line: Line) -> bool:
    beside = [
        other
        for other in group
        if min(line.bottom, other.bottom) - max(line.top, other.top)
        > _BESIDE * min(line.bottom - line.top, other.bottom - other.top)
    ]
    return bool(beside) and not any(
        one.left < other.right and one.right > other.left
        for row in beside
        for other in row.fragments
        for one in line.fragments
    )


def _one_row(group: Sequence[Line]) -> Sequence[Line]:
    cells: list[list[Fragment]] = []
    for piece in sorted((f for line in group for f in line.fragments), key=lambda f: f.left):
        if cells and piece.left < max(f.right for f in cells[-1]):
            cells[-1].append(piece)
        else:
            cells.append([piece])
    middles = [(min(p.words[0].top for p in cell) + max(p.words[0].bottom for p in cell)) / 2 for cell in cells]
    if max(middles) - min(middles) > _OFF_CENTRE * group[0].size:
        # These are columns of text whose lines are not level.
        return group
    row = Line([word for cell in cells for piece in downwards(cell) for word in piece.words])
    row.fragments = [stacked_cell(downwards(cell)) for cell in cells]
    row.top, row.bottom = min(line.top for line in group), max(line.bottom for line in group)
    return [row]


def downwards(cell: Sequence[Fragment]) -> list[Fragment]:
    return sorted(cell, key=lambda piece: piece.words[0].middle)


def stacked_cell(cell: Sequence[Fragment]) -> Fragment:
    """The lines of a cell as one fragment."""
    whole = Fragment([word for piece in cell for word in piece.words])
    whole.left, whole.inner = min(piece.left for piece in cell), min(piece.inner for piece in cell)
    return whole


def lines_as_written(words: Iterable[Word]) -> list[Line]:
    """In the order of the file, for text whose layout is unclear: what was written together stays together."""
    lines: list[Line] = []
    for word in sorted(words, key=lambda each: each.order):
        last = lines[-1].words[-1] if lines else None
        is_level = last is not None and abs(last.middle - word.middle) < 0.4 * last.size
        if last and is_level and -last.size < max(word.left - last.right, last.left - word.right) < 2 * last.size:
            lines[-1].words.append(word)
        else:
            lines.append(Line([word]))
    return lines


def is_wordy(words: Sequence[Word], least: int = 3, share: float = 0.5) -> bool:
    """Whether it is running text: most of its words begin with a small letter, unlike labels, names and figures. A
    table found by its rules is a word without text and counts as running text."""
    if any(not word.text for word in words):
        return True
    total = small = 0
    for word in words:
        letter = word.text[:1]
        is_other = not letter.isascii() and letter not in "£€¥₹–—"
        # Scripts without small letters have longer words, or no spaces between words.
        weight = 1 + (len(word.text) - 1) // _LETTERS if is_other else 1
        total += weight
        small += weight if is_other or letter.islower() else 0
    return total >= least and small >= share * total


def fragments_of(words: Sequence[Word], *, is_close: bool = False) -> list[Fragment]:
    """`is_close`: for a table whose cells are as close to each other as words."""
    if _is_justified(words):
        return [Fragment(list(words))]
    found: list[Fragment] = []
    space = _usual_space(words) if is_close else 0.0
    for word in words:
        is_next = bool(found) and not _is_apart(found[-1], word)
        if is_next and not (space and _is_wider(found[-1].words[-1], word, space)):
            found[-1].words.append(word)
        else:
            found.append(Fragment([word]))
    return found


def _is_justified(words: Sequence[Word]) -> bool:
    """Whether several words of different length are equally far apart, as cells of a table never are."""
    gaps = [other.left - one.right for one, other in pairwise(words)]
    if len(gaps) < _LEAST_GAPS or min(gaps) <= 0 or max(gaps) - min(gaps) > _EVEN * words[0].size:
        return False
    widths = [word.right - word.left for word in words]
    return max(widths) - min(widths) > words[0].size


def _usual_space(words: Sequence[Word]) -> float:
    spaces = sorted(gap for one, other in pairwise(words) if (gap := other.left - one.right) > 0)
    return spaces[len(spaces) // 4] if len(spaces) > 2 else 0.0


def _is_wider(before: Word, word: Word, space: float) -> bool:
    """Whether the gap is clearly wider than others on the line; the space after a sentence may be wider."""
    gap, size = word.left - before.right, min(word.size, before.size)
    is_sign = before.text[-1] in ".:;!?" or bool(SIGN.fullmatch(before.text) or _AFTER.fullmatch(word.text))
    return gap > max(_WIDER * space, _WIDER_SIZE * size) and not is_sign


def _is_apart(fragment: Fragment, word: Word) -> bool:
    before = fragment.words[-1]
    gap, size = word.left - before.right, max(min(word.size, before.size), 4.0)
    if gap <= _SIGN_APART * size:
        # Smaller than all limits below, as for most words.
        return False
    is_number, was_number = bool(FIGURE.fullmatch(word.text)), bool(FIGURE.fullmatch(before.text))
    if SIGN.fullmatch(before.text) and len(fragment.words) == 1 and (is_number or word.text[0] in "(-–—−$.)"):
        return False
    if _MINUS.fullmatch(before.text) and len(fragment.words) == 1 and is_number:
        return gap > 0.4 * size
    if _AFTER.fullmatch(word.text) and was_number:
        return gap > 1.5 * size
    if SIGN.fullmatch(word.text) and word.text != "(":
        return gap > _SIGN_APART * size
    if is_number and was_number:
        return gap > (_SIGN_APART if word.text[0] in "$€£¥" else _NUMBERS_APART) * size
    return gap > _APART * size
