"""The offline writer: answers with the documents' own sentences and cells, cites each, and says what is missing."""

import asyncio
from collections.abc import Sequence

from masis.audit.verdicts import judge_claims
from masis.language.statements import CELL_BREAK, Statement
from masis.language.table_headers import GROUP
from masis.language.words import content_stems, stem, words
from masis.reasoning.offline.composition import Answered, compose
from masis.reasoning.offline.disagreement import all_conflicts
from masis.reasoning.offline.question import Question, parts_of
from masis.reasoning.offline.selection import WORTH_SAYING, Candidate, Relevance, candidates_of, rank, terms_of
from masis.reasoning.offline.siblings import with_antecedents, with_siblings
from masis.reasoning.offline.tables.engine import answer_from_tables
from masis.reasoning.ports import Listener, Passage, Reply, WritingBrief
from masis.settings import OFFLINE
from masis.types import Conflict, EvidenceChunk, Verdict

ANSWERS = 0.0
"""The strength from which a statement is taken for an answer; measured on labelled questions (docs/benchmarks.md)."""
CLOSE = 3.0
"""Further statements may be this much less close than the closest."""
BORNE_OUT: frozenset[Verdict | None] = frozenset({"verbatim", "supported"})
RECKONING = frozenset(content_stems("change difference average largest highest lowest smallest exceed compare trend"))
"""Words that ask for something to be done with what the passages say: that they lack them means nothing."""
READ_A_PASSAGE = 6
"""Statements of a passage that are read closely when it must be shortened."""
SENTENCES_A_PART = 3
SENTENCES_IN_A_LIST = 8


class OfflineWriter:
    name = OFFLINE

    def __init__(self, relevance: Relevance) -> None:
        self._relevance = relevance

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        candidates = candidates_of(brief.passages)
        evidence = [_as_evidence(p) for p in brief.passages]
        answered = [await self._answer(part, candidates, evidence) for part in parts_of(brief.question)]
        conflicts = await asyncio.to_thread(all_conflicts, brief.question, evidence)
        text = compose(brief.question, answered, _worth_showing(conflicts), candidates)
        if on_token:
            on_token(text)
        return Reply(text)

    async def _answer(
        self, part: Question, candidates: Sequence[Candidate], evidence: Sequence[EvidenceChunk]
    ) -> Answered:
        if not _lacks_a_name(part, candidates):
            told = await asyncio.to_thread(_from_tables, part, candidates, evidence)
            if told:
                return Answered(part, (), told=tuple(told))
        ranked = await rank(part, candidates, self._relevance)
        if not ranked or ranked[0].strength < ANSWERS or _lacks_a_name(part, candidates):
            return Answered(part, (), missing_words(part, candidates))
        return Answered(part, tuple(with_antecedents(select(part, ranked, candidates), candidates)))

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        """The statements closest to the question, whole, as many as fit."""
        part = parts_of(question)[0]
        return Reply({p.chunk_id: summary(await self._closest(part, p), limit) for p in passages})

    async def _closest(self, part: Question, passage: Passage) -> list[Candidate]:
        """Strongest first: by shared words, and the best of those by reading them."""
        wanted = set(part.terms)
        candidates = candidates_of([passage])
        candidates.sort(key=lambda c: -len(wanted & set(content_stems(c.statement.in_context))))
        logits = await self._relevance(part.for_reading, [c.in_words for c in candidates[:READ_A_PASSAGE]])
        read = sorted(zip(logits, candidates, strict=False), key=lambda pair: -pair[0])
        return [*(candidate for _, candidate in read), *candidates[READ_A_PASSAGE:]]


def _from_tables(part: Question, candidates: Sequence[Candidate], evidence: Sequence[EvidenceChunk]) -> list[str]:
    """Figures told from cells; only where the audit can follow them."""
    passages = list({c.passage.chunk_id: c.passage for c in candidates}.values())
    found = answer_from_tables(part.for_reading, passages)
    for told in (found.sentences, found.row_by_row) if found else ():
        if told and all(c["verdict"] in BORNE_OUT for t in told for c in judge_claims(t, evidence)):
            return list(told)
    return []


def select(part: Question, ranked: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The strongest statement and those close to it that say something new."""
    as_list = "list" in part.kinds
    nearest = sorted(ranked[1:], key=lambda c: -c.closeness)
    least = max(WORTH_SAYING, max(c.closeness for c in ranked) - CLOSE)
    chosen: list[Candidate] = []
    for candidate in [ranked[0], *(c for c in nearest if c.closeness >= least)]:
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
    absent = {t for t in part.terms if t not in everywhere and part.weight(t) >= 1} - RECKONING
    return tuple(dict.fromkeys(w for w in words(part.text) if stem(w) in absent))


def _worth_showing(conflicts: Sequence[Conflict]) -> list[Conflict]:
    return [c for c in conflicts if c["kind"] in ("contradiction", "revision")]


def summary(closest: Sequence[Candidate], limit: int) -> str:
    """A row goes with its header: without it its figures say nothing."""
    kept: list[Statement] = []
    for candidate in closest:
        if len(_written([*kept, candidate.statement])) <= limit:
            kept.append(candidate.statement)
    return _written(sorted(kept, key=lambda statement: statement.start))


def _written(kept: Sequence[Statement]) -> str:
    lines: list[str] = []
    for statement in kept:
        own = [(column, value) for column, value in statement.cells if column != GROUP]
        header = CELL_BREAK.join(column for column, _ in own)
        if header.strip(" |") and header not in lines:
            lines.append(header)
        lines.append(CELL_BREAK.join(value for _, value in own) or statement.text)
    return "\n".join(lines)


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
