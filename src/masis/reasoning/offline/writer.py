"""The offline writer: answers with the documents' own sentences and cells, cites each, and says what is missing."""

from collections.abc import Sequence

from masis.audit.conflicts import find_conflicts
from masis.audit.words import content_stems, stem, words
from masis.reasoning.offline.composition import Answered, compose
from masis.reasoning.offline.question import Question, parts_of
from masis.reasoning.offline.selection import Candidate, Relevance, candidates_of, rank, terms_of
from masis.reasoning.offline.siblings import with_siblings
from masis.reasoning.ports import Passage, Reply, WritingBrief
from masis.settings import OFFLINE
from masis.types import Conflict, EvidenceChunk

ANSWERS = 0.5
"""The strength from which a statement is taken for an answer; measured on labelled questions (docs/benchmarks.md)."""
CLOSE = 3.0
"""Further statements may be this much weaker than the strongest."""
SENTENCES_A_PART = 3
SENTENCES_IN_A_LIST = 8


class OfflineWriter:
    name = OFFLINE

    def __init__(self, relevance: Relevance) -> None:
        self._relevance = relevance

    async def write(self, brief: WritingBrief) -> Reply[str]:
        candidates = candidates_of(brief.passages)
        answered = [await self._answer(part, candidates) for part in parts_of(brief.question)]
        conflicts = find_conflicts(brief.question, [_as_evidence(p) for p in brief.passages])
        return Reply(compose(brief.question, answered, _worth_showing(conflicts), candidates))

    async def _answer(self, part: Question, candidates: Sequence[Candidate]) -> Answered:
        ranked = await rank(part, candidates, self._relevance)
        if not ranked or ranked[0].strength < ANSWERS or _lacks_a_name(part, candidates):
            return Answered(part, (), missing_words(part, candidates))
        return Answered(part, tuple(select(part, ranked, candidates)))

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        """The statements closest to the question, whole, as many as fit."""
        part = parts_of(question)[0]
        return Reply({p.chunk_id: _summary(part, p, limit) for p in passages})


def select(part: Question, ranked: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The strongest statement and those close to it that say something new."""
    as_list = "list" in part.kinds
    chosen: list[Candidate] = []
    for candidate in ranked:
        if candidate.strength < max(ANSWERS, ranked[0].strength - CLOSE):
            break
        for one in with_siblings(candidate, candidates) if as_list else [candidate]:
            if not any(_repeats(one, other) for other in chosen):
                chosen.append(one)
        if len(chosen) >= (SENTENCES_IN_A_LIST if as_list else SENTENCES_A_PART):
            break
    return [*chosen, *_for_names_left_out(part, ranked, chosen)]


def _for_names_left_out(part: Question, ranked: Sequence[Candidate], chosen: Sequence[Candidate]) -> list[Candidate]:
    """A comparison names two things: the strongest statement on each belongs in the answer."""
    told = {term for candidate in chosen for term in terms_of(candidate)}
    asked = set(part.terms) - part.named
    added: list[Candidate] = []
    for name in sorted(part.named - told):
        about_it = (c for c in ranked if name in terms_of(c) and asked & set(content_stems(c.statement.text)))
        added += [c for c in [next(about_it, None)] if c is not None and c not in added]
    return added


def _repeats(one: Candidate, other: Candidate) -> bool:
    ours, theirs = set(content_stems(one.statement.text)), set(content_stems(other.statement.text))
    return len(ours & theirs) >= 0.8 * min(len(ours), len(theirs))


def _lacks_a_name(part: Question, candidates: Sequence[Candidate]) -> bool:
    """A question about a name that no passage has is about something else."""
    everywhere = {s for c in candidates for s in content_stems(f"{c.statement.in_context} {c.passage.file_name}")}
    return any(name not in everywhere for name in part.named)


def missing_words(part: Question, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """The question's own words that no passage has."""
    everywhere = {s for c in candidates for s in content_stems(c.statement.in_context)}
    absent = {t for t in part.terms if t not in everywhere and part.weight(t) >= 1}
    return tuple(dict.fromkeys(w for w in words(part.text) if stem(w) in absent))


def _worth_showing(conflicts: Sequence[Conflict]) -> list[Conflict]:
    return [c for c in conflicts if c["kind"] in ("contradiction", "revision")]


def _summary(part: Question, passage: Passage, limit: int) -> str:
    candidates = candidates_of([passage])
    wanted = set(part.terms)
    ranked = sorted(candidates, key=lambda c: -len(wanted & set(content_stems(c.statement.in_context))))
    kept: list[Candidate] = []
    for candidate in ranked:
        if sum(len(c.statement.text) + 1 for c in [*kept, candidate]) <= limit:
            kept.append(candidate)
    kept.sort(key=lambda c: c.statement.start)
    return "\n".join(c.statement.text for c in kept)


def _as_evidence(passage: Passage) -> EvidenceChunk:
    return {
        "chunk_id": passage.chunk_id,
        "file_name": passage.file_name,
        "text": passage.text,
        "score": 0.0,
        # The writer sees no document ids; within a workspace the file name tells documents apart.
        "document_id": passage.file_name,
        "page": passage.page,
        "start": 0,
        "end": len(passage.text),
        "heading": passage.heading,
        "date": passage.date,
        "label": passage.label,
    }
