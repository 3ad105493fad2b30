"""A figure the source does not print, but gives the numbers of: a difference, a change, a sum, an average, a share.

Figures the claim itself gives may be computed with in any way: it shows its arithmetic. Others must belong together,
in one row, column or sentence, and the claim must say what it computed (“rose by”, “on average”, “in total”):
recomputed from any two numbers of a page, chance would support anything.
"""

import re
from collections.abc import Iterator, Sequence
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
AVERAGED = re.compile(r"\b(?:average\w*|mean)\b", re.IGNORECASE)
SHARED_OUT = re.compile(
    r"\b(?:proportion|ratio|shares?|percentage|percent|per|fraction|margin|times|account\w*|represent\w*|of)\b|%",
    re.IGNORECASE,
)
SUBTRACTED = re.compile(r"\b(?:differences?|gap|spread|points?)\b", re.IGNORECASE)
SAYS_COMPUTED = re.compile(
    r"(?<!weighted[ -])\baverage\b|\b(?:differences?|changes?|sum|ratio|proportion|combined|together)\b"
    r"|\bpercentage (?:change|increase|decrease|difference|growth)\b|\bas a percentage of\b"
    r"|\b(?:increase|decrease)s? ?/",
    re.IGNORECASE,
)
"""Words by which a claim says itself that its figure may stand nowhere in the source."""
SPANNED_YEARS = re.compile(r"\b(?:19|20)\d\d\s*(?:to|-|–|through|and|until)\s*(?:19|20)\d\d\b")
_HEDGED = re.compile(
    r"\b(?:about|around|roughly|some|nearly|almost|approximately|under|over|ca\.?|close to)\s+[$€£]?$|[~≈]\s?[$€£]?$",
    re.IGNORECASE,
)
_RECKONED = re.compile(
    r"(?:\b(?:by|about|around|roughly|some|nearly|almost|approximately|under|over|near|i\.e\.|is|equals|to|at|another|or|of)\s+"
    r"|[(~≈=−]\s?)[$€£]?$",
    re.IGNORECASE,
)
_RECKONED_BEHIND = re.compile(
    r"\s(?:million\s|billion\s)?(?:more|less|fewer|higher|lower|above|below|ahead|behind|short|better|worse|per|each|over|an?)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:excluding|without|would|together|combined|between them|both|free cash flow|pace|net of|so that)\b",
    re.IGNORECASE,
)
"""A claim that computes says so."""
_BY_TIME = re.compile(
    r"\b(?:an?|per|each|every) (?:month|week|quarter|year)\b|\b(?:month|week|quarter|annual)ly\b|\bthe year\b",
    re.IGNORECASE,
)
_MONTH_OF = re.compile(r"\b(?:month|week) (\d{1,2})\b", re.IGNORECASE)
_SO_MANY_TIMES = re.compile(r"\b(?:times|ratio|per|fold|one in)\b", re.IGNORECASE)
_TOTAL = re.compile(r"\W*(?:grand |sub)?total\b", re.IGNORECASE)
MOST_OPERANDS = 40
ABOUT = 0.34
"""Share of the claim's words that a statement must have for its figures to be computed with."""
ROUGHLY = 0.01
COARSE = 0.05


@dataclass(frozen=True, slots=True)
class Made:
    value: float
    how: str


def derivation(claim: Claim, number: Quantity, sources: Sources, given: Sequence[Quantity]) -> str | None:
    """The sum in words (“the difference of 412.6 and 381.0”), where the numbers make this one. `given` are the
    claim's own figures that the sources print."""
    if number.measure in ("year", "years") and SPANNED_YEARS.search(claim.text):
        return "the years it names"
    own = [q for q in given if q != number]
    for made in _of_its_own(number, own):
        if _is_made(number, made, any(q.scaled for q in own)):
            return made.how
    for group in _groups(claim, sources):
        scaled = any(r.quantity.scaled or not r.quantity.is_cell for r in group)
        for made in _of_a_group(claim, number, group):
            if _is_made(number, made, scaled):
                return made.how
    return None


