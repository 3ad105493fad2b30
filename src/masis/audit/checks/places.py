"""Checks whether a number is given for this thing and this period, or is in another row, column or sentence.

A number in the wrong place is proved wrong only by the right one: the source must give another figure of the same kind
in the very place that the claim names.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, permutations, product

from masis.audit.checks.derivations import derivation
from masis.audit.checks.numbers import ARITHMETIC, gives, locates
from masis.audit.checks.signature import LIKELY, Claim, Finding, Sources, coverage_of, telling_words
from masis.language.periods import Period, lies_within_a_range, period_spans
from masis.language.quantities import Quantity, comparable
from masis.language.readings import Reading, readings
from masis.language.statements import Statement, statements
from masis.language.words import capitalised, content_stems

FURTHER = 0.2
"""By how much larger a share of the claim's words the right sentence must have than the wrong one."""
FEWEST_ROW_MATES = 2
"""A column is compared only if more than this many names of a list, and rows of a table, agree on it."""
SAME_WORDS = 0.6
"""Share of words that two sentences must have in common to say the same thing of two periods."""
MOST_DOUBTED = 6
"""Most figures of one claim about which the verifier is asked."""
LEAST_SHARED = 0.3
"""Share of the claim's words that a statement with a rival figure must have."""
_COMPARED_TIME = re.compile(
    r"\b(?:than|against|versus|vs\.?|compared (?:with|to)|since|on)\s(?:in\s|for\s|at\s|the\s|fiscal\s)*$",
    re.IGNORECASE,
)
_A_YEAR_LATER = re.compile(
    r"[\s\w]{0,10}\b(?:year|quarter|month)s?[ -](?:later|earlier|before|ago|after)\b", re.IGNORECASE
)
_COMPARES = re.compile(
    r"\b(?:after|against|compared (?:with|to)|before|previously|formerly|than|from"
    r"|(?:previous|prior|preceding|last) (?:fiscal )?(?:year|quarter|month)'?s?)\s(?:[^,;]|,(?=\d)){0,24}$",
    re.IGNORECASE,
)
_FROM_THE_START = re.compile(r"\b(?:between|from)\s(?:the\s)?$", re.IGNORECASE)
_TO_THE_END = re.compile(r",?\s(?:and|to|until|through)\s(?:the\s)?", re.IGNORECASE)
_ITS_TIME = re.compile(r"\s(?:in|for|during|at the end of|as of|at)\s(?:the\s)?(?:fiscal\s(?:year\s)?)?", re.IGNORECASE)
"""Words allowed between a figure and the period it is for."""


def figure_of_another_column(claim: Claim, sources: Sources) -> Finding | None:
    """“Sales 12 and 14; costs 7 and 8; profit 5 and 9”: all names in the list but one take their figures from the same
    columns."""
    listed = _listed(claim)
    for table in _tables(sources) if len(listed) > FEWEST_ROW_MATES else ():
        if any(all(any(gives(cell, r.quantity) for cell in cells) for r in claim.figures) for _, cells in table):
            # “India: population 17.6, audience 2.0” is one row, with each figure under its own name.
            continue
        places = [_columns(figures, table) for _, figures in listed]
        for odd, (label, figures) in enumerate(listed):
            others = [found for at, found in enumerate(places) if at != odd]
            common = set.intersection(*({columns for _, columns in found} for found in others))
            used = {row for found in others for row, columns in found if columns in common}
            if not common or len(used) < len(others) or any(columns in common for _, columns in places[odd]):
                continue
            if all(f.quantity.is_small_count or _is_derived(claim, f, sources) for f in figures):
                # “95 in Oncology and 70 in Surgery, 165 in total” need not be the table's own total.
                continue
            if right := _in_the_columns(label, figures, min(common), [r for r in table if r not in used]):
                said = f"the columns of its other figures give {right} here, not {figures[0].quantity.in_words}"
                return Finding("numbers_differ", said, withdrawn_at=LIKELY)
    return None


def figure_beside_another(claim: Claim, sources: Sources) -> Finding | None:
    """“18.6 million shares for $1.2 billion”: beside one of the two figures the source gives another amount, and the
    claim's amount is in a sentence about other things."""
    for one, other in (*pairwise(claim.figures), *pairwise(claim.figures[::-1])):
        a, b = one.quantity, other.quantity
        between = claim.text[min(a.end, b.end) : max(a.start, b.start)]
        if a.unit == b.unit or ";" in between or len(telling_words(between)) > 1 or not (_is_exact(a) and _is_exact(b)):
            continue
        with_one = [s for s in sources.statements if any(locates(r.quantity, a) for r in readings(s))]
        with_other = [s for s in sources.statements if any(locates(r.quantity, b) for r in readings(s))]
        is_together = any(s.is_row or s in with_one for s in with_other) or any(s.is_row for s in with_one)
        if not with_one or not with_other or is_together:
            continue
        rivals = [r for s in with_one for r in readings(s) if _is_of_its_kind(b, r.quantity)]
        has_rivals = all(any(r in rivals for r in readings(s)) for s in with_one)
        least, most = (
            f(coverage_of(claim.subject, (s,)) for s in some) for f, some in ((min, with_one), (max, with_other))
        )
        if has_rivals and least >= most + FURTHER and not _is_derived(claim, other, sources):
            said = f"the source gives {rivals[0].quantity.in_words} beside {a.in_words}, {b.in_words} for another thing"
            return Finding("numbers_differ", said, withdrawn_at=LIKELY)
    return None


