"""Word documents: paragraphs and tables in order; only accepted text, wherever Word nests it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from masis.sources.data.xml_tree import Element, attribute, descendants, elements, first, name_of, number, own_text
from masis.sources.dates import find_date
from masis.sources.office.package import Package
from masis.sources.plain import clean, one_line, title_line
from masis.sources.table_grid import is_pairs, span, table_lines
from masis.types import Page, ParsedDocument

_LEVELS = 9
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    pattern: str
    """`%1.%2` stands for the counts of the first two levels."""


class ParagraphNumbers:
    """Counts the paragraphs of each numbering as they come."""

    def __init__(self, root: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counts: dict[str, list[int]] = {}
        self._kinds: dict[str, str] = {}
        if root is not None:
            for kind in descendants(root, "abstractNum"):
                self._levels[attribute(kind, "abstractNumId")] = dict(map(_level, elements(kind, "lvl")))
            for each in descendants(root, "num"):
                self._kinds[attribute(each, "numId")] = attribute(first(each, "abstractNumId"), "val")

    def next(self, own: Element | None, of_style: Element | None, *, is_heading: bool) -> str:
        """The number of the next paragraph; empty if it has none."""
        listed = _value("numId", own, of_style)
        kind = self._kinds.get(listed, "")
        place = depth_of(own, of_style)
        levels = self._levels.get(kind, {})
        level = levels.get(place)
        if level is None:
            return ""
        # Clauses of a contract are numbered across all its parts; a simple list starts again.
        counted = kind if is_heading or _is_outline(levels) else f"list {listed}"
        counts = self._counts.setdefault(counted, [0] * _LEVELS)
        counts[:] = [*(count or 1 for count in counts[:place]), counts[place] + 1, *[0] * (_LEVELS - place - 1)]
        return _written(level.pattern, levels, counts) if "%" in level.pattern else ""


def depth_of(own: Element | None, of_style: Element | None) -> int:
    """How deep inside a list, from 0."""
    return number(_value("ilvl", own, of_style), 0, _LEVELS - 1)


def _level(element: Element) -> tuple[int, _Level]:
    form, pattern = (attribute(first(element, name), "val") for name in ("numFmt", "lvlText"))
    return number(attribute(element, "ilvl"), 0, _LEVELS - 1), _Level(form, pattern if form != "bullet" else "")


def _value(name: str, own: Element | None, of_style: Element | None) -> str:
    """The paragraph's own value, or that of its style."""
    return attribute(first(own, name), "val") or attribute(first(of_style, name), "val")


def _is_outline(levels: dict[int, _Level]) -> bool:
    """Whether the numbering is like that of contract clauses: 4.2.1."""
    return any(level.pattern.count("%") > 1 for level in levels.values())


def _written(pattern: str, levels: dict[int, _Level], counts: list[int]) -> str:
    for index, count in enumerate(counts):
        form = levels[index].form if index in levels else "decimal"
        pattern = pattern.replace(f"%{index + 1}", _in_form(count or 1, form))
    return pattern


