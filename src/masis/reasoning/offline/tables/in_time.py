"""Puts the rows of a table in the order of their dates, for “Which opened first?”."""

from collections.abc import Sequence

from masis.language.words import stem
from masis.reasoning.offline.tables.anchors import TableQuery
from masis.reasoning.offline.tables.grid import YEARS, Table

LISTED = frozenset(map(stem, "list table chart row entry".split()))
"""Words for the table itself."""
DATES = frozenset(map(stem, "date year day month".split()))
ORDINALS = frozenset(map(stem, "first last".split()))
"""They ask for an order and do not name the column “Last elected”."""


def time_column(asked: TableQuery, table: Table) -> int:
    """The column of dates that puts the rows in order: the only one that the question names, or else the only one that
    is called no more than a date and has no gaps. The team that came first is not the one that was founded first. -1 if
    there is none, or if the question is about the table itself: “Which branch is listed first?”"""
    words = {asked.stems[n] for n in asked.content} - ORDINALS
    dated = [n for n in range(len(table.columns)) if table.kinds[n] == "day"]
    named = [n for n in dated if words.intersection(table.column_stems[n])]
    plain = [n for n in dated if DATES.issuperset(table.column_stems[n]) and _is_complete(table, n)]
    meant = named or plain
    if len(meant) != 1 or LISTED & set(asked.stems).difference(table.column_stems[meant[0]]):
        return -1
    return meant[0]


def _is_complete(table: Table, column: int) -> bool:
    cells = zip(table.column_cells(column), table.is_total, strict=True)
    return all(is_total or cell.day is not None for cell, is_total in cells)


def in_time(table: Table, rows: Sequence[int], by: int) -> tuple[Sequence[int], int]:
    """The rows with a date, in the order of their dates, and the column of these. Without years the rows remain as
    they are listed: they may be the days of a season, which continues after December. So do years among days, since
    1988 may be before or after 2 January 1988."""
    days = {row: day for row in rows if by >= 0 and (day := table.cell(row, by).day) is not None}
    are_years = {table.cell(row, by).text.strip().isdigit() for row in days}
    if len(days) < 2 or min(days.values()) < YEARS[0] or len(are_years) > 1:
        return rows, -1
    return sorted(days, key=lambda row: days[row]), by
