"""Splits a passage into statements: sentences, bullets and table rows, each with the headings and text it depends
on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from masis.language.instructions import is_instruction
from masis.language.periods import PERIOD
from masis.language.sentences import split_sentences
from masis.language.table_headers import GROUP, Header, groups, read_header, spans_years, stacked_header
from masis.language.words import content_stems

CELL_BREAK = " | "
RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
SET_APART = re.compile(r"(?<=[$€£])\s+(?=[\d(.])|(?<=[\d)])\s+(?=%)")
"""Printed tables separate the currency and the per-cent sign from the number."""
NUMBER_COLUMN = re.compile(r"(?:[$€£]?\(?[-−–]?[$€£]?\d(?:[\d,.]*\d)?%?\)?%?|[–—-]|n/?a)$", re.IGNORECASE)

FISCAL_YEAR = re.compile(r"^(?:fiscal|fy|year)\s(?:19|20)\d\d$", re.IGNORECASE)
"""A period that labels a row, rather than a number in it."""
YEAR = re.compile(r"(?:19|20)\d\d")
FURNITURE = re.compile(r"^(?:page \d+(?: of \d+)?|(?:table|figure|exhibit) \d+\b[^.]*)$", re.IGNORECASE)
"""Page numbers and captions state nothing by themselves."""
LONGEST_CAPTION = 240
"""Longest line, in characters, that is taken as a table's caption."""
SCALE_OF_ALL = re.compile(
    r"\(?(?:(?:dollars|amounts|figures|euros|[$€£₹])\s*)?\bin\s+(?:[A-Z]{3}\s|US\s|[$€£₹]\s?)?(?P<scale>thousands?|lakhs?|millions?|crores?|billions?)\b"
    r"(?:\s+of\s+(?:US\s|U\.S\.\s)?(?:dollars|euros|pounds))?",
    re.IGNORECASE,
)
"""“(In millions)” applies to the whole table; if a passage names two scales, neither applies."""
MOST_CELLS, MOST_LOOKED_AT = 4, 100
"""How many cells of a row are read out, and how many are considered, if no sentence says which matter."""
_BAR = re.compile(r"(?<!\\)\|")
LEANS_BACK = re.compile(
    r"\W*(?:It|Its|They|Their|This|That|These|Those|He|She|His|Her|There(?! (?:is|are|was|were))|Both|Such)\b"
)
"""A sentence that opens with such a word is about something the previous one named. “There is” introduces something
new."""


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    """Exactly as in the passage: `passage[start:end]`."""
    start: int
    end: int
    above: str = ""
    """Headings, a table's header, the line that introduces a list, or the sentence that a pronoun refers to."""
    cells: tuple[tuple[str, str], ...] = ()
    """The (column, value) pairs of a table row, the row's label first."""
    is_item: bool = False
    """The statement is an item of a list."""

    @property
    def in_context(self) -> str:
        return f"{self.above}\n{self.text}" if self.above else self.text

    @property
    def is_row(self) -> bool:
        return bool(self.cells)

    @property
    def needs_context(self) -> bool:
        """A row or a list item means nothing without the text above it."""
        return self.is_row or self.above.rstrip().endswith(":")


@lru_cache(maxsize=16_384)
def stems_of(statement: Statement) -> frozenset[str]:
    """Cached, because every claim of an answer is compared with every statement it cites."""
    headed_by = " ".join(cell for column, cell in statement.cells if column == GROUP)
    return frozenset(content_stems(f"{statement.in_context}\n{headed_by}"))


@lru_cache(maxsize=4096)
def statements(text: str, heading: str | None = None) -> tuple[Statement, ...]:
    """Cached, because a run reads each passage several times (writer, auditor, verdicts)."""
    found: list[Statement] = []
    under, headings = heading or "", Headings()
    for start, end, is_table in _regions(text):
        read = _rows if is_table else _prose
        found += read(text, start, end, under, headings)
    # An order planted in a document states nothing: it can be neither an answer, nor support, nor a side of a conflict.
    return tuple(one for one in found if not is_instruction(text, one.start, one.end))


def read_out(quote: str, passage: str = "", heading: str | None = None, said: str = "") -> str:
    """A quotation in readable form. The cells of a row come with the names of their columns, and only those that `said`
    repeats, if it repeats any. Other text stays as it is, without bars and heading marks."""
    bare = quote.strip(" |\n")
    at = passage.find(bare)
    rows = [s for s in statements(passage, heading) if s.is_row and s.start < at + len(bare) and s.end > at >= 0]
    if sum(len(row.text) for row in rows) >= max(0.8 * len(bare), 1):
        return "; ".join(row_words(row, said) for row in rows)
    lines = [
        line.lstrip("#") if line.startswith("#") else line for line in bare.splitlines() if set(line) - set("|-: \t")
    ]
    cells = [" ".join(cell.split()) for cell in _BAR.split(" ".join(lines))]
    return " · ".join(filter(None, cells))