def could_follow(claim: Claim, number: Quantity, sources: Sources, is_quoting: bool) -> bool:
    """Some calculation with figures of one row, column or sentence, or with the claim's own, comes to it. It bears
    nothing out, for chance may have made it; but nobody can call the figure made up. `is_quoting`: the claim gives
    other figures that are printed; one that gives none cites the wrong passage."""
    if _turns_against(claim, number, sources):
        return False
    if _HEDGED.search(claim.text[: number.start]):
        number = replace(number, tolerance=2 * number.tolerance)
    is_supposed = _SUPPOSED.search(claim.text) is not None
    others = [r.quantity for r in claim.figures if r.quantity.start != number.start]
    own = others if is_quoting or is_supposed else []
    # “Excluding Newcastle” names the one row that is not meant.
    named = [s for s in sources.statements if _is_named(s, claim) and not is_supposed]
    lines = [[r.quantity for r in readings(s)] for s in named or sources.statements]
    printed = [q for line in lines for q in line]
    groups = (*lines, *([] if named else _columns(sources)))
    is_said = is_supposed or _is_reckoned(claim.text, number)
    # Two figures of a page may make it by chance; with one that the claim gives itself, it is likely meant.
    pairs = [pair for group in groups for pair in combinations(group[:MOST_OPERANDS], 2)] if is_said else []
    pairs += [*combinations(own, 2), *((a, b) for a in own for b in printed)]
    if number.unit == "percent" and not (ADDED.search(claim.text) or SUBTRACTED.search(claim.text)):
        # Of two percentages nobody makes a third.
        pairs = [pair for pair in pairs if not any(q.unit == "percent" for q in pair)]
    made = [value for pair in pairs for value in _of_its_own(number, pair)]
    made += [
        Made(value, "") for q in (*own, *printed) if _same_kind(number, q) for value in _shared_out(claim, q, sources)
    ]
    if number.unit == "number" and not _SO_MANY_TIMES.search(claim.text):
        made = [one for one in made if not one.how.startswith(("the share", "the change"))]
    for a, b in combinations(own, 2):
        # “64 orders worth £182,400, on average £2,850 each”
        made += [Made(x / y, "so much each") for x, y in ((a.value, b.value), (b.value, a.value)) if y]
        made.append(Made(a.value * b.value, "so many times"))
    if not AVERAGED.search(claim.text):
        made = [one for one in made if not one.how.startswith("the average")]
    are_scaled = any(q.scaled or not q.is_cell for q in (*own, *printed)) or bool(sources.scales)
    return any(_is_made(number, one, are_scaled) for one in made)


def _turns_against(claim: Claim, number: Quantity, sources: Sources) -> bool:
    """Two figures make it, one of which came first, and the claim has them turn the other way."""
    for group in _groups(claim, sources):
        scaled = any(r.quantity.scaled or not r.quantity.is_cell for r in group)
        for a, b in combinations(group, 2):
            old, new = _in_order(a, b)
            is_turned = _alike(a.quantity, b.quantity) and not _turns_as_said(claim.text, number, old, new)
            made = _of_its_own(number, (old.quantity, new.quantity)) if is_turned else ()
            if any(_is_made(number, one, scaled) for one in made):
                return True
    return False


def _shared_out(claim: Claim, q: Quantity, sources: Sources) -> Iterator[float]:
    """By the month, quarter or week, or some per cent more or less."""
    if _BY_TIME.search(claim.text):
        for n in (12.0, 4.0, 52.0, *(float(n) for n in _MONTH_OF.findall(sources.around))):
            yield from (q.value * n, q.value / n) if n else ()
    for share in (r.quantity.value / 100 for r in claim.figures if r.quantity.unit == "percent"):
        yield from (q.value * (1 + share), q.value * (1 - share), q.value * share)


def _is_reckoned(text: str, number: Quantity) -> bool:
    """Words right before or behind a figure by which it may be the writer's own."""
    is_share = number.unit in ("percent", "points")
    return is_share or bool(_RECKONED.search(text[: number.start]) or _RECKONED_BEHIND.match(text, number.end))


def _columns(sources: Sources) -> list[list[Quantity]]:
    columns: dict[tuple[str, int], list[Quantity]] = {}
    for row in (s for s in sources.statements if s.is_row):
        for number, reading in enumerate(readings(row)):
            columns.setdefault((row.above, number), []).append(reading.quantity)
    return list(columns.values())


def could_be_computed(claim: Claim, number: Quantity, sources: Sources) -> bool:
    """Code can compute the kind of figure the claim gives, from rows it names in full: another result is wrong."""
    rows = [list(readings(s)) for s in sources.statements if s.is_row and _is_named(s, claim)]
    return any(True for row in rows if len(row) > 1 for _ in _of_a_group(claim, number, row))


def _is_made(number: Quantity, made: Made, operands_are_scaled: bool) -> bool:
    allowed = number.tolerance * 1.0001 + 1e-9
    if allowed > COARSE * abs(number.value) and number.unit == "number" and not number.measure:
        # Any two figures of a page make a six.
        allowed = 1e-6
    if number.bound == "about":
        allowed = max(allowed, ROUGHLY * abs(number.value))
    # A table gives its figures bare where the scale is said somewhere else.
    factors = (1.0, 1e3, 1e6, 1e9) if number.scaled and not operands_are_scaled else (1.0,)
    return any(abs(abs(made.value) * factor - abs(number.value)) <= allowed for factor in factors)


