"""Real tables with known cells: TAT-QA's, from financial reports, and WikiTableQuestions', from Wikipedia."""

import csv
import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from evals.tables import shared_data

Half = Literal["development", "report"]
_MOST_ROWS, _LEAST_ROWS = 28, 3
_MOST_COLUMNS = 7
_CELL_CHARS = 60
_PLAIN = re.compile(r"[\x20-\x7e\u00a3\u20ac\u2013\u2014\u2019]*")
"""Characters that the fonts of every printer here have."""


@dataclass(frozen=True, slots=True)
class KnownTable:
    key: str
    header: tuple[tuple[str, ...], ...]
    """The names above each column, outermost first."""
    rows: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> list[str]:
        return [" ".join(dict.fromkeys(filter(None, parts))) for parts in self.header]

    @property
    def half(self) -> Half:
        return "report" if hashlib.sha256(self.key.encode()).digest()[0] % 2 else "development"


def known_tables(source: str, half: Half) -> list[KnownTable]:
    found = _tatqa() if source == "tatqa" else _wikipedia()
    return [table for table in found if table.half == half and _is_printable(table)]


def _is_printable(table: KnownTable) -> bool:
    cells = [cell for row in table.rows for cell in row] + [part for parts in table.header for part in parts]
    is_shaped = _LEAST_ROWS <= len(table.rows) <= _MOST_ROWS and 2 <= len(table.header) <= _MOST_COLUMNS
    is_named = len(set(table.names)) == len(table.names) and all(table.names[1:])
    # A name without columns of its own does not tell where it was printed.
    levels = range(len(table.header[0]))
    is_named = is_named and all(len({bool(parts[n]) for parts in table.header[1:]}) == 1 for n in levels)
    labels = [row[0] for row in table.rows]
    is_plain = all(len(cell) <= _CELL_CHARS and _PLAIN.fullmatch(cell) for cell in cells)
    return is_shaped and is_named and is_plain and all(labels) and len(set(labels)) == len(labels)


def _tatqa() -> Iterator[KnownTable]:
    folder = shared_data("tatqa_dev")
    if folder is None:
        return
    for name in ("tatqa_dataset_dev.json.gz", "tatqa_dataset_test_gold.json.gz"):
        for entry in json.loads(gzip.decompress((folder / name).read_bytes())):
            rows = [[" ".join(str(cell).split()) for cell in row] for row in entry["table"]["table"]]
            depth = next((index for index, row in enumerate(rows) if row[0]), 0)
            if depth and any(rows[depth - 1][1:]):
                yield KnownTable(entry["table"]["uid"], _header(rows[:depth]), tuple(map(tuple, rows[depth:])))


def _header(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """A name over several columns is in the first of them."""
    levels = []
    for level, row in enumerate(rows):
        spread, last = [], ""
        for cell in row:
            last = cell or last
            spread.append(cell if level == len(rows) - 1 else last)
        levels.append(spread)
    return tuple(zip(*levels, strict=True))


def _wikipedia() -> Iterator[KnownTable]:
    folder = shared_data("wikitablequestions")
    if folder is None:
        return
    with zipfile.ZipFile(folder / "tables_train.zip") as archive:
        for name in sorted(each for each in archive.namelist() if each.endswith(".csv")):
            text = archive.read(name).decode().replace('\\"', '""')
            rows = [row for row in csv.reader(io.StringIO(text)) if row]
            if rows and len({len(row) for row in rows}) == 1:
                header = tuple(tuple(" ".join(part.split()) for part in cell.split("\n")) for cell in rows[0])
                depth = max(map(len, header))
                header = tuple((*parts, *[""] * (depth - len(parts))) for parts in header)
                yield KnownTable(name, header, tuple(tuple(" ".join(c.split()) for c in row) for row in rows[1:]))