def row_words(row: Statement, said: str = "") -> str:
    """“Total net sales: 82,959 (June 25, 2022), 81,434 (June 26, 2021)”."""
    (_, label), *cells = [each for each in row.cells if each[0] != GROUP]
    filled = [(column, value) for column, value in cells[:MOST_LOOKED_AT] if value.strip("-–— ")]
    repeated = [each for each in filled if _repeats(said, each[1])]
    above = next((value for column, value in row.cells if column == GROUP), "")
    shown = repeated or filled[:MOST_CELLS]
    figures = [f"{value} ({column})" if column.strip() else value for column, value in shown]
    figures += ["…"] if shown == filled[:MOST_CELLS] != filled else []
    return ": ".join(filter(None, (", ".join(filter(None, (above, label))), ", ".join(figures))))


def _repeats(said: str, cell: str) -> bool:
    """`said` contains the cell's value, and not merely within a longer word or figure."""
    words = cell.strip(" $€£¥(%)")
    return bool(words and re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(words)}(?!\w|[.,]\d)", said, re.IGNORECASE))


class Headings:
    """The headings above the current position, from the outermost to the innermost."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> str:
        return " > ".join(title for _, title in self._open)

    def enter(self, text: str, start: int, title: str) -> None:
        line = text[text.rfind("\n", 0, start) + 1 :]
        marks = len(line) - len(line.lstrip("#"))
        # A heading without marks (a bold line, a title) ranks below all that have them.
        level = marks or 7
        self._open = [(other, t) for other, t in self._open if other < level]
        self._open.append((level, title.strip("#* :")))


def _regions(text: str) -> Iterator[tuple[int, int, bool]]:
    """Runs of table lines and of other lines."""
    lines = [(m.start(), m.end()) for m in re.finditer(r"[^\n]+", text)]
    flags = _table_lines([text[start:end] for start, end in lines])
    # The line above a rule begins a new table, even directly below another one.
    ruled = {n for n, (start, end) in enumerate(lines) if flags[n] and _is_rule(text[start:end])}
    index = 0
    while index < len(lines):
        last = index
        while last + 1 < len(lines) and flags[last + 1] == flags[index] and last + 2 not in ruled:
            last += 1
        yield lines[index][0], lines[last][1], flags[index]
        index = last + 1


def _table_lines(lines: Sequence[str]) -> list[bool]:
    flags = [_is_piped(line) or _numbers_at_the_end(line) >= 2 for line in lines]
    _extend_from_rules(lines, flags)
    _extend_to_single_columns(lines, flags)
    for index in range(len(lines) - 1, 0, -1):
        # A header without numbers is recognised by its periods, one for each column of the row below.
        starts_a_table = flags[index] and not flags[index - 1] and "|" not in lines[index]
        if starts_a_table and len(_columns_by_period(lines[index - 1])) == len(_cells(lines[index])):
            flags[index - 1] = True
    return flags


def _is_piped(line: str) -> bool:
    """“a | b”, “|a|b|”, or the rule under a header."""
    bare = line.strip()
    return CELL_BREAK in line or (bare.startswith("|") and bare.count("|") >= 2) or _is_rule(line)


def _extend_from_rules(lines: Sequence[str], flags: list[bool]) -> None:
    """Rows written as “a|b” are recognised by the rule between them."""
    for rule in (index for index, line in enumerate(lines) if _is_rule(line)):
        if rule and "|" in lines[rule - 1]:
            flags[rule - 1] = True
        for index in range(rule + 1, len(lines)):
            if "|" not in lines[index]:
                break
            flags[index] = True


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and bool(RULE.fullmatch(line))


def _numbers_at_the_end(line: str) -> int:
    """How many numbers follow a short label: two or more make a line of PDF text a table row."""
    if "|" in line:
        return 0
    label, *columns = _cells(line)
    return len(columns) if 0 < len(label.split()) <= 8 else 0


def _extend_to_single_columns(lines: Sequence[str], flags: list[bool]) -> None:
    """Many lines of prose end in one number, but three such lines in succession are a table."""
    run: list[int] = []
    for index, line in enumerate([*lines, ""]):
        if _numbers_at_the_end(line) == 1:
            run.append(index)
            continue
        if len(run) >= 3:
            for row in run:
                flags[row] = True
        run = []


def _prose(text: str, start: int, end: int, under: str, headings: "Headings") -> list[Statement]:
    found: list[Statement] = []
    intro = before = ""
    for sentence in split_sentences(text[start:end]):
        at = start + sentence.start
        if sentence.block == "heading":
            headings.enter(text, at, sentence.text)
            intro = before = ""
            continue
        if FURNITURE.match(sentence.text):
            continue
        if sentence.block == "bullet":
            above = _joined(under, headings.path, intro)
        else:
            leaning = before if LEANS_BACK.match(sentence.text) else ""
            above = _joined(under, headings.path, leaning)
            intro = sentence.text if sentence.text.rstrip().endswith(":") else ""
            before = sentence.text
        is_item = sentence.block == "bullet"
        found.append(Statement(sentence.text, at, start + sentence.end, above, is_item=is_item))
    return found


def _rows(text: str, start: int, end: int, under: str, headings: "Headings") -> list[Statement]:
    found = [(start + m.start(), start + m.end()) for m in re.finditer(r"[^\n]+", text[start:end])]
    lines = [(a, b) for a, b in found if not _is_rule(text[a:b])]
    if not lines:
        return []
    fenced = all(text[a:b].lstrip().startswith("|") for a, b in lines)
    split = [_cells(text[a:b], fenced=fenced) for a, b in lines]
    if fenced:
        lines = [_inside_bars(text, a, b) for a, b in lines]
    is_ruled = fenced and len(found) > 1 and _is_rule(text[slice(*found[1])])
    ruled = split if is_ruled and spans_years(split) else split[:1]
    header = read_header(ruled) if is_ruled else Header(_inherited_header(under, len(split[0])), 0)
    if is_ruled:
        lines, split = lines[header.lines :], split[header.lines :]
    if not header.names:
        header = _own_header(text[slice(*lines[0])], split)
        lines, split = lines[header.lines :], split[header.lines :]
    if not fenced and all(YEAR.fullmatch(name) for name in header.names[1:]):
        # The lines above a printed table, or above its line of years, say what the years are for.
        above_it = [*under.split(" > "), *text[: lines[0][0] if lines else start].splitlines()]
        stacked = stacked_header(above_it, [len(cells) for cells in split])
        header = stacked if stacked.names else header
    caption = _caption(text, start, headings)
    above = _joined(under, headings.path, caption, header.notes, CELL_BREAK.join(header.names))
    return [
        Statement(text[a:b], a, b, above, _paired(header.names, cells) + (((GROUP, group),) if group else ()))
        for (a, b), cells, group in zip(lines, split, groups(split), strict=True)
        if any(cells) and group is not None
    ]


def _inside_bars(text: str, start: int, end: int) -> tuple[int, int]:
    line = text[start:end]
    inside = line.strip().removeprefix("|").removesuffix("|").strip()
    first = start + line.find(inside)
    return first, first + len(inside)


def _cells(line: str, *, fenced: bool = True) -> list[str]:
    """The cells of a line. `fenced`: bars enclose each row, so the outer ones do not delimit an empty cell."""
    if "|" in line:
        inside = line.strip().removeprefix("|").removesuffix("|") if fenced else line
        return [cell.strip() for cell in re.split(r"(?<!\\)\|", inside)]
    words = SET_APART.sub("", line).split()
    columns: list[str] = []
    while words and NUMBER_COLUMN.match(words[-1]) and not FISCAL_YEAR.search(" ".join(words[-2:])):
        columns.append(words.pop())
    return [" ".join(words), *reversed(columns)]


def _own_header(first_line: str, split: Sequence[Sequence[str]]) -> Header:
    if "|" in first_line:
        return read_header(split)
    if all(YEAR.fullmatch(cells[-1]) for cells in split):
        # The years are the values of the column (“since 2019”), not its periods.
        return Header([], 0)
    columns = _columns_by_period(first_line)
    return Header(columns, 1) if len(columns) == max(len(cells) for cells in split) else Header([], 0)


def _columns_by_period(line: str) -> list[str]:
    """“Region Fiscal 2024 Fiscal 2025 Change” has four columns: the line is cut where a period begins and ends."""
    spans = [match.span() for match in PERIOD.finditer(line)]
    if not spans or line.rstrip().endswith("."):
        return []
    cuts = [0, *(cut for span in spans for cut in span), len(line)]
    pieces = [line[a:b].strip(" ,;") for a, b in pairwise(cuts)]
    return [piece for index, piece in enumerate(pieces) if piece or index == 0]


def _inherited_header(under: str, width: int) -> list[str]:
    """A table that was split carries its header above it."""
    last = under.rsplit(" > ", 1)[-1]
    cells = _cells(last) if _is_piped(last) else []
    return cells if len(cells) == width else []


def _caption(text: str, start: int, headings: "Headings") -> str:
    """The line right above a table usually names it; the scale may be stated anywhere in the passage."""
    line = text[:start].rstrip("\n").rpartition("\n")[2].strip("#* ")
    if len(line) > LONGEST_CAPTION and line.endswith(":"):
        # The sentence that introduces the table may close a long paragraph.
        line = split_sentences(line)[-1].text
    before = line.rstrip(": ")
    own = before if 0 < len(before) <= LONGEST_CAPTION and not headings.path.endswith(before) else ""
    scales = {match.group("scale").lower(): match.group() for match in SCALE_OF_ALL.finditer(text)}
    said_once = f"({next(iter(scales.values())).strip('()')})" if len(scales) == 1 else ""
    return _joined(said_once if not SCALE_OF_ALL.search(own) else "", own)


def _paired(header: list[str], cells: list[str]) -> tuple[tuple[str, str], ...]:
    # A header with one name fewer than the cells leaves the label column unnamed.
    names = ["", *header] if len(header) == len(cells) - 1 else header
    return tuple((names[i] if i < len(names) else "", cell) for i, cell in enumerate(cells))


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
