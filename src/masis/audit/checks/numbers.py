"""Checks every number of a claim against everything the claim cites: does the source give it, in this currency and
scale?"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from masis.audit.checks.derivations import could_follow, derivation, may_be_computed
from masis.audit.checks.signature import FOR_A_MODEL, LIKELY, Claim, Finding, Sources
from masis.language.measures import MEASURES
from masis.language.quantities import SCALES, Quantity, quantities
from masis.language.readings import Reading, readings
from masis.language.words import directions, words

ARITHMETIC = re.compile(
    r"(?P<a>[$€£]?\d[\d,.]*\d|\d)\s?(?:%|(?P<a_in>[a-z]+))?\s(?P<op>[-−–+/÷×*]|divided by)\s"
    r"(?P<b>[$€£]?\d[\d,.]*\d|\d)\s?(?:%|(?P<b_in>thousand|million|billion)\b)?(?:\s?=\s?[$€£]?(?P<c>-?\d[\d,.]*\d|\d))?"
)
_CHANGE = re.compile(r"\b(?:changed?|growth|grown|difference|turn)\b|[+−]\s?\d", re.IGNORECASE)
_FISCAL_YEAR = re.compile(r"(?:19|20)\d\d[/–-]\d\d$")
_COMPARED_AMOUNTS = re.compile(
    r"\bvs\b|\bto\b.{1,80}\bfrom\b"
    r"|\b(?:a )?change of\b|\bfrom\b.{1,80}\bto\b|\b(?:up|down)\b.{1,20}\bfrom\b|\bagainst\b"
    r"|\bcompared (?:with|to)\b",
    re.IGNORECASE,
)
_NAMES_A_PERIOD = re.compile(
    r"(?:\w+[ -](?:and|or) )?\w+[ -](?:months?|weeks?|quarters?)[ -](?:to|ended|ending|through|until)\b"
    r"|(?<=\bthe )\w+ (?:months|weeks|quarters)\b",
    re.IGNORECASE,
)
"""“The nine months to September 30”: a filing says this in the head of a table."""
_PARTS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_NUMERATORS = {"two": 2, "three": 3, "four": 4}
_FRACTION = re.compile(
    r"\b(?:(?P<n>one|two|three|four)[ -])?(?P<of>half|halves|thirds|quarters|fifths?|tenths?)\b", re.IGNORECASE
)
_NOT_EXCEEDED = re.compile(r"\b(?:never|not|cannot|no)\b[^.;]{0,12}\bexceed(?:s|ed|ing)?\s+\S{0,4}$", re.IGNORECASE)
_CONVERTED = re.compile(r"\s?[^\W\d_/°²³]{1,12}[/²³\w]{0,6}\s?\((?:about |roughly |ca\.? |approx\.? |or )?")
"""What separates “6” from “600” in “6 bar (600 kPa)”: a unit and an opening bracket."""
_ENDS_HERE = re.compile(r"\s*(?:[.,;)]\s|[.,;)]?$)")
_POINTS = re.compile(r"\s(?:percentage )?points\b")
_ROUNDED_TWICE = 0.06
"""Share by which a stated change may differ from the recomputed one, because both ends and the change are rounded."""
_BELOW_ZERO = re.compile(
    r"\b(?:loss(?:es)?|negative|minus|deficits?|outflows?|shortfalls?|used|burn\w*|below zero|sub-zero|absorbed)\b",
    re.IGNORECASE,
)
_CAN_BE_EITHER = re.compile(
    r"\b(?:(?:net|operating|pre-?tax|comprehensive) income|net result|profits?|earnings"
    r"|EBITD?A?|EPS|(?:free|operating) cash flow|margins?)\b",
    re.IGNORECASE,
)
_NEAR = 0.5
"""A bound is met only by a figure within this factor of it."""
PRECISE = 0.02
"""A figure whose rounding allows at most this share of its value identifies one number."""
_LIKELY_PERCENTAGE = 200
"""A bare cell above this value is an amount, not a percentage."""


def gives(theirs: Quantity, ours: Quantity) -> bool:
    """The source's number equals the claim's, rounded to as many digits as the claim gives. A bare cell may be a
    percentage, and is still the bare number where only the caption says so; a sign is compared as a direction."""
    if ours.is_met_by(theirs, exact=True):
        # “Up to 15,000” is not supported by just any smaller number.
        is_far = theirs.scaled == ours.scaled and not theirs.is_cell and not _NEAR < _ratio(ours, theirs) < 1 / _NEAR
        return ours.bound is None or not is_far or ours.agrees_with(theirs, exact=True)
    if theirs.unit == "percent" and theirs.text[-1:].isdigit() and ours.unit == "number" and not ours.measure:
        return not ours.scaled and ours.agrees_with(replace(theirs, unit="number"), exact=True)
    if ours.unit not in ("percent", "points") or theirs.unit != "number" or theirs.measure or theirs.scaled:
        return False
    return abs(theirs.value) < _LIKELY_PERCENTAGE and replace(ours, unit="number").agrees_with(theirs, exact=True)


def locates(theirs: Quantity, ours: Quantity) -> bool:
    """The source has this very figure, not merely one that rounds to it: both 270 and 320 thousand round to “0.3m”."""
    is_precise = ours.tolerance <= PRECISE * abs(ours.value)
    sizes = (abs(theirs.value) * factor for factor in (1, 1e3, 1e6, 1e9))
    return gives(theirs, ours) and (is_precise or any(abs(s - abs(ours.value)) <= 1e-6 * s for s in sizes))


def _ratio(ours: Quantity, theirs: Quantity) -> float:
    return abs(ours.value / theirs.value) if theirs.value else 0.0


def unfounded_figure(claim: Claim, sources: Sources) -> Finding | None:
    """The figure is neither printed in the cited passages nor computable from figures that are."""
    given = [q for r in claim.figures if is_given(q := _as_meant(claim, r.quantity, sources), sources)]
    doubt: Finding | None = None
    for reading in claim.figures:
        number = _as_meant(claim, reading.quantity, sources)
        if number in given:
            continue
        if number.value in (0, 1) and number.unit == "number" and not number.scaled:
            # “1 ton of it”, “between 0 and 80”: such numbers are not taken from a source.
            continue
        is_own_count = number.is_small_count and not _counts_otherwise(claim, number, sources)
        is_own_count |= _counts_its_list(claim, number)
        names_a_period = _NAMES_A_PERIOD.match(claim.text, number.start)
        if is_own_count or names_a_period or _is_converted(claim, number, given):
            continue
        if derivation(claim, number, sources.statements, given):
            # “From 14.9% (400 / 2,677) to 16.6% (422 / 2,548), +1.6 pp”: the shares, once recomputed, count as given.
            given.append(number)
            continue
        is_counted = _may_be_counted(number) and not _has_a_rival(claim, number, sources)
        if is_counted or could_follow(claim, number, sources, reading.clause, bool(given)):
            doubt = Finding(
                "unverified", f"{number.in_words} may be the writer's own arithmetic: code cannot verify it"
            )
            continue
        is_misscaled = number.value and any(gives(q, number) for q in sources.printed)
        is_open = sources.is_asked_with(number) or (not is_misscaled and may_be_computed(claim, number, sources))
        at = FOR_A_MODEL if is_open else None
        return Finding("numbers_differ", _absent(number, claim, sources), withdrawn_at=at)
    return doubt


def _as_meant(claim: Claim, number: Quantity, sources: Sources) -> Quantity:
    """“Must never exceed 6 bar” means 6 bar itself; “points” are percentage points unless the source has that bare
    number."""
    if _POINTS.match(claim.text, number.end) and number.unit == "number" and not is_given(number, sources):
        return replace(number, unit="points")
    if number.unit == "number" and not number.measure and _ENDS_HERE.match(claim.text, number.end):
        # “It was down for 60 hours, and the cover begins after 72”: the 72 are hours too.
        before = (r.quantity.measure for r in reversed(claim.figures) if r.quantity.end <= number.start)
        number = replace(number, measure=next(filter(None, before), None))
    return replace(number, bound=None) if _NOT_EXCEEDED.search(claim.text[: number.start]) else number


def _may_be_counted(number: Quantity) -> bool:
    """“In just under three years”, “one in nine”: such numbers are as often computed from dates, amounts or rows as
    read."""
    return number.measure is not None or not any(c.isdigit() for c in number.text)


def _has_a_rival(claim: Claim, number: Quantity, sources: Sources) -> bool:
    """The source gives a figure of the same measure that the claim does not mention."""
    if number.measure is None and _counts_otherwise(claim, number, sources):
        return True
    kind = MEASURES[number.measure][0] if number.measure else None
    alike = [q for q in sources.quantities if q.measure and MEASURES[q.measure][0] == kind]
    return any(not any(r.quantity.agrees_with(q) for r in claim.figures) for q in alike)


def _is_converted(claim: Claim, number: Quantity, given: Sequence[Quantity]) -> bool:
    """“6 bar (600 kPa)”: the figure repeats the one before it in another unit."""
    before = next((q for q in reversed(given) if q.end <= number.start), None)
    return before is not None and _CONVERTED.fullmatch(claim.text, before.end, number.start) is not None


def _counts_otherwise(claim: Claim, number: Quantity, sources: Sources) -> bool:
    """“Three priorities” counts the items that follow in the claim, unless the source counts the same thing."""
    counted = words(claim.text[number.end :])[:1]
    theirs = (words(sources.text[q.end :][:40])[:1] for q in quantities(sources.text) if q.unit == "number")
    return bool(counted) and counted in theirs


_LIST = re.compile(r"[^:.]{0,80}: (?P<items>.+)", re.DOTALL)
_BETWEEN_ITEMS = re.compile(r",\s|;\s|\sand\s")


def _counts_its_list(claim: Claim, number: Quantity) -> bool:
    """“Seven, Film (Year: 2013): …” with seven items behind it. An item may have a comma in it."""
    listed = _LIST.match(claim.text, number.end)
    is_count = number.unit == "number" and not number.scaled and number.value > 1
    return bool(is_count and listed and number.value <= len(_BETWEEN_ITEMS.split(listed["items"])))


def is_given(number: Quantity, sources: Sources) -> bool:
    printed = (q for q in sources.printed if gives(q, number))
    if any(_fits_the_scale(number, q, sources) for q in printed) or _stands_bare(number, sources):
        return True
    if number.unit == "percent" and any(abs(f - number.value) <= 2 for f in _in_fractions(sources.text)):
        return True
    # “The first nine months” occurs in the head of a table, where it is not read as a quantity.
    spelled = number.measure and rf"\b{re.escape(number.text)}[\s-]{re.escape(number.measure)}"
    return bool(spelled) and re.search(str(spelled), f"{sources.around}\n{sources.text}", re.IGNORECASE) is not None


def _in_fractions(text: str) -> list[float]:
    """“Two fifths” is 40 %."""
    found = ((m["n"] or "one", m["of"]) for m in _FRACTION.finditer(text))
    return [100 * _NUMERATORS.get(n.lower(), 1) / _PARTS[of.lower().rstrip("s")] for n, of in found]


def _stands_bare(number: Quantity, sources: Sources) -> bool:
    """“50 psi” where the source has “50psi”; “aged 21 to 32 years” where it has “between 21 and 32”."""
    is_exact = number.bound in (None, "about") or number.span
    if number.unit != "number" or number.scaled or not is_exact or not number.text[:1].isdigit():
        return False
    if any(q.text == number.text and (q.measure or q.rate) for q in sources.quantities):
        return False
    # In “after 2000 hours”, the number may have been read as a year.
    written = "|".join(map(re.escape, {number.text, number.text.replace(",", "")}))
    return re.search(rf"(?<![\d.,])(?:{written})(?!\d|[.,]\d)", sources.text) is not None


def _fits_the_scale(ours: Quantity, theirs: Quantity, sources: Sources) -> bool:
    """“$5 billion” matches a cell of 5,012 if the passage says “in millions”, but not if it says “in thousands”."""
    if not ours.scaled or theirs.scaled or not theirs.value or not sources.scales:
        return True
    return any(abs(ours.value) / 2 <= abs(theirs.value) * scale <= abs(ours.value) * 2 for scale in sources.scales)


def _absent(number: Quantity, claim: Claim, sources: Sources) -> str:
    window = sources.window(claim)
    closest = [r.quantity for part in window.parts for r in readings(part)] if window else []
    others = dict.fromkeys(q.in_words for q in closest if q.unit == number.unit and not number.agrees_with(q))
    instead = f"; it says {', '.join(others)}" if others else ""
    return f"the source does not give {number.in_words} for this{instead}"


def foreign_currency(claim: Claim, sources: Sources) -> Finding | None:
    """The claim gives euros where every amount in the source that names a currency is in dollars."""
    named = {q.currency for q in sources.quantities if q.currency}
    other = next((r.quantity for r in claim.figures if r.quantity.currency and r.quantity.currency not in named), None)
    if other is None or not named or str(other.currency) in sources.text:
        return None
    return Finding("numbers_differ", f"the source gives amounts in {', '.join(sorted(named))}, not {other.text}")


def wrong_arithmetic(claim: Claim, sources: Sources) -> Finding | None:
    """“(14.6 − 12.5 = 8.5)”: a calculation that the claim shows must be right, either at its own equals sign or at
    another figure of the claim."""
    for shown in ARITHMETIC.finditer(claim.text):
        if shown["op"] in "-–" and not shown["c"] and not claim.text[: shown.start()].endswith("("):
            # “2020 - 2024” and “a 10 - 2 majority” are not subtractions.
            continue
        around = [r.quantity for r in claim.figures if not shown.start() <= r.quantity.start < shown.start("b") + 1]
        values = [(abs(q.value), q.tolerance) for q in around if q.text[:1].isdigit() or not q.text[:1].isalpha()]
        if not values or not (shown["c"] or claim.text[: shown.start()].endswith("(")):
            # “One and a half times (131 / 88.2)” gives the result in words; “that is 1,052 / 241.6” gives it earlier.
            continue
        a, b = (float(re.sub(r"[^\d.]", "", shown[name]).rstrip(".") or 0) for name in ("a", "b"))
        if shown["a_in"] != shown["b_in"] and shown["a_in"] in SCALES and shown["b_in"] in SCALES:
            a, b = a * SCALES[shown["a_in"]], b * SCALES[shown["b_in"]]
        made = _computed(a, shown["op"], b)
        if made is None or made == 0:
            continue
        # The operands are read without units, so the result may be a percentage or have a scale.
        results = [abs(made) * factor for factor in (1, 100, 1e3, 1e6, 1e9)]
        results += [abs(a / b - 1) * 100] if b and (directions(claim.text) or _CHANGE.search(claim.text)) else []
        if not any(abs(value - result) <= 1.01 * tolerance for value, tolerance in values for result in results):
            return Finding("numbers_differ", f"{shown.group().strip()} comes to {abs(made):,.6g}")
    return None


def wrong_change(claim: Claim, sources: Sources) -> Finding | None:
    """“$304,182 against $282,457, 6 %”, “by 5 points, from 37.3 % to 39.2 %”: where a claim gives two figures and their
    change, the three must agree."""
    if not _COMPARED_AMOUNTS.search(claim.text):
        return None
    read = [
        r for r in claim.figures if not _FISCAL_YEAR.search(claim.text[max(0, r.quantity.start - 5) : r.quantity.end])
    ]
    # “24% of the total” is a share, not a change.
    shares = [r for r in read if r.quantity.unit == "percent" and not claim.text.startswith(" of ", r.quantity.end)]
    amounts = [r for r in read if _is_an_amount(r.quantity)]
    points = [r for r in read if r.quantity.unit == "points"]
    by = [r for r in amounts if r.is_change]
    levels = [r for r in amounts if not r.is_change]
    if len(shares) == 1 and len(levels) == 2 and len(by) < 2:
        return _is_not_the_change(claim, levels, shares[0], _in_percent) or (
            _is_not_the_change(claim, levels, by[0], _in_units)
            if by and by[0].quantity.unit == levels[0].quantity.unit
            else None
        )
    if len(levels) == 2 and len(by) == 1 and not shares and len({r.quantity.unit for r in amounts}) == 1:
        return _is_not_the_change(claim, levels, by[0], _in_units)
    if len(shares) == 2 and len(points) == 1:
        return _is_not_the_change(claim, shares, points[0], _in_units)
    return None


def _is_not_the_change(
    claim: Claim, levels: Sequence[Reading], change: Reading, made_of: Callable[[float, float], list[float]]
) -> Finding | None:
    (x, y), by = (r.quantity for r in levels), change.quantity
    if ";" in claim.text[min(q.start for q in (x, y, by)) : max(q.end for q in (x, y, by))]:
        # “Sales +5%; profit went from 101 to 372”: the change belongs to another figure.
        return None
    a, b = abs(x.value), abs(y.value)
    made = made_of(a, b)
    # Rounded figures yield a rounded change.
    slack = (
        x.tolerance + y.tolerance if made_of is _in_units else 100 * (x.tolerance / (a or 1) + y.tolerance / (b or 1))
    )
    if any(abs(v - abs(by.value)) <= max(slack + by.tolerance, _ROUNDED_TWICE * v) for v in made):
        return None
    return Finding("numbers_differ", f"from {x.text} to {y.text} is not {by.text}", withdrawn_at=LIKELY)


def _in_percent(a: float, b: float) -> list[float]:
    pairs = [(x, y) for x, y in ((a, b), (b, a)) if y]
    return [abs(x / y - 1) * 100 for x, y in pairs] + [x / y * 100 for x, y in pairs]


def _in_units(a: float, b: float) -> list[float]:
    return [abs(a - b), a + b]


def _is_an_amount(number: Quantity) -> bool:
    return number.unit in ("money", "number") and not number.measure and not number.is_small_count


def wrong_sign(claim: Claim, sources: Sources) -> Finding | None:
    """A loss is not a profit: the source gives the figure only as negative, and no word of the claim says so."""
    for ours in claim.figures:
        theirs = [r for s in sources.statements for r in readings(s) if gives(r.quantity, ours.quantity)]
        is_in_brackets = claim.text[: ours.quantity.start].rstrip("$€£ ").endswith("(")
        if ours.quantity.value > 0 and not is_in_brackets and theirs and all(_is_below_zero(ours, r) for r in theirs):
            return Finding("numbers_differ", f"the source gives {theirs[0].quantity.text} below zero")
    return None


def _is_below_zero(ours: Reading, theirs: Reading) -> bool:
    if theirs.quantity.value >= 0 or ours.quantity.unit == "points" or ours.is_change or theirs.is_change:
        return False
    if any(_BELOW_ZERO.search(r.clause) or directions(r.clause) for r in (ours, theirs)):
        return False
    # Costs are put in brackets by convention, without being negative.
    is_plain = bool(ours.quantity.currency or ours.quantity.measure)
    either = _CAN_BE_EITHER.search(theirs.clause) is not None and _CAN_BE_EITHER.search(ours.clause) is not None
    return either if theirs.is_in_a_row else is_plain or _CAN_BE_EITHER.search(ours.clause) is not None


def _computed(a: float, operator: str, b: float) -> float | None:
    if operator in ("/", "÷", "divided by"):
        return a / b if b else None
    if operator in ("×", "*"):
        return a * b
    return a + b if operator == "+" else a - b
