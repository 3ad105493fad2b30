"""Puts a table answer into words: the figure with its name, period and unit, and the cells it was computed from."""

import re
from collections.abc import Callable, Sequence

from masis.reasoning.offline.tables.anchors import TableQuery, row_group_stems
from masis.reasoning.offline.tables.cell_names import (
    WORDS,
    column_of,
    in_unit,
    is_share,
    label_of,
    listed,
    name_of,
    unit_of,
    value_of,
    when,
)
from masis.reasoning.offline.tables.grid import Cell, Table
from masis.reasoning.offline.tables.trials import Trial

MOST_NAMED = 4
"""How many other cells an extreme is compared with."""
MOST_LISTED = 12
"""The most cells that a count or a sum lists one by one."""
SMALL = "no one two three four five six seven eight nine ten".split()


def said(trial: Trial, asked: TableQuery) -> str:
    """Returns the answer as one sentence, without citations."""
    return f"{WORDINGS[trial.form](trial, asked).rstrip('.')}."


def as_grid(
    heads: Sequence[str],
    lines: Sequence[tuple[str, Sequence[tuple[Table, Cell]]]],
    *,
    corner: str = "",
    changes: bool = False,
    gap: bool = False,
) -> str:
    """Writes a small Markdown table in which every cell has its unit and its citation.

    `changes` adds a column with the change from the first column to the second; `gap` adds a row with the difference
    between the first line and the second.
    """
    rows = [[corner, *heads, *(["Change"] if changes else [])]]
    for label, cells in lines:
        told = [_marked(value_of(*cell), [cell]) for cell in cells]
        change = change_between(*cells) if changes else ""
        rows.append([label, *told, *([_marked(change, cells)] if changes else [])])
    if gap:
        between = list(zip(lines[0][1], lines[1][1], strict=True))
        gaps = [change_between(*two).partition(" (")[0].lstrip("+-") for two in between]
        if all(gaps):
            rows.append(["Difference", *(_marked(made, two) for made, two in zip(gaps, between, strict=True))])
    written = ["| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in row) + " |" for row in rows]
    return "\n".join([written[0], "|" + "---|" * len(rows[0]), *written[1:]])


def _marked(said: str, cells: Sequence[tuple[Table, Cell]]) -> str:
    marks = dict.fromkeys(f"[{cell.passage.chunk_id}]" for _, cell in cells)
    return f"{said} {' '.join(marks)}" if said else ""


def change_between(old: tuple[Table, Cell], new: tuple[Table, Cell]) -> str:
    """“+£238 million (+13.7%)”. Empty when the two figures have different units, or only one is a percentage."""
    (table, a), (other, b) = old, new
    if a.amount is None or b.amount is None or unit_of(table, a) != unit_of(other, b) or is_share(a) != is_share(b):
        return ""
    by = b.amount - a.amount
    sign = "+" if by > 0 else "-" if by < 0 else ""
    made = in_unit(_like(abs(by), a, b), *unit_of(table, a))
    if is_share(a):
        return f"{sign}{made.rstrip('%')} percentage points"
    return f"{sign}{made}{_relative(b, a).replace('(', f'({sign}') if by else ''}"


def as_table(trial: Trial, columns: Sequence[int]) -> str:
    """Shows the parts of a breakdown and their total as a small table with a citation in every cell."""
    table = trial.table
    lines = [(label_of(table, c.row), [(table, table.cell(c.row, n)) for n in columns]) for c in trial.cells]
    return as_grid([column_of(table, n) for n in columns], lines, changes=len(columns) == 2)


def _cell(trial: Trial, asked: TableQuery) -> str:
    table = trial.table
    told = [c for c in trial.cells if c.column == trial.column]
    if len(told) == 1 and told[0].amount is not None and trial.column != table.label_column:
        cell = told[0]
        others = [table.cell(cell.row, a.column) for a in trial.filters if a.column not in (-1, cell.column)]
        found_by = [c.text for c in others if c.column != table.label_column and c.amount is None]
        name = ", ".join(dict.fromkeys([*_group_asked_for(table, cell, asked), *found_by, name_of(table, cell)]))
        return f"{name}: {_as_ordered(table, cell, asked)} {when(table, cell)}".rstrip()
    if len(told) == 1:
        return _row_said(table, told[0], [a.column for a in trial.filters])
    texts = list(dict.fromkeys(cell.text for cell in told))
    return f"{_called(trial)}: {listed(texts)}"


def _as_ordered(table: Table, cell: Cell, asked: TableQuery) -> str:
    """The value as the table has it, followed by the unit and precision that the user asked for: “$19,881 million
    ($19.9 billion)”."""
    value, orders = value_of(table, cell), asked.orders
    scale, currency = unit_of(table, cell)
    wanted = next((size for size, word in WORDS.items() if word in (orders.unit or "").lower()), scale)
    if cell.amount is None or (wanted == scale and orders.decimals is None):
        return value
    decimals = orders.decimals if orders.decimals is not None else 3
    digits = f"{abs(cell.amount) * scale / wanted:,.{decimals}f}"
    digits = digits.rstrip("0").rstrip(".") if orders.decimals is None else digits
    sign = next((sign for sign in "$€£" if sign in cell.text), "")
    share = "%" if is_share(cell) else ""
    made = in_unit(f"{'-' if cell.amount < 0 else ''}{sign}{digits}{share}", wanted, currency)
    return value if made == value else f"{value} ({made})"


def _group_asked_for(table: Table, cell: Cell, asked: TableQuery) -> list[str]:
    """The heading of the row's group, if the question uses words of it that label and column do not have: “AWS, Net
    sales”."""
    group = table.rows[cell.row].group.rstrip(": ")
    own = set(row_group_stems(group))
    named = {*table.cell(cell.row, table.label_column).stems, *table.column_stems[cell.column]}
    return [group] if (own & set(asked.stems)) - named else []


def _row_said(table: Table, cell: Cell, others: Sequence[int]) -> str:
    """The cell with its column name, followed by the cells of the same row that led to it."""
    beside = dict.fromkeys([*others, table.label_column])
    named = [_pair(table, table.cell(cell.row, n)) for n in beside if n != cell.column and table.cell(cell.row, n).text]
    return f"{_pair(table, cell)} ({'; '.join(named)})" if named else _pair(table, cell)


def _pair(table: Table, cell: Cell) -> str:
    column = column_of(table, cell.column)
    return f"{column}: {cell.text}" if column else cell.text


def _called(trial: Trial) -> str:
    """Names a list by its column and by what its rows have in common."""
    table = trial.table
    common = [_pair(table, table.cell(trial.cells[0].row, a.column)) for a in trial.filters if a.kind == "cell"]
    column = column_of(table, trial.column) or "Entries"
    return f"{column} ({'; '.join(common)})" if common and trial.cells[0].column != trial.filters[0].column else column


def _neighbour(trial: Trial, asked: TableQuery) -> str:
    table, cell = trial.table, trial.cells[0]
    if trial.form in ("next", "previous"):
        beside = table.cell(cell.row - 1 if trial.form == "next" else cell.row + 1, trial.filters[0].column)
        return f"{_row_said(table, cell, [])}, listed {'after' if trial.form == 'next' else 'before'} {beside.text}"
    columns = [a.column for a in trial.filters] + ([trial.order] if trial.order >= 0 else [])
    others = [f"{label_of(table, c.row)} ({c.text})" for c in stands_out_from(trial)]
    if trial.order >= 0 and len(others) > MOST_NAMED:
        others = [*others[:MOST_NAMED], "others"]
    equal = f", as {'early' if trial.form == 'first' else 'late'} as {listed(others)}" if others else ""
    return f"{_row_said(table, cell, columns)}{equal}"


def _extreme(trial: Trial, asked: TableQuery) -> str:
    """Names the extreme and the runners-up it is compared with."""
    table, by = trial.table, trial.by
    rows = list(dict.fromkeys(c.row for c in trial.cells))
    highest = trial.form in HIGHEST
    best = table.cell(rows[0], by)
    words = ("later", "earlier") if table.kinds[by] == "day" else ("more", "less")
    than = [f"{label_of(table, c.row)} ({c.text})" for c in stands_out_from(trial)]
    told = [table.cell(row, trial.column) for row in rows if trial.column != by]
    lead = listed([c.text for c in told]) if told else label_of(table, rows[0])
    if told and trial.column != table.label_column and label_of(table, rows[0]):
        lead = f"{lead} ({label_of(table, rows[0])})"
    value = f"{column_of(table, by)} {value_of(table, best)}".strip()
    return f"{lead}: {value}, {words[not highest]} than {listed(than)}" if than else f"{lead}: {value}"


HIGHEST, LOWEST = ("highest", "maximum"), ("lowest", "minimum")


def stands_out_from(trial: Trial) -> list[Cell]:
    """The runners-up that an extreme is compared with, and the rows as early as the first. They are cited too, as they
    may be in another part of the table."""
    if trial.form in ("first", "last") and trial.order >= 0:
        return _equally_early(trial)
    if trial.form not in (*HIGHEST, *LOWEST):
        return []
    rows = {c.row for c in trial.cells}
    return [c for c in _ranked(trial, highest=trial.form in HIGHEST) if c.row not in rows][:MOST_NAMED]


def _equally_early(trial: Trial) -> list[Cell]:
    """The dates of the other rows that have the same one."""
    table, row = trial.table, trial.cells[0].row
    return [c for c in _compared(trial, trial.order) if c.row != row and c.day == table.cell(row, trial.order).day]


def _compared(trial: Trial, column: int) -> list[Cell]:
    table = trial.table
    rows = set.intersection(*(set(a.rows) for a in trial.filters)) if trial.filters else range(len(table.rows))
    return [table.cell(row, column) for row in sorted(rows) if not table.is_total[row]]


def _ranked(trial: Trial, *, highest: bool) -> list[Cell]:
    """The cells that were compared, with the extreme first."""
    cells = _compared(trial, trial.by)
    valued = [(c.amount if trial.table.kinds[trial.by] == "amount" else c.day, c) for c in cells]
    found = sorted(((v, c.row, c) for v, c in valued if v is not None), reverse=highest)
    return [cell for _, _, cell in found]


def _count(trial: Trial, asked: TableQuery) -> str:
    number = int(trial.value or 0)
    texts = [_by_limit(trial, cell) for cell in trial.cells if cell.text] if trial.form != "count_difference" else []
    count = _in_words(number)
    what = column_of(trial.table, trial.cells[0].column if trial.cells else 0) or "rows"
    named = [
        _pair(trial.table, trial.table.cell(a.rows[0], a.column)) for a in trial.filters if a.kind == "cell" and a.rows
    ]
    of = f" ({'; '.join(named)})" if named else ""
    if number == 1:
        return f"One, {what} {texts[0]}{of}" if texts else f"One{of}"
    if not texts or len(texts) > MOST_LISTED:
        return f"{count.capitalize()} {what}{of}"
    return f"{count.capitalize()}, {what}{of}: {listed(texts)}"


def _by_limit(trial: Trial, cell: Cell) -> str:
    """“2019 (passengers 48210)”, where rows above or below a limit are counted."""
    columns = [a.column for a in trial.filters if a.kind in ("above", "below") and a.column not in (-1, cell.column)]
    beside = [f"{column_of(trial.table, n)} {trial.table.cell(cell.row, n).text}".strip() for n in columns]
    return f"{cell.text} ({', '.join(beside)})" if beside else cell.text


def _change(trial: Trial, asked: TableQuery) -> str:
    new, old = trial.cells
    table = trial.table
    is_relative = trial.form in ("percent_change", "percent")
    by = _percent(trial.value or 0.0) if is_relative else f"{_gap(trial)}{_relative(new, old)}"
    lead = _subject(trial)
    if not trial.value:
        return f"{lead} did not change: {_at(table, new, trial)} and {_at(table, old, trial)}"
    turn = "increased" if (trial.value or 0) > 0 else "decreased"
    if (old.amount or 0) < 0 or (new.amount or 0) < 0:
        # A cost in brackets may count as rising or falling, so the wording leaves that to the reader.
        turn = "changed"
    return f"{lead} {turn} by {by}, from {_at(table, old, trial)} to {_at(table, new, trial)}"


def _relative(new: Cell, old: Cell) -> str:
    """The change in percent, added to the absolute one because “by how much” may ask for either."""
    if is_share(new) or (old.amount or 0.0) <= 0 or (new.amount or 0.0) <= 0:
        return ""
    return f" ({_percent(100 * ((new.amount or 0.0) / (old.amount or 1.0) - 1))})"


def _subject(trial: Trial) -> str:
    """What the two cells have in common: their row, or else their column."""
    one, other = trial.cells[0], trial.cells[1]
    table = trial.table
    if one.row == other.row:
        names = {name_of(table, one), name_of(table, other)}
        return names.pop() if len(names) == 1 else label_of(table, one.row) or name_of(table, one)
    return column_of(table, one.column) or name_of(table, one)


def _at(table: Table, cell: Cell, trial: Trial) -> str:
    """The value with what distinguishes it from the other cells: its period, its column or its row."""
    value = value_of(table, cell)
    time = when(table, cell)
    if time and len({when(table, c) for c in trial.cells}) > 1:
        return f"{value} {time}"
    rows = len({c.row for c in trial.cells}) > 1
    return f"{value} ({label_of(table, cell.row) if rows else column_of(table, cell.column)})"


def _gap(trial: Trial) -> str:
    shown = _made(trial, abs(trial.value or 0.0))
    return f"{shown.rstrip('%')} percentage points" if is_share(trial.cells[0]) else shown


def _made(trial: Trial, value: float, more: int = 0) -> str:
    """Formats a computed figure in the unit of the cells it was computed from."""
    return in_unit(_like(value, *trial.cells, more=more), *unit_of(trial.table, trial.cells[0]))


def _difference(trial: Trial, asked: TableQuery) -> str:
    table = trial.table
    high, low = sorted(trial.cells, key=lambda c: -((c.amount if table.kinds[c.column] == "amount" else c.day) or 0.0))
    return f"{_subject(trial)}: {_at(table, high, trial)}, {_at(table, low, trial)}, a difference of {_gap(trial)}"


def _ratio(trial: Trial, asked: TableQuery) -> str:
    part, whole = trial.cells
    table = trial.table
    value = trial.value or 0.0
    if trial.form != "share_of_total" and not asked.reading.is_in_percent:
        return f"{_subject(trial)}: {_at(table, part, trial)} to {_at(table, whole, trial)}, a ratio of {value:.2f}"
    share = _percent(value if trial.form == "share_of_total" else 100 * value)
    if part.column != whole.column or not (time := when(table, part)):
        return f"{_subject(trial)}: {_at(table, part, trial)} to {_at(table, whole, trial)}, a share of {share}"
    names = f"{label_of(table, part.row)} to {label_of(table, whole.row)}"
    return f"{names}: {share} {time} ({value_of(table, part)} to {value_of(table, whole)})"


def _together(trial: Trial, asked: TableQuery) -> str:
    table = trial.table
    is_mean = trial.form.startswith("average")
    lead = _subject(trial) if len(trial.cells) > 1 else name_of(table, trial.cells[0])
    shared = [_pair(table, table.cell(a.rows[0], a.column)) for a in trial.filters if a.kind == "cell" and a.rows]
    if trial.form in ("sum", "average") and shared:
        lead = f"{lead} ({'; '.join(shared)})"
    made = _made(trial, trial.value or 0.0, more=2 if is_mean else 0)
    made = f"{'average' if is_mean else 'total'} {made}"
    if len(trial.cells) > MOST_LISTED:
        return f"{lead}, {len(trial.cells)} rows: {made}"
    if trial.form in ("sum", "average") and all(label_of(table, cell.row) for cell in trial.cells):
        return f"{lead}: {listed([f'{label_of(table, c.row)} {value_of(table, c)}' for c in trial.cells])}, {made}"
    return f"{lead}: {listed([_at(table, cell, trial) for cell in trial.cells])}, {made}"


def _several(trial: Trial, asked: TableQuery) -> str:
    return f"{_subject(trial)}: {listed([_at(trial.table, cell, trial) for cell in trial.cells])}"


def _when_extreme(trial: Trial, asked: TableQuery) -> str:
    table = trial.table
    best = next(c for c in trial.cells if c.column == trial.column)
    others = [c for c in trial.cells if c is not best]
    word = "higher" if trial.form == "when_highest" else "lower"
    than = listed([f"{when(table, c) or column_of(table, c.column)} ({c.text})" for c in others])
    at = when(table, best) or column_of(table, best.column)
    gap = f", a difference of {_gap(trial)}" if len(trial.cells) == 2 and trial.value is not None else ""
    return f"{name_of(table, best)} was {word} {at} ({value_of(table, best)}) than {than}{gap}"


def _times(trial: Trial, asked: TableQuery) -> str:
    table = trial.table
    name = label_of(table, trial.cells[0].row) if trial.filters else "Columns"
    return f"{name}: {listed([column_of(table, n) for n in trial.columns])}"


def _beyond(trial: Trial, asked: TableQuery) -> str:
    """“Revenue was above $600 in 2019 ($633) and in 2018 ($695)”."""
    table, side = trial.table, trial.form.removeprefix("when_").removeprefix("times_")
    limit = _like(trial.filters[-1].limit, *trial.cells)
    at = listed([f"{when(table, c) or column_of(table, c.column)} ({value_of(table, c)})" for c in trial.cells])
    first = trial.cells[0]
    text = f"{label_of(table, first.row)} was {side} {limit} {at}"
    return f"{_in_words(len(trial.cells)).capitalize()}: {text}" if trial.form.startswith("times") else text


def _in_words(number: int) -> str:
    return SMALL[number] if number < len(SMALL) else str(number)


def _which(trial: Trial, asked: TableQuery) -> str:
    table = trial.table
    first, second = trial.cells
    best, other = (first, second) if trial.answer[0] == table.cell(first.row, trial.column).text else (second, first)
    is_day = table.kinds[trial.by] == "day"
    word = ("later" if is_day else "more") if trial.form == "more" else ("earlier" if is_day else "less")
    names = [table.cell(c.row, trial.column).text for c in (best, other)]
    value = f"{column_of(table, trial.by)} {value_of(table, best)}".strip()
    return f"{names[0]}: {value}, {word} than {names[1]} ({other.text})"


def _often(trial: Trial, asked: TableQuery) -> str:
    column = column_of(trial.table, trial.column)
    times = sum(c.text == trial.answer[0] for c in trial.cells)
    named = [c for c in trial.cells if c.text == trial.answer[0] and c.column != trial.table.label_column]
    rows = [label_of(trial.table, c.row) for c in named]
    count = _in_words(times)
    where = f": {listed(rows)}" if rows and all(rows) else ""
    return f"{column} {listed(list(trial.answer))}, {count} times{where}"


def _percent(value: float) -> str:
    return f"{abs(value):.2f}%" if abs(value) < 10 else f"{abs(value):.1f}%"


def _like(value: float, *cells: Cell, more: int = 0) -> str:
    """Formats a number like the cells: the same decimals and the same currency sign."""
    decimals = max(len(re.sub(r"[^\d.]", "", c.text).partition(".")[2]) for c in cells)
    digits = f"{abs(value):,.{decimals + more}f}"
    if more:
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    sign = next((sign for sign in "$€£" if all(sign in cell.text for cell in cells)), "")
    return f"{'-' if value < 0 else ''}{sign}{digits}{'%' if is_share(cells[0]) else ''}"


WORDINGS: dict[str, Callable[[Trial, TableQuery], str]] = {
    "cell": _cell, "cells": _several, "each": _several, "first": _neighbour, "last": _neighbour, "next": _neighbour,
    "previous": _neighbour, "highest": _extreme, "lowest": _extreme, "maximum": _extreme, "minimum": _extreme,
    "count": _count, "distinct": _count, "count_difference": _count, "sum": _together, "average": _together,
    "sum_of": _together, "average_of": _together, "sum_over": _together, "average_over": _together,
    "commonest": _often, "rarest": _often, "more_often": _often, "difference": _difference, "percent": _change,
    "ratio": _ratio, "share": _ratio, "share_of_total": _ratio, "more": _which, "less": _which, "change": _change,
    "percent_change": _change, "when_highest": _when_extreme, "when_lowest": _when_extreme, "same": _cell,
    "times": _times, "rows": _cell, "breakdown": _several,
    "when_above": _beyond, "when_below": _beyond, "times_above": _beyond, "times_below": _beyond,
}  # fmt: skip
