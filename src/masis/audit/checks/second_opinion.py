"""What the verifier and a chat model may change in the verdicts of code, and what they may not.

Code compares words, and a paraphrase shares few of them. Where code proves nothing wrong, a second reader (such as the
embedded verifier) is asked how likely it is that the passage supports the claim. What code finds for certain holds
whatever that reader says. What code reads from a negation, a name, a quotation or a row is withdrawn, to `unverified`,
if the reader finds the claim supported. Where the reader is not sure of a claim, it is also asked about its opposite.
A chat model's own audit may settle what remains open after both.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import log
from typing import NamedTuple

from masis.audit.checks.signature import HARDLY
from masis.audit.checks.signature import Claim as Checked
from masis.audit.checks.support import REFUTED, Support
from masis.language.spans import code_spans, paired_spans
from masis.language.words import content_stems
from masis.types import Claim, EvidenceChunk, Verdict

MOST_DENIALS = 2
"""Most negations of a claim that are removed, one at a time, to ask about the opposite."""
MOST_TURNS = 3
"""Most words of a claim that are replaced by their opposite, one at a time."""
_NOT = re.compile(r"(?<=\w)(?: not\b(?! only)|n[’']t\b)|\bnever ", re.IGNORECASE)
_CANNOT = re.compile(r"\bcannot\b", re.IGNORECASE)
_PAIRS = """rose fell / rises falls / rise fall / risen fallen / rising falling / increased decreased
increase decrease / increases decreases / increasing decreasing / grew shrank / grow shrink / grows shrinks
growth decline / growing declining / gained lost / gains losses / gain loss / climbed dropped / improved worsened
raised cut / raised lowered / expanded contracted / widened narrowed / higher lower / more less / more fewer
larger smaller / longer shorter / greater smaller / stronger weaker / faster slower / older younger / better worse
highest lowest / largest smallest / most least / most fewest / best worst / longest shortest / first last
above below / over under / up down / before after / earlier later / exceeded missed / maximum minimum
approved rejected / accepted refused / allowed prohibited / bought sold / won lost / opened closed
started ended / began ended / included excluded / profit loss / positive negative / favorable unfavorable
inflow outflow / inflows outflows / early late / oldest youngest / top bottom / always never / all no"""
_OTHER = {
    one: other
    for pair in re.split(r" / |\n", _PAIRS)
    for one, other in (pair.split(), pair.split()[::-1])
}  # fmt: skip
_TURN = re.compile(rf"\b(?:{'|'.join(sorted(_OTHER, key=len, reverse=True))})\b", re.IGNORECASE)


def without_denial(claim: str) -> list[str]:
    """The claim without each of its negations in turn; empty if it states an absence."""
    return [] if Checked(claim).tells_an_absence else list(dict.fromkeys(_without_denial(claim)))


def _without_denial(claim: str) -> Iterator[str]:
    closed = _quoted(claim)
    for denial in islice((m for m in _NOT.finditer(claim) if not _is_inside(m, closed)), MOST_DENIALS):
        yield claim[: denial.start()] + claim[denial.end() :]
    if cannot := _CANNOT.search(claim):
        yield claim[: cannot.start()] + "can" + claim[cannot.end() :]


def turned(claim: str) -> list[str]:
    """The claim with each directional word in turn replaced by its opposite."""
    closed = _quoted(claim)
    turns = [m for m in _TURN.finditer(claim) if not _is_inside(m, closed) and not Checked(claim).tells_an_absence]
    changed = ((m, _as_written(m.group(), _OTHER[m.group().lower()])) for m in turns[:MOST_TURNS])
    return list(dict.fromkeys(claim[: m.start()] + other + claim[m.end() :] for m, other in changed))


def _quoted(claim: str) -> list[tuple[int, int]]:
    code = code_spans(claim, 0, len(claim))
    return [*code, *paired_spans(claim, 0, len(claim), code)[1]]


def _is_inside(match: re.Match[str], spans: list[tuple[int, int]]) -> bool:
    return any(start <= match.start() < end for start, end in spans)


def _as_written(old: str, new: str) -> str:
    return new.capitalize() if old[:1].isupper() else new


SUPPORTED_BY_VERIFIER = 0.70
"""The passage supports the claim from this probability upwards."""
REFUTED_BY_VERIFIER = 0.1
"""At or below this probability the passage does not support the claim, unless code found every figure of the claim or
most of its words. In between, the verifier cannot tell."""
PARAPHRASED = 0.7
"""If more than this share of a claim's words is in what it cites, a verifier that finds no support may have missed
it."""
UNDECIDED = 0.11
"""Just above `REFUTED_BY_VERIFIER`."""
DOUBTED_BY_VERIFIER = 0.05
"""At or below this probability a claim is doubted even if the source contains its words."""
DENIED = (1.4, 0.05)
"""How much better supported, in logits, the claim must be without its negation to be contradicted, and how likely that
version must be."""
TURNED = (2.0, 0.6)
"""The same for “rose” replaced by “fell”, which is weaker evidence."""
SURE = 0.9
"""At or above this probability the verifier is not asked about the opposite."""
_BORNE_OUT: frozenset[Verdict] = frozenset({"verbatim", "supported"})
SAME_CLAIM = 0.8
"""Share of the shorter one's words that an objection and a claim must have in common to refer to the same sentence."""


Places = frozenset[tuple[str, int]]
"""Statements, each by its chunk's id and its start in the chunk."""


