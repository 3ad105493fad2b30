"""What a table, or the claim's own figures, prove wrong: a figure of another row, a turn the other way.

A row is meant when the claim has every word of its label. What is printed elsewhere may still be right for another
reason, so nothing is said where any figure of the claim does stand in the row it names.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from masis.audit.checks.derivations import derivation
from masis.audit.checks.numbers import gives, locates
from masis.audit.checks.signature import LIKELY, Claim, Finding, Sources
from masis.audit.checks.turns import CHANGING
from masis.language.measures import NUMBER_WORDS
from masis.language.quantities import Quantity, comparable
from masis.language.readings import Reading, readings
from masis.language.statements import Statement
from masis.language.table_headers import GROUP
from masis.language.words import DOWNWARDS, FUNCTION_WORDS, UPWARDS, content_stems, directions, is_negated, stem, words

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
_NOUN_BEHIND = re.compile(
    r"[\w\s]{0,24}?,?\s(?:an?|the)\s(?P<turn>increase|decrease|rise|gain|drop|fall|decline|reduction) of\b",
    re.IGNORECASE,
)
_SIDE = re.compile(
    r"[\s\w]{0,7}?\s?(?P<turn>above|below|(?:higher|lower|more|less|longer|later|sooner|earlier|shorter) than)\b",
    re.IGNORECASE,
)
_MORE = frozenset("above higher more longer later".split())
_FOR_WHAT = re.compile(r"\s(?:for|in|on) (?:the )?(?P<name>[^\W\d_][\w-]*)(?=[,;.)]|\s(?:and|or)\b|\s*$)")
_WORD_BEFORE = re.compile(r"(?:^|[,;:(]|\band)\s*(?:[\w-]+ ){0,2}(?P<name>[^\W\d_][\w-]*):?\s[$€£(]{0,2}$")
_OTHER_SIGN = re.compile(
    r"\b(?:loss(?:es)?|deficits?|shortfall|negative|debt|outflows?|overspen\w+|underspen\w+|behind|short)\b",
    re.IGNORECASE,
)
"""Where a loss grows, the figure falls."""
_CONTRARY = {"up": {"down"}, "down": {"up"}, "before": {"after"}, "after": {"before"}}
_OTHER_MEASURE = re.compile(
    r"\b(?:shares?|margins?|proportion|percentage|ratio|pace|growth|average|per|mix)\b", re.IGNORECASE
)
_HIGHER_THAN = re.compile(r"\b(?:higher|lower|more|less|above|below) than\b", re.IGNORECASE)
_COUNTS = frozenset(content_stems(" ".join(NUMBER_WORDS)))
_NO_NAMES = frozenset(content_stems("total other sum subtotal net change average"))


def figure_of_another_row(claim: Claim, sources: Sources) -> Finding | None:
    """The claim names a row in full, and its figure stands in one that it does not mention."""
    said = frozenset(content_stems(claim.text))
    rows = [s for s in sources.statements if s.is_row]
    named = _named(rows, said)
    figures = [r.quantity for r in claim.figures if any(c.isdigit() for c in r.quantity.text)]
    levels = [r.quantity for row in named for r in readings(row) if not r.is_change]
    is_shared = any(gives(theirs, ours) for theirs in levels for ours in figures)
    for ours in figures if named else ():
        # Beside a figure of the row it names, only words right before or behind tell what another one is.
        meant = _labelled(claim.text, ours, named) if is_shared else named
        holding = [s for s in sources.statements if _gives(s, ours)]
        is_found = any(locates(r.quantity, ours) for s in holding for r in readings(s))
        if not meant or not is_found or any(s in meant or not s.is_row for s in holding):
            continue
        rival = next((r.quantity for s in meant for r in readings(s) if _is_alike(ours, r.quantity)), None)
        is_other = not any(_may_be_meant(s, meant, said) for s in holding)
        if rival and is_other and not derivation(claim, ours, sources, figures):
            why = f"the source gives {rival.in_words} for {meant[0].cells[0][1]}, {ours.in_words} for another row"
            return Finding("numbers_differ", why)
    return None


def _labelled(text: str, ours: Quantity, named: Sequence[Statement]) -> list[Statement]:
    """“$898 million of operating income”, “operating income of $898 million”."""
    before, behind = text[: ours.start].rstrip(" $€£(").lower(), text[ours.end :].lower()
    labels = ((row, row.cells[0][1].lower()) for row in named)
    return [row for row, label in labels if behind.startswith(f" of {label}") or before.endswith(f"{label} of")]


def _named(rows: Sequence[Statement], said: frozenset[str]) -> list[Statement]:
    """Rows of which the claim has every word, but not those that are a part of a longer name it has."""
    labels = {row: _label(row) for row in rows}
    full = {row: label for row, label in labels.items() if label - _NO_NAMES and label <= said}
    return [row for row, label in full.items() if not any(label < other for other in full.values())]


def _label(row: Statement) -> frozenset[str]:
    group = " ".join(cell for column, cell in row.cells if column == GROUP)
    stems = content_stems(f"{row.cells[0][1]} {group}")
    return frozenset(s for s in stems if not s[0].isdigit()) - _COUNTS


def _may_be_meant(row: Statement, named: Sequence[Statement], said: frozenset[str]) -> bool:
    """The claim has a word of its name; of a group's rows, which are named alike, a word of the group's."""
    group = frozenset(content_stems(" ".join(cell for column, cell in row.cells if column == GROUP)))
    if group and all(any(column == GROUP for column, _ in other.cells) for other in named):
        return bool(group & said)
    return not _label(row) or bool(_label(row) & said)


def _gives(statement: Statement, ours: Quantity) -> bool:
    return any(gives(r.quantity, ours) for r in readings(statement))


def _is_alike(ours: Quantity, theirs: Quantity) -> bool:
    return comparable(ours, theirs) and ours.measure == theirs.measure


def figures_swapped(claim: Claim, sources: Sources) -> Finding | None:
    """“£0.5m for IT and £0.8m for redundancy”, where a list of the source has IT £0.8m, redundancy £0.5m."""
    said = [(label, r.quantity) for r in claim.figures if (label := _its_label(claim.text, r.quantity))]
    for statement in sources.statements if said else ():
        if statement.is_row:
            continue
        listed = [(_word_before(statement.text, r.quantity), r.quantity) for r in readings(statement)]
        for label, ours in said:
            own = [q for name, q in listed if name == label]
            other = [name for name, q in listed if name and name != label and locates(q, ours)]
            if len(own) == 1 and other and _is_alike(ours, own[0]) and not gives(own[0], ours):
                why = f"the source gives {own[0].in_words} for {label}, {ours.in_words} for {other[0]}"
                return Finding("numbers_differ", why)
    return None


def _its_label(text: str, number: Quantity) -> str | None:
    behind = _FOR_WHAT.match(text, number.end)
    return stem(behind["name"].lower()) if behind else _word_before(text, number)


def _word_before(text: str, number: Quantity) -> str | None:
    """The noun that a figure stands right behind, in a list: “IT £0.8m, redundancy £0.5m”."""
    before = _WORD_BEFORE.search(text[: number.start])
    word = before["name"] if before else ""
    is_small = word.lower() in FUNCTION_WORDS | CHANGING | UPWARDS | DOWNWARDS and not word.isupper()
    return stem(word.lower()) if word and not is_small else None


def turned_the_other_way(claim: Claim, sources: Sources) -> Finding | None:
    """“Rose from 212 to 187”; “up 8 %” where the source has a fall by 8 %; “grew” where its row falls."""
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
            turn = _turn_of(_CLAUSE.split(_FROM.sub("", before).rstrip(" ,"))[-1]) or _turn_behind(claim.text, new)
        elif stepped := _UP_FROM.fullmatch(between):
            old, new, turn = new, old, stepped["turn"].lower()
        else:
            continue
        if turn and new.value != old.value and (turn == "up") != (new.value > old.value):
            return Finding("contradicted", f"from {old.in_words} to {new.in_words} is not {turn}")
    return None


def _turn_behind(text: str, number: Quantity) -> str | None:
    """“From 8.1 % to 5.9 %, a decrease of …”"""
    found = _NOUN_BEHIND.match(text, number.end)
    return ("up" if found["turn"].lower() in UPWARDS | {"gain", "rise"} else "down") if found else None


def _by_a_distance(claim: Claim) -> Finding | None:
    """“15.8 %, 5.2 points below the 21 %”: the distance is right, the side is not."""
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
    """Which way, by the word right before or behind a figure."""
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
    named = _named([s for s in sources.statements if s.is_row], said)
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
    """“The share of services grew” says nothing of what they brought in."""
    return any(m.group().lower() not in row.text.lower() for m in _OTHER_MEASURE.finditer(claim.text))


def _levels(claim: Claim, row: Statement) -> Iterator[Reading]:
    """The figures of a row, of the claim's own times where it names two."""
    found = [r for r in readings(row) if r.periods and not r.is_change]
    years = {p.year for p in claim.periods if p.year}
    if len({r.quantity.unit for r in found}) == 1 and len({r.periods[0].part for r in found}) == 1:
        yield from (r for r in found if len(years) < 2 or r.periods[0].year in years)
