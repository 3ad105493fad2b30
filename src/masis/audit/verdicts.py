"""Turns every sentence of an answer into a record: what it cites, to the character, and a verdict with its reason."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from masis.audit.checks.places import doubted_places
from masis.audit.checks.second_opinion import (
    SURE,
    UNDECIDED,
    Question,
    QuestionKey,
    SecondOpinion,
    turned,
    weighed,
    without_denial,
)
from masis.audit.checks.signature import Check, Sources
from masis.audit.checks.signature import Claim as Checked
from masis.audit.checks.support import (
    REFUTED,
    Support,
    check_support,
    closest_words,
    first_refutation,
    is_too_long,
)
from masis.audit.citations.extraction import CitedCell, CitedSentence, cited_sentences
from masis.language.instructions import find_instructions, readable
from masis.language.sentences import clauses
from masis.language.statements import SCALE_OF_ALL
from masis.language.words import capitalised, content_stems, is_negated
from masis.types import Citation, Claim, ClaimPart, EvidenceChunk, Verdict

_BORNE_OUT = ("verbatim", "supported")
_ECHO = 0.6
"""A sentence that takes this share of its words from an order obeys it; so does one that repeats this share of a
request's words."""


def obeyed(claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> list[Claim]:
    """The claims that may follow an instruction hidden in the evidence."""
    found = [one for chunk in evidence for one in find_instructions(chunk["text"])]
    if not found:
        return []
    orders = [one.text for one in found if one.is_certain]
    requests = [one.text for one in found if not one.is_certain]
    honest = readable(evidence)
    return [
        claim
        for claim in claims
        if claim["kind"] != "limit" and not _is_borne_out(claim) and _may_obey(claim, orders, requests, honest)
    ]


def _is_borne_out(claim: Claim) -> bool:
    """The claim's own citation supports it, and not only in the opinion of a model that may have obeyed as well."""
    return bool(claim["citations"]) and claim["verdict"] in _BORNE_OUT and claim.get("checked_by") != "model"


def _may_obey(claim: Claim, orders: Sequence[str], requests: Sequence[str], evidence: Sequence[EvidenceChunk]) -> bool:
    text = claim["text"]
    if any(_comes_from(text, order) for order in orders) or any(_comes_from(asked, text) for asked in requests):
        return True
    if not orders or claim["kind"] == "heading":
        return False
    return check_support(text, evidence).verdict not in _BORNE_OUT


def _comes_from(text: str, source: str) -> bool:
    said = set(content_stems(text))
    return len(said) > 1 and len(said & set(content_stems(source))) >= _ECHO * len(said)


_WORST_FIRST: tuple[Verdict, ...] = (
    "fabricated_citation", "contradicted", "numbers_differ", "not_in_source", "uncited", "unverified", "supported",
    "verbatim",
)  # fmt: skip
MISPLACED = 0.3
"""How much likelier the verifier must find the other places than the one that contains the figure."""
LEANS_BACK = re.compile(r"\bthe (?:same|latter|former)\b", re.IGNORECASE)
Opinions = dict[QuestionKey, float | None]

Cells = Sequence[tuple[CitedCell, Support]]


@dataclass(frozen=True, slots=True)
class Examined:
    """A sentence with what code alone found out about it and, for a table row, about each of its figures."""

    sentence: CitedSentence
    chunks: Sequence[EvidenceChunk]
    whole: Support | None
    """None if the sentence cites nothing."""
    cells: Cells = ()
    before: str = ""
    """The preceding sentence, if this one may refer to it."""

    @property
    def bare(self) -> str:
        return self.sentence.bare.strip()

    def question(self) -> Question:
        return Question(self.bare, self.chunks, self.before)

    def open_questions(self) -> Iterator[Question]:
        """What code leaves to the verifier."""
        leaning = not self.cells or any(_cannot_stand_alone(support) for _, support in self.cells)
        if self.whole and leaning and _is_asked(self.whole, self.question()):
            yield self.question()
        for cell, support in self.cells:
            if not _cannot_stand_alone(support) and _is_asked(support, asked := Question(cell.reads, self.chunks)):
                yield asked


def _is_asked(support: Support, question: Question) -> bool:
    """No question is asked if no reader could change the verdict: a row whose figures hold and that has no opposite."""
    is_settled = support.verdict == "supported" and support.is_row and support.figures_hold
    is_withdrawable = support.withdrawn_at is not None and support.withdrawn_at <= 1
    return is_withdrawable or (support.is_open and not (is_settled and not _contraries(question)))


def judge_claims(
    answer: str,
    evidence: Sequence[EvidenceChunk],
    second_opinion: SecondOpinion | None = None,
    own: Sequence[Check] = (),
    question: str = "",
) -> list[Claim]:
    """The claims of an answer with their verdicts.

    `second_opinion` is the verifier: it is asked about everything that code cannot decide and then, where it is not
    sure of a claim, about the opposite. `own` are the caller's checks, which run before all others. Names in the
    `question` do not count as inventions.
    """
    by_id = {chunk["chunk_id"]: chunk for chunk in _with_names_elsewhere(readable(evidence), question)}
    sentences = cited_sentences(answer, by_id)
    examined = [_examine(s, by_id, before, own) for s, before in zip(sentences, [None, *sentences], strict=False)]
    if second_opinion is None:
        return [_claim(one, {}) for one in examined]
    asked = [question for one in examined for question in one.open_questions()]
    opinions = _asked(second_opinion, asked)
    unsure = [question for question in asked if (opinions.get(question.key) or 1.0) < SURE]
    opinions |= _asked(second_opinion, [contrary for question in unsure for contrary in _contraries(question)])
    return _placed([_claim(one, opinions) for one in examined], examined, second_opinion)


def _placed(claims: Sequence[Claim], examined: Sequence[Examined], second_opinion: SecondOpinion) -> list[Claim]:
    """Every figure is in the source; the verifier says whether it is in the place the claim is about."""
    doubts = [
        (one, Question(doubt.bare, one.chunks, "", doubt.held, doubt.rivals), doubt)
        for claim, one in zip(claims, examined, strict=True)
        if claim["verdict"] in ("supported", "unverified") and claim["kind"] == "claim"
        for doubt in doubted_places(Checked(one.bare), Sources(one.chunks))
    ]
    margins = _asked(second_opinion, [question for _, question, _ in doubts])
    wrong = {id(one): doubt for one, question, doubt in doubts if (margins.get(question.key) or 0.0) >= MISPLACED}
    return [
        {**claim, "verdict": "numbers_differ", "reason": wrong[id(one)].reason, "checked_by": "verifier"}
        if id(one) in wrong
        else claim
        for claim, one in zip(claims, examined, strict=True)
    ]


def _with_names_elsewhere(evidence: Sequence[EvidenceChunk], question: str) -> list[EvidenceChunk]:
    named: dict[str, list[str]] = {}
    for chunk in evidence:
        scales = (match.group() for match in SCALE_OF_ALL.finditer(chunk["text"]))
        named.setdefault(chunk["document_id"], []).extend([*sorted(capitalised(chunk["text"])), *scales])
    together = {document: " ".join(dict.fromkeys(found)) for document, found in named.items()}
    everywhere = " ".join(together.values())
    return [
        {**chunk, "elsewhere": f"{question} {together[chunk['document_id']]}", "other_names": everywhere}
        for chunk in evidence
    ]


def _asked(second_opinion: SecondOpinion, questions: Sequence[Question]) -> Opinions:
    once = {question.key: question for question in questions}
    return dict(zip(once, second_opinion(list(once.values())), strict=True)) if once else {}


def _contraries(question: Question) -> list[Question]:
    return [question._replace(claim=contrary) for contrary in (*_without_denial(question), *turned(question.claim))]


def _without_denial(question: Question) -> list[str]:
    """Leaves the denial in if the source also denies something there: “growers see no difference” for “are not
    affected”."""
    said, contraries = question.claim, without_denial(question.claim)
    denials = [said[a:b] for a, b in clauses(said) if is_negated(said[a:b])] if contraries else []
    windows = [Sources(question.chunks).window(Checked(clause)) for clause in denials]
    return [] if any(w and is_negated(w.parts[0].text) for w in windows) else contraries


def _weighed(support: Support, question: Question, opinions: Opinions) -> Support:
    probability = opinions.get(question.key)
    if probability is None:
        return support
    of_contraries = [opinions.get(contrary.key) for contrary in _contraries(question)]
    denials = len(_without_denial(question))
    if not question.before and LEANS_BACK.search(question.claim):
        # Only the sentence before says what “the same method” is.
        probability = max(probability, UNDECIDED)
    return weighed(support, probability, of_contraries[:denials], of_contraries[denials:])


def _examine(
    sentence: CitedSentence,
    by_id: Mapping[str, EvidenceChunk],
    before: CitedSentence | None,
    own: Sequence[Check] = (),
) -> Examined:
    chunks = [by_id[i] for i in sentence.cited]
    if not chunks:
        return Examined(sentence, chunks, None)
    bare = sentence.bare.strip()
    if against := first_refutation(Checked(bare), Sources(chunks), own):
        # These checks also apply to text that is word for word in a source.
        return Examined(sentence, chunks, Support(against.verdict, against.reason, withdrawn_at=against.withdrawn_at))
    whole = check_support(bare, chunks)
    if sentence.kind == "limit" and whole.verdict == "verbatim":
        # A statement of a document about itself, such as “this report does not cover …”, is a quotation like any other.
        sentence = replace(sentence, kind="claim")
    leaned_on = before.bare.strip() if before and _may_lean_on(sentence, before) else ""
    if not sentence.cells or sentence.kind not in ("claim", "recommendation") or is_too_long(sentence.blanked):
        return Examined(sentence, chunks, whole, before=leaned_on)
    # A table row makes as many claims as it has figures, each with its own citation.
    cells = [(cell, check_support(cell.reads, [by_id[i] for i in cell.cited])) for cell in sentence.cells]
    return Examined(sentence, chunks, whole, cells)


def _may_lean_on(sentence: CitedSentence, before: CitedSentence) -> bool:
    """The sentence may refer to the one before only if it cites the same passages: text that its own passages do not
    support would count against it."""
    return before.kind != "heading" and bool(before.cited) and set(before.cited) <= set(sentence.cited)


def _cannot_stand_alone(support: Support) -> bool:
    """A figure that code cannot place by itself is judged together with its row."""
    return support.verdict == "unverified" or (support.verdict == "not_in_source" and support.is_open)


def _claim(examined: Examined, opinions: Opinions) -> Claim:
    sentence = examined.sentence
    claim: Claim = {
        "text": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "kind": sentence.kind,
        "citations": [],
        "verdict": None,
        "reason": "",
    }
    if examined.whole:
        whole = _weighed(examined.whole, examined.question(), opinions)
        cells = _settled(examined, whole, opinions)
        claim["citations"] = [_citation(chunk, examined, cells) for chunk in examined.chunks]
        if sentence.kind in ("claim", "recommendation"):
            _give_verdict(claim, whole, cells)
    elif sentence.kind == "claim":
        claim["verdict"], claim["reason"] = "uncited", "it makes a claim and cites nothing"
    if sentence.invalid:
        claim["citations"] += [_unresolved(made_up) for made_up in sentence.invalid]
        claim["verdict"] = "fabricated_citation"
        claim["reason"] = f"no passage has the id {', '.join(sentence.invalid)}"
    if claim["verdict"]:
        claim.setdefault("checked_by", "code")
    return claim


def _settled(examined: Examined, whole: Support, opinions: Opinions) -> Cells:
    chunks = examined.chunks
    return [
        (cell, whole if _cannot_stand_alone(support) else _weighed(support, Question(cell.reads, chunks), opinions))
        for cell, support in examined.cells
    ]


def _give_verdict(claim: Claim, whole: Support, cells: Cells) -> None:
    worst = min((support for _, support in cells), key=lambda s: _WORST_FIRST.index(s.verdict), default=whole)
    claim["verdict"], claim["reason"], claim["checked_by"] = worst.verdict, worst.reason, worst.checked_by
    if worst.verdict in REFUTED and worst.withdrawn_at is not None:
        claim["is_reading"] = True
    if cells:
        claim["parts"] = [_part(claim, cell, support) for cell, support in cells]


def _part(claim: Claim, cell: CitedCell, support: Support) -> ClaimPart:
    said = claim["text"][cell.start : cell.end]
    start = claim["start"] + cell.start + len(said) - len(said.lstrip())
    return {
        "text": said.strip(),
        "start": start,
        "end": start + len(said.strip()),
        "verdict": support.verdict,
        "reason": support.reason,
    }


def _citation(chunk: EvidenceChunk, examined: Examined, cells: Cells) -> Citation:
    """The best supporting words of this chunk, which need not be the chunk that the verdict rests on."""
    here = [s for s in (examined.whole, *(s for _, s in cells)) if s and s.chunk and _is_same(s.chunk, chunk)]
    # Of equal verdicts, this picks the whole sentence's own words, which come first.
    support = max(here, key=lambda s: _WORST_FIRST.index(s.verdict), default=None)
    start, end = (support.start, support.end) if support else closest_words(examined.bare, chunk)
    return {
        "chunk_id": chunk["chunk_id"],
        "document_id": chunk["document_id"],
        "file_name": chunk["file_name"],
        "page": chunk["page"],
        "start": chunk["start"] + start,
        "end": chunk["start"] + end,
        "quote": chunk["text"][start:end],
        "label": chunk.get("label"),
    }


def _is_same(a: EvidenceChunk, b: EvidenceChunk) -> bool:
    return a["chunk_id"] == b["chunk_id"]


def _unresolved(made_up: str) -> Citation:
    return {
        "chunk_id": made_up,
        "document_id": None,
        "file_name": None,
        "page": None,
        "start": None,
        "end": None,
        "quote": None,
    }
