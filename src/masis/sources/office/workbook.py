"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS): one page per sheet, one line per row, values as a person reads them."""

import io
import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from masis.errors import UnreadableFile
from masis.sources.data.xml_tree import Element, attribute, descendants, elements, first, number
from masis.sources.dates import find_date
from masis.sources.office.opendocument import parse_opendocument_sheets
from masis.sources.office.package import CompoundFile, Package, chart_lines, encrypted
from masis.sources.office.sheets import BUILT_IN, displayed, readable_float, sheet_text, under_name
from masis.sources.plain import clean, one_line
from masis.types import Page, ParsedDocument

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook, SheetTypeEnum


_CELL = re.compile(rb"<(?:\w+:)?c\s[^>]*?\br=\"([A-Z]{1,3})([0-9]{1,9})\"")
_STYLED = re.compile(rb"<(?:\w+:)?c\s(?=[^>]*?\bs=\"([0-9]{1,6})\")[^>]*?\br=\"([A-Z]{1,3})([0-9]{1,7})\"")
_ROW = re.compile(rb"<(?:\w+:)?row\s[^>]*?\br=\"([0-9]{1,9})\"")
# Records of a binary sheet that begin a row, or hold a cell of the row begun last.
_ROW_RECORD, _CELL_RECORDS = 0, range(1, 12)
_REPLY = "[Threaded comment]"


class WorkbookParts:
    def __init__(self, data: bytes, file_name: str) -> None:
        self._package = Package(data, file_name, "a workbook")
        self._sheets = self._sheet_parts()

    def properties(self) -> tuple[str | None, str | None]:
        """The author, and the day the workbook was made."""
        return self._package.properties()

    def _sheet_parts(self) -> dict[str, str]:
        root = self._package.xml("xl/workbook.xml")
        links = self._package.relations("xl/workbook.xml") or self._package.relations("xl/workbook.bin")
        if root is None:
            return {}
        named = ((attribute(sheet, "name"), _link(sheet.attrib)) for sheet in descendants(root, "sheet"))
        return {name: links[link][1] for name, link in named if link in links}

    def cells(self, sheet: str) -> int:
        """The size of the rectangle that the cells span, filled or not, which determines the cost of reading it."""
        part = self._sheets.get(sheet)
        parts = (
            [part] if part else [name for name in self._package.names if re.match(r"xl/worksheets/[^/]+\.bin", name)]
        )
        return max((_extent(self._package.read(name) or b"", name) for name in parts), default=0)

    def formats(self, sheet: str) -> dict[tuple[int, int], str]:
        """Number formats of the cells that have their own, by row and column from 0."""
        styles = self._number_styles
        data = self._package.read(self._sheets.get(sheet, "")) if styles else None
        return {
            (int(row) - 1, _column(column) - 1): styles[int(style)]
            for style, column, row in _STYLED.findall(data or b"")
            if int(style) in styles
        }

    @cached_property
    def _number_styles(self) -> dict[int, str]:
        root = self._package.xml("xl/styles.xml")
        if root is None:
            return {}
        codes = {str(known): code for known, code in BUILT_IN.items()}
        codes |= {attribute(each, "numFmtId"): attribute(each, "formatCode") for each in descendants(root, "numFmt")}
        styles = first(root, "cellXfs")
        listed = enumerate(elements(styles, "xf")) if styles is not None else ()
        named = ((index, codes.get(attribute(style, "numFmtId"), "")) for index, style in listed)
        return {index: code for index, code in named if code}

    def charts(self, sheet: str) -> Iterator[str]:
        """Each chart as a table, with its title above it."""
        for drawing in self._linked(self._sheets.get(sheet, ""), "drawing"):
            for chart in self._linked(drawing, "chart"):
                root = self._package.xml(chart)
                if root is not None and (lines := list(chart_lines(root))):
                    yield "\n".join(lines)

    def _linked(self, part: str, kind: str) -> list[str]:
        return [name for of_kind, name in self._package.relations(part).values() if of_kind == kind] if part else []

    def comments(self, sheet: str) -> Iterator[str]:
        part_of_sheet = self._sheets.get(sheet, "")
        conversations = list(self._conversations(part_of_sheet))
        yield from conversations
        for part in self._linked(part_of_sheet, "comments"):
            root = self._package.xml(part)
            if root is None:
                continue
            authors = [one_line(author.text or "") for author in descendants(root, "author")]
            for comment in descendants(root, "comment"):
                # Excel repeats a conversation here for old programs, after a notice about it.
                is_repeated = conversations and _plain_text(comment).startswith(_REPLY)
                if text := "" if is_repeated else _comment_text(comment):
                    author = "".join(authors[(place := number(attribute(comment, "authorId"), 0, 9999)) : place + 1])
                    # A machine-generated author name is of no use to a reader.
                    by = f" by {author}" if author and not author.startswith("tc=") else ""
                    yield f"Comment on {attribute(comment, 'ref')}{by}: {text}"

    def _conversations(self, sheet: str) -> Iterator[str]:
        """Comments with their replies, in order, with author and time."""
        people = self._people()
        for part in self._linked(sheet, "threadedComment"):
            root = self._package.xml(part)
            for comment in descendants(root, "threadedComment") if root is not None else ():
                text = one_line("".join(piece.text or "" for piece in descendants(comment, "text")))
                author, day = people.get(attribute(comment, "personId"), ""), attribute(comment, "dT")[:16]
                by = f" by {author}" if author else ""
                said = "Reply" if attribute(comment, "parentId") else "Comment"
                when = f", {day.replace('T', ' ')}" if day else ""
                yield f"{said} on {attribute(comment, 'ref')}{by}{when}: {text}"

    def _people(self) -> dict[str, str]:
        parts = [name for name in self._package.names if re.fullmatch(r"xl/persons/[^/]+\.xml", name)]
        roots = (self._package.xml(name) for name in parts)
        listed = (person for root in roots if root is not None for person in descendants(root, "person"))
        return {attribute(person, "id"): one_line(attribute(person, "displayName")) for person in listed}


