"""The offline writer: answers with the documents' own sentences and cells, cites each, and says what is missing."""

import asyncio
import re
from collections.abc import Sequence
from math import exp

from masis.audit.checks.support import REFUTED
from masis.audit.verdicts import judge_claims
from masis.language.periods import periods
from masis.language.quantities import quantities
from masis.language.question import Question, parsed, without_documents
from masis.language.statements import CELL_BREAK, Statement
from masis.language.table_headers import GROUP
from masis.language.words import DOWNWARDS, UPWARDS, content_stems, is_negated, stem, words
from masis.reasoning.offline.composition import Answered, compose
from masis.reasoning.offline.disagreement import all_conflicts
from masis.reasoning.offline.likelihood import likelihood_of
from masis.reasoning.offline.selection import Candidate, candidates_of, marked, may_answer, rank, rows_read
from masis.reasoning.offline.shapes import MARKED, overview, rows_asked_for, shown
from masis.reasoning.offline.tables.calculations import SINCE
from masis.reasoning.offline.tables.cell_names import value_of, when
from masis.reasoning.offline.tables.features import WHOLE
from masis.reasoning.offline.tables.grid import Table
from masis.reasoning.offline.tables.lookup import AGREED, SURE, TableAnswer, answer_from_tables
from masis.reasoning.offline.tables.trials import Trial
from masis.reasoning.offline.tables.weighing import NamesAsked
from masis.reasoning.offline.verifier import clause_on, stand_on
from masis.reasoning.ports import Listener, Passage, Reply, WritingBrief
from masis.settings import OFFLINE
from masis.types import EvidenceChunk

SAYS_IT, MARKED_SAYS_IT = 0.75, 0.3
"""Share of the question's own words that a sentence must have to decide a yes-or-no question; the second applies to its
clause if the selector is sure that the sentence belongs to the answer."""


def yes_or_no(part: Question, best: Candidate) -> str:
    """“Yes” or “No”; empty if the sentence does not decide it and is quoted without a verdict."""
    wanted = part.subject - part.named
    if _is_not_decided(part) or not _speaks_of(wanted, part, best):
        return ""
    if HAPPENED.match(part.text) and OPEN.search(best.statement.text):
        # What was expected need not have come about.
        return ""
    return (stand_on(part, best.statement) or "").title()


def _is_not_decided(part: Question) -> bool:
    """“Did it not rise?” is answered either way, and which of two is higher takes more than one sentence or cell."""
    return is_negated(part.text) or ("than" in words(part.text) and not quantities(part.text))


HAPPENED = re.compile(r"\W*(?:did|has|have|had|was|were)\b", re.IGNORECASE)
OPEN = re.compile(
    r"\b(?:expect\w*|plan(?:s|ned)?|intend\w*|hope[sd]?|would|might|may|neither|propos\w+|discuss\w*|consider\w*|if)\b",
    re.IGNORECASE,
)
ROSE = frozenset("rise risen increase increased grow grown".split())
FELL = frozenset("fall fallen decrease decreased decline declined drop dropped shrink shrunk".split())


def _by_cells(part: Question, found: TableAnswer) -> str:
    """“Did sales grow in 2024?” is decided by the change, “Was revenue above $65 million?” by the cell; empty if the
    question asks for more than that."""
    trial = found.trial
    if part.shape != "yes_no" or _is_not_decided(part):
        return ""
    if trial.form == "change":
        return _by_change(part, trial)
    bounds = [q for q in quantities(part.text) if q.bound]
    given = quantities(value_of(trial.table, trial.cells[0])) if trial.form == "cell" else []
    if len(bounds) != 1 or len(given) != 1 or bounds[0].unit != given[0].unit or bounds[0].scaled > given[0].scaled:
        # The last: a table may be in thousands without saying so.
        return ""
    return "Yes" if bounds[0].is_met_by(given[0]) else "No"


def _by_change(part: Question, trial: Trial) -> str:
    """Decides only whether the figure rose or fell, up to the period asked for. By how much, or below what, is another
    question; and a cost in brackets may count as rising or falling."""
    asked = [word for word in words(part.text) if word in UPWARDS | DOWNWARDS]
    is_plain = len(asked) == 1 and asked[0] in ROSE | FELL and not quantities(part.text)
    newest = when(trial.table, trial.cells[0])
    is_up_to_it = not part.periods or any(str(p.year) in newest for p in part.periods) or SINCE.search(part.text)
    if not is_plain or not is_up_to_it or not trial.value or any((c.amount or 0.0) < 0 for c in trial.cells):
        return ""
    return "Yes" if (trial.value > 0) == (asked[0] in ROSE) else "No"


