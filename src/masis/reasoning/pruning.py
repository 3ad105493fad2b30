"""Prunes evidence that is too long for the writer to the sentences and rows relevant to the question.

Nothing is rewritten: what remains is verbatim, with the headings, table headers and unit lines above it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from masis.embedded.selector import select_all
from masis.language.statements import LEANS_BACK, Statement, statements
from masis.reasoning.ports import Passage

CUT = " … "


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or a row, and where it is."""

    passage: int
    place: int
    statement: Statement


def pruned(question: str, passages: Sequence[Passage], limit: int) -> list[Passage]:
    """Shortens all passages to `limit` characters in total. Passages without anything relevant are dropped."""
    if sum(len(passage.text) for passage in passages) <= limit:
        return list(passages)
    read = [statements(passage.text, passage.heading) for passage in passages]
    units = [_Unit(p, n, one) for p, found in enumerate(read) for n, one in enumerate(found)]
    scores = _bearing(question, passages, read)
    ranked = [unit for _, unit in sorted(zip(scores, units, strict=True), key=lambda pair: -pair[0])]
    kept = _within(limit, ranked, read, passages)
    return [_cut(passage, read[p], kept[p]) for p, passage in enumerate(passages) if kept[p]]


def _bearing(question: str, passages: Sequence[Passage], read: Sequence[Sequence[Statement]]) -> list[float]:
    """The probability that each unit belongs to the answer, from the embedded selector, which reads it in its
    passage."""
    leads = [passage.stands_under for passage in passages]
    spans = [[(len(lead) + s.start, len(lead) + s.end) for s in found] for lead, found in zip(leads, read, strict=True)]
    texts = [lead + passage.text for lead, passage in zip(leads, passages, strict=True)]
    found = select_all(question, list(zip(texts, spans, strict=True)))
    return [mark for one in found for mark in one.marks]


def _within(
    limit: int, ranked: Sequence[_Unit], read: Sequence[Sequence[Statement]], passages: Sequence[Passage]
) -> list[set[int]]:
    """The units to keep in each passage: the best first, each with the sentence that it refers back to."""
    kept: list[set[int]] = [set() for _ in passages]
    left = limit
    for unit in ranked:
        places = {unit.place}
        if unit.place and LEANS_BACK.match(unit.statement.text):
            places.add(unit.place - 1)
        wanted = kept[unit.passage] | places
        found, text = read[unit.passage], passages[unit.passage].text
        cost = len(_left(text, found, wanted)) - len(_left(text, found, kept[unit.passage]))
        if cost <= left:
            left -= cost
            kept[unit.passage] = wanted
    return kept


def _spans(text: str, found: Sequence[Statement], kept: set[int]) -> list[tuple[int, int]]:
    """The spans to keep: the chosen units, and anything above them that is not a statement itself (a heading, a header
    row)."""
    spans: list[tuple[int, int]] = []
    last, at = max(kept, default=-1), 0
    for place, one in enumerate(found[: last + 1]):
        start, end = _whole(text, one)
        if text[at:start].strip():
            spans.append((at, start))
        if place in kept:
            spans.append((max(at, start), end))
        at = max(at, end)
    return spans


def _whole(text: str, one: Statement) -> tuple[int, int]:
    """Extends a row to its whole line, including the bars around it."""
    if not one.is_row:
        return one.start, one.end
    end = text.find("\n", one.end)
    return text.rfind("\n", 0, one.start) + 1, len(text) if end < 0 else end


def _cut(passage: Passage, found: Sequence[Statement], kept: set[int]) -> Passage:
    if len(kept) == len(found):
        return passage
    return replace(passage, text=_left(passage.text, found, kept), shortened="shortened")


def _left(text: str, found: Sequence[Statement], kept: set[int]) -> str:
    """The remaining text of a passage, with each cut marked."""
    parts: list[str] = []
    at = 0
    for start, end in _spans(text, found, kept):
        between = text[at:start]
        parts += [_gap(between) if between.strip() else between, text[start:end]]
        at = end
    return "".join([*parts, _gap(text[at:])]).strip() if parts else ""


def _gap(left_out: str) -> str:
    return "" if not left_out.strip() else f"{CUT}\n" if "\n" in left_out else CUT