def _plain_text(comment: Element) -> str:
    return one_line("".join(piece.text or "" for piece in descendants(comment, "t")))


def _comment_text(comment: Element) -> str:
    text = _plain_text(comment)
    return text.partition("Comment:")[2].strip() if text.startswith(_REPLY) else text


def _link(attributes: dict[str, str]) -> str:
    return next((value for key, value in attributes.items() if key.endswith("}id")), "")


def _extent(data: bytes, name: str) -> int:
    places = _binary_places(data) if name.endswith(".bin") else _places(data)
    rows, columns = [], []
    for row, column in places:
        rows.append(row)
        columns.append(column)
    return (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) if rows else 0


def _places(data: bytes) -> Iterator[tuple[int, int]]:
    yield from ((int(match[2]), _column(match[1])) for match in _CELL.finditer(data))
    yield from ((int(match[1]), 1) for match in _ROW.finditer(data))


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _binary_places(data: bytes) -> Iterator[tuple[int, int]]:
    position, row = 0, 0
    while position < len(data):
        kind, position = _compressed(data, position, most=2)
        size, position = _compressed(data, position, most=4)
        if kind == _ROW_RECORD:
            row = int.from_bytes(data[position : position + 4], "little")
        elif kind in _CELL_RECORDS:
            yield row, int.from_bytes(data[position : position + 4], "little")
        position += size


def _compressed(data: bytes, position: int, *, most: int) -> tuple[int, int]:
    """Seven bits per byte; the eighth says whether more follow."""
    value = 0
    for index in range(most):
        byte = data[position] if position < len(data) else 0
        position += 1
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            break
    return value, position


Value = int | float | str | bool | time | date | datetime | timedelta

# Records of an old workbook.
_PASSWORD, _END = 0x2F, 0x0A
_MAX_CELLS = 20_000_000
_MIDNIGHT = time()


def parse_workbook(data: bytes, file_name: str) -> ParsedDocument:
    # Part names are not compressed in a ZIP container.
    if data.startswith(b"PK") and b"content.xml" in data and b"xl/workbook" not in data:
        return parse_opendocument_sheets(data, file_name)
    parts = WorkbookParts(data, file_name) if data.startswith(b"PK") else None
    if parts is None:
        _refuse_other_containers(data, file_name)
    book = _open(data, file_name)
    pages: list[Page] = []
    notes: list[str] = []
    for place, sheet in enumerate(book.sheets_metadata, start=1):
        if sheet.typ not in _with_cells():
            if charts := "\n\n".join(parts.charts(sheet.name)) if parts else "":
                pages.append(Page(place, under_name(sheet.name, charts), label=f"sheet {sheet.name}"))
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
            pages.append(Page(place, text, label=f"sheet {sheet.name}"))
    if notes and not pages:
        raise UnreadableFile(f"{file_name} could not be read: {notes[0]}")
    author, made = parts.properties() if parts else (None, None)
    date = find_date(pages[0].text) if pages else None
    return ParsedDocument(pages, date=date, made=made, author=author, notes=notes)


def _refuse_other_containers(data: bytes, file_name: str) -> None:
    """An encrypted workbook is an old container whatever its name; a container without a workbook is something else."""
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
    # A broken file makes the Rust library panic, and a panic is not an Exception.
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
    """Formats a number as the cell shows it; dates are already read as such."""
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
    """Repeats a cell merged over rows in each of them, so that each can be read alone. One merged over columns is
    repeated if several of these have names of their own below it."""
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
