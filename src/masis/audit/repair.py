"""Repairs an answer before it is retried: adds or corrects a citation where a passage supports the sentence, and cuts
refuted sentences.

Small models write good prose but cite little of it. A sentence that a passage of the evidence plainly supports gets
that passage's id; a refuted one that no passage supports is cut and named in the trail. The repaired answer is then
judged like any other.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from masis.audit.checks.mentions import OF_A_NAME
from masis.audit.checks.second_opinion import SecondOpinion
from masis.audit.checks.signature import Check, Sources, Window
from masis.audit.checks.signature import Claim as Checked
from masis.audit.checks.support import REFUTED
from masis.audit.citations.extraction import CitedSentence, cited_sentences
from masis.audit.verdicts import judge_claims
from masis.embedded import answer_scores
from masis.embedded.adapted import as_share
from masis.language.instructions import readable
from masis.types import Claim, EvidenceChunk, Repair, Verdict

MOST_PASSAGES = 3
"""Most passages read for one sentence."""
LEAST_SHARED = 0.4
"""Share of the sentence's words that each of these passages must contain."""
LEAST_WORDS = 3
"""A sentence with fewer telling words and no figure is not looked up."""
LEAST_LEFT = 0.5
"""Share of the claims that must be left for the text still to be an answer."""
Readers = tuple[SecondOpinion | None, Sequence[Check], str]
BORNE_OUT: frozenset[Verdict] = frozenset({"verbatim", "supported"})
OPEN: frozenset[Verdict] = BORNE_OUT | {"unverified"}
_CLOSING = re.compile(r"(?P<stop>[.!?。！？]?)(?P<marks>[\s*_\"'”’)\]]*)$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]+$")


