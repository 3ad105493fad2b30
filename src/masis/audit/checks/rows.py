"""Finds what a table, or the claim's own figures, prove wrong: a figure of another row, or a change in the wrong
direction.

The claim means a row if it contains every word of the row's label. A figure printed in another row may still be right
for another reason, so a figure is refuted only if no row that holds it could be the one meant.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from masis.audit.checks.derivations import ADDED, AVERAGED, derivation
from masis.audit.checks.numbers import ARITHMETIC, gives, locates
from masis.audit.checks.signature import LIKELY, Claim, Finding, Sources, coverage_of, telling_words
from masis.audit.checks.turns import CHANGING
from masis.language.measures import NUMBER_WORDS
from masis.language.periods import MONTHS
from masis.language.quantities import Quantity, comparable, quantities
from masis.language.readings import Reading, readings
from masis.language.statements import Statement, stems_of
from masis.language.table_headers import GROUP
from masis.language.words import DOWNWARDS, FUNCTION_WORDS, UPWARDS, content_stems, directions, is_negated, words

_ROUGHLY = r"(?:(?:by|about|around|roughly|nearly|almost|over|just|some|under|approximately|a|an|the|its)\s+)*[$€£]?"
_FROM = re.compile(rf"\bfrom\s+{_ROUGHLY}$", re.IGNORECASE)
_TO = re.compile(
    rf"[^.;\d]{{0,40}}(?:(?:19|20)\d\d[^.;\d]{{0,10}}|Q[1-4][^.;\d]{{0,10}})?\bto\s+{_ROUGHLY}", re.IGNORECASE
)
_UP_FROM = re.compile(
    rf"[^.;\d]{{0,14}}\b(?P<turn>up|down)\s+(?:{_ROUGHLY}[\d.,]+\s?%\s+)?(?:from|on)\s+[^.;\d]{{0,24}}[$€£]?",
    re.IGNORECASE,
)
_TURNED_BY = re.compile(rf"\b(?P<turn>[a-z]+)\s+{_ROUGHLY}$", re.IGNORECASE)
_THAN = re.compile(
    r"\s?(?:[a-z]+\s)?(?P<turn>higher|lower|above|below|up|down|more|less|fewer|before|after|ahead|afterwards)\b",
    re.IGNORECASE,
)
_SIDES = dict.fromkeys(UPWARDS, "up") | dict.fromkeys(DOWNWARDS, "down") | {
    "before": "before", "ahead": "before", "after": "after", "afterwards": "after",
}  # fmt: skip
_CLAUSE = re.compile(r"[,;:](?!\d)|\b(?:while|and|but)\b")
_SIDE = re.compile(
    r"[\s\w]{0,7}?\s?(?P<turn>above|below|(?:higher|lower|more|less|longer|later|sooner|earlier|shorter) than)\b",
    re.IGNORECASE,
)
_MORE = frozenset("above higher more longer later".split())
_OTHER_SIGN = re.compile(
    r"\b(?:loss(?:es)?|deficits?|shortfall|negative|debt|outflows?|overspen\w+|underspen\w+|behind|short)\b",
    re.IGNORECASE,
)
"""When a loss grows, the figure falls."""
_CONTRARY = {"up": {"down"}, "down": {"up"}, "before": {"after"}, "after": {"before"}}
_OTHER_MEASURE = re.compile(
    r"\b(?:shares?|margins?|proportion|percentage|ratio|pace|growth|average|per|mix)\b", re.IGNORECASE
)
_HIGHER_THAN = re.compile(r"\b(?:higher|lower|more|less|above|below) than\b", re.IGNORECASE)
_COUNTS = frozenset(content_stems(" ".join(NUMBER_WORDS)))
_TIMES = re.compile(
    rf"\b(?:{'|'.join(MONTHS)}|ended|ending|fiscal|first|second|third|fourth|quarters?|half|years?|months?|weeks?|days?"
    r"|earlier|later|ago|previous|prior|last|same|periods?|respectively|Q[1-4]|H[12])\b",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"\b(?:compared|versus|vs|also|roughly|about|approximately|nearly|almost|around|some|just|only|still)\b",
    re.IGNORECASE,
)
_OF_WHAT = re.compile(
    r"[)\s]*(?:million|billion|thousand|percent|[MBm%]n?\b)?\s*(?:of|for|in|from|on)\s[^,;:()\d]{2,80}"
    r"|\s?\([^()\d]{2,60}\)",
    re.IGNORECASE,
)
"""What a figure is of: “90 of the beds”, “90 (Oncology)”."""
_APART = re.compile(r"[;+/×÷*=−]|\s-\s")
"""A new clause, or arithmetic that the claim shows."""
_AGAINST = re.compile(r"\b(?:against|compared|versus|vs|than|after|over|from)\b")
"""“58 against 48.8” compares two rows, unless a period follows."""
_TO_ANOTHER = re.compile(r"\bto\b")
_PART_OF = re.compile(r"\bof\s(?:the\s|its\s)?\W*$")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SHORT = re.compile(r"\b[A-Z](?:&[A-Z])+\b|\b[A-Z]{2,5}\b")
MOSTLY = 0.3
"""Share of the words at a figure that the label of its row must cover."""
MENTIONED = 0.34
"""Share of the words before a figure that a sentence must contain for the figure to be about that sentence's
subject."""
_LONGEST_ORDER = 1000
"""Longest claim, in characters, that is read as an ordering."""
_SUMS = frozenset(content_stems("total sum subtotal"))
NO_NAMES = frozenset(content_stems("total other sum subtotal net change average"))
"""Labels of these words alone do not name a row."""


@dataclass(frozen=True, slots=True)
class Run:
    """Figures of a claim with no telling word between them, as in “11,014 and 10,551”: all belong to the words
    before."""

    figures: tuple[Quantity, ...]
    before: str
    behind: str
    """“… of operating income”, up to the next figure."""


def figure_of_another_row(claim: Claim, sources: Sources) -> Finding | None:
    """The words at a figure name one row in full, or its neighbouring figures are in one row, but the figure itself is
    in another row that these words do not mention."""
    rows = [s for s in sources.statements if s.is_row and _label(s)]
    for run in _runs(claim) if rows else ():
        if {"number", "money"} <= {q.unit for q in run.figures}:
            # “18.6 million shares for $1.2 billion” takes its figures from two rows.
            continue
        at_it = _named_at(run, rows, claim)
        named = at_it or _named_by_all(rows, claim)
        for ours in run.figures:
            meant = named or _with_its_neighbours(run, ours, rows)
            holding = [s for s in sources.statements if _gives(s, ours)]
            if not meant or not any(locates(r.quantity, ours) for s in holding for r in readings(s)):
                continue
            columns = {c for s in holding for c, q in _by_column(s) if gives(q, ours)}
            beside = [(c, q) for s in meant for c, q in _by_column(s) if c in columns]
            alike = (r.quantity for s in meant for r in readings(s) if _is_alike(ours, r.quantity))
            rival = next((q for _, q in beside), None) or next(alike, None)
            # The claim names the row and, among several columns, the column.
            is_placed = len(named) == len(beside) == 1 and telling_words(beside[0][0]) & telling_words(claim.text)
            is_other = not any(_may_be_meant(s, meant, run, claim, anywhere=not at_it) for s in holding)
            if rival and is_other and not _is_reckoned(claim, ours, meant, sources):
                why = f"the source gives {rival.in_words} for {meant[0].cells[0][1]}, {ours.in_words} for another row"
                return Finding("numbers_differ", why, withdrawn_at=None if at_it or is_placed else LIKELY)
    return None


def _by_column(row: Statement) -> list[tuple[str, Quantity]]:
    return [(column, q) for column, cell in row.cells[1:] for q in quantities(cell)]


def _runs(claim: Claim) -> list[Run]:
    shown = [m.span() for m in ARITHMETIC.finditer(claim.text)]
    read = [r for r in claim.figures if any(c.isdigit() for c in r.quantity.text)]
    read = [r for r in read if not any(start <= r.quantity.start < end for start, end in shown)]
    found: list[Run] = []
    done = 0
    for reading, following in zip(read, [*read[1:], None], strict=False):
        ours, end = reading.quantity, following.quantity.start if following else len(claim.text)
        before, rest = claim.text[done : ours.start], claim.text[ours.end : end]
        match = _OF_WHAT.match(rest)
        # In “8 % of sales”, the figure is not one of sales.
        is_told = match and _tells(match.group()) and not (ours.unit == "percent" and " of " in match.group())
        behind = match.group() if match and is_told else ""
        if found and not behind and not _tells(before) and _is_of_the_run(reading, found[-1], before, rest):
            found[-1] = replace(found[-1], figures=(*found[-1].figures, ours))
        else:
            found.append(Run((ours,), before, behind))
        done = ours.end + len(behind)
    return found


def _is_of_the_run(reading: Reading, run: Run, before: str, rest: str) -> bool:
    if run.behind or _PART_OF.search(before):
        return False
    if run.figures[-1].unit != reading.quantity.unit:
        return True
    # “Gas led by 44 to 29” compares two rows, but “from 44 to 29” does not; “29.9, which is 4.9 more” begins another
    # run.
    is_to = _TO_ANOTHER.search(before) and not _FROM.search(run.before)
    is_another = (is_to or _AGAINST.search(before)) and not _TIMES.search(rest) and not _YEAR.search(rest)
    return not is_another and not reading.is_change


def _tells(between: str) -> bool:
    return bool(_APART.search(between) or telling_words(_FILLERS.sub(" ", _TIMES.sub(" ", between))))


def _named_at(run: Run, rows: Sequence[Statement], claim: Claim) -> list[Statement]:
    named: list[Statement] = []
    for said in (run.before, run.behind):
        told = telling_words(_FILLERS.sub(" ", _TIMES.sub(" ", said)))
        short = frozenset(_SHORT.findall(said))
        full = _named(rows, frozenset(content_stems(said)), short)
        named += [row for row in full if len(_label(row) & told) >= MOSTLY * len(told) or _initials(row) in short]
    all_said = frozenset(content_stems(claim.text))
    return [row for row in named if _group(row) and _group(row) <= all_said] or named


def _named_by_all(rows: Sequence[Statement], claim: Claim) -> list[Statement]:
    """Rows named anywhere in the claim, provided that it gives none of their figures."""
    said = frozenset(content_stems(claim.text))
    named = _named([row for row in rows if _group(row) <= said], said)
    levels = [r.quantity for row in named for r in readings(row) if not r.is_change]
    return [] if any(gives(theirs, ours.quantity) for theirs in levels for ours in claim.figures) else named


def _with_its_neighbours(run: Run, ours: Quantity, rows: Sequence[Statement]) -> list[Statement]:
    others = [q for q in run.figures if q != ours]
    return [row for row in rows if any(locates(r.quantity, q) for r in readings(row) for q in others)]


def _is_reckoned(claim: Claim, ours: Quantity, meant: Sequence[Statement], sources: Sources) -> bool:
    """The figure follows from figures of the rows meant, or of the total. A share, a sum or an average may use other
    rows too."""
    takes_others = ours.unit == "percent" or ADDED.search(claim.text) or AVERAGED.search(claim.text)
    totals = [s for s in sources.statements if s.is_row and _label(s) <= NO_NAMES]
    among = sources.statements if takes_others else [*meant, *totals]
    return bool(derivation(claim, ours, among, [r.quantity for r in claim.figures]))


def _named(rows: Sequence[Statement], said: frozenset[str], short: frozenset[str] = frozenset()) -> list[Statement]:
    """Rows whose labels the words contain in full, except those whose label is part of a longer one that matches too.
    “R&D” matches “Research and development”."""
    labels = {row: _label(row) for row in rows}
    full = {r: n for r, n in labels.items() if n - NO_NAMES and (n - _SUMS <= said or _initials(r) in short)}
    return [row for row, label in full.items() if not any(label - _SUMS < other for other in full.values())]


def _initials(row: Statement) -> str:
    first = [word[0] for word in words(row.cells[0][1]) if word not in FUNCTION_WORDS]
    return "&".join(first).upper() if len(first) > 1 else "-"


def _label(row: Statement) -> frozenset[str]:
    return frozenset(s for s in content_stems(row.cells[0][1]) if not s[0].isdigit()) - _COUNTS


def _group(row: Statement) -> frozenset[str]:
    return frozenset(content_stems(" ".join(cell for column, cell in row.cells if column == GROUP)))


def _may_be_meant(other: Statement, meant: Sequence[Statement], run: Run, claim: Claim, *, anywhere: bool) -> bool:
    """The words at the figure, or the whole claim if those name no row, include part of this row's label that the rows
    meant do not have."""
    said = frozenset(content_stems(claim.text if anywhere else f"{run.before} {run.behind}"))
    if other in meant or not other.is_row:
        # A sentence that names the row in full is about it too: “net sales were about $58.9 million, preliminarily”.
        is_of_a_row = other in meant or any(_label(row) <= stems_of(other) for row in meant)
        return is_of_a_row or coverage_of(telling_words(run.before), (other,)) >= MENTIONED
    name, all_said = _label(other) | _group(other), frozenset(content_stems(claim.text))
    theirs = [_label(row) | (_group(row) & all_said) for row in meant]
    # The shorter name may mean a longer one of the same thing, such as “net sales of products”.
    is_of_the_same = any(one - _SUMS <= name or name <= one for one in theirs)
    return is_of_the_same or bool((name - frozenset[str]().union(*theirs)) & said)


def _gives(statement: Statement, ours: Quantity) -> bool:
    return any(gives(r.quantity, ours) for r in readings(statement))


def _is_alike(ours: Quantity, theirs: Quantity) -> bool:
    return comparable(ours, theirs) and ours.measure == theirs.measure


_ORDERED = re.compile(
    r"(?P<lead>[^:]+): (?P<figure>.+?), (?P<turn>more|less|later|earlier) than (?P<others>.+?)\.?", re.DOTALL
)


def in_this_order(claim: Claim, sources: Sources) -> Finding | None:
    """“Leeds: Seats 96, more than York (95) and Hull (94)”: proved, over any number of rows, if rows of one table have
    these figures in one column."""
    said = _ORDERED.fullmatch(claim.text.strip())
    if said is None or len(claim.text) > _LONGEST_ORDER:
        return None
    rows = [s for s in sources.statements if s.is_row]
    for first in rows:
        values = [value for _, value in first.cells]
        if not any(value and value in said["lead"] for value in values):
            continue
        for column, (name, value) in enumerate(first.cells):
            is_it = value and frozenset(content_stems(name)) <= frozenset(content_stems(said["figure"]))
            if is_it and re.search(rf"(?<![\w.,]){re.escape(value)}(?![\w]|[.,]\d)", said["figure"]):
                alike = [r for r in rows if len(r.cells) > column and r.cells[column][0] == name and r is not first]
                if _all_beyond(value, [(r.cells[0][1], r.cells[column][1]) for r in alike], said):
                    return Finding("supported", "its rows have these figures, and they are in this order")
    return None


def _all_beyond(value: str, others: Sequence[tuple[str, str]], said: re.Match[str]) -> bool:
    rest, ours, is_more = said["others"], _plain(value), said["turn"] in ("more", "later")
    for label, other in sorted(others, key=lambda pair: -len(pair[0])):
        named = f"{label} ({other})"
        theirs = _plain(other)
        if named in rest and (ours is None or theirs is None or (ours <= theirs if is_more else ours >= theirs)):
            return False
        rest = rest.replace(named, "")
    return not rest.replace("and", "").strip(" ,")


def _plain(text: str) -> float | None:
    digits = re.sub(r"[\s,$€£%]", "", text)
    return float(digits) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,9})?", digits) else None


def turned_the_other_way(claim: Claim, sources: Sources) -> Finding | None:
    """“Rose from 212 to 187”; “up 8 %” where the source has a fall of 8 %; “grew” where the row falls."""
    if _OTHER_SIGN.search(claim.text) or is_negated(claim.text):
        return None
    return (
        _against_itself(claim)
        or _by_a_distance(claim)
        or _against_its_figure(claim, sources)
        or _against_its_row(claim, sources)
    )


def _against_itself(claim: Claim) -> Finding | None:
    levels = [r.quantity for r in claim.figures if not r.is_change]
    for old, new in pairwise(levels):
        if not _is_alike(old, new) or old.unit != new.unit or min(old.value, new.value) < 0:
            continue
        between = claim.text[old.end : new.start]
        before = claim.text[: old.start]
        if _FROM.search(before) and _TO.fullmatch(between):
            turn = _turn_of(_CLAUSE.split(_FROM.sub("", before).rstrip(" ,"))[-1])
        elif stepped := _UP_FROM.fullmatch(between):
            old, new, turn = new, old, stepped["turn"].lower()
        else:
            continue
        if turn and new.value != old.value and (turn == "up") != (new.value > old.value):
            return Finding("contradicted", f"from {old.in_words} to {new.in_words} is not {turn}")
    return None


def _by_a_distance(claim: Claim) -> Finding | None:
    """“15.8 %, 5.2 points below the 21 %”: the distance is compared first, then the side."""
    for a, by, b in zip(claim.figures, claim.figures[1:], claim.figures[2:], strict=False):
        x, d, y = a.quantity, by.quantity, b.quantity
        side = _SIDE.match(claim.text, d.end)
        is_distance = x.unit == y.unit and d.unit in (x.unit, "points") and min(x.value, y.value, d.value) > 0
        if not side or not is_distance or abs(abs(x.value - y.value) - d.value) > 2.01 * max(x.tolerance, y.tolerance):
            continue
        if x.value != y.value and (side["turn"].lower().split()[0] in _MORE) != (x.value > y.value):
            return Finding("contradicted", f"{x.in_words} is not {side['turn'].lower()} {y.in_words}")
    return None


def _turn_of(text: str) -> str | None:
    found = directions(text)
    return next(iter(found)) if len(found) == 1 and CHANGING & set(words(text)) else None


def _against_its_figure(claim: Claim, sources: Sources) -> Finding | None:
    for ours in claim.figures:
        turn = _turn_at(claim.text, ours.quantity)
        if not turn or ours.quantity.is_small_count:
            continue
        theirs = [(s, r) for s in sources.statements for r in readings(s) if gives(r.quantity, ours.quantity)]
        turns = {_turn_in(s, r) for s, r in theirs}
        if len(turns) == 1 and turns <= _CONTRARY[turn]:
            why = f"the source says {turns.pop()}, not {turn}, of {ours.quantity.in_words}"
            return Finding("contradicted", why, withdrawn_at=LIKELY)
    return None


def _turn_at(text: str, number: Quantity) -> str | None:
    """The direction that the word right before or after a figure gives."""
    before = _TURNED_BY.search(text[: number.start].rstrip("(−-+$€£ ") + " ")
    behind = _THAN.match(text, number.end)
    sides = {_SIDES[m["turn"].lower()] for m in (before, behind) if m and m["turn"].lower() in _SIDES}
    return sides.pop() if len(sides) == 1 else None


def _turn_in(statement: Statement, theirs: Reading) -> str | None:
    if not theirs.is_in_a_row:
        return _turn_at(statement.text, theirs.quantity)
    return ("down" if theirs.quantity.value < 0 else "up") if theirs.is_change and theirs.quantity.value else None


def _against_its_row(claim: Claim, sources: Sources) -> Finding | None:
    said = frozenset(content_stems(claim.text))
    named = _named([s for s in sources.statements if s.is_row and _group(s) <= said], said)
    turn = directions(claim.text)
    tells_a_turn = CHANGING & set(words(claim.text)) or _HIGHER_THAN.search(claim.text)
    if len(named) != 1 or len(turn) != 1 or not tells_a_turn or _measures_otherwise(claim, named[0]):
        return None
    levels = sorted(_levels(claim, named[0]), key=lambda r: (r.periods[0].year or 0, r.periods[0].part or ""))
    if len(levels) != 2 or any(r.quantity.value <= 0 for r in levels):
        return None
    old, new = (r.quantity for r in levels)
    if old.value == new.value or ("up" in turn) == (new.value > old.value):
        return None
    why = f"the source gives {old.in_words}, then {new.in_words} for {named[0].cells[0][1]}"
    return Finding("contradicted", why, withdrawn_at=LIKELY)


def _measures_otherwise(claim: Claim, row: Statement) -> bool:
    """“The share of services grew” says nothing about the revenue from services."""
    return any(m.group().lower() not in row.text.lower() for m in _OTHER_MEASURE.finditer(claim.text))


def _levels(claim: Claim, row: Statement) -> Iterator[Reading]:
    """The figures of a row, limited to the claim's own years if it names two."""
    found = [r for r in readings(row) if r.periods and not r.is_change]
    years = {p.year for p in claim.periods if p.year}
    if len({r.quantity.unit for r in found}) == 1 and len({r.periods[0].part for r in found}) == 1:
        yield from (r for r in found if len(years) < 2 or r.periods[0].year in years)