def _of_its_own(number: Quantity, own: Sequence[Quantity]) -> Iterator[Made]:
    for a, b in combinations(own[:MOST_OPERANDS], 2):
        x, y = a.value, b.value
        if _same_kind(number, a) and _same_kind(number, b):
            yield Made(y - x, f"the difference of {b.text} and {a.text}")
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
        yield Made(sum(q.value for q in alike), "the sum of its other figures")


def _same_kind(number: Quantity, given: Quantity) -> bool:
    if number.currency and given.currency and number.currency != given.currency:
        return False
    as_points = {number.unit, given.unit} == {"points", "percent"}
    return as_points or number.unit == given.unit or {number.unit, given.unit} == {"money", "number"}


def _groups(claim: Claim, sources: Sources) -> list[list[Reading]]:
    """Figures that belong together: of one statement, of one column, of rows with one label, of prose on the claim."""
    near = [s for s in sources.statements if _belongs(s, claim)]
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


def _belongs(statement: Statement, claim: Claim) -> bool:
    """It speaks of what the claim speaks of, or is a row that the claim names, quotes from or takes a share of."""
    if coverage_of(claim.subject, (statement,)) >= ABOUT or _is_named(statement, claim):
        return True
    if not statement.is_row:
        return False
    is_total = _TOTAL.match(statement.cells[0][1]) is not None
    quoted = (r.quantity for r in claim.figures if not r.quantity.is_small_count)
    return is_total or any(q.is_met_by(r.quantity) for q in quoted for r in readings(statement))


def _is_named(statement: Statement, claim: Claim) -> bool:
    """The claim has every word of the row's label: this is the row it means."""
    label = frozenset(words(statement.cells[0][1])) if statement.is_row else frozenset[str]()
    return bool(label) and label <= frozenset(words(claim.text))


def _of_its_years(claim: Claim, group: Sequence[Reading]) -> list[Reading]:
    """Of a row the columns of the claim's own years, where it names two or more; one year is compared with others."""
    years = {p.year for p in claim.periods if p.year}
    if SPANNED_YEARS.search(claim.text):
        years = set(range(min(years), max(years) + 1)) if years else years
    return [r for r in group if len(years) < 2 or _year(r) is None or _year(r) in years]


def _of_a_group(claim: Claim, number: Quantity, group: Sequence[Reading]) -> Iterator[Made]:
    for a, b in combinations(group, 2):
        if _alike(a.quantity, b.quantity):
            yield from _of_two(claim.text, number, *_in_order(a, b))
            if _year(a) is None or _year(b) is None:
                yield from _of_two(claim.text, number, *_in_order(a, b)[::-1])
        if number.unit == "percent":
            yield from _before_its_turn(a, b)
    yield from _of_many(claim.text, number, group)


def _alike(a: Quantity, b: Quantity) -> bool:
    same_currency = a.currency == b.currency or {a.unit, b.unit} == {"money", "number"}
    same_unit = a.unit == b.unit or {a.unit, b.unit} == {"money", "number"}
    return same_unit and same_currency and (a.measure, a.scaled) == (b.measure, b.scaled)


def _of_two(claim: str, number: Quantity, old: Reading, new: Reading) -> Iterator[Made]:
    x, y = old.quantity, new.quantity
    turns = bool(directions(claim) or COMPARED.search(claim)) and _turns_as_said(claim, number, old, new)
    # From 3.2 % to 2.1 % is a fall by 1.1 percentage points, and by 34 %.
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


def _before_its_turn(a: Reading, b: Reading) -> Iterator[Made]:
    """“18.5 %, widened by 150 basis points”: it was 17.0 % before."""
    level, turn = (a, b) if b.quantity.unit == "points" else (b, a)
    if (level.quantity.unit, turn.quantity.unit) != ("percent", "points"):
        return
    by = turn.quantity.value
    for before in (level.quantity.value - by, level.quantity.value + by):
        yield Made(before, f"{level.quantity.text} before it turned by {turn.quantity.text}")


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
    """Earlier first; a change is counted from there."""
    first, second = _year(a), _year(b)
    is_later = a.is_earlier < b.is_earlier or (first is not None and second is not None and first > second)
    return (b, a) if is_later else (a, b)


def _year(reading: Reading) -> int | None:
    return next((p.year for p in reading.periods if p.year), None)


def _turns_as_said(claim: str, number: Quantity, old: Reading, new: Reading) -> bool:
    """A rise must rise, where the source says which number came first."""
    known = old.is_earlier or (_year(old) is not None and _year(old) != _year(new))
    if not known or abs(new.quantity.value) == abs(old.quantity.value):
        return True
    rises = new.quantity.value > old.quantity.value
    said = directions(claim)
    if number.value < 0:
        return not rises
    return len(said) != 1 or said == ({"up"} if rises else {"down"})