def _is_exact(number: Quantity) -> bool:
    ends_well = number.text[-1:].isalnum() or number.text.endswith("%")
    return ends_well and any(c.isdigit() for c in number.text) and not number.is_small_count


@dataclass(frozen=True, slots=True)
class Doubt:
    """A figure found where no other figure of the claim is: is that the place the claim is about?"""

    figure: Quantity
    rival: Quantity
    """A figure of the same kind that the source gives elsewhere."""
    bare: str
    """The claim with its figures replaced by “how much” and “some”."""
    held: frozenset[tuple[str, int]]
    """Statements that contain the figure."""
    rivals: frozenset[tuple[str, int]]
    """Statements that contain another figure of its kind instead."""

    @property
    def reason(self) -> str:
        return f"the source gives {self.rival.in_words} for this, {self.figure.in_words} for something else"


def doubted_places(claim: Claim, sources: Sources) -> list[Doubt]:
    """Figures whose rivals, other figures of their kind, are in statements that share more of the claim's words."""
    shown = [m.span() for m in ARITHMETIC.finditer(claim.text)]
    found: list[Doubt] = []
    for ours in _telling_figures(claim):
        holding = _holding(ours, sources)
        rivals = dict(_rivals(ours, sources, holding))
        others = [r.quantity for r in claim.figures if r.quantity.value != ours.quantity.value]
        is_joined = any(locates(r.quantity, q) for s in holding for r in readings(s) for q in others)
        is_shown = any(start <= ours.quantity.start < end for start, end in shown)
        if (
            not holding
            or is_joined
            or is_shown
            or _is_operand(claim, ours, others)
            or sources.is_asked_with(ours.quantity)
        ):
            continue
        here, there = _most_shared(claim.subject, holding), _most_shared(claim.subject, rivals)
        is_named_here = _names_shared(ours, holding) > _names_shared(ours, rivals)
        if there > here and there >= LEAST_SHARED and not is_named_here and not _is_derived(claim, ours, sources):
            found.append(_doubt(claim, ours.quantity, sources, holding, rivals))
    return found[:MOST_DOUBTED]


def _most_shared(wanted: frozenset[str], among: Iterable[Statement]) -> float:
    return max((coverage_of(wanted, (s,)) for s in among), default=0.0)


def _names_shared(ours: Reading, among: Iterable[Statement]) -> int:
    """Number of names shared with the words at the figure: “Food Starch (+12 %), Protein (+30 %)”."""
    return max((len(capitalised(ours.clause) & capitalised(s.text)) for s in among), default=0)


def _is_operand(claim: Claim, ours: Reading, others: Sequence[Quantity]) -> bool:
    """“52.3 % (112,340 of 214,862)”: the figure and another one of the claim make a third."""
    return any(derivation(claim, b, (), [ours.quantity, a]) for a, b in permutations(others, 2))


def _doubt(
    claim: Claim, figure: Quantity, sources: Sources, holding: Sequence[Statement], rivals: Mapping[Statement, Reading]
) -> Doubt:
    bare = claim.text
    for q in sorted((r.quantity for r in claim.figures), key=lambda q: -q.start):
        bare = f"{bare[: q.start]}{'how much' if q == figure else 'some'}{bare[q.end :]}"
    placed = [(c["chunk_id"], s) for c in sources.chunks for s in statements(c["text"], c.get("heading"))]
    held = frozenset((chunk, s.start) for chunk, s in placed if s in holding)
    there = frozenset((chunk, s.start) for chunk, s in placed if s in rivals) - held
    closest = max(rivals, key=lambda s: coverage_of(claim.subject, (s,)))
    return Doubt(figure, rivals[closest].quantity, bare, held, there)


Listed = tuple[frozenset[str], list[Reading]]


