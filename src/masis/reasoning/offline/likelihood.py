"""How likely it is that an answer is right, by what it cites, weighed as held-out answers have taught.

Read apart from the writer, from the finished sentences and what they cite. The weights are the output of
`python -m evals.fit_likelihood`, which says on what they were fitted.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from math import exp

from masis.language.question import Question, parsed
from masis.reasoning.offline.relevance import lacks_the_type
from masis.reasoning.offline.selection import Candidate, candidates_of, weighed
from masis.reasoning.offline.strength import Features, strength
from masis.reasoning.ports import Passage
from masis.types import Claim, EvidenceChunk

NOTHING = Features(-7.0, -7.0, -7.0, 0.0, 0.0, 1.0)
"""Of a statement that the writer would not have looked at."""


@dataclass(frozen=True, slots=True)
class Signs:
    answers: float
    """The selector's word on the best cited statement's passage, as a logit …"""
    mark: float
    """… and on the statement."""
    shared: float
    """Share of the question's words it has."""
    headed: float
    """1 where it stands under a heading that says what was asked."""
    shortfall: float
    """How many things speak against it."""
    from_table: float
    is_list: float
    is_explanation: float


WEIGHTS = Signs(
    answers=0.21,
    mark=0.26,
    shared=0.72,
    headed=0.20,
    shortfall=-2.14,
    from_table=1.50,
    is_list=1.52,
    is_explanation=0.27,
)
"""Of tables by hand: few of the passages they were fitted on have one."""
BIAS = -0.28


def likelihood(signs: Signs) -> float:
    weighed_signs: list[float] = [w * x for w, x in zip(astuple(WEIGHTS), astuple(signs), strict=True)]
    return 1 / (1 + exp(-BIAS - sum(weighed_signs)))


def signs_of(question: str, claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> list[Signs]:
    """For each part of the question that is answered; a part that the answer leaves open is no wrong answer."""
    asserted = [c for c in claims if c["kind"] in ("claim", "recommendation")]
    parts = parsed(question).parts
    open_parts = [c["text"] for c in claims if c["kind"] == "limit"]
    told = [p for p in parts if not any(p.text.strip(" ?.!") in limit for limit in open_parts)] or list(parts)
    told = [p for p in told if p.shape != "overview"]
    candidates = candidates_of([as_passage(chunk) for chunk in evidence])
    cited = _cited(asserted, evidence, candidates)
    return [_signs(part, asserted, cited, candidates) for part in told] if asserted else []


def as_passage(chunk: EvidenceChunk) -> Passage:
    heading, date = chunk.get("heading"), chunk.get("date")
    return Passage(chunk["chunk_id"], chunk["file_name"], chunk["page"], chunk["text"], heading, date)


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
    part: Question, claims: Sequence[Claim], cited: Sequence[tuple[str, int]], candidates: Sequence[Candidate]
) -> Signs:
    read = weighed(part, candidates)
    own = [(c, f) for c, f in read if (c.passage.chunk_id, c.statement.start) in cited]
    best, features = max(own, key=lambda pair: strength(pair[1]), default=(None, NOTHING))
    if best and not best.statement.is_row and not lacks_the_type(part, " ".join(c["text"] for c in claims)):
        # The type may stand in the sentence beside the best one.
        features = replace(features, shortfall=max(0.0, features.shortfall - lacks_the_type(part, best.statement.text)))
    return Signs(
        features.answers,
        features.mark,
        features.shared,
        features.headed,
        features.shortfall,
        float(best is not None and best.statement.is_row),
        float(part.shape == "list"),
        float(part.shape in ("explanation", "yes_no", "overview")),
    )
