"""Finds documents that give different figures for the same thing, and classifies the difference."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise, product

from masis.audit.conflicts.agreement import compatible
from masis.audit.conflicts.conflict_records import Said, joined, record, strongest, without_copies
from masis.audit.conflicts.explanations import are_issues_of_one_series, at_other_times, kind_by_marks
from masis.audit.conflicts.facts import find_disputed_facts
from masis.audit.conflicts.stated_figures import Figure, Given, figures_of, same_thing
from masis.audit.conflicts.versions import changed_figures, find_rewordings
from masis.audit.conflicts.wanted import wanted_figures
from masis.language.characters import BRACKETED
from masis.language.periods import Period
from masis.language.quantities import Quantity, comparable, quantities
from masis.language.readings import readings
from masis.language.words import stem, words
from masis.types import Claim, Conflict, ConflictKind, EvidenceChunk

__all__ = ["conflicts_with_answer", "find_conflicts", "joined"]


def find_conflicts(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """Figures, dates, names and denials on the question that come from different documents and cannot both be right."""
    asked = wanted_figures(question, evidence)
    stated = [figure for chunk in evidence for figure in figures_of(chunk)]
    given = Given(stated)
    pairs = [
        (a, b, kind)
        for a, b in given.pairs([figure for figure in stated if asked.wants(figure)])
        if (kind := kind_of_disagreement(a, b)) and (kind == "revision" or not given.is_confirmed(a, b))
    ]
    changed = changed_figures(question, asked, stated)
    pairs = pairs or [(a, b, kind) for a, b in changed if (kind := _kind_of_change(a, b))]
    found = without_copies(records_of(pairs), evidence)
    worded = joined(find_disputed_facts(question, evidence), find_rewordings(question, evidence))
    return strongest(joined(found, without_copies(worded, evidence)))


def records_of(pairs: Iterable[tuple[Figure, Figure, ConflictKind]]) -> list[Conflict]:
    """One conflict for each pair of documents and each kind: the first one, because evidence comes best first."""
    found: dict[tuple[str, ...], Conflict] = {}
    for a, b, kind in pairs:
        first, second = sorted((a, b), key=lambda f: (f.chunk.get("date") or "", f.chunk["file_name"]))
        key = (first.chunk["document_id"], second.chunk["document_id"], kind)
        found.setdefault(key, _record(first, second, kind))
    return list(found.values())


def conflicts_with_answer(question: str, claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """Figures of an answer for which documents it does not cite give another value, for the thing and period asked
    about."""
    if len({chunk["document_id"] for chunk in evidence}) < 2:
        return []
    asked = wanted_figures(question, evidence)
    stated = [figure for chunk in evidence for figure in figures_of(chunk)]
    wanted = [figure for figure in stated if asked.wants(figure)]
    found: list[Conflict] = []
    for claim in claims:
        cited = {citation["document_id"] for citation in claim["citations"]}
        elsewhere = Given([figure for figure in stated if figure.chunk["document_id"] not in cited])
        others = [figure for figure in wanted if figure.chunk["document_id"] not in cited]
        for figure, other in product(_figures_of_claim(claim, evidence), others):
            kind = kind_of_disagreement(figure, other) if same_thing(figure, other) else None
            if kind and kind != "different_period" and not elsewhere.is_confirmed(figure, other):
                found.append(_quoting_source(_record(figure, other, kind), claim))
    return strongest(joined((), without_copies(found, evidence)))


def _figures_of_claim(claim: Claim, evidence: Sequence[EvidenceChunk]) -> list[Figure]:
    """The claim's figures, each as if the first cited passage gave it in the answer's words. Claims without a citation
    are judged elsewhere."""
    cited = [c["chunk_id"] for c in claim["citations"]]
    source = next((chunk for chunk in evidence if chunk["chunk_id"] in cited), None)
    if claim["kind"] != "claim" or source is None:
        return []
    said: EvidenceChunk = {**source, "text": BRACKETED.sub("", claim["text"]), "heading": None}
    return list(figures_of(said))


def _quoting_source(conflict: Conflict, claim: Claim) -> Conflict:
    """Quotes the answer's side from its source rather than from the answer."""
    side = conflict["sides"][0]
    quotes = (c["quote"] for c in claim["citations"] if c["chunk_id"] == side["chunk_id"] and c["quote"])
    side["quote"] = next(quotes, side["quote"])
    return conflict


