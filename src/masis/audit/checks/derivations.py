"""Recomputes a figure that the source does not print but that follows from its numbers: a difference, a change, a sum,
an average or a share.

Figures that the claim itself gives may be combined in any way, because the claim shows its arithmetic. Other figures
must belong together, in one row, column or sentence, and the claim must say what it computed (“rose by”, “on average”,
“in total”). If any two numbers of a page could be combined, chance alone would support any figure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from masis.audit.checks.signature import Claim, Sources, coverage_of
from masis.language.periods import Period
from masis.language.quantities import Quantity
from masis.language.readings import Reading, readings
from masis.language.statements import Statement
from masis.language.words import directions, words

COMPARED = re.compile(
    r"\b(?:differ\w*|gap|spread|change\w*|points?|higher|lower|more|less|fewer|by|between|than|growth|grow)\b|\+|pp\b",
    re.IGNORECASE,
)
ADDED = re.compile(
    r"\b(?:total\w*|together|combined|sum|altogether|overall|jointly|both|aggregate|remain\w*|rest|other)\b",
    re.IGNORECASE,
)
AVERAGED = re.compile(r"\b(?:average\w*|mean|mid-?points?)\b", re.IGNORECASE)
SHARED_OUT = re.compile(
    r"\b(?:proportion|ratio|shares?|percentage|percent|per|fraction|margin|times|account\w*|represent\w*|of)\b|%",
    re.IGNORECASE,
)
SUBTRACTED = re.compile(r"\b(?:differences?|gap|spread|points?)\b", re.IGNORECASE)
SPANNED_YEARS = re.compile(r"\b(?:19|20)\d\d\s*(?:to|-|–|through|and|until)\s*(?:19|20)\d\d\b")
_IN = r"(?:[$€£¥₹]|(?:USD|EUR|GBP|CHF|JPY|INR|NOK|SEK|DKK|CAD|AUD|Rs\.?)\s)?"
_HEDGED = re.compile(
    rf"\b(?:about|around|roughly|some|nearly|almost|approximately|under|over|ca\.?|close to)\s+{_IN}$|[~≈]\s?{_IN}$",
    re.IGNORECASE,
)
_RECKONED = re.compile(
    r"(?:\b(?:by|up|down|i\.e\.|equals|another|about|around|roughly|some|nearly|almost|approximately"
    r"|just (?:over|under)|(?:comes?|amounts?|adds? up) to|makes?|totals?)\s+"
    rf"|[(~≈=−]\s?){_IN}$",
    re.IGNORECASE,
)
_RECKONED_BEHIND = re.compile(
    r"\s(?:million\s|billion\s)?(?:more|less|fewer|higher|lower|above|below|ahead|behind|short|better|worse|per|each"
    r"|over)\b",
    re.IGNORECASE,
)
_A_RESULT = re.compile(
    r"\b(?:differences?|gap|spread|overall|monthly|quarterly|annual\w*|sum|together|combined|between them|both"
    r"|altogether|total\w*|averag\w+|mean|mid-?points?|proportion|percentage|ratio|free cash flow|excluding|net of|pace"
    r"|headroom|cushion|shortfall|surplus|or \d[\d.]*\s?%)(?!\w)",
    re.IGNORECASE,
)
_A_RESULT_HERE = re.compile(
    r"\b(?:change[sd]?|increases?d?|decreases?d?|growth|grew|rose|fell|shrank|per|each|times|rest|remain\w*"
    r"|without|so that|half|majority)\b|[=÷×−]|\w / \w",
    re.IGNORECASE,
)
"""Words by which a claim says that it computes, looked for in the clause of the figure only."""
_BY = re.compile(r"\bby\s(?:about |some |roughly |nearly |almost )?[$€£]?$")
_OF_IT = re.compile(r"\sof\s")
_LEFT_OUT = re.compile(r"\b(?:excluding|without|except|other than|apart from|rest|remain\w*)\b", re.IGNORECASE)
_BY_TIME = re.compile(
    r"\b(?:an?|per|each|every) (?:month|week|quarter|year)\b|\b(?:month|week|quarter|annual)ly\b|\bthe year\b",
    re.IGNORECASE,
)
_MONTH_OF = re.compile(r"\b(?:month|week) (\d{1,2})\b", re.IGNORECASE)
_TOTAL = re.compile(r"\W*(?:grand |sub)?total\b", re.IGNORECASE)
MOST_OPERANDS = 40
MOST_ADDED = 8
"""Longest run of consecutive figures that is added up."""
MOST_SHARED = 16
"""Largest group of figures in which a share is sought of two of them together."""
ABOUT = 0.34
"""Share of the claim's words that a statement must contain for its figures to be used in a calculation."""
ROUGHLY = 0.01
"""Tolerance, as a share of its value, of a figure that the claim calls approximate."""
COARSE = 0.05
"""If its rounding allows more than this share of its value, a bare number must be met exactly: any two figures of a
page make a six."""