def _listed(claim: Claim) -> list[Listed]:
    """The names of a list, each with the figures after it; empty if a figure has its own period."""
    found: list[Listed] = []
    at = 0
    for ours in claim.figures:
        label = frozenset(content_stems(claim.text[at : ours.quantity.start])) - {"and"}
        at = ours.quantity.end
        if label or not found:
            found.append((label, []))
        found[-1][1].append(ours)
    is_plain = len({len(figures) for _, figures in found}) == 1 and len({r.periods for r in claim.figures}) == 1
    is_plain &= len({"percent" in (r.quantity.unit, "") for r in claim.figures}) == 1
    return found if is_plain and not any(r.is_change for r in claim.figures) else []


Row = tuple[Statement, tuple[Quantity, ...]]


def _tables(sources: Sources) -> list[list[Row]]:
    """The table rows of each passage, grouped by their number of figures."""
    found: dict[tuple[int, int], list[Row]] = {}
    for number, chunk in enumerate(sources.chunks):
        for row in (s for s in statements(chunk["text"], chunk.get("heading")) if s.is_row):
            cells = tuple(r.quantity for r in readings(row))
            found.setdefault((number, len(cells)), []).append((row, cells))
    return [rows for (_, width), rows in found.items() if width > 1 and len(rows) > FEWEST_ROW_MATES]


def _columns(figures: Sequence[Reading], table: Sequence[Row]) -> list[tuple[Row, tuple[int, ...]]]:
    """Each row that contains all the figures, with the columns they are in."""
    found = []
    for row in table:
        at = [[n for n, cell in enumerate(row[1]) if gives(cell, ours.quantity)] for ours in figures]
        found += [(row, columns) for columns in product(*at)]
    return found


def _in_the_columns(
    label: frozenset[str], figures: Sequence[Reading], columns: Sequence[int], free: Sequence[Row]
) -> str | None:
    """What the right row gives in those columns: the row that has some of the figures, or that the label names."""
    for row, cells in free:
        is_meant = any(gives(cell, ours.quantity) for cell in cells for ours in figures)
        if is_meant or (_label(row) and _label(row) <= label):
            return " and ".join(cells[column].in_words for column in columns)
    return None


def figure_of_another_time(claim: Claim, sources: Sources) -> Finding | None:
    """The source gives the number for another period, and beside it a different number for the claim's own period."""
    timed = [r for r in map(partial(_at_the_time_named, claim), claim.figures) if r.periods and r.is_clear]
    shown = [m.span() for m in ARITHMETIC.finditer(claim.text)] if timed else []
    ends = _ends_of_ranges(claim.text) if timed else frozenset()
    for ours in timed:
        if ends & set(ours.periods) or any(start <= ours.quantity.start < end for start, end in shown):
            # A calculation in brackets uses figures whose period was given before.
            continue
        holding = [(s, r) for s in sources.statements for r in readings(s) if gives(r.quantity, ours.quantity)]
        names_a_part = any(period.part for period in claim.periods)
        if holding and not names_a_part and all(_is_of_a_part(ours, r) for _, r in holding):
            return Finding("unverified", f"the source gives {ours.quantity.in_words} for another part of the year")
        is_found = any(locates(r.quantity, ours.quantity) for _, r in holding)
        if not is_found or not all(_is_of_another_time(ours, r) for _, r in holding):
            continue
        beside = [s for s in sources.statements if any(s == other or _is_alike(s, other) for other, _ in holding)]
        rivals = (r for s in beside for r in readings(s) if _is_of_its_time(ours, r))
        is_one_time_a_row = all("|" in s.text and r.is_in_a_row for s, r in holding) and len(claim.figures) == 1
        if _has_row_mates(claim, ours, [s for s, _ in holding]):
            continue
        if is_one_time_a_row or any(_is_of_its_kind(ours.quantity, r.quantity) for r in rivals):
            when = f"{holding[0][1].quantity.in_words} for {spoken(holding[0][1].periods)}"
            return Finding(
                "numbers_differ",
                f"the source gives {when}, not for {spoken(ours.periods)}",
                withdrawn_at=LIKELY,
            )
    return None


def _ends_of_ranges(text: str) -> frozenset[Period]:
    """“Between January 12 and February 9” is neither of the two days."""
    spans = period_spans(text)
    joined = (
        (a, b)
        for (a, (start, stop)), (b, (after, _)) in pairwise(spans)
        if _TO_THE_END.fullmatch(text[stop:after]) and _FROM_THE_START.search(text[:start])
    )
    return frozenset(period for pair in joined for period in pair)


def _has_row_mates(claim: Claim, ours: Reading, rows: Sequence[Statement]) -> bool:
    """“184.1, after 163.8, in 2025”: a claim that gives two figures of one row may name the period of only one."""
    others = [r.quantity for r in claim.figures if r.quantity != ours.quantity]
    is_one_time = len(set(claim.periods)) == 1
    return is_one_time and any(s.is_row and locates(t.quantity, q) for s in rows for t in readings(s) for q in others)


