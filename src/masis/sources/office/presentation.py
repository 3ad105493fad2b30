"""PowerPoint: one page per slide, with its title as heading, and text, tables, charts and notes in reading order."""

import re
from collections.abc import Iterator

from masis.sources.data.xml_tree import Element, attribute, descendants, elements, first, has, name_of, number
from masis.sources.dates import find_date
from masis.sources.office.package import Package, chart_lines
from masis.sources.plain import clean, one_line
from masis.sources.table_grid import is_pairs, table_lines
from masis.types import Page, ParsedDocument

_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "ftr", "hdr", "dt", "sldImg")
_INDENT = "  "
_DEEPEST = 8
_BAND = 300_000
"""A third of an inch in the units of the format: shapes that begin within one band are side by side."""
_FARTHEST = 10**9
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")


def parse_presentation(data: bytes, file_name: str) -> ParsedDocument:
    package = Package(data, file_name, "a PowerPoint presentation")
    pages, notes = [], []
    for index, part in enumerate(_slide_parts(package), start=1):
        root = package.xml(part)
        if root is None:
            notes.append(f"Slide {index} is damaged and was left out.")
            continue
        pages.append(Page(index, clean("\n".join(_slide_lines(package, part, root))), label=f"slide {index}"))
    if not pages:
        raise package.damaged()
    text = next((page.text for page in pages if page.text), "")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    author, made = package.properties()
    title = heading[1] if heading else None
    return ParsedDocument(pages, title=title, date=find_date(text), made=made, author=author, notes=notes)


def _slide_parts(package: Package) -> list[str]:
    """The slides in the order of the show, or by their names if the list of slides is lost."""
    root = package.xml("ppt/presentation.xml")
    links = package.relations("ppt/presentation.xml")
    listed = [] if root is None else [_relation_id(slide) for slide in descendants(root, "sldId")]
    parts = [links[identifier][1] for identifier in listed if identifier in links]
    numbered = {int(match[1]): name for name in package.names if (match := _SLIDE.fullmatch(name))}
    return parts or [numbered[key] for key in sorted(numbered)]


def _relation_id(element: Element) -> str:
    """The link of an element: a slide also has a number `id` besides the link `r:id`."""
    return next((value for key, value in element.attrib.items() if key.endswith(("}id", "}embed", "}dm"))), "")


def _slide_lines(package: Package, part: str, root: Element) -> Iterator[str]:
    links = package.relations(part)
    shapes = _in_reading_order(list(_shapes(first(root, "cSld", "spTree"))))
    titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
    for title in titles:
        if text := one_line(" ".join(line for line, *_ in _paragraphs(title))):
            yield from (f"# {text}", "")
    for shape in shapes:
        if shape not in titles:
            yield from (*_shape_lines(package, links, shape), "")
    yield from _note_lines(package, links)


def _shapes(tree: Element | None) -> Iterator[Element]:
    """All shapes, including those in groups; of alternative drawings, the one for newer programs."""
    for shape in elements(tree) if tree is not None else ():
        if name_of(shape) in ("grpSp", "Choice"):
            yield from _shapes(shape)
        elif name_of(shape) == "AlternateContent":
            yield from _shapes(
                first(shape, "Choice") if has(first(shape, "Choice"), "t", "tbl", "chart") else first(shape, "Fallback")
            )
        elif name_of(shape) in ("sp", "graphicFrame", "pic", "cxnSp"):
            yield shape