def _in_form(count: int, form: str) -> str:
    if form.endswith("Letter"):
        letters = chr(97 + (count - 1) % 26) * min(1 + (count - 1) // 26, 20)
        return letters.upper() if form.startswith("upper") else letters
    if form.endswith("Roman"):
        return _roman(count).upper() if form.startswith("upper") else _roman(count)
    return str(count)


def _roman(count: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (count // value)
        count %= value
    return text


_HEADING_STYLE = re.compile(r"heading (\d)")
_NO_HEADING = re.compile(r"[^:]{1,40}:\s\S|.*(?:[.;,…]$|@|://|www\.)|[\W\d_]*$")
"""Not a heading even in bold: “Date: 3 March 2022”, a sentence, an address or a figure."""
_HEADING_CHARS, _MOST_BOLD = 120, 0.3
_ITEM_NUMBER = re.compile(r"\(?[\dA-Za-z]{1,4}[.)]")
_INDENT = "  "
_MAIN = "word/document.xml"
# Deleted text, alternative drawings of the same thing, and elements that describe a block but are not its text.
_SKIPPED = frozenset(
    ("del", "moveFrom", "sectPr", "pPr", "rPr", "tcPr", "trPr", "tblPr", "Fallback", "instrText", "delText")
)
_FORMULA = {"den": "/", "sup": "^", "sub": "_"}
_SEPARATORS = ("separator", "continuationSeparator")


def parse_word(data: bytes, file_name: str) -> ParsedDocument:
    package = Package(data, file_name, "a Word document")
    main = _main_part(package)
    body = first(package.required_xml(main), "body")
    if body is None:
        raise package.damaged()
    reader = _Reader(package, main)
    text = clean("\n".join([*reader.block_lines(body), *reader.note_lines()]))
    author, made = package.properties()
    title = reader.title or title_line(text)
    return ParsedDocument([Page(1, text)], title=title, date=find_date(text), made=made, author=author)


def _main_part(package: Package) -> str:
    named = (part for kind, part in package.relations("").values() if kind == "officeDocument")
    return next((part for part in named if part in package.names), _MAIN)


class _Reader:
    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._links = package.relations(main)
        root = package.xml(self._part("styles") or "word/styles.xml")
        self._styles = {} if root is None else {attribute(each, "styleId"): each for each in descendants(root, "style")}
        self._numbers = ParagraphNumbers(package.xml(self._part("numbering") or "word/numbering.xml"))
        self._level = 1
        """Level of the last heading with a heading style."""
        self._marks_headings = False
        self.title: str | None = None

    def _part(self, kind: str) -> str | None:
        return next((part for linked, part in self._links.values() if linked == kind), None)

    def block_lines(self, body: Element) -> Iterator[str]:
        blocks = list(_blocks(body))
        bold = [_text(block) for block in blocks if name_of(block) == "p" and _is_bold(block)]
        # If much of the text is bold, bold does not mark headings.
        total = sum(len(_text(block)) for block in blocks if name_of(block) == "p")
        self._marks_headings = sum(map(len, bold)) <= _MOST_BOLD * total
        for block in blocks:
            if name_of(block) == "tbl":
                yield from self._table_lines(block)
            else:
                yield from self._paragraph_lines(block)

    def _table_lines(self, table: Element) -> Iterator[str]:
        """A table inside a cell comes below the table that contains it."""
        rows = list(_table_rows(table))
        named = [first(row, "trPr", "tblHeader") is not None for row in _inside(table, "tr")]
        known = named.index(False) if False in named else 0
        yield from ("", *table_lines(rows, known or (0 if is_pairs(rows) else None)), "")
        for row in _inside(table, "tr"):
            for cell in _inside(row, "tc"):
                for inner in _inside(cell, "tbl"):
                    yield from self._table_lines(inner)

    def _paragraph_lines(self, paragraph: Element) -> Iterator[str]:
        text = _text(paragraph)
        if not text.strip():
            yield ""
            return
        style = self._style_name(attribute(first(paragraph, "pPr", "pStyle"), "val"))
        heading = _HEADING_STYLE.match(style)
        number = self._number(paragraph, is_heading=heading is not None)
        if heading or style == "title":
            # The title is above every heading.
            self._level = int(heading[1]) + 1 if heading else 1
            line = one_line(f"{number} {text}")
            self.title = self.title or line
            yield from ("", f"{'#' * self._level} {line}", "")
        elif style.startswith("list") or first(paragraph, "pPr", "numPr") is not None:
            own = first(paragraph, "pPr", "numPr")
            mark = number if _ITEM_NUMBER.fullmatch(number) else f"- {number}".strip()
            yield f"{_INDENT * depth_of(own, None)}{mark} {text.strip()}"
        elif self._marks_headings and _is_typed_heading(paragraph, line := one_line(f"{number} {text}")):
            typed = re.match(r"\d+(?:\.\d+)*", line)
            yield from ("", f"{'#' * min(self._level + 1 + (typed[0].count('.') if typed else 0), 6)} {line}", "")
        elif number:
            yield from (f"{number} {text}", "")
        else:
            yield from (text, "")

    def _style_name(self, identifier: str) -> str:
        style = self._styles.get(identifier)
        return attribute(first(style, "name"), "val").lower() if style is not None else ""

    def _number(self, paragraph: Element, *, is_heading: bool) -> str:
        """Its own numbering, or that of its style."""
        own = first(paragraph, "pPr", "numPr")
        style = self._styles.get(attribute(first(paragraph, "pPr", "pStyle"), "val"))
        return self._numbers.next(own, first(style, "pPr", "numPr"), is_heading=is_heading)

    def note_lines(self) -> Iterator[str]:
        for kind, name in (("footnotes", "Note"), ("endnotes", "Note"), ("comments", "Comment")):
            root = self._package.xml(self._part(kind) or "")
            for note in elements(root) if root is not None else ():
                text = one_line(_text(note))
                if text and attribute(note, "type") not in _SEPARATORS:
                    yield f"{name}{_author(note)}: {text}"


def _is_typed_heading(paragraph: Element, line: str) -> bool:
    return _is_bold(paragraph) and len(line) <= _HEADING_CHARS and not _NO_HEADING.match(line)


def _is_bold(paragraph: Element) -> bool:
    """Whether everything written in it is bold."""
    runs = [run for run in descendants(paragraph, "r") if _text(run).strip()]
    marks = [first(run, "rPr", "b") for run in runs]
    return bool(runs) and all(mark is not None and attribute(mark, "val") not in ("0", "false") for mark in marks)


def _author(note: Element) -> str:
    author = one_line(attribute(note, "author"))
    return f" by {author}" if author else ""


def _blocks(parent: Element) -> Iterator[Element]:
    """Paragraphs and tables, including those inside content controls and tracked insertions."""
    for child in elements(parent):
        if name_of(child) in ("p", "tbl"):
            yield child
        elif name_of(child) not in _SKIPPED:
            yield from _blocks(child)


def _text(element: Element) -> str:
    return "".join(_pieces(element))


def _pieces(element: Element, without: str = "") -> Iterator[str]:
    for child in elements(element):
        name = name_of(child)
        if name == without:
            continue
        if name == "t":
            yield own_text(child)
        elif name in ("tab", "ptab"):
            yield "\t"
        elif name in ("br", "cr"):
            yield "\n"
        elif name == "noBreakHyphen":
            yield "-"
        elif name == "p":
            yield from ("\n", *_pieces(child, without), "\n")
        elif name not in _SKIPPED:
            yield from (_FORMULA.get(name, ""), *_pieces(child, without))


def _table_rows(table: Element) -> Iterator[list[str]]:
    above: list[str] = []
    for row in _inside(table, "tr"):
        before = first(row, "trPr", "gridBefore")
        # A row may begin some columns to the right.
        cells = [""] * span(attribute(before, "val")) if before is not None else []
        for cell in _inside(row, "tc"):
            text = "".join(_pieces(cell, without="tbl"))
            # A cell merged with the one above repeats it, so that each row can be read alone.
            if _goes_on(cell) and not text.strip() and len(cells) < len(above):
                text = above[len(cells)]
            cells += [text] + [""] * (span(attribute(first(cell, "tcPr", "gridSpan"), "val")) - 1)
        above = cells
        yield cells


def _inside(parent: Element, name: str) -> Iterator[Element]:
    """Rows, cells or tables, including those inside content controls, but not those of a table inside a cell."""
    for child in elements(parent):
        if name_of(child) == name:
            yield child
        elif name_of(child) not in (*_SKIPPED, "tbl"):
            yield from _inside(child, name)


def _goes_on(cell: Element) -> bool:
    merge = first(cell, "tcPr", "vMerge")
    return merge is not None and attribute(merge, "val") != "restart"