@dataclass(frozen=True, slots=True)
class Made:
    value: float
    how: str
    slack: float = 0.0
    """Error that rounding of the operands may have added."""


def derivation(claim: Claim, number: Quantity, among: Sequence[Statement], given: Sequence[Quantity]) -> str | None:
    """Describes the calculation that yields this number (“the difference of 412.6 and 381.0”); None if there is none.
    `given` holds the claim's own figures that the sources print."""
    if number.measure in ("year", "years") and SPANNED_YEARS.search(claim.text):
        return "the years it names"
    own = [q for q in given if q != number]
    for made in _of_its_own(number, own):
        if _is_made(number, made, any(q.scaled for q in own)):
            return made.how
    for group in _groups(claim, among):
        scaled = _are_scaled(r.quantity for r in group)
        for made in _of_a_group(claim, number, group):
            if _is_made(number, made, scaled):
                return made.how
    return None


def could_follow(claim: Claim, number: Quantity, sources: Sources, clause: str, is_quoting: bool) -> bool:
    """The claim calls something a result, and some calculation with the figures of one row, column or sentence, or with
    its own figures, yields this number.

    This does not support the claim, because the match may be chance, but it means the figure cannot be called made up.
    `is_quoting`: it also gives printed figures. A claim without any that names no calculation cites the wrong passage.
    """
    is_by = _BY.search(claim.text[: number.start])
    is_share = number.unit == "percent" and _OF_IT.match(claim.text, number.end)
    if not (is_quoting or is_by or is_share or _A_RESULT.search(claim.text) or _BY_TIME.search(claim.text)):
        return False
    if not speaks_of_a_result(claim.text, number, clause) or _turns_against(claim, number, sources):
        return False
    if _HEDGED.search(claim.text[: number.start]):
        number = replace(number, tolerance=2 * number.tolerance)
    own = [r.quantity for r in claim.figures if r.quantity.start != number.start]
    # “Excluding Newcastle” names the one row that is not meant.
    names_a_row = any(_is_named(s, claim) for s in sources.statements) and not _LEFT_OUT.search(claim.text)
    related = _related(claim, sources.statements) if names_a_row else sources.statements
    lines = [[r.quantity for r in readings(s)] for s in related]
    printed = [q for line in lines for q in line]
    for group in (*lines, *_columns(related), own, *([a, b] for a in own for b in printed)):
        if _is_among(_of_any(claim.text, number, group[:MOST_OPERANDS]), number, _are_scaled(group)):
            return True
    by_time = (v for q in (*own, *printed) if _same_kind(number, q) for v in _shared_out(claim, q, sources))
    return _is_among(by_time, number, operands_are_scaled=True)


def speaks_of_a_result(text: str, number: Quantity, clause: str) -> bool:
    """Words in the claim, in the figure's clause or right beside the figure suggest that the writer computed it."""
    is_share = number.unit in ("percent", "points") and SHARED_OUT.search(clause)
    return bool(number.rate or is_share or _A_RESULT_HERE.search(clause) or _is_called_a_result(text, number))


def _is_called_a_result(text: str, number: Quantity) -> bool:
    before, behind = text[: number.start], text[number.end :]
    return bool(_A_RESULT.search(text) or _RECKONED.search(before) or _RECKONED_BEHIND.match(behind))


def may_be_computed(claim: Claim, number: Quantity, sources: Sources) -> bool:
    """The claim calls the figure a result, or figures of one row or column of the source yield it. Code that cannot
    repeat the calculation must not call it wrong."""
    if _is_called_a_result(claim.text, number):
        return True
    # On a whole page, some two figures make any number, so only figures of one row or column are combined.
    groups = [*([r.quantity for r in readings(s)] for s in sources.statements), *_columns(sources.statements)]
    made = (value for group in groups for value in _of_any(claim.text, number, group[:MOST_OPERANDS]))
    return _is_among(made, number, operands_are_scaled=False)