class Question(NamedTuple):
    claim: str
    chunks: Sequence[EvidenceChunk]
    before: str = ""
    """The preceding sentence of the answer, which says what “it” refers to. It is not judged."""
    held: Places = frozenset()
    """Statements that contain the figure taken out of the claim."""
    rivals: Places = frozenset()
    """Statements that contain other figures of its kind. The question is how much more these belong to the claim than
    those in `held`."""

    @property
    def key(self) -> "QuestionKey":
        """Includes the chunks, because the same words may cite other passages further down."""
        return self.claim, tuple(chunk["chunk_id"] for chunk in self.chunks), self.before, self.held


QuestionKey = tuple[str, tuple[str, ...], str, Places]
SecondOpinion = Callable[[Sequence[Question]], Sequence[float | None]]
"""Takes claims with the chunks they cite and returns the probability that these support each, or None if unknown. For a
question with places it returns the difference of two probabilities."""


def weighed(
    support: Support,
    probability: float | None,
    without_denial: Sequence[float | None] = (),
    turned: Sequence[float | None] = (),
) -> Support:
    """The verdict after the verifier has judged the claim and its opposites."""
    if probability is None:
        return support
    affirmed, other = (max((p for p in ps if p is not None), default=0.0) for ps in (without_denial, turned))
    if support.verdict in REFUTED:
        is_withdrawn = support.withdrawn_at is not None and probability >= support.withdrawn_at
        is_denial = support.verdict == "contradicted" and support.withdrawn_at == HARDLY
        # A claim that denies what its source says cannot be better supported than its opposite.
        is_withdrawn |= is_denial and 0 < affirmed < probability
        return _disputed(support, "support it", probability) if is_withdrawn else support
    if not support.is_open:
        return support
    contrary = max(affirmed, other)
    if _is_contradicted(probability, affirmed, DENIED) or _is_contradicted(probability, other, TURNED):
        said = f"the verifier finds the opposite in the cited words ({contrary:.0%} against {probability:.0%})"
        return replace(support, verdict="contradicted", reason=said, checked_by="verifier")
    return _by_meaning(support, probability)


def _is_contradicted(probability: float, contrary: float, least: tuple[float, float]) -> bool:
    is_likelier = _logit(contrary) - _logit(probability) >= least[0]
    return is_likelier and contrary >= least[1] and probability < SUPPORTED_BY_VERIFIER


def _by_meaning(support: Support, probability: float) -> Support:
    if probability >= SUPPORTED_BY_VERIFIER:
        return replace(support, verdict="supported", reason=_reason("support it", probability), checked_by="verifier")
    if support.verdict == "supported":
        is_doubted = probability <= DOUBTED_BY_VERIFIER and not (support.is_row and support.figures_hold)
        return _disputed(support, "do not support it", probability) if is_doubted else support
    may_be_there = support.figures_hold or support.words_there > PARAPHRASED
    if probability <= REFUTED_BY_VERIFIER and not may_be_there:
        said = _reason("do not support it", probability)
        return replace(support, verdict="not_in_source", reason=said, checked_by="verifier")
    return support


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-9), 1 - 1e-9)
    return log(bounded / (1 - bounded))


def _disputed(support: Support, other: str, probability: float) -> Support:
    """Code and the verifier disagree. The claim stays open until somebody settles it explicitly."""
    said = f"{support.reason}, says code; {_reason(other, probability)}"
    return replace(support, verdict="unverified", reason=said, checked_by="verifier")


def _reason(finding: str, probability: float) -> str:
    return f"the cited words {finding}, says the verifier (probability {probability:.0%})"


def is_doubted(claim: Claim) -> bool:
    """A claim to put to a chat model: no reader was sure of it, only the verifier refuted it, or code refuted it by
    reading a sentence."""
    if claim["verdict"] in REFUTED:
        return claim.get("checked_by") == "verifier" or claim.get("is_reading", False)
    return claim["verdict"] == "unverified"


def settled_by_model(
    claims: Sequence[Claim], objections: Sequence[str], vouched: bool, *, overrules: bool = True
) -> list[Claim]:
    """Settles the doubtful claims, all of which were put to the model: those it objects to are refuted, the others
    supported.

    `vouched`: the model audited the whole answer and found no fault. A list of faults may be cut short, so without this
    a claim that is not on the list stays open. `overrules`: the model also decides on claims that code refuted by
    reading a sentence.
    """
    put = [is_doubted(claim) and (overrules or not claim.get("is_reading")) for claim in claims]
    return [_settled(c, objections, vouched) if is_put else c for c, is_put in zip(claims, put, strict=True)]


def _settled(claim: Claim, objections: Sequence[str], vouched: bool) -> Claim:
    is_refuted = claim["verdict"] in REFUTED
    if any(_is_same(claim["text"], objection) for objection in objections):
        return claim if is_refuted else _with(claim, "not_in_source", "the auditor found no support for it")
    if vouched:
        return _with(claim, "supported", "the auditor found it supported")
    return _with(claim, "unverified", f"{claim['reason']}; the auditor did not object") if is_refuted else claim


def _with(claim: Claim, verdict: Verdict, reason: str) -> Claim:
    settled: Claim = {**claim, "verdict": verdict, "reason": reason, "checked_by": "model"}
    settled.pop("is_reading", None)
    if "parts" in claim:
        settled["parts"] = [
            {**part, "verdict": verdict, "reason": reason} if part["verdict"] not in _BORNE_OUT else part
            for part in claim["parts"]
        ]
    return settled


def _is_same(claim: str, objection: str) -> bool:
    ours, theirs = set(content_stems(claim)), set(content_stems(objection))
    shorter = min(len(ours), len(theirs))
    return bool(shorter) and len(ours & theirs) >= SAME_CLAIM * shorter
