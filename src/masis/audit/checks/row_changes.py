"""A table row tells a change without a word for it: 80 in one year and 60 in the next is a fall."""

from masis.audit.checks.changes import CHANGING
from masis.audit.checks.turns import SIDES, read_turns
from masis.audit.checks.windows import Window, subject_of
from masis.language.periods import periods
from masis.language.readings import Reading, readings
from masis.language.statements import Statement, stems_of
from masis.language.words import is_negated


def turned_against_its_row(claim: str, window: Window) -> str | None:
    """Why the row says the contrary; None where the claim does not speak of its change from one year to another."""
    side = _side(claim)
    row = window.parts[0] if len(window.parts) == 1 and window.parts[0].is_row else None
    if side is None or row is None or not subject_of(claim) <= stems_of(row) or is_negated(claim):
        return None
    years = sorted({p.year for p in periods(claim) if p.year and not p.part})
    if len(years) != 2:
        return None
    earlier, later = (_value(row, year) for year in years)
    if earlier is None or later is None or earlier == later or (later > earlier) == (side == 0):
        return None
    return f"the source gives {earlier:g} for {years[0]} and {later:g} for {years[1]}"


def _side(claim: str) -> int | None:
    """Which of SIDES' first pair the claim is on, where its only turn is the verb of a change."""
    turns = [turn for turn in read_turns(claim) if turn.pair == 0]
    alone = turns[0] if len(turns) == 1 and turns[0].word in CHANGING & (SIDES[0][0] | SIDES[0][1]) else None
    return alone.side if alone else None


def _value(row: Statement, year: int) -> float | None:
    """The one figure of that year; a loss shown below zero grows where its figure falls, so none there."""
    found = [r.quantity.value for r in readings(row) if _is_of(r, year)]
    return found[0] if len(found) == 1 and found[0] >= 0 else None


def _is_of(reading: Reading, year: int) -> bool:
    return not reading.is_change and [p.year for p in reading.periods if not p.part] == [year]