def _of_any(text: str, number: Quantity, group: Sequence[Quantity]) -> Iterator[float]:
    """Values made from the figures of one group: any two, several in a row, and a share of two together."""
    averages = AVERAGED.search(text) is not None
    # Nobody adds or subtracts two percentages without saying so.
    adds = number.unit != "percent" or ADDED.search(text) or SUBTRACTED.search(text)
    for a, b in combinations(group, 2):
        are_alike = _same_kind(number, a) and _same_kind(number, b)
        yield from (b.value - a.value, b.value + a.value) if are_alike and adds else ()
        yield from ((b.value + a.value) / 2,) if are_alike and averages else ()
        yield from _of_both(number, a, b)
    alike = [q.value for q in group if _same_kind(number, q)]
    for first in range(len(alike)):
        for last in range(first + 3, min(len(alike), first + MOST_ADDED) + 1):
            total = sum(alike[first:last])
            yield from (total, total / (last - first)) if averages else (total,)
    if number.unit == "percent" and len(group) <= MOST_SHARED:
        amounts = [q.value for q in group if q.unit != "percent"]
        yield from (100 * (a + b) / c for a, b in combinations(amounts, 2) for c in amounts if abs(c) > abs(a + b))


def _of_both(number: Quantity, a: Quantity, b: Quantity) -> Iterator[float]:
    x, y = a.value, b.value
    if "percent" in (a.unit, b.unit):
        share, whole = (x, y) if a.unit == "percent" else (y, x)
        if a.unit != b.unit and number.unit != "percent" and share:
            yield from (whole * share / 100, whole * 100 / share, whole * (1 + share / 100), whole * (1 - share / 100))
    elif a.unit == b.unit or {a.unit, b.unit} == {"money", "number"}:
        for part, whole in ((p, w) for p, w in ((x, y), (y, x)) if w):
            if number.unit == "percent":
                yield from (100 * part / whole, 100 * (part / whole - 1))
            elif number.unit in ("number", "money"):
                yield part / whole
        if number.unit != "percent" and not number.scaled:
            yield x * y


def _turns_against(claim: Claim, number: Quantity, sources: Sources) -> bool:
    """Two figures yield this number, and the source says which came first, but the claim has it the other way."""
    for group in _groups(claim, sources.statements):
        scaled = _are_scaled(r.quantity for r in group)
        for a, b in combinations(group, 2):
            old, new = _in_order(a, b)
            is_turned = _alike(a.quantity, b.quantity) and not _turns_as_said(claim.text, number, old, new)
            made = _of_its_own(number, (old.quantity, new.quantity)) if is_turned else ()
            if any(_is_made(number, one, scaled) for one in made):
                return True
    return False


def _shared_out(claim: Claim, q: Quantity, sources: Sources) -> Iterator[float]:
    """The figure per month, quarter, week or year, or changed by a percentage that the claim gives."""
    if _BY_TIME.search(claim.text):
        for n in (12.0, 4.0, 52.0, *(float(n) for n in _MONTH_OF.findall(sources.around))):
            yield from (q.value * n, q.value / n) if n else ()
    for share in (r.quantity.value / 100 for r in claim.figures if r.quantity.unit == "percent"):
        yield from (q.value * (1 + share), q.value * (1 - share), q.value * share)


def _columns(related: Sequence[Statement]) -> list[list[Quantity]]:
    columns: dict[tuple[str, int], list[Quantity]] = {}
    for row in (s for s in related if s.is_row):
        for number, reading in enumerate(readings(row)):
            columns.setdefault((row.above, number), []).append(reading.quantity)
            columns.setdefault((f"\0{row.cells[0][1]}", number), []).append(reading.quantity)
    return list(columns.values())


def _are_scaled(group: Iterable[Quantity]) -> bool:
    return any(q.scaled or not q.is_cell for q in group)


def _is_among(made: Iterable[float], number: Quantity, operands_are_scaled: bool) -> bool:
    return any(_is_made(number, Made(value, ""), operands_are_scaled) for value in made)


