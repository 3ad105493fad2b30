"""How likely it is that an answer is right, by what it cites, weighed as held-out answers have taught.

Read apart from the writer, from the finished sentences and what they cite. `python -m evals.fit_likelihood` prints the
weights and says on what it fits them; three are set by hand, as is said below.
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
"""Of a statement that the writer would not have looked at."""


@dataclass(frozen=True, slots=True)
class Signs:
    answers: float
    """The selector's word on the best cited statement's passage, as a logit …"""
    mark: float
    """… and on the statement."""
    shortfall: float
    """How many things speak against it."""
    supported: float
    """What the audit says of the worst sentence, 0 to 1."""
    table: float
    """How sure the tables are of the answer, as a logit; of a sentence that they neither say nor contradict, nought."""
    is_figures: float
    """1 where the best cited statement is a row of figures, quoted whole: which of them is meant is left open."""
    is_list: float
    is_explanation: float
    from_table: bool = False
    """Whether it is said in the words of the tables' answer: then the weights for cells count."""


WEIGHTS = Signs(
    answers=0.27,
    mark=0.19,
    shortfall=-0.51,
    supported=5.50,
    table=1.23,
    is_figures=-0.99,
    is_list=0.80,
    is_explanation=0.63,
)
BIAS = -5.45
"""What the audit says is weighed by hand: nearly all that the offline writer quotes is supported, so its answers teach
nothing about those that are not. Lists and explanations weigh half of what the fit gave them: half of a reference's
words are sooner found in a long answer, and a question that nothing answers is as likely to ask why."""
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
"""What speaks against a cell is weighed by hand too: the fit, on tables alone, gives it nothing."""


def likelihood(signs: Signs) -> float:
    weights, bias = (OF_CELLS, BIAS_OF_CELLS) if signs.from_table else (WEIGHTS, BIAS)
    # The last of them says which weights count.
    said: list[float] = [w * x for w, x in zip(astuple(weights)[:-1], astuple(signs)[:-1], strict=True)]
    return 1 / (1 + exp(-bias - sum(said)))


def signs_of(question: str, claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> list[Signs]:
    """For each part of the question that is answered; a part that the answer leaves open is not a wrong answer."""
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
    """Of what is said to one part of a question; 1 where nothing is."""
    asserted = [c for c in claims if c["kind"] in ("claim", "recommendation")]
    passages = [as_passage(chunk) for chunk in evidence]
    candidates = candidates_of(passages)
    cited = _cited(asserted, evidence, candidates)
    return likelihood(_signs(part, asserted, cited, candidates, passages)) if asserted else 1.0


def _cited(
    claims: Sequence[Claim], evidence: Sequence[EvidenceChunk], candidates: Sequence[Candidate]
) -> list[tuple[str, int]]:
    """Statements that hold cited words, by passage and place."""
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
        # The type may be in the sentence beside the best one.
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
    """It is another segment's, or the group's."""
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
    # A sentence that says the same is a second reading; a row quoted whole has the cell in any case.
    agrees = tabled.is_given_by(said)
    beyond = max(0.0, logit(tabled.strength) - logit(AGREED if agrees and in_words else SURE))
    return beyond if agrees else -beyond