def kind_of_disagreement(a: Figure, b: Figure) -> ConflictKind | None:
    """The kind of conflict between two figures for the same thing; None if there is none."""
    if _agree_somewhere(a, b) or ("planned" in a.marks) != ("planned" in b.marks):
        return None
    return "different_period" if _at_other_times(a, b) else kind_by_marks(a.marks, b.marks)


def _kind_of_change(a: Figure, b: Figure) -> ConflictKind | None:
    if a.chunk["document_id"] == b.chunk["document_id"]:
        return None
    return "different_period" if _at_other_times(a, b) else kind_by_marks(a.marks, b.marks)


def _at_other_times(a: Figure, b: Figure) -> bool:
    """Two filings of a series are for different periods, unless both name a single period and it is the same."""
    if at_other_times(a.periods, b.periods):
        return True
    say_the_same = len(a.periods) == 1 and a.periods == b.periods
    return not say_the_same and are_issues_of_one_series(a.chunk, b.chunk)


def _agree_somewhere(a: Figure, b: Figure) -> bool:
    """A sentence that also gives the other's figure, or a range around it, does not contradict it."""
    ours, theirs = ([r.quantity for r in readings(f.statement)] for f in (a, b))
    if any(compatible(q, b.quantity) for q in [*ours, a.quantity]) or any(compatible(q, a.quantity) for q in theirs):
        return True
    return _is_unscaled(a.quantity, b.quantity) or _is_in_a_range(a.quantity, b) or _is_in_a_range(b.quantity, a)


def _is_unscaled(a: Quantity, b: Quantity) -> bool:
    """517.3 in a table and £517.3 million are the same: the table leaves out its unit."""
    return a.scaled != b.scaled and _bare(a) == _bare(b)


TO = re.compile(r"\s*(?:to|and|through|-|–|—)\s*(?:[A-Z]{3}\s?|[$€£¥])?", re.IGNORECASE)


def _is_in_a_range(number: Quantity, other: Figure) -> bool:
    """11 % lies within “10 to 12 %”; the lower end takes its unit and scale from the upper one."""
    text = other.statement.text
    for low, high in pairwise(quantities(text)):
        if not TO.fullmatch(text[low.start + len(low.text.lstrip("$€£¥( ")) : high.start]):
            continue
        factor = high.value / _bare(high) if high.scaled and not low.scaled and _bare(high) else 1.0
        if comparable(number, high) and low.value * factor <= number.value <= high.value:
            return True
    return False


def _bare(quantity: Quantity) -> float:
    found = re.search(r"\d[\d,]*(?:\.\d+)?", quantity.text)
    return float(found.group().replace(",", "")) if found else 0.0


def _record(a: Figure, b: Figure, kind: ConflictKind) -> Conflict:
    sides = [Said(f.chunk, _value(f), f.statement.text, f.marks) for f in (a, b)]
    return record(_in_words(a, b), _named_period((*a.periods, *b.periods)), kind, sides)


def _value(figure: Figure) -> str:
    """The figure with its measure as written, because “24” against “three” tells the reader nothing."""
    number = figure.quantity
    written = rf"{re.escape(number.text)}[\s-]?{re.escape(number.measure or '')}"
    found = re.search(written, figure.statement.text, re.IGNORECASE) if number.measure else None
    return found.group() if found else number.text


def _named_period(when: Sequence[Period]) -> str | None:
    named = [str(p.year) if not p.part else f"{p.part} {p.year or ''}".strip() for p in when]
    return next(iter(named), None)


def _in_words(a: Figure, b: Figure) -> str:
    """The words that both statements share, as the first one writes them."""
    shared = a.subject & b.subject
    source = b if a.statement.is_row else a
    before = source.statement.text if source.statement.is_row else source.statement.text[: source.quantity.start]
    for said in (before, source.statement.in_context):
        if spoken := [word for word in words(said) if stem(word) in shared]:
            return " ".join(list(dict.fromkeys(spoken))[:5])
    return "the same figure"
