"""OpenDocument texts, presentations and sheets (ODT, ODP, ODS): headings, lists, tables, slides."""

import re
from collections.abc import Iterator

from masis.errors import UnreadableFile
from masis.sources.data.xml_tree import Element, attribute, descendants, elements, first, has, name_of, number
from masis.sources.dates import find_date
from masis.sources.office.package import Package, encrypted
from masis.sources.office.sheets import readable_number, sheet_text
from masis.sources.plain import clean, one_line, title_line
from masis.sources.table_grid import Cell, grid, is_pairs, span, table_lines
from masis.types import Page, ParsedDocument

_MAX_REPEATED = 1000
_MAX_CELLS = 20_000_000
_GROUPS = ("table-row-group", "table-header-rows", "table-rows", "table-column-group")


def parse_opendocument_sheets(data: bytes, file_name: str) -> ParsedDocument:
    body = body_of(data, file_name, "spreadsheet")
    pages, notes = [], []
    for index, table in enumerate(elements(body, "table"), start=1):
        name = attribute(table, "name")
        grid = _grid(table)
        if grid is None:
            notes.append(
                f"Sheet {name} repeats its cells more than {_MAX_CELLS // 1_000_000} million times and was cut."
            )
        elif text := sheet_text(name, grid):
            pages.append(Page(index, text, label=f"sheet {name}"))
    return ParsedDocument(pages, date=find_date(pages[0].text) if pages else None, notes=notes)


def _grid(table: Element) -> list[list[str]] | None:
    grid: list[list[str]] = []
    size = 0
    for row in _opendocument_sheets_rows(table):
        cells = _opendocument_sheets_cells(row)
        times = number(attribute(row, "number-rows-repeated"), 1, _MAX_REPEATED) if any(cells) else 1
        size += len(cells) * times
        if size > _MAX_CELLS:
            return None
        grid += [cells] * times
    return grid


def _opendocument_sheets_rows(parent: Element) -> list[Element]:
    rows = []
    for child in elements(parent):
        if name_of(child) == "table-row":
            rows.append(child)
        elif name_of(child) in _GROUPS:
            rows += _opendocument_sheets_rows(child)
    return rows


def _opendocument_sheets_cells(row: Element) -> list[str]:
    cells: list[str] = []
    for cell in elements(row, "table-cell", "covered-table-cell"):
        text = _cell_text(cell)
        # Empty cells are repeated to the end of the sheet and are dropped on the right.
        cells += [text] * number(attribute(cell, "number-columns-repeated"), 1, _MAX_REPEATED)
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _cell_text(cell: Element) -> str:
    if attribute(cell, "value-type") == "date":
        return attribute(cell, "date-value").replace("T00:00:00", "").replace("T", " ")
    shown = " ".join(paragraph_text(paragraph) for paragraph in elements(cell, "p"))
    comments = [f" (comment: {_comment(note)})" for note in elements(cell, "annotation")]
    return one_line(shown or readable_number(attribute(cell, "value"))) + "".join(comments)


def _comment(annotation: Element) -> str:
    return one_line(" ".join(paragraph_text(paragraph) for paragraph in descendants(annotation, "p")))


_MAX_BLANKS = 200
# Deleted text, comments and generated lists repeat or deny what the text says.
_SKIPPED = ("tracked-changes", "annotation", "table-of-content", "forms", "sequence-decls", "notes", "desc", "title")
_FURNITURE = ("page-number", "footer", "header", "date-time")


def parse_opendocument_text(data: bytes, file_name: str) -> ParsedDocument:
    body = body_of(data, file_name, "text")
    _mark_titles(body)
    has_title = any(_is_title(paragraph) for paragraph in descendants(body, "p"))
    text = clean("\n".join(_block_lines(body, below=int(has_title))))
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
    return ParsedDocument([Page(1, text)], title=heading[1] if heading else title_line(text), date=find_date(text))


def parse_opendocument_presentation(data: bytes, file_name: str) -> ParsedDocument:
    body = body_of(data, file_name, "presentation")
    pages = [
        Page(index, clean("\n".join(_slide_lines(slide))), label=f"slide {index}")
        for index, slide in enumerate(elements(body, "page"), start=1)
    ]
    text = next((page.text for page in pages if page.text), "")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return ParsedDocument(pages, title=heading[1] if heading else None, date=find_date(text))


def body_of(data: bytes, file_name: str, kind: str) -> Element:
    """The part of content.xml with the document: `text`, `presentation` or `spreadsheet`."""
    package = Package(data, file_name, "an OpenDocument file")
    manifest = package.xml("META-INF/manifest.xml")
    if has(manifest, "encryption-data"):
        raise encrypted(file_name)
    body = first(package.required_xml("content.xml"), "body", kind)
    if body is None:
        raise UnreadableFile(
            f"{file_name} is not an OpenDocument {kind}, despite its name.",
            advice="Open it in LibreOffice and save it with the right file type.",
        )
    return body


