"""CSV and TSV: one row one line, the header first."""

import csv
import io
from collections.abc import Iterator

from masis.errors import UnreadableFile
from masis.sources.plain import clean, decode, extension
from masis.sources.table_grid import table_lines
from masis.types import Page, ParsedDocument

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50
_CELL_LIMIT = 10_000_000


def parse_delimited(data: bytes, file_name: str) -> ParsedDocument:
    text = clean(decode(data, file_name))
    delimiter = "\t" if extension(file_name) == ".tsv" else _delimiter_of(text)
    try:
        rows = [row for row in _rows(text, delimiter) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UnreadableFile(f"{file_name} is not a readable table: {error}.") from error
    return ParsedDocument([Page(1, "\n".join(table_lines(rows)))])


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_CELL_LIMIT)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _delimiter_of(text: str) -> str:
    """The one that cuts the first rows into the most columns, all alike."""
    return max(_DELIMITERS, key=lambda delimiter: _regularity(text, delimiter))


def _regularity(text: str, delimiter: str) -> tuple[float, int]:
    try:
        widths = [len(row) for row, _ in zip(_rows(text, delimiter), range(_SAMPLE_ROWS), strict=False) if row]
    except csv.Error:
        return (0.0, 0)
    usual = max(set(widths), key=widths.count, default=1)
    return (widths.count(usual) / len(widths), usual) if usual > 1 else (0.0, 0)