def _speaks_of(wanted: frozenset[str], part: Question, best: Candidate) -> bool:
    if len(wanted & set(content_stems(best.statement.in_context))) >= SAYS_IT * len(wanted):
        return True
    here = wanted & set(content_stems(clause_on(part, best.statement)))
    return best.mark >= MARKED and len(here) >= MARKED_SAYS_IT * len(wanted)


ANSWERS = -1.5
"""Least strength with which a statement counts as an answer, measured on labelled questions (docs/benchmarks.md)."""
ENOUGH = 0.4
"""The likelihood that corresponds to the Supervisor's threshold. At 0.34, the excerpts, CLAPnq and SQuAD 2.0 have up to
four more of a hundred answers right, and answer up to fourteen more of a hundred questions that have no answer."""
HARDLY = 0.25
"""Below this likelihood, a part of an answer counts as not answering what was asked."""
TELLING = 2
"""An answer must be longer than this many characters to be recognised: “12” is in many sentences."""


class OfflineWriter:
    name = OFFLINE

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        # In a thread: the embedded models run outside the interpreter's lock, so the event loop stays free.
        text = await asyncio.to_thread(written, brief)
        if on_token:
            on_token(text)
        return Reply(text)

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        """The complete statements relevant to the question, as many as fit."""
        part = parsed(question).parts[0]
        closest = await asyncio.to_thread(marked, part, candidates_of(passages))
        by_passage = {p.chunk_id: [c for c in closest if c.passage.chunk_id == p.chunk_id] for p in passages}
        return Reply({chunk_id: summary(found, limit) for chunk_id, found in by_passage.items()})


def written(brief: WritingBrief, at_least: float = ANSWERS) -> str:
    """`at_least` is the strength that a statement must have."""
    candidates = candidates_of(brief.passages)
    evidence = [as_evidence(p) for p in brief.passages]
    answered: list[Answered] = []
    for part in parsed(brief.question).parts:
        found = answer(part, candidates, evidence, brief.absent, at_least)
        answered.append(_answered_before(part, answered) if found.is_silent and part.context else found)
    answered = _without_weak(answered, candidates, evidence)
    conflicts = [c for c in all_conflicts(brief.question, evidence) if c["kind"] in ("contradiction", "revision")]
    return compose(answered, conflicts, candidates)


def _without_weak(
    answered: Sequence[Answered], candidates: Sequence[Candidate], evidence: Sequence[EvidenceChunk]
) -> list[Answered]:
    """If one part of the question is surely answered, drops weak answers to the other parts and names those parts as
    open."""
    if len(answered) < 2:
        return list(answered)
    claims = [judge_claims(compose([one], (), candidates), evidence) for one in answered]
    sure = [likelihood_of(one.part, told, evidence) for one, told in zip(answered, claims, strict=True)]
    if max(0.0 if one.is_silent else share for one, share in zip(answered, sure, strict=True)) < ENOUGH:
        return list(answered)
    return [one if share >= HARDLY else Answered(one.part) for one, share in zip(answered, sure, strict=True)]


def _answered_before(part: Question, answered: Sequence[Answered]) -> Answered:
    """A part that refers to the one before it may already be answered by a sentence given for that one."""
    groups = [group for one in answered for group in one.shown]
    said = [g for g in groups if any(part.subject <= set(content_stems(c.statement.text)) for c in g.statements)]
    return Answered(part, tuple(said[:1])) if part.subject else Answered(part)


def answer(
    part: Question,
    candidates: Sequence[Candidate],
    evidence: Sequence[EvidenceChunk],
    absent: Sequence[str] = (),
    at_least: float = ANSWERS,
) -> Answered:
    """Answers from table cells if a figure is asked for and they have it, otherwise from statements."""
    if part.shape == "overview" and (openings := overview(candidates)):
        return Answered(part, tuple(openings))
    ranked = _under_its_name(part, rank(part, candidates))
    best = ranked[0] if ranked and ranked[0].strength >= at_least else None
    if best and (rows := rows_asked_for(part, ranked, candidates)):
        return Answered(part, (rows,))
    if found := _from_tables(part, candidates, evidence, ranked, best):
        return Answered(part, told=found.sentences, verdict=_by_cells(part, found))
    if best is None:
        return Answered(part, absent=tuple(word for word in absent if stem(word) in part.named))
    groups = tuple(shown(part, ranked, candidates))
    return Answered(part, groups, verdict=yes_or_no(part, best) if part.shape == "yes_no" else "")


