"""What of an Excel container is read beside its cells: how far each sheet reaches, how it shows its figures, its
charts, and what was noted on its cells."""

import re
from collections.abc import Iterator
from functools import cached_property

from masis.sources.data.xml_tree import Element, attribute, descendants, elements, first, number
from masis.sources.office.charts import chart_lines
from masis.sources.office.number_format import BUILT_IN
from masis.sources.office.package import Package
from masis.sources.plain import one_line

_CELL = re.compile(rb"<(?:\w+:)?c\s[^>]*?\br=\"([A-Z]{1,3})([0-9]{1,9})\"")
_STYLED = re.compile(rb"<(?:\w+:)?c\s(?=[^>]*?\bs=\"([0-9]{1,6})\")[^>]*?\br=\"([A-Z]{1,3})([0-9]{1,7})\"")
_ROW = re.compile(rb"<(?:\w+:)?row\s[^>]*?\br=\"([0-9]{1,9})\"")
# Records of a binary sheet that begin a row or hold a cell of the row begun last.
_ROW_RECORD, _CELL_RECORDS = 0, range(1, 12)
_REPLY = "[Threaded comment]"


class WorkbookParts:
    def __init__(self, data: bytes, file_name: str) -> None:
        self._package = Package(data, file_name, "a workbook")
        self._sheets = self._sheet_parts()

    def properties(self) -> tuple[str | None, str | None]:
        """Its author and the day it was made."""
        return self._package.properties()

    def _sheet_parts(self) -> dict[str, str]:
        root = self._package.xml("xl/workbook.xml")
        links = self._package.relations("xl/workbook.xml") or self._package.relations("xl/workbook.bin")
        if root is None:
            return {}
        named = ((attribute(sheet, "name"), _link(sheet.attrib)) for sheet in descendants(root, "sheet"))
        return {name: links[link][1] for name, link in named if link in links}

    def cells(self, sheet: str) -> int:
        """The size of the rectangle the cells span, filled or not: that is what reading it costs."""
        part = self._sheets.get(sheet)
        parts = (
            [part] if part else [name for name in self._package.names if re.match(r"xl/worksheets/[^/]+\.bin", name)]
        )
        return max((_extent(self._package.read(name) or b"", name) for name in parts), default=0)

    def formats(self, sheet: str) -> dict[tuple[int, int], str]:
        """Rows and columns, from 0, of the cells that show their figure in a format of their own."""
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
        """Each as a table, with its title above it."""
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
                # Excel repeats a conversation here for old programs, after a notice about doing so.
                is_repeated = conversations and _plain_text(comment).startswith(_REPLY)
                if text := "" if is_repeated else _comment_text(comment):
                    author = "".join(authors[(place := number(attribute(comment, "authorId"), 0, 9999)) : place + 1])
                    # A machine's name for an author is of no use to a reader.
                    by = f" by {author}" if author and not author.startswith("tc=") else ""
                    yield f"Comment on {attribute(comment, 'ref')}{by}: {text}"

    def _conversations(self, sheet: str) -> Iterator[str]:
        """Comments with their replies, in order: who wrote each, and when."""
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
    """Seven bits in a byte, the eighth says whether there are more."""
    value = 0
    for index in range(most):
        byte = data[position] if position < len(data) else 0
        position += 1
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            break
    return value, position