def _is_made(number: Quantity, made: Made, operands_are_scaled: bool) -> bool:
    allowed = (number.tolerance + made.slack) * 1.0001 + 1e-9
    if allowed > COARSE * abs(number.value) and number.unit == "number" and not number.measure:
        allowed = 1e-6
    if number.bound == "about":
        allowed = max(allowed, ROUGHLY * abs(number.value))
    # A table may give bare figures and state their scale elsewhere.
    factors = (1.0, 1e3, 1e6, 1e9) if number.scaled and not operands_are_scaled else (1.0,)
    return any(abs(abs(made.value) * factor - abs(number.value)) <= allowed for factor in factors)


def _of_its_own(number: Quantity, own: Sequence[Quantity]) -> Iterator[Made]:
    for a, b in combinations(own[:MOST_OPERANDS], 2):
        x, y = a.value, b.value
        if _same_kind(number, a) and _same_kind(number, b):
            slack = a.tolerance + b.tolerance if number.unit == "points" else 0.0
            yield Made(y - x, f"the difference of {b.text} and {a.text}", slack)
            yield Made(y + x, f"the sum of {a.text} and {b.text}")
            yield Made((y + x) / 2, f"the average of {a.text} and {b.text}")
        if number.unit in ("percent", "number") and a.unit == b.unit:
            factor = 100 if number.unit == "percent" else 1
            for part, whole in ((a, b), (b, a)):
                if whole.value:
                    yield Made(part.value / whole.value * factor, f"the share of {part.text} in {whole.text}")
                    yield Made((part.value / whole.value - 1) * factor, f"the change from {whole.text} to {part.text}")
    alike = [q for q in own if _same_kind(number, q)]
    if len(alike) > 2:
        total = sum(q.value for q in alike)
        yield Made(total, "the sum of its other figures")
        yield Made(total / len(alike), "the average of its other figures")


def _same_kind(number: Quantity, given: Quantity) -> bool:
    if number.currency and given.currency and number.currency != given.currency:
        return False
    as_points = {number.unit, given.unit} in ({"points", "percent"}, {"points", "number"})
    return as_points or number.unit == given.unit or {number.unit, given.unit} == {"money", "number"}


def _groups(claim: Claim, among: Sequence[Statement]) -> list[list[Reading]]:
    """Figures that belong together: those of one statement, one column, rows with the same label, or prose on the
    claim's subject."""
    near = _related(claim, among)
    columns: dict[tuple[Period, ...], list[Reading]] = {}
    labels: dict[str, list[Reading]] = {}
    prose: list[Reading] = []
    for statement in near:
        for reading in readings(statement):
            if statement.is_row:
                columns.setdefault(reading.periods, []).append(reading)
                labels.setdefault(statement.cells[0][1], []).append(reading)
            else:
                prose.append(reading)
    groups = [*(list(readings(s)) for s in near), *labels.values(), *columns.values(), prose]
    return [_of_its_years(claim, group)[:MOST_OPERANDS] for group in groups if len(group) > 1]


def _related(claim: Claim, among: Sequence[Statement]) -> list[Statement]:
    """The statements that belong to the claim, and rows with the same label in other tables, such as last year's."""
    near = {s for s in among if _belongs(s, claim)}
    labels = {s.cells[0][1] for s in near if s.is_row}
    return [s for s in among if s in near or (s.is_row and s.cells[0][1] in labels)]


def _belongs(statement: Statement, claim: Claim) -> bool:
    """The statement covers the claim's subject, or is a total or a row that the claim names or quotes a figure from."""
    is_about = coverage_of(claim.subject, (statement,)) >= ABOUT
    if is_about or not statement.is_row:
        return is_about
    is_meant = _TOTAL.match(statement.cells[0][1]) is not None or _is_named(statement, claim)
    quoted = (r.quantity for r in claim.figures if not r.quantity.is_small_count)
    return is_meant or any(q.is_met_by(r.quantity) for q in quoted for r in readings(statement))


def _is_named(statement: Statement, claim: Claim) -> bool:
    """The claim contains every word of the row's label, so it means this row."""
    label = frozenset(words(statement.cells[0][1])) if statement.is_row else frozenset[str]()
    return bool(label) and label <= frozenset(words(claim.text))


def _of_its_years(claim: Claim, group: Sequence[Reading]) -> list[Reading]:
    """Keeps only the columns of the claim's years if it names two or more. A claim that names one year may compare it
    with any other."""
    years = {p.year for p in claim.periods if p.year}
    if SPANNED_YEARS.search(claim.text):
        years = set(range(min(years), max(years) + 1)) if years else years
    return [r for r in group if len(years) < 2 or r.year is None or r.year in years]


