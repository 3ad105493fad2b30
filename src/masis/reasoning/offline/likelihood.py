"""Estimates how likely an answer is right from what it cites, with weights fitted on held-out answers.

It reads the finished sentences and their citations, independently of the writer. `python -m evals.fit_likelihood`
prints the weights and documents what they are fitted on; the exceptions set by hand are noted below.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from math import exp

from masis.audit.checks.support import SCORES
from masis.language.characters import BRACKETED
from masis.language.question import Question, parsed, without_documents
from masis.language.statements import Statement
from masis.reasoning.offline.composition import meant_cells
from masis.reasoning.offline.relevance import lacks_the_type
from masis.reasoning.offline.selection import (
    Candidate,
    Features,
    candidates_of,
    logit,
    may_answer,
    rows_read,
    strength,
    weighed,
)
from masis.reasoning.offline.tables.lookup import AGREED, SURE, TableAnswer, answer_from_tables
from masis.reasoning.offline.tables.values import amount
from masis.reasoning.offline.tables.weighing import NamesAsked
from masis.reasoning.ports import Passage, as_passage
from masis.types import Claim, EvidenceChunk

NOTHING = Features(-7.0, -7.0, 0.0, 1.0)
"""Features of a statement that the writer would not have considered."""


@dataclass(frozen=True, slots=True)
class Signs:
    answers: float
    """The selector's probability that the passage of the best cited statement answers, as a logit."""
    mark: float
    """The selector's probability that this statement belongs to the answer, as a logit."""
    shortfall: float
    """How many things speak against the statement."""
    supported: float
    """The verdict on the worst sentence, as a score from 0 to 1."""
    table: float
    """The strength of the tables' answer, as a logit: negative if they contradict the sentence, zero if they say
    nothing of it."""
    is_figures: float
    """1 if the best cited statement is a row with several figures, quoted as a whole: it is open which of them is
    meant."""
    is_list: float
    is_explanation: float
    from_table: bool = False
    """Whether the answer uses the wording of the tables' answer; if so, the weights for cells apply."""


WEIGHTS = Signs(
    answers=0.27,
    mark=0.20,
    shortfall=-0.94,
    supported=5.50,
    table=1.86,
    is_figures=-0.99,
    is_list=0.00,
    is_explanation=0.18,
)
BIAS = -5.08
"""The weight of the verdict is set by hand: nearly everything the offline writer quotes is supported, so its answers
teach nothing about unsupported ones. Explanations have half the fitted weight: a long answer more easily contains half
of a reference's words, and questions without an answer ask for reasons just as often. A row with several figures has
-0.99 instead of the fitted -1.58, which comes from questions about the difference of two figures.

Fitted while the selector had three quarters of what it learnt last. For the half that ships the command prints answers
0.12, mark 0.36, shortfall -1.38 and table 0.77, which was not tried: weights as far apart as these and the
earlier ones tell right from wrong equally well (AUROC within 0.01 on excerpts and whole documents)."""
OF_CELLS = Signs(
    answers=0.19,
    mark=0.02,
    shortfall=-0.30,
    supported=4.83,
    table=0.54,
    is_figures=-0.06,
    is_list=1.96,
    is_explanation=0.00,
)
BIAS_OF_CELLS = -3.96
"""The weight of what speaks against a cell is also set by hand: the fit on tables alone gives it none."""


MOST_LIKELY = 0.99
"""The weights were fitted on a few hundred answers, which can show no answer to be surer than this."""


def likelihood(signs: Signs) -> float:
    weights, bias = (OF_CELLS, BIAS_OF_CELLS) if signs.from_table else (WEIGHTS, BIAS)
    # The last field selects the weights and has none itself.
    said: list[float] = [w * x for w, x in zip(astuple(weights)[:-1], astuple(signs)[:-1], strict=True)]
    return min(MOST_LIKELY, 1 / (1 + exp(-bias - sum(said))))