@dataclass(frozen=True, slots=True)
class Mended:
    """One repair, as the trail records it."""

    kind: Repair
    sentence: str
    """The sentence as the writer wrote it."""
    chunk_ids: tuple[str, ...]
    reason: str
    start: int = 0
    """Start in the repaired answer; for a sentence that was cut, the place where it was."""

    @property
    def told(self) -> dict[str, object]:
        return {"repaired": self.kind, "sentence": self.sentence, "citations": self.chunk_ids, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class RepairedAnswer:
    text: str
    claims: list[Claim]
    repairs: tuple[Mended, ...]
    still_answers: bool


def repaired(
    answer: str,
    claims: Sequence[Claim],
    evidence: Sequence[EvidenceChunk],
    second_opinion: SecondOpinion | None,
    own: Sequence[Check] = (),
    question: str = "",
    *,
    is_audited: bool = False,
) -> RepairedAnswer | None:
    """The repaired answer, or None if nothing needs or allows a repair. `is_audited`: a chat model reads the answer
    next, so claims that code refuted by reading a sentence are left to it."""
    by_id = {chunk["chunk_id"]: chunk for chunk in readable(evidence)}
    settled = [c for c in claims if not (is_audited and c.get("is_reading"))]
    mended = list(_mended(answer, settled, by_id, (second_opinion, own, question), is_audited))
    if not mended:
        return None
    text, placed = _written_again(answer, mended)
    cut = {sentence.start for sentence, repair in mended if repair.kind == "cut"}
    left = [_marked(claim, placed) for claim in judge_claims(text, evidence, second_opinion, own, question)]
    return RepairedAnswer(text, left, tuple(placed), _still_answers(claims, left, cut))


def _mended(
    answer: str, claims: Sequence[Claim], by_id: Mapping[str, EvidenceChunk], readers: Readers, is_audited: bool
) -> Iterator[tuple[CitedSentence, Mended]]:
    in_order = cited_sentences(answer, by_id)
    sentences = {sentence.start: sentence for sentence in in_order}
    for claim in claims:
        sentence = sentences.get(claim["start"])
        is_wrong = claim["verdict"] in REFUTED
        if sentence is None or claim["kind"] != "claim" or not (is_wrong or claim["verdict"] == "uncited"):
            continue
        bearing = _bearing(sentence, in_order, by_id, readers, is_audited)
        if bearing:
            kind: Repair = "corrected" if is_wrong else "added"
            yield sentence, Mended(kind, sentence.text, bearing, claim["reason"], claim["start"])
        elif is_wrong and claim.get("checked_by") == "code" and not claim["reason"].startswith(OF_A_NAME):
            # The auditor may know better about what only the verifier doubts, and a capitalised word need not be a
            # name.
            yield sentence, Mended("cut", sentence.text, (), claim["reason"], claim["start"])


def _bearing(
    sentence: CitedSentence,
    in_order: Sequence[CitedSentence],
    by_id: Mapping[str, EvidenceChunk],
    readers: Readers,
    is_audited: bool,
) -> tuple[str, ...]:
    """The first citations that support the sentence, or else those that leave it open: its own and its neighbours', if
    a chat model reads next; the closest passage, if the writer cites nothing at all and so does not say where from."""
    left_open: tuple[str, ...] = ()
    is_plain = not any(one.cited or one.invalid for one in in_order)
    for ids in _tried(sentence, in_order, by_id, readers[2] if is_plain else ""):
        verdicts = _verdicts(sentence, ids, by_id, readers, is_audited)
        if verdicts <= BORNE_OUT:
            return ids
        is_likely = is_audited and (sentence.cited or ids in _beside(sentence, in_order))
        if verdicts <= OPEN and (is_likely or is_plain):
            left_open = left_open or ids
    return left_open


def _tried(
    sentence: CitedSentence, in_order: Sequence[CitedSentence], by_id: Mapping[str, EvidenceChunk], question: str
) -> list[tuple[str, ...]]:
    """Citations to try: its own, if it also has a made-up id; its neighbours', together with its own; another passage,
    alone and with its own."""
    own = sentence.cited
    left = [c for i, c in by_id.items() if i not in own]
    others = [(c["chunk_id"],) for c in _closest(sentence.bare.strip(), left, question)]
    beside = _beside(sentence, in_order)
    tried = [*([own] if sentence.invalid else []), *([] if own else beside), *others]
    return [ids for ids in dict.fromkeys([*tried, *((*own, *ids) for ids in (*beside, *others) if own)]) if ids]


def _beside(sentence: CitedSentence, in_order: Sequence[CitedSentence]) -> list[tuple[str, ...]]:
    """The citations of the sentence before, then of the one after: a table or list rests on the sentence that
    introduces it, and a conclusion on what it follows from."""
    at = in_order.index(sentence)
    before = next((one.cited for one in reversed(in_order[:at]) if one.cited), ())
    behind = next((one.cited for one in in_order[at + 1 :] if one.cited), ())
    return [tuple(i for i in ids if i not in sentence.cited) for ids in (before, behind)]


def _closest(bare: str, chunks: Sequence[EvidenceChunk], question: str) -> list[EvidenceChunk]:
    """The passages with most of the sentence's words and figures. For a draft that cites nothing, `question` is given:
    passages that answer it come first."""
    claim = Checked(bare)
    if len(claim.subject) < LEAST_WORDS and not claim.figures:
        # “The sources disagree”: every passage has such words.
        return []
    read = ((chunk, Sources([chunk])) for chunk in chunks)
    found = [(chunk, window.coverage + _held(claim, s)) for chunk, s in read if (window := _near(s, claim))]
    if question:
        scores = answer_scores(question, [chunk["text"] for chunk, _ in found])
        found = [(chunk, near + as_share(score)) for (chunk, near), score in zip(found, scores, strict=True)]
    return [chunk for chunk, _ in sorted(found, key=lambda pair: -pair[1])[:MOST_PASSAGES]]


def _near(sources: Sources, claim: Checked) -> Window | None:
    window = sources.window(claim)
    return window if window and window.coverage >= LEAST_SHARED else None


def _held(claim: Checked, sources: Sources) -> float:
    """Share of the claim's figures that the passage contains."""
    figures = [reading.quantity for reading in claim.figures]
    return sum(any(n.agrees_with(q) for q in sources.quantities) for n in figures) / max(1, len(figures))


def _verdicts(
    sentence: CitedSentence, ids: Sequence[str], by_id: Mapping[str, EvidenceChunk], readers: Readers, is_audited: bool
) -> set[Verdict | None]:
    cited = _with_citation(sentence.bare.strip(), " ".join(f"[{i}]" for i in ids))
    claims = judge_claims(cited, [by_id[i] for i in ids], *readers)
    # Claims that code refutes by reading a sentence are for a chat model to decide, if one audits.
    told = [c for c in claims if c["kind"] == "claim"]
    return {"unverified" if is_audited and c.get("is_reading") else c["verdict"] for c in told} or {None}


def _with_citation(sentence: str, citation: str) -> str:
    closing = _CLOSING.search(sentence)
    if closing is None or "|" in sentence:
        return f"{sentence} {citation}"
    return f"{sentence[: closing.start()].rstrip()} {citation}{closing['stop']}{closing['marks']}"


def _written_again(answer: str, mended: Sequence[tuple[CitedSentence, Mended]]) -> tuple[str, list[Mended]]:
    """The answer with every repair made, and each repair with its place in it."""
    text, at, placed = "", 0, list[Mended]()
    for sentence, repair in mended:
        text += answer[at : sentence.start]
        if repair.kind == "cut":
            # Removing the last sentence of a list item removes the whole item.
            line = text.rpartition("\n")[2]
            is_whole_item = _ITEM.fullmatch(line) and answer[sentence.end : sentence.end + 1] in ("", "\n")
            text = text[: len(text) - len(line)] if is_whole_item else text.rstrip(" ")
            placed.append(_at(repair, len(text)))
        else:
            placed.append(_at(repair, len(text)))
            text += _cited_again(sentence, repair.chunk_ids)
        at = sentence.end
    return f"{text}{answer[at:]}".strip(), placed


def _cited_again(sentence: CitedSentence, chunk_ids: Sequence[str]) -> str:
    """If all its citations remain, each stays at its clause and the new ones come last."""
    if sentence.cited and not sentence.invalid and set(sentence.cited) <= set(chunk_ids):
        added = [i for i in chunk_ids if i not in sentence.cited]
        return _with_citation(sentence.text.rstrip(), " ".join(f"[{i}]" for i in added))
    return _with_citation(sentence.bare.rstrip(), " ".join(f"[{i}]" for i in chunk_ids))


def _at(repair: Mended, start: int) -> Mended:
    return Mended(repair.kind, repair.sentence, repair.chunk_ids, repair.reason, start)


def _marked(claim: Claim, repairs: Sequence[Mended]) -> Claim:
    mended = next((r for r in repairs if r.kind != "cut" and claim["start"] <= r.start < claim["end"]), None)
    return {**claim, "repaired": mended.kind} if mended else claim


def _still_answers(before: Sequence[Claim], left: Sequence[Claim], cut: Collection[int]) -> bool:
    """An answer opens with what was asked for; without that claim the rest is not an answer."""
    asserted, kept = ([c for c in claims if c["kind"] == "claim"] for claims in (before, left))
    return bool(kept) and asserted[0]["start"] not in cut and len(kept) >= LEAST_LEFT * len(asserted)
