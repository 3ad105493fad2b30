"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS): a page for each sheet, one row one line, values as a person reads them."""

import io
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
from masis.sources.office.compound import CompoundFile
from masis.sources.office.number_format import displayed, readable_float
from masis.sources.office.opendocument_sheets import parse_opendocument_sheets
from masis.sources.office.package import encrypted
from masis.sources.office.sheets import sheet_text, under_name
from masis.sources.office.workbook_parts import WorkbookParts
from masis.sources.plain import clean
from masis.types import Page, ParsedDocument

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook, SheetTypeEnum

Value = int | float | str | bool | time | date | datetime | timedelta

# Records of an old workbook.
_PASSWORD, _END = 0x2F, 0x0A
_MAX_CELLS = 20_000_000
_MIDNIGHT = time()


def parse_workbook(data: bytes, file_name: str) -> ParsedDocument:
    # The names of its parts stand unpacked in a ZIP container.
    if data.startswith(b"PK") and b"content.xml" in data and b"xl/workbook" not in data:
        return parse_opendocument_sheets(data, file_name)
    parts = WorkbookParts(data, file_name) if data.startswith(b"PK") else None
    if parts is None:
        _refuse_other_containers(data, file_name)
    book = _open(data, file_name)
    pages: list[Page] = []
    notes: list[str] = []
    for number, sheet in enumerate(book.sheets_metadata, start=1):
        if sheet.typ not in _with_cells():
            if charts := "\n\n".join(parts.charts(sheet.name)) if parts else "":
                pages.append(Page(number, under_name(sheet.name, charts), label=f"sheet {sheet.name}"))
            continue
        if parts and parts.cells(sheet.name) > _MAX_CELLS:
            notes.append(
                f"Sheet {sheet.name} spans more than {_MAX_CELLS // 1_000_000} million cells and was left out."
            )
            continue
        text = _read_sheet(book, sheet.name, parts.formats(sheet.name) if parts else {}, notes)
        around = [*parts.charts(sheet.name), "\n".join(parts.comments(sheet.name))] if parts else []
        noted = "\n\n".join(filter(None, map(clean, around)))
        if text := "\n\n".join(filter(None, [text, noted])) if text else under_name(sheet.name, noted):
            pages.append(Page(number, text, label=f"sheet {sheet.name}"))
    if notes and not pages:
        raise UnreadableFile(f"{file_name} could not be read: {notes[0]}")
    author, made = parts.properties() if parts else (None, None)
    date = find_date(pages[0].text) if pages else None
    return ParsedDocument(pages, date=date, made=made, author=author, notes=notes)


def _refuse_other_containers(data: bytes, file_name: str) -> None:
    """An encrypted workbook is an old container whatever its name; one without a workbook is something else."""
    with CompoundFile(data, file_name, "a workbook") as file:
        stream = next((path for path in ("Workbook", "Book") if path in file.paths), None)
        if stream is None:
            raise file.damaged()
        if _PASSWORD in _first_records(file.read(stream) or b""):
            raise encrypted(file_name)


def _first_records(stream: bytes) -> list[int]:
    """The kinds of the records before the first sheet."""
    kinds: list[int] = []
    position = 0
    while position + 4 <= len(stream) and _END not in kinds:
        kinds.append(int.from_bytes(stream[position : position + 2], "little"))
        position += 4 + int.from_bytes(stream[position + 2 : position + 4], "little")
    return kinds


def _with_cells() -> "tuple[SheetTypeEnum, ...]":
    from python_calamine import SheetTypeEnum

    return (SheetTypeEnum.WorkSheet, SheetTypeEnum.DialogSheet, SheetTypeEnum.MacroSheet)


def _open(data: bytes, file_name: str) -> "CalamineWorkbook":
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(data))
    # A broken file makes the Rust library panic, and a panic is no Exception.
    except BaseException as error:
        if not isinstance(error, CalamineError | ValueError | OSError) and type(error).__name__ != "PanicException":
            raise
        raise UnreadableFile(
            f"{file_name} is damaged: its parts cannot be read as a workbook.",
            advice="Open it in Excel or LibreOffice and save it again as .xlsx.",
        ) from error


def _read_sheet(book: "CalamineWorkbook", name: str, formats: dict[tuple[int, int], str], notes: list[str]) -> str:
    try:
        sheet = book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=True)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        notes.append(f"Sheet {name} is damaged and was left out.")
        return ""
    top, left = sheet.start or (0, 0)
    grid = [
        [
            _shown(value, formats[row, column]) if (row, column) in formats else _readable(value)
            for column, value in enumerate(cells, start=left)
        ]
        for row, cells in enumerate(rows, start=top)
    ]
    _fill_merged(grid, sheet)
    return sheet_text(name, grid)


def _shown(value: Value, code: str) -> str:
    """A date is read as one already, whatever its format."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _readable(value)
    return displayed(value, code)


def _readable(value: Value) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return readable_float(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == _MIDNIGHT else value.isoformat(" ", timespec="seconds")
    return str(value)


def _fill_merged(grid: list[list[str]], sheet: "CalamineSheet") -> None:
    """A cell merged over several rows stands in each of them, so that each can be read alone; one merged over several
    columns in each of those that have a name of their own below it."""
    top, left = sheet.start or (0, 0)
    for (first_row, column), (last_row, last_column) in sheet.merged_cell_ranges or ():
        if first_row < top or column < left or first_row - top >= len(grid):
            continue
        text = grid[first_row - top][column - left : column - left + 1]
        for row in grid[first_row - top + 1 : last_row - top + 1]:
            row[column - left : column - left + 1] = text
        spanned = slice(column - left, last_column - left + 1)
        below = grid[last_row - top + 1][spanned] if 0 <= last_row - top + 1 < len(grid) else []
        if last_column > column and sum(map(bool, below)) > 1 and text:
            grid[first_row - top][spanned] = text * len(grid[first_row - top][spanned])