def _sure_in_words(best: Candidate | None) -> float:
    """The probability that the best sentence answers. A table row does not compete with its own cells."""
    return 0.0 if best is None or best.statement.is_row else 1 / (1 + exp(-best.strength))


def _from_tables(
    part: Question,
    candidates: Sequence[Candidate],
    evidence: Sequence[EvidenceChunk],
    ranked: Sequence[Candidate],
    best: Candidate | None,
) -> TableAnswer | None:
    """Figures read from cells, only if they are surer than the best sentence and the audit does not refute them."""
    if _lacks_a_name(part, candidates):
        return None
    passages = list({c.passage.chunk_id: c.passage for c in candidates}.values())
    found = answer_from_tables(part.for_reading, passages, AGREED, part.directives, rows_read(rank(part, candidates)))
    if found is None or (found.strength < SURE and not (best and _is_in(part, found, best))):
        return None
    if not may_answer([c.chunk_id for c in found.cited], found.strength, ranked):
        return None
    if "person" in part.kinds and any(re.search(r"\d", answer) for answer in found.trial.answer):
        return None
    if found.kind != "comparison" and found.strength < _sure_in_words(best):
        return None
    claims = [c for told in found.sentences for c in judge_claims(told, evidence)]
    return None if any(c["verdict"] in REFUTED | {"uncited"} for c in claims) else found


def _is_in(part: Question, found: TableAnswer, best: Candidate) -> bool:
    """Whether two readings agree: the sentence that the selector would quote says the same, or the cells are in the row
    that it would quote, in a column named by its period or by the question's words."""
    row = best.statement
    if not row.is_row:
        return any(len(a) > TELLING for a in found.trial.answer) and found.is_given_by(row.text)
    columns = {found.trial.table.columns[cell.column] for cell in found.trial.cells}
    is_meant = all(
        WHOLE.fullmatch(column) or periods(column) or _is_named(part, column, found.trial.table) for column in columns
    )
    return is_meant and all(
        c.chunk_id == best.passage.chunk_id and row.start <= c.start and c.end <= row.end for c in found.cited
    )


def _is_named(part: Question, column: str, table: Table) -> bool:
    """Whether the column shares more words with the question than any other column."""
    shared = {other: len(part.subject & set(content_stems(other))) for other in table.columns}
    return shared[column] > max((shared[other] for other in table.columns if other != column), default=0)


def _under_its_name(part: Question, ranked: Sequence[Candidate]) -> list[Candidate]:
    """For a question for a figure, drops rows that belong to something else: the group, another segment."""
    if not part.named or "number" not in part.kinds:
        return list(ranked)
    passages = list({c.passage.chunk_id: c.passage for c in ranked}.values())
    named = NamesAsked.of(without_documents(part.text), passages)
    return [c for c in ranked if not (c.statement.is_row and named.are_lacking(c.statement, c.passage))]


def _lacks_a_name(part: Question, candidates: Sequence[Candidate]) -> bool:
    """Whether the question has a name that no passage has: then it is about something else."""
    everywhere = {s for c in candidates for s in content_stems(f"{c.statement.in_context} {c.passage.file_name}")}
    return any(name not in everywhere for name in part.named)


def summary(closest: Sequence[Candidate], limit: int) -> str:
    """Keeps the header with a row, whose figures say nothing without it."""
    kept: list[Statement] = []
    for candidate in sorted(closest, key=lambda c: -c.mark):
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


def as_evidence(passage: Passage) -> EvidenceChunk:
    return {
        "chunk_id": passage.chunk_id,
        "file_name": passage.file_name,
        "text": passage.text,
        "score": 0.0,
        # The writer sees no document ids; within a workspace the file name identifies a document.
        "document_id": passage.file_name,
        "page": passage.page,
        "start": 0,
        "end": len(passage.text),
        "heading": passage.heading,
        "date": passage.date,
        "label": passage.label,
    }