def signs_of(question: str, claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> list[Signs]:
    """The signs for each part of the question that is answered. A part that the answer leaves open is not a wrong
    answer."""
    asserted = [c for c in claims if c["kind"] in ("claim", "recommendation")]
    parts = parsed(question).parts
    open_parts = [c["text"] for c in claims if c["kind"] == "limit"]
    told = [p for p in parts if not any(p.text.strip(" ?.!") in limit for limit in open_parts)] or list(parts)
    told = [p for p in told if p.shape != "overview"]
    passages = [as_passage(chunk) for chunk in evidence]
    candidates = candidates_of(passages)
    cited = _cited(asserted, evidence, candidates)
    return [_signs(part, asserted, cited, candidates, passages) for part in told] if asserted else []


def likelihood_of(part: Question, claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> float:
    """The likelihood that the claims answer one part of the question rightly; 1 if there are no claims."""
    asserted = [c for c in claims if c["kind"] in ("claim", "recommendation")]
    passages = [as_passage(chunk) for chunk in evidence]
    candidates = candidates_of(passages)
    cited = _cited(asserted, evidence, candidates)
    return likelihood(_signs(part, asserted, cited, candidates, passages)) if asserted else 1.0


def _cited(
    claims: Sequence[Claim], evidence: Sequence[EvidenceChunk], candidates: Sequence[Candidate]
) -> list[tuple[str, int]]:
    """The statements that contain cited words, as pairs of passage and offset."""
    starts = {chunk["chunk_id"]: chunk["start"] for chunk in evidence}
    found: list[tuple[str, int]] = []
    for citation in (c for claim in claims for c in claim["citations"]):
        first, last, chunk_id = citation["start"], citation["end"], citation["chunk_id"]
        if first is None or last is None or chunk_id not in starts:
            continue
        begin, end = first - starts[chunk_id], last - starts[chunk_id]
        found += [
            (chunk_id, c.statement.start)
            for c in candidates
            if c.passage.chunk_id == chunk_id and c.statement.start < end and begin < c.statement.end
        ]
    return found


def _signs(
    part: Question,
    claims: Sequence[Claim],
    cited: Sequence[tuple[str, int]],
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
) -> Signs:
    read = weighed(part, candidates)
    own = [(c, f) for c, f in read if (c.passage.chunk_id, c.statement.start) in cited]
    best, features = max(own, key=lambda pair: strength(pair[1]), default=(None, NOTHING))
    if best and not best.statement.is_row and not lacks_the_type(part, " ".join(c["text"] for c in claims)):
        # The number, date or name asked for may be in a neighbouring sentence of the answer.
        features = replace(features, shortfall=max(0.0, features.shortfall - lacks_the_type(part, best.statement.text)))
    if best and best.statement.is_row and _lacks_a_name(part, best, passages):
        features = replace(features, shortfall=features.shortfall + 1)
    tabled = answer_from_tables(part.for_reading, passages, 0.0, part.directives, rows_read([c for c, _ in read]))
    if tabled and not may_answer([c.chunk_id for c in tabled.cited], tabled.strength, [c for c, _ in read]):
        tabled = None
    said = "\n".join(BRACKETED.sub("", claim["text"]) for claim in claims)
    from_table = tabled is not None and _is_told(tabled, said)
    return Signs(
        features.answers,
        features.mark,
        features.shortfall,
        min((SCORES[c["verdict"]] for c in claims if c["verdict"]), default=0.5),
        _of_tables(tabled, said, from_table=from_table, in_words=best is not None and not best.statement.is_row),
        float(best is not None and _leaves_open(best.statement, part)),
        float(part.shape == "list"),
        float(part.shape in ("explanation", "yes_no", "overview")),
        from_table,
    )


def _lacks_a_name(part: Question, row: Candidate, passages: Sequence[Passage]) -> bool:
    """Whether the row belongs to another segment, or to the whole group."""
    return NamesAsked.of(without_documents(part.text), passages).are_lacking(row.statement, row.passage)


def _leaves_open(statement: Statement, part: Question) -> bool:
    return statement.is_row and sum(amount(value) is not None for _, value in meant_cells(statement, part)) > 1


def _is_told(tabled: TableAnswer, said: str) -> bool:
    if tabled.kind in ("breakdown", "comparison"):
        return all(cell in said for cell in tabled.trial.answer)
    return all(BRACKETED.sub("", told).rstrip(".") in said for told in tabled.sentences)


def _of_tables(tabled: TableAnswer | None, said: str, *, from_table: bool, in_words: bool) -> float:
    if tabled is None:
        return 0.0
    if from_table:
        return logit(tabled.strength)
    # Agreement counts more for a sentence, which is a second reading; a row quoted whole contains the cell in any case.
    agrees = tabled.is_given_by(said)
    beyond = max(0.0, logit(tabled.strength) - logit(AGREED if agrees and in_words else SURE))
    return beyond if agrees else -beyond