def _of_a_group(claim: Claim, number: Quantity, group: Sequence[Reading]) -> Iterator[Made]:
    for a, b in combinations(group, 2):
        if _alike(a.quantity, b.quantity):
            yield from _of_two(claim.text, number, *_in_order(a, b))
            if a.year is None or b.year is None:
                yield from _of_two(claim.text, number, *_in_order(a, b)[::-1])
        if number.unit == "percent":
            yield from _before_its_turn(a.quantity, b.quantity)
    yield from _of_many(claim.text, number, group)


def _alike(a: Quantity, b: Quantity) -> bool:
    are_one_unit = (a.unit, a.currency) == (b.unit, b.currency) or {a.unit, b.unit} == {"money", "number"}
    return are_one_unit and (a.measure, a.scaled) == (b.measure, b.scaled)


def _of_two(claim: str, number: Quantity, old: Reading, new: Reading) -> Iterator[Made]:
    x, y = old.quantity, new.quantity
    turns = bool(directions(claim) or COMPARED.search(claim)) and _turns_as_said(claim, number, old, new)
    # A move from 3.2 % to 2.1 % is a fall of 1.1 percentage points, and of 34 %.
    is_difference = number.unit != "percent" or SUBTRACTED.search(claim)
    if turns and is_difference and _same_kind(number, x) and x.value != y.value:
        yield Made(y.value - x.value, f"the difference of {y.text} and {x.text}")
    if turns and number.unit == "percent" and x.unit != "points" and x.value:
        yield Made((y.value / x.value - 1) * 100, f"the change from {x.text} to {y.text}")
    if _same_kind(number, x) and number.unit != "points" and ADDED.search(claim):
        yield Made(x.value + y.value, f"the sum of {x.text} and {y.text}")
        yield Made(y.value - x.value, f"what {y.text} leaves of {x.text}")
    if _same_kind(number, x) and AVERAGED.search(claim):
        yield Made((x.value + y.value) / 2, f"the average of {x.text} and {y.text}")
    if SHARED_OUT.search(claim) and number.unit in ("percent", "number") and not number.scaled:
        yield from _shares(number, x, y)


def _shares(number: Quantity, x: Quantity, y: Quantity) -> Iterator[Made]:
    factor = 100 if number.unit == "percent" else 1
    for part, whole in ((x, y), (y, x)):
        if whole.value and part.unit != "percent":
            yield Made(part.value / whole.value * factor, f"the share of {part.text} in {whole.text}")


def _before_its_turn(a: Quantity, b: Quantity) -> Iterator[Made]:
    """“18.5 %, widened by 150 basis points”: it was 17.0 % before."""
    level, turn = (a, b) if b.unit == "points" else (b, a)
    if (level.unit, turn.unit) == ("percent", "points"):
        for before in (level.value - turn.value, level.value + turn.value):
            yield Made(before, f"{level.text} before it turned by {turn.text}")


def _of_many(claim: str, number: Quantity, group: Sequence[Reading]) -> Iterator[Made]:
    alike = [r.quantity for r in group if _alike(r.quantity, group[0].quantity)]
    if len(alike) < 3 or not _same_kind(number, alike[0]):
        return
    listed, total = ", ".join(q.text for q in alike), sum(q.value for q in alike)
    if AVERAGED.search(claim):
        yield Made(total / len(alike), f"the average of {listed}")
    if ADDED.search(claim):
        yield Made(total, f"the sum of {listed}")


def _in_order(a: Reading, b: Reading) -> tuple[Reading, Reading]:
    """Puts the earlier figure first, because a change is measured from it."""
    is_later = a.is_earlier < b.is_earlier or bool(a.year and b.year and a.year > b.year)
    return (b, a) if is_later else (a, b)


def _turns_as_said(claim: str, number: Quantity, old: Reading, new: Reading) -> bool:
    """A rise must be a rise, if the source says which number came first."""
    known = old.is_earlier or (old.year is not None and old.year != new.year)
    if not known or abs(new.quantity.value) == abs(old.quantity.value):
        return True
    rises = new.quantity.value > old.quantity.value
    if number.value < 0:
        return not rises
    return directions(claim) != ({"down"} if rises else {"up"})
