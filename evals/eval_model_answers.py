"""Does the audit accept a good answer of a large model, and no error planted in it? 84 answers, read and labelled.

Half of the answers, chosen by a hash of the question, was inspected while the audit was built; the figures are for the
others.
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from evals.evidence import as_evidence
from evals.intervals import share
from evals.planting import PLANTS
from evals.support_memory import remembered_opinion
from evals.tables import NotMeasured, Section, shared_data, table
from masis.audit.checks.support import REFUTED
from masis.audit.citations.extraction import strip_citations
from masis.audit.repair import repaired
from masis.audit.verdicts import judge_claims
from masis.types import Claim, EvidenceChunk
from training.figures import hash_half

TITLE = "A large model's answers, audited"
LOOKED_AT = 0
REPORTED = 1
FIGURES = ("swapped number", "number of something else", "wrong scale or unit")
OTHERS = tuple(kind for kind in PLANTS if kind not in FIGURES)


@dataclass(frozen=True)
class Answer:
    question: str
    text: str
    evidence: tuple[EvidenceChunk, ...]
    labels: dict[str, str]
    """Each labelled sentence as written → supported, supported_elsewhere, unsupported or no_claim."""
    half: int

    def __hash__(self) -> int:
        return hash((self.question, self.text))


@cache
def answers() -> tuple[Answer, ...]:
    folder = shared_data("model_answers")
    if folder is None:
        return ()
    lines = gzip.decompress((folder / "answers.jsonl.gz").read_bytes()).decode().splitlines()
    return tuple(_answer(json.loads(line)) for line in lines)


def _answer(entry: dict[str, Any]) -> Answer:
    evidence = tuple(_chunk(chunk) for chunk in entry["evidence"])
    labels = {claim["text"]: claim["label"] for claim in entry["claims"] if claim["label"]}
    return Answer(entry["question"], entry["answer"], evidence, labels, hash_half(entry["question"]))


def _chunk(entry: dict[str, Any]) -> EvidenceChunk:
    made = as_evidence(entry["text"], entry["chunk_id"], entry["file_name"], entry["file_name"])
    return {**made, "heading": entry["heading"], "page": entry["page"]}


@cache
def judged(answer: Answer) -> list[tuple[str, Claim]]:
    """(label, claim) of every labelled sentence that the audit recognises as one."""
    claims = judge_claims(answer.text, answer.evidence, remembered_opinion, (), answer.question)
    return [(answer.labels[c["text"]], c) for c in claims if c["text"] in answer.labels]


def is_refuted(claim: Claim) -> bool:
    return claim["verdict"] in REFUTED


@dataclass(frozen=True, slots=True)
class Planted:
    kind: str
    good: str
    bad: str
    claims: Sequence[Claim]

    @property
    def caught(self) -> bool:
        """A claim that the original answer does not make is refuted, or cites something that does not exist."""
        return any(is_refuted(claim) for claim in self.claims)


def planted(half: int, kinds: Sequence[str] = tuple(PLANTS)) -> Iterator[Planted]:
    """One error in each supported, cited claim that passes unchanged, audited with the evidence of its answer."""
    for answer in (a for a in answers() if a.half == half):
        for label, claim in judged(answer):
            if label != "supported" or claim["kind"] != "claim" or is_refuted(claim) or not claim["citations"]:
                continue
            for kind in kinds:
                bad = PLANTS[kind](claim["text"], answer.evidence)
                if bad and bad != claim["text"]:
                    claims = judge_claims(bad, answer.evidence, remembered_opinion, (), answer.question)
                    yield Planted(kind, claim["text"], bad, claims)


def measure() -> Section:
    if not answers():
        raise NotMeasured("the data set is not at ../shared/data")
    errors = list(planted(REPORTED))
    body = (
        "Answers that a large language model wrote from our own prompt, every claim labelled by reading. “Refuted” is "
        "said by the audit, code and embedded verifier, with no key. One error of eleven kinds is planted in each "
        "claim that passes, and the claim is audited with the answer's evidence. The half whose texts were not "
        "looked at; which checks "
        "raised its false alarms, and how sure the verifier was of them, was seen several times and used. 95 % "
        f"intervals.\n\n{_alarms(REPORTED)}\n\n{_caught(errors)}\n\n{_repairs(REPORTED)}"
    )
    return Section("model-answers", TITLE, body)


def _alarms(half: int) -> str:
    mine = [a for a in answers() if a.half == half and a.labels]
    good = [c for a in mine for label, c in judged(a) if label == "supported"]
    wrong = [c for a in mine for label, c in judged(a) if label == "unsupported"]
    by_answer = [any(label == "supported" and is_refuted(c) for label, c in judged(a)) for a in mine]
    rows = [
        ["claims labelled supported, refuted", len(good), share([is_refuted(c) for c in good])],
        ["answers with such a claim", len(mine), share(by_answer)],
        ["claims labelled supported, unverified", len(good), share([c["verdict"] == "unverified" for c in good])],
        ["claims labelled wrong, not passed as supported", len(wrong), share([not _passes(c) for c in wrong])],
    ]
    return table(["", "n", "share"], rows)


def _passes(claim: Claim) -> bool:
    return claim["verdict"] in ("supported", "verbatim")


def _caught(errors: Sequence[Planted]) -> str:
    def row(name: str, kinds: Sequence[str]) -> list[object]:
        found = [p.caught for p in errors if p.kind in kinds]
        return [name, len(found), share(found)]

    rows = [row(kind, [kind]) for kind in PLANTS]
    rows += [row("all three kinds of figures", FIGURES), row("all other kinds", OTHERS)]
    return table(["planted in one claim", "n", "caught"], rows)


def _repairs(half: int) -> str:
    """All citations are removed from the answers: how many claims get one back, and is it the right one?"""
    given: list[bool] = []
    right: list[bool] = []
    for answer in (a for a in answers() if a.half == half):
        known = [chunk["chunk_id"] for chunk in answer.evidence]
        for text in (text for text, label in answer.labels.items() if label == "supported"):
            bare = strip_citations(text, known)
            claims = judge_claims(bare, answer.evidence, remembered_opinion)
            if not any(claim["verdict"] == "uncited" for claim in claims):
                continue
            mended = repaired(bare, claims, answer.evidence, remembered_opinion)
            added = {i for repair in mended.repairs for i in repair.chunk_ids} if mended else set()
            given.append(bool(added))
            right += [bool(added & {i for i in known if i in text})] if added else []
    rows = [["claims without their citation, cited again", len(given), share(given)],
            ["of these, by a passage that the model had cited", len(right), share(right)]]  # fmt: skip
    return table(["repair", "n", "share"], rows)


def _look(show: Callable[[str], bool]) -> None:
    """For the half that is inspected: every false refutation, and what was missed."""
    print(_alarms(LOOKED_AT))
    for answer in (a for a in answers() if a.half == LOOKED_AT):
        for label, claim in judged(answer):
            if (label == "supported") == is_refuted(claim) or claim["verdict"] == "unverified":
                print(
                    f"\n{label} {claim['verdict']} ({claim['reason']}, {claim.get('checked_by')})\n   {claim['text']}"
                )
    errors = list(planted(LOOKED_AT))
    print(_caught(errors))
    for error in errors:
        if not error.caught and show(error.kind):
            print(f"\nMISSED {error.kind}: {error.bad}\n   {Counter(str(c['verdict']) for c in error.claims)}")


if __name__ == "__main__":
    _look(lambda kind: kind in sys.argv[1:])
