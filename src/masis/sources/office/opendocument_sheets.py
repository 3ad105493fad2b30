"""OpenDocument spreadsheets (ODS): the text a cell shows, a date as ISO; a repeated cell where it holds something."""

from masis.sources.data.xml_tree import Element, attribute, descendants, elements, name_of, number
from masis.sources.dates import find_date
from masis.sources.office.number_format import readable_number
from masis.sources.office.opendocument import body_of, paragraph_text
from masis.sources.office.sheets import sheet_text
from masis.sources.plain import one_line
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
    for row in _rows(table):
        cells = _cells(row)
        times = number(attribute(row, "number-rows-repeated"), 1, _MAX_REPEATED) if any(cells) else 1
        size += len(cells) * times
        if size > _MAX_CELLS:
            return None
        grid += [cells] * times
    return grid


def _rows(parent: Element) -> list[Element]:
    rows = []
    for child in elements(parent):
        if name_of(child) == "table-row":
            rows.append(child)
        elif name_of(child) in _GROUPS:
            rows += _rows(child)
    return rows


def _cells(row: Element) -> list[str]:
    cells: list[str] = []
    for cell in elements(row, "table-cell", "covered-table-cell"):
        text = _cell_text(cell)
        # Empty cells are repeated to the end of the sheet: those to the right are none.
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