def _mark_titles(body: Element) -> None:
    """A title changed by hand has a style of its own, which names the style it is based on."""
    styles = descendants(body.getroottree().getroot(), "style")
    own = {attribute(style, "name") for style in styles if attribute(style, "parent-style-name") == "Title"}
    for paragraph in descendants(body, "p"):
        if attribute(paragraph, "style-name") in own:
            paragraph.set("style-name", "Title")


def _is_title(paragraph: Element) -> bool:
    return attribute(paragraph, "style-name") == "Title"


def _block_lines(parent: Element, *, below: int = 0) -> Iterator[str]:
    for block in elements(parent):
        name = name_of(block)
        if name in ("p", "h"):
            yield from _paragraph_lines(block, below)
        elif name in ("list", "numbered-paragraph"):
            yield from _list_lines(block)
            yield ""
        elif name == "table":
            rows = list(_table_rows(block))
            yield from ("", *table_lines(rows, 0 if is_pairs(rows) else None), "")
        elif name not in _SKIPPED:
            yield from _block_lines(block, below=below)


def _paragraph_lines(paragraph: Element, below: int) -> Iterator[str]:
    text = paragraph_text(paragraph)
    if one_line(text) and name_of(paragraph) == "h":
        level = number(attribute(paragraph, "outline-level"), 1, 9) + below
        yield from ("", f"{'#' * level} {one_line(text)}", "")
    elif one_line(text) and _is_title(paragraph):
        yield from ("", f"# {one_line(text)}", "")
    elif one_line(text):
        yield from (text.strip(), "")
    yield from _frame_lines(paragraph, below)


def _frame_lines(paragraph: Element, below: int) -> Iterator[str]:
    """Text boxes are anchored in paragraphs; their content follows the paragraph, and so do footnotes."""
    for box in _own(paragraph, "text-box", "custom-shape", "rect"):
        yield from _block_lines(box, below=below)
    for note in _own(paragraph, "note"):
        mark, body = first(note, "note-citation"), first(note, "note-body")
        if body is not None:
            words = one_line(" ".join(_block_lines(body)))
            yield from (f"Note {paragraph_text(mark) if mark is not None else ''}: {words}", "")


def _own(element: Element, *names: str) -> Iterator[Element]:
    for child in elements(element):
        if name_of(child) in names:
            yield child
        elif name_of(child) not in _SKIPPED:
            yield from _own(child, *names)


def _list_lines(items: Element) -> Iterator[str]:
    for item in elements(items, "list-item", "list-header", "p"):
        if name_of(item) == "p":
            yield f"- {one_line(paragraph_text(item))}"
            continue
        lead = [one_line(paragraph_text(block)) for block in elements(item, "p", "h")]
        headings = [f"{'#' * number(attribute(block, 'outline-level'), 1, 9)} " for block in elements(item, "h")]
        if any(lead):
            # Numbered headings are stored in lists.
            yield (headings[0] if headings else "- ") + " ".join(lead)
        for block in elements(item, "list"):
            yield from _list_lines(block)
        for block in elements(item, "p", "h"):
            yield from _frame_lines(block, 0)


def paragraph_text(element: Element) -> str:
    parts: list[str] = [element.text or ""]
    for child in element:
        name = name_of(child)
        if name == "s":
            parts.append(" " * number(attribute(child, "c"), 1, _MAX_BLANKS))
        elif name in ("tab", "line-break"):
            parts.append("\t" if name == "tab" else "\n")
        elif name == "note":
            mark = first(child, "note-citation")
            parts.append(f"[{paragraph_text(mark)}]" if mark is not None else "")
        elif name and name not in (*_SKIPPED, "frame", "custom-shape", "rect"):
            parts.append(paragraph_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _table_rows(table: Element) -> list[list[str]]:
    return grid(_cells(row) for row in _rows(table))


def _cells(row: Element) -> list[Cell]:
    """Covered cells are left out: the cell that covers them says how far it reaches."""
    found = []
    for cell in elements(row, "table-cell"):
        text = " ".join(line for line in _block_lines(cell) if line)
        width, height = span(attribute(cell, "number-columns-spanned")), span(attribute(cell, "number-rows-spanned"))
        found += [Cell(text, width, height)] * span(attribute(cell, "number-columns-repeated"))
    return found


def _rows(parent: Element) -> list[Element]:
    rows: list[Element] = []
    for child in elements(parent):
        if name_of(child) == "table-row":
            rows.append(child)
        elif name_of(child) in ("table-header-rows", "table-rows", "table-row-group"):
            rows += _rows(child)
    return rows


def _slide_lines(slide: Element) -> Iterator[str]:
    frames = list(_own(slide, "frame", "custom-shape", "rect"))
    titles = [frame for frame in frames if attribute(frame, "class") == "title"]
    for title in titles:
        yield from (f"# {one_line(' '.join(_block_lines(title)))}", "")
    for frame in frames:
        if frame not in titles and attribute(frame, "class") not in _FURNITURE:
            yield from (*_block_lines(frame), "")
    notes = first(slide, "notes")
    spoken = one_line(" ".join(_block_lines(notes))) if notes is not None else ""
    if spoken:
        yield f"Notes: {spoken}"
