"""What the whole document shows of a line: heading or not, and which lines only run along the pages."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from masis.language.unit_captions import is_unit_line
from masis.sources.pdf.drafts import Draft, DraftLine

_LARGER = 1.12
_LEVELS = 4
_LEAST_LINES, _OF_LINES = 6, 0.25
_HEADING_CHARS = 160
_EDGE_LINES = 3
_LEAST_PAGES = 3
_SHARE = 0.25
_IN_A_ROW = 5
_NO_HEADING_END = (".", ";", ",", "…")
_BULLET = re.compile(r"[^\w\s(]\s")
_PART = re.compile(r"(?:part|chapter)\s+[ivx\d]+\b", re.IGNORECASE)
_SECTION = re.compile(
    r"(?:item|section|note|article|appendix|exhibit)\s+\w{1,4}\b|\d{1,2}(?:\.\d{1,2}){0,3}\.?\s", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"^\d{1,5} [^\W\d].*\d{4,}$|,\s*[A-Z]\.?[A-Z]\.?\s+\d{5}|@|https?://|www\.|\bphone\b|\btel\b", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—]?\s*\(?(?:[A-Z]-)?(?:\d{1,4}|[ivxlc]{1,6})\)?\s*[-–—]?(?:\s*(?:of|/)\s*\d{1,4})?", re.I
)


class Styles:
    def __init__(self, pages: Iterable[Sequence[Draft]]) -> None:
        weight: Counter[float] = Counter()
        lines: Counter[float] = Counter()
        for page in pages:
            for draft in page:
                if isinstance(draft, DraftLine):
                    weight[draft.size] += len(draft.text)
                    lines[draft.size] += 1
        # Small print may have most letters of a form; what a quarter of the lines are set in is not a heading's size.
        usual = [size for size, count in lines.items() if count >= max(_LEAST_LINES, _OF_LINES * lines.total())]
        self.body = max([*usual, *(size for size, _ in weight.most_common(1))], default=0.0)
        self._sizes: list[float] = []
        for size in sorted((size for size in weight if size >= self.body * _LARGER), reverse=True):
            if not self._sizes or self._sizes[-1] - size > 0.6:
                self._sizes.append(size)

    def level(self, line: DraftLine) -> int:
        """Of a heading; 0 for what is none."""
        text = line.text
        letters = sum(map(str.isalpha, text))
        is_words = letters >= 2 and letters > len(text) / 2
        if not is_words or len(text) > _HEADING_CHARS or text.startswith("(") or is_unit_line(text):
            return 0
        if _BULLET.match(text) or (text.endswith(_NO_HEADING_END) and len(text) > 12 and not text.isupper()):
            return 0
        if line.is_pair or _ADDRESS.search(text):
            return 0
        is_large = line.size >= self.body * _LARGER
        if is_large:
            rank = next((i for i, size in enumerate(self._sizes) if size - line.size <= 0.6), len(self._sizes))
            return min(rank + 1, _LEVELS)
        # Names and titles under a signature stand in the right half of the page, a heading begins left or is centred.
        is_aside = line.left > (line.edges[0] + line.edges[1]) / 2 and not (_SECTION.match(text) or _PART.match(text))
        if not line.is_bold or line.size < 0.93 * self.body or is_aside:
            return 0
        return min(len(self._sizes), _LEVELS - 1) + self._rank(text)

    @staticmethod
    def _rank(text: str) -> int:
        if _PART.match(text):
            return 1
        if _SECTION.match(text) or (text.isupper() and (" " in text or text.isalpha())):
            return 2
        return 3


def furniture_of(pages: Sequence[Sequence[Draft]]) -> list[set[int]]:
    """For each page the indexes of lines that run along the pages: the same words at the same height, or its number."""
    places: dict[tuple[str, bool], list[int]] = {}
    edges = [list(_edge_lines(page)) for page in pages]
    for number, lines in enumerate(edges):
        for _, line in lines:
            places.setdefault(_key(line), []).append(number)
    running = {key for key, numbers in places.items() if _runs(sorted(set(numbers)), len(pages), is_bold=key[1])}
    return [
        {
            index
            for index, line in lines
            if _key(line) in running or (len(pages) > 1 and _PAGE_NUMBER.fullmatch(line.text.strip()))
        }
        for lines in edges
    ]


def _edge_lines(page: Sequence[Draft]) -> Iterable[tuple[int, DraftLine]]:
    """The outermost of a page; a footer may follow the text, wherever that ends."""
    order = sorted(range(len(page)), key=lambda index: page[index].top)
    outer = {*order[:_EDGE_LINES], *order[-_EDGE_LINES:]}
    lines = ((index, draft) for index, draft in enumerate(page) if index in outer)
    return [(index, line) for index, line in lines if isinstance(line, DraftLine)]


def _key(line: DraftLine) -> tuple[str, bool]:
    return _DIGITS.sub("0", line.text), line.is_bold


def _runs(numbers: Sequence[int], pages: int, *, is_bold: bool) -> bool:
    if len(numbers) >= max(_LEAST_PAGES, _SHARE * pages):
        return True
    longest = run = 1
    for before, after in itertools.pairwise(numbers):
        run = run + 1 if after - before <= 2 else 1
        longest = max(longest, run)
    # The same bold line over a few pages in a row is the name over several statements.
    return longest >= _IN_A_ROW and not is_bold
