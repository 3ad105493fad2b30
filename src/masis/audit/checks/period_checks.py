"""Does the source speak of the time that the claim speaks of?"""

from collections.abc import Sequence

from masis.audit.checks.number_checks import named
from masis.audit.checks.windows import NUMBERS_WEIGH, Window, coverage_of, subject_of
from masis.language.periods import Period, lies_within_a_range, periods
from masis.language.readings import readings
from masis.language.statements import Statement
from masis.types import Verdict


def check_periods(claim: str, window: Window, sources: Sequence[Statement]) -> tuple[Verdict, str]:
    meant = [p for part in window.parts for r in readings(part) for p in r.periods]
    here = periods(window.text) + meant + periods(window.chunk.get("date") or "")
    elsewhere = periods(window.chunk["text"]) + periods(window.chunk["file_name"].replace("_", " "))
    known = here or elsewhere
    for period in periods(claim):
        if _is_foreign(period, known) and not _is_given_for_it(period, claim, window, sources):
            if lies_within_a_range(period, window.text):
                return "unverified", f"the source speaks of a span of years, not of {named([period])} itself"
            return "numbers_differ", f"the source speaks of {named(known)}, not of {named([period])}"
        if not known and period.year:
            return "numbers_differ", f"the source does not mention {period.year}"
    return "supported", ""


def _is_given_for_it(period: Period, claim: str, window: Window, sources: Sequence[Statement]) -> bool:
    """Another statement, as much about the claim as the closest one, speaks of that time."""
    wanted, least = subject_of(claim), max(0.5, window.coverage - NUMBERS_WEIGH)
    about = (s for s in sources if coverage_of(wanted, (s,)) >= least)
    return any(
        period == other or (other.year == period.year and not period.part)
        for s in about
        for other in periods(s.in_context)
    )


def _is_foreign(period: Period, known: list[Period]) -> bool:
    """Years are compared apart: a row may give its quarter in one cell and its year in another."""
    years = {other.year for other in known if other.year}
    if period.year and years and period.year not in years:
        return True
    return bool(known) and all(period.excludes(other) for other in known)
