"""Does the source give this number, for this time and place? Every number of a claim, against its statements."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from masis.audit.checks.conversions import is_converted
from masis.audit.checks.derivations import COMPUTED, could_be_computed, derivation
from masis.audit.checks.signs import has_other_sign
from masis.language.languages import differ
from masis.language.measures import MEASURES
from masis.language.periods import Period, lies_within_a_range, periods
from masis.language.quantities import SCALES, Quantity, comparable, quantities
from masis.language.rates import frequencies
from masis.language.readings import Reading, read_prose, readings
from masis.language.statements import Statement, stems_of
from masis.language.words import content_stems, stem, words
from masis.types import Verdict

COUNTS_ITS_YEARS = re.compile(r"\b(?:19|20)\d\d\s*(?:to|-|–|through|and|until)\s*(?:19|20)\d\d\b")
SAID_ONCE = re.compile(
    r"\bin\s(?:US\s?)?(?:(?:[$€£]|USD|EUR|GBP|CHF|dollars|euros)\s?)?(?:thousands|millions|billions)\b", re.IGNORECASE
)
"""“All amounts are in millions of euros”: the sentences around it give their figures bare."""
_MEASURE_STEMS = frozenset(stem(form) for form in (*MEASURES, *SCALES))
Fit = Literal["given", "unclear", "other_place", "other_time", "absent"]
_BEST_FIRST: tuple[Fit, ...] = ("given", "unclear", "other_place", "other_time", "absent")


@dataclass(frozen=True, slots=True)
class Operands:
    """Numbers that may be computed with: of one statement, or of one column of the rows that the claim names."""

    groups: Sequence[Sequence[Reading]]
    named: Sequence[Sequence[Reading]]
    """Those of rows that the claim names in full."""


@dataclass(frozen=True, slots=True)
class NumberFinding:
    verdict: Verdict
    """`supported` where all are given; `reason` then says what had to be computed, if anything."""
    reason: str = ""


def check_numbers(
    claim: str, wanted: set[str], sources: Sequence[Statement], quoted: Sequence[Statement]
) -> NumberFinding:
    """`quoted` are the statements closest to the claim, `sources` all that it cites."""
    about = _named_best([source for source in sources if is_about(source, wanted)], claim, wanted)
    about_it = [r for source in about for r in _all_readings(source)]
    if any(SAID_ONCE.search(source.in_context) for source in sources):
        about_it = [replace(r, quantity=_as_in_a_table(r.quantity)) for r in about_it]
    operands = _operands(wanted, about, quoted)
    beside = [r for source in _neighbours(sources, set(about), set(quoted)) for r in readings(source)]
    findings = [
        _check(claim, ours, [*about_it, *(r for r in beside if _is_said_alike(ours, r))], quoted, operands)
        for ours in read_prose(claim)
    ]
    findings = [_if_elsewhere(f, ours, sources, quoted) for f, ours in zip(findings, read_prose(claim), strict=True)]
    if differ(claim, " ".join(statement.text for statement in quoted)):
        findings = [_if_translated(f, ours, quoted) for f, ours in zip(findings, read_prose(claim), strict=True)]
    findings += _check_frequencies(claim, about, quoted)
    for verdict in ("numbers_differ", "unverified"):
        if worst := next((f for f in findings if f.verdict == verdict), None):
            return worst
    return NumberFinding("supported", "; ".join(f.reason for f in findings if f.reason))


def _as_in_a_table(number: Quantity) -> Quantity:
    is_bare = number.unit in ("number", "money") and not number.scaled and not number.measure
    return replace(number, is_cell=number.is_cell or is_bare)


def _check_frequencies(claim: str, about: Sequence[Statement], quoted: Sequence[Statement]) -> Iterator[NumberFinding]:
    """“Once weekly” is wrong where the closest words say “once daily”; where they say nothing, code knows nothing."""
    here = frequencies(" ".join(statement.text for statement in quoted))
    anywhere = {often for statement in about for often in frequencies(statement.text)} | set(here)
    for often, said in frequencies(claim).items():
        if here and often not in anywhere:
            yield NumberFinding("numbers_differ", f"the source says {', '.join(here.values())}, not {said}")


def _if_elsewhere(
    finding: NumberFinding, ours: Reading, sources: Sequence[Statement], quoted: Sequence[Statement]
) -> NumberFinding:
    """A number that stands elsewhere in the passage is wrong here only where the closest words give another one."""
    number = ours.quantity
    if finding.verdict != "numbers_differ" or any(_rivals(number, quoted)):
        return finding
    elsewhere = any(number.agrees_with(r.quantity) for s in sources if s not in quoted for r in readings(s))
    said = f"the source gives {number.in_words} elsewhere: code cannot tell whether for this"
    return NumberFinding("unverified", said) if elsewhere else finding


def _if_translated(finding: NumberFinding, ours: Reading, quoted: Sequence[Statement]) -> NumberFinding:
    """“Um 12 %” for “by 12%”: the closest sentence has the number, and cannot share words with the claim."""
    in_prose = [r for statement in quoted if not statement.is_row for r in readings(statement)]
    if finding.verdict != "numbers_differ" or not any(_fit(ours, theirs) == "given" for theirs in in_prose):
        return finding
    return NumberFinding("unverified", f"the source gives {ours.quantity.in_words}, in another language")


def _rivals(number: Quantity, quoted: Sequence[Statement]) -> list[Quantity]:
    """Figures of its own kind: any cell of a row, and in a sentence those that could be meant for it."""
    in_rows = [r.quantity for statement in quoted if statement.is_row for r in readings(statement)]
    in_prose = [r.quantity for statement in quoted if not statement.is_row for r in readings(statement)]
    alike = [q for q in in_prose if comparable(number, q) and bool(q.measure) == bool(number.measure)]
    return [*in_rows, *alike]


def is_about(source: Statement, wanted: set[str]) -> bool:
    """A figure from elsewhere on the page is no support."""
    shared = wanted & stems_of(source)
    return len(shared) * 3 >= len(wanted) and (not source.is_row or _names_the_row(wanted, source))


def _neighbours(sources: Sequence[Statement], about: set[Statement], quoted: set[Statement]) -> Iterator[Statement]:
    """A claim may join two sentences: “Add tomatoes. Let simmer for 5 minutes.”"""
    near = about | quoted
    for before, here, behind in zip([None, *sources], sources, [*sources[1:], None], strict=False):
        if here not in about and not here.is_row and near & {before, here, behind}:
            yield here


def _is_said_alike(ours: Reading, theirs: Reading) -> bool:
    """The clauses of the two numbers share a word besides their measure."""
    a, b = (_spoken(reading) for reading in (ours, theirs))
    return bool(a & b)


def _spoken(reading: Reading) -> set[str]:
    return {s for s in content_stems(reading.clause) if not s[0].isdigit() and s not in _MEASURE_STEMS}


def _named_best(about: Sequence[Statement], claim: str, wanted: set[str]) -> list[Statement]:
    """ "Underlying EBITDA" names that row and not the one called "EBITDA", unless the claim says the word twice."""
    labels = {source: _label(source) for source in about if source.is_row}
    in_full = [label for label in labels.values() if label and label <= wanted]
    said = Counter(content_stems(claim))

    def is_outdone(source: Statement) -> bool:
        label = labels.get(source, frozenset())
        return any(label < other and all(said[s] == 1 for s in label) for other in in_full) if label else False

    return [source for source in about if not is_outdone(source)]


def _label(row: Statement) -> frozenset[str]:
    return frozenset(s for s in content_stems(row.cells[0][1]) if not s[0].isdigit())


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


def _check(
    claim: str, ours: Reading, given: Sequence[Reading], quoted: Sequence[Statement], operands: Operands
) -> NumberFinding:
    fits = {_fit(ours, theirs): theirs for theirs in given}
    best: Fit = next((fit for fit in _BEST_FIRST if fit in fits), "absent")
    is_own = _is_own_count(claim, ours.quantity, given) or is_converted(claim, ours.quantity)
    if best == "given" or (best == "absent" and is_own):
        return NumberFinding("supported")
    if best == "unclear":
        return NumberFinding("unverified", f"which of its figures the source gives for {_when(ours)}, code cannot tell")
    if how := derivation(claim, ours.quantity, operands.groups):
        return NumberFinding("supported", f"{ours.quantity.text} is {how}")
    if best in ("other_time", "other_place"):
        return NumberFinding("numbers_differ", _misplaced(ours, fits[best], best))
    is_given_otherwise = any(_is_same_figure(ours.quantity, r.quantity) for r in given)
    if (
        COMPUTED.search(claim)
        and not is_given_otherwise
        and not could_be_computed(claim, ours.quantity, operands.named)
    ):
        return NumberFinding(
            "unverified", f"{ours.quantity.text} would have to be computed: code cannot tell from what"
        )
    return NumberFinding("numbers_differ", _absent(ours.quantity, quoted))


def _is_same_figure(a: Quantity, b: Quantity) -> bool:
    """The same digits in another unit: 1.6 percentage points for 1.6 %."""
    return a.unit != b.unit and a.value == b.value and "percent" in (a.unit, b.unit)


def _fit(ours: Reading, theirs: Reading) -> Fit:
    if not ours.quantity.is_met_by(theirs.quantity) or has_other_sign(ours, theirs):
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
    parts = [[p for p in found if p.part] for found in (ours, theirs)]
    if _excluded_by_all(ours, theirs) or (all(parts) and _excluded_by_all(*parts)):
        return "other_time"
    # A quarter is not its year, though its year holds it.
    return "given" if any(not p.excludes(q) and not p.differs_from(q) for p in ours for q in theirs) else "unclear"


def _excluded_by_all(ours: Sequence[Period], theirs: Sequence[Period]) -> bool:
    return all(p.excludes(q) for p in ours for q in theirs)


def _is_own_count(claim: str, number: Quantity, given: Sequence[Reading]) -> bool:
    """“Three priorities” counts what follows, unless the source counts the same thing; so do “the 3 years from 2017
    to 2019”."""
    if number.measure in ("year", "years") and COUNTS_ITS_YEARS.search(claim):
        return True
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


def _operands(wanted: set[str], about: Sequence[Statement], quoted: Sequence[Statement]) -> Operands:
    statements = list(dict.fromkeys([*quoted, *about]))
    groups = [list(readings(statement)) for statement in statements]
    columns: dict[tuple[Period, ...], list[Reading]] = {}
    for row in (statement for statement in statements if statement.is_row):
        for reading in readings(row):
            columns.setdefault(reading.periods, []).append(reading)
    two_sentences = [r for statement in quoted if not statement.is_row for r in readings(statement)]
    named = [group for group, statement in zip(groups, statements, strict=True) if _is_named(statement, wanted)]
    return Operands(_of_several([*groups, *columns.values(), two_sentences]), _of_several(named))


def _of_several(groups: Sequence[Sequence[Reading]]) -> list[Sequence[Reading]]:
    return [group for group in groups if len(group) > 1]


def _is_named(statement: Statement, wanted: set[str]) -> bool:
    """The claim has every word of the row's label: this is the row it means."""
    label = _label(statement) if statement.is_row else frozenset[str]()
    return bool(label) and label <= wanted


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