def _in_reading_order(shapes: list[Element]) -> list[Element]:
    """Top to bottom, and left to right within a band, if every shape has a position; otherwise in drawing order."""
    places = [_place(shape) for shape in shapes]
    if None in places or any(name_of(shape.getparent()) == "grpSp" for shape in shapes):
        return shapes
    known = [place for place in places if place is not None]
    order = sorted(range(len(shapes)), key=lambda index: (known[index][0] // _BAND, known[index][1]))
    return [shapes[index] for index in order]


def _place(shape: Element) -> tuple[int, int] | None:
    offset = next(descendants(shape, "off"), None)
    if offset is None:
        return None
    return number(attribute(offset, "y"), 0, _FARTHEST), number(attribute(offset, "x"), 0, _FARTHEST)


def _placeholder(shape: Element) -> str | None:
    """The role that the layout gives the shape; None for a free shape."""
    found = first(shape, "nvSpPr", "nvPr", "ph")
    return None if found is None else attribute(found, "type") or "obj"


def _shape_lines(package: Package, links: dict[str, tuple[str, str]], shape: Element) -> Iterator[str]:
    placeholder = _placeholder(shape)
    if placeholder in _FURNITURE:
        return
    if name_of(shape) == "graphicFrame":
        yield from _graphic_lines(package, links, shape)
        return
    for text, mark, depth in _paragraphs(shape, bullets=placeholder in ("obj", "body")):
        yield f"{_INDENT * depth}{mark} {text}" if mark else text


def _paragraphs(shape: Element, *, bullets: bool = False) -> Iterator[tuple[str, str, int]]:
    """Each paragraph with its list mark and its depth. In the body of a slide all paragraphs are list items, unless
    stated otherwise."""
    body = first(shape, "txBody")
    counts: dict[int, int] = {}
    for paragraph in elements(body, "p") if body is not None else ():
        text = _text(paragraph).strip()
        if text:
            properties = first(paragraph, "pPr")
            marks = {name_of(child) for child in elements(properties)} if properties is not None else set()
            is_item = bool(marks & {"buChar", "buAutoNum", "buBlip"}) or (bullets and "buNone" not in marks)
            depth = number(attribute(properties, "lvl"), 0, _DEEPEST) if properties is not None else 0
            counts = {level: count for level, count in counts.items() if level <= depth}
            counts[depth] = counts.get(depth, 0) + 1 if "buAutoNum" in marks else 0
            yield text, f"{counts[depth]}." if counts[depth] else "-" * is_item, depth


def _text(paragraph: Element) -> str:
    marks = {"br": "\n", "tab": "\t"}
    return "".join(marks.get(name_of(piece), piece.text or "") for piece in descendants(paragraph, "t", *marks))


def _graphic_lines(package: Package, links: dict[str, tuple[str, str]], frame: Element) -> Iterator[str]:
    for element in descendants(frame, "tbl", "chart", "relIds"):
        if name_of(element) == "tbl":
            rows = list(_table_rows(element))
            yield from table_lines(rows, 0 if is_pairs(rows) else None)
            continue
        _, part = links.get(_relation_id(element), ("", ""))
        root = package.xml(part) if part else None
        if root is not None and name_of(element) == "chart":
            yield from chart_lines(root)
        elif root is not None:
            texts = (_text(paragraph).strip() for paragraph in descendants(root, "p"))
            yield from (f"- {one_line(text)}" for text in texts if text)


def _table_rows(table: Element) -> Iterator[list[str]]:
    above: list[str] = []
    for row in elements(table, "tr"):
        cells: list[str] = []
        for cell in elements(row, "tc"):
            # A cell merged with the one above repeats it, so that each row can be read alone.
            merged = attribute(cell, "vMerge") in ("1", "true") and len(cells) < len(above)
            cells.append(above[len(cells)] if merged else "\n".join(text for text, *_ in _paragraphs(cell)))
        above = cells
        yield cells


def _note_lines(package: Package, links: dict[str, tuple[str, str]]) -> Iterator[str]:
    for kind, part in links.values():
        root = package.xml(part) if kind == "notesSlide" else None
        shapes = _shapes(first(root, "cSld", "spTree")) if root is not None else ()
        spoken = [text for shape in shapes if _placeholder(shape) == "body" for text, *_ in _paragraphs(shape)]
        if spoken:
            yield "\n".join(["", f"Notes: {spoken[0]}", *spoken[1:]])