def _is_alike(one: Statement, other: Statement) -> bool:
    """The two sentences use the same words, as two reports do about two quarters."""
    a, b = (telling_words(s.text) for s in (one, other))
    return not one.is_row and not other.is_row and len(a & b) >= SAME_WORDS * max(1, len(a | b))


def spoken(found: Sequence[Period]) -> str:
    return ", ".join(dict.fromkeys(" ".join(filter(None, [p.part, str(p.year or "")])) for p in found))


def _telling_figures(claim: Claim) -> list[Reading]:
    """Leaves out counts in words, and the ends of a range, which may be an age or a time of day."""
    spelled = (r.quantity.is_small_count or r.quantity.text[:1].isalpha() for r in claim.figures)
    return [r for r, is_spelled in zip(claim.figures, spelled, strict=True) if not is_spelled and not r.quantity.span]


def _has(statement: Statement, ours: Reading) -> bool:
    return any(gives(r.quantity, ours.quantity) for r in readings(statement))


def _holding(ours: Reading, sources: Sources) -> list[Statement]:
    return [s for s in sources.statements if _has(s, ours)]


def _is_derived(claim: Claim, ours: Reading, sources: Sources) -> bool:
    return bool(derivation(claim, ours.quantity, sources.statements, [r.quantity for r in claim.figures]))


def _label(statement: Statement) -> frozenset[str]:
    return frozenset(content_stems(statement.cells[0][1])) if statement.is_row else frozenset[str]()


def _rivals(ours: Reading, sources: Sources, holding: Sequence[Statement]) -> Iterator[tuple[Statement, Reading]]:
    for statement in sources.statements:
        if statement not in holding:
            alike = (r for r in readings(statement) if _is_of_its_kind(ours.quantity, r.quantity))
            yield from ((statement, r) for r in alike)


def _is_of_its_kind(ours: Quantity, theirs: Quantity) -> bool:
    """A number in words never rivals one in digits, such as a sum of money."""
    is_written_alike = ours.text[:1].isalpha() == theirs.text[:1].isalpha()
    is_alike = comparable(ours, theirs) and bool(ours.measure) == bool(theirs.measure)
    # In prose, the number of shares does not contradict what they cost.
    return is_written_alike and is_alike and (ours.unit == theirs.unit or theirs.is_cell)


def _is_of_another_time(ours: Reading, theirs: Reading) -> bool:
    if not theirs.is_clear:
        return False
    if not theirs.periods:
        return bool(theirs.not_for) and all(p in theirs.not_for for p in ours.periods)
    if any(lies_within_a_range(p, theirs.clause) for p in ours.periods):
        return False
    return all(p.excludes(q) for p in ours.periods for q in theirs.periods)


def _is_of_a_part(ours: Reading, theirs: Reading) -> bool:
    """A quarter's figure is not the year's, although the year contains the quarter."""
    whole = [p for p in ours.periods if not p.part]
    return len(whole) == len(ours.periods) and bool(theirs.periods) and all(q.is_part_of_a_year for q in theirs.periods)


def _is_of_its_time(ours: Reading, theirs: Reading) -> bool:
    if not theirs.periods or gives(theirs.quantity, ours.quantity) or theirs.is_change != ours.is_change:
        return False
    return all(any(p.year in (None, q.year) and not p.excludes(q) for q in theirs.periods) for p in ours.periods)


def _at_the_time_named(claim: Claim, ours: Reading) -> Reading:
    """“Q1, Europe: 15.8 in 2025”: a claim with one figure and one quarter gives the figure for that quarter."""
    behind = next(
        (p for p, (at, _) in period_spans(claim.text) if _ITS_TIME.fullmatch(claim.text, ours.quantity.end, at)), None
    )
    if behind:
        return replace(ours, periods=(behind,), is_clear=True)
    behind_it = [
        claim.text[at:to] for p, (at, to) in period_spans(claim.text) if p in ours.periods and at > ours.quantity.end
    ]
    if behind_it and not any(words in ours.clause for words in behind_it):
        # “Plus 0.75 %; extending it to January 2025 …”: the date belongs to what follows.
        return replace(ours, periods=())
    compared = {p for p, (at, _) in period_spans(claim.text) if _COMPARED_TIME.search(claim.text[:at])}
    is_compared = compared & set(ours.periods) or _A_YEAR_LATER.match(claim.text, ours.quantity.end)
    if is_compared or _COMPARES.search(claim.text[: ours.quantity.start]):
        # “66 %, five points better than in 2022” is not for 2022; “£36,900 before” is not for the period named.
        return replace(ours, periods=())
    parts = tuple(p for p in claim.periods if p.part)
    return replace(ours, periods=parts) if len(claim.figures) == len(parts) == 1 else ours
