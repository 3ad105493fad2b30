"""Does the source give this number, for this time and place? Every number of a claim, against its statements."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from masis.audit.derivations import derivation
from masis.audit.periods import Period, lies_within_a_range, periods
from masis.audit.quantities import Quantity, quantities
from masis.audit.readings import Reading, read_prose, readings
from masis.audit.statements import Statement
from masis.audit.words import content_stems, stem, words
from masis.types import Verdict

Fit = Literal["given", "unclear", "other_place", "other_time", "absent"]
_BEST_FIRST: tuple[Fit, ...] = ("given", "unclear", "other_place", "other_time", "absent")


@dataclass(frozen=True, slots=True)
class NumberFinding:
    verdict: Verdict
    """`supported` where all are given; `reason` then says what had to be computed, if anything."""
    reason: str = ""


def check_numbers(
    claim: str, wanted: set[str], sources: Sequence[Statement], quoted: Sequence[Statement]
) -> NumberFinding:
    """`quoted` are the statements closest to the claim, `sources` all that it cites."""
    about_it = [r for source in sources if is_about(source, wanted) for r in _all_readings(source)]
    findings = [_check(claim, ours, about_it, quoted) for ours in read_prose(claim)]
    for verdict in ("numbers_differ", "unverified"):
        if worst := next((f for f in findings if f.verdict == verdict), None):
            return worst
    return NumberFinding("supported", "; ".join(f.reason for f in findings if f.reason))


def is_about(source: Statement, wanted: set[str]) -> bool:
    """A figure from elsewhere on the page is no support."""
    shared = wanted & set(content_stems(source.in_context))
    return len(shared) * 3 >= len(wanted) and (not source.is_row or _names_the_row(wanted, source))


def _names_the_row(wanted: set[str], row: Statement) -> bool:
    """The rows of a table share their header; only the label tells them apart."""
    labels = [cell for _, cell in row.cells if not quantities(cell)]
    # A label that is a period is compared as one, with the number's own period.
    label = {s for cell in labels if not periods(cell) for s in content_stems(cell)}
    return not label or bool(wanted & label)


def _all_readings(source: Statement) -> Iterator[Reading]:
    for reading in readings(source):
        yield reading
        # The caption says per cent once for its whole table.
        says_percent = "%" in source.above or "percent" in source.above.lower()
        if source.is_row and says_percent and reading.quantity.unit != "percent":
            yield replace(reading, quantity=replace(reading.quantity, unit="percent"))


def _check(claim: str, ours: Reading, given: Sequence[Reading], quoted: Sequence[Statement]) -> NumberFinding:
    fits = {_fit(ours, theirs): theirs for theirs in given}
    best: Fit = next((fit for fit in _BEST_FIRST if fit in fits), "absent")
    if best == "given" or (best == "absent" and _is_own_count(claim, ours.quantity, given)):
        return NumberFinding("supported")
    if best == "unclear":
        return NumberFinding("unverified", f"which of its figures the source gives for {_when(ours)}, code cannot tell")
    if how := _computed(claim, ours, quoted):
        return NumberFinding("supported", f"{ours.quantity.text} is {how}")
    if best in ("other_time", "other_place"):
        return NumberFinding("numbers_differ", _misplaced(ours, fits[best], best))
    return NumberFinding("numbers_differ", _absent(ours.quantity, quoted))


def _fit(ours: Reading, theirs: Reading) -> Fit:
    if not ours.quantity.is_met_by(theirs.quantity):
        return "absent"
    if (ours.names & theirs.other_names) - theirs.names and theirs.names - ours.names:
        return "other_place"
    if not theirs.is_clear and (ours.periods or ours.names):
        return "unclear"
    fit = _fit_in_time(ours, theirs)
    in_range = fit == "other_time" and any(lies_within_a_range(p, theirs.clause) for p in ours.periods)
    return "unclear" if in_range else fit


def _fit_in_time(ours: Reading, theirs: Reading) -> Fit:
    if not ours.periods:
        return "given" if ours.is_clear or not theirs.periods else "unclear"
    if theirs.periods:
        return _overlap(ours.periods, theirs.periods)
    if theirs.not_for and not _excluded_by_all(ours.periods, theirs.not_for):
        return "other_time"
    return "unclear" if theirs.is_earlier and theirs.not_for else "given"


def _overlap(ours: Sequence[Period], theirs: Sequence[Period]) -> Fit:
    if _excluded_by_all(ours, theirs):
        return "other_time"
    # A quarter is not its year, though its year holds it.
    return "given" if any(not p.excludes(q) and not p.differs_from(q) for p in ours for q in theirs) else "unclear"


def _excluded_by_all(ours: Sequence[Period], theirs: Sequence[Period]) -> bool:
    return all(p.excludes(q) for p in ours for q in theirs)


def _is_own_count(claim: str, number: Quantity, given: Sequence[Reading]) -> bool:
    """“Three priorities” counts what follows, unless the source counts the same thing."""
    counted = _noun_after(claim, number)
    return number.is_small_count and not any(
        r.quantity.unit == "number" and counted and counted == _noun_after(r.clause, _placed(r)) for r in given
    )


def _placed(reading: Reading) -> Quantity:
    """The number as it stands in its own clause."""
    at = reading.clause.find(reading.quantity.text)
    return replace(reading.quantity, start=max(at, 0), end=max(at, 0) + len(reading.quantity.text))


def _noun_after(text: str, number: Quantity) -> str | None:
    following = words(text[number.end :])[:1]
    return stem(following[0]) if following else None


def _computed(claim: str, ours: Reading, quoted: Sequence[Statement]) -> str | None:
    return derivation(claim, ours.quantity, [r for statement in quoted for r in readings(statement)])


def _misplaced(ours: Reading, theirs: Reading, fit: Fit) -> str:
    if fit == "other_place":
        return f"the source gives {theirs.quantity.text} for {', '.join(sorted(n.title() for n in theirs.names))}"
    when = f" for {named(theirs.periods)}" if theirs.periods else ""
    return f"the source gives {theirs.quantity.text}{when}, not for {_when(ours)}"


def _absent(number: Quantity, quoted: Sequence[Statement]) -> str:
    same_unit = [r.quantity for statement in quoted for r in _all_readings(statement) if r.quantity.unit == number.unit]
    others = [q.in_words for q in same_unit if not number.agrees_with(q) and q.text != number.text]
    instead = f"; it says {', '.join(dict.fromkeys(others))}" if others else ""
    return f"the source does not give {number.in_words} for this{instead}"


def _when(reading: Reading) -> str:
    return named(reading.periods) or "this"


def named(found: Sequence[Period]) -> str:
    return ", ".join(dict.fromkeys(" ".join(filter(None, [p.part, str(p.year or "")])) for p in found))
