"""Answers with known errors, each with the text it was written from: the parts that nothing was trained on."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from evals.evidence import as_evidence
from evals.support_memory import remembered_logit, remembered_opinion
from masis.audit.checks.signature import Claim, Sources
from masis.audit.checks.support import REFUTED, SCORES, check_support
from masis.audit.verdicts import judge_claims
from masis.language.words import content_stems
from masis.types import EvidenceChunk
from training import sets
from training.figures import hash_half
from training.sets import ClaimExample


@dataclass(frozen=True, slots=True)
class Case:
    """An answer, sentence by sentence; `good` if its source supports all of it."""

    group: str
    sentences: tuple[tuple[str, str], ...]
    """The preceding sentence, if there is one, and the sentence."""
    source: str
    good: int

    @property
    def half(self) -> int:
        """Thresholds are fitted on one half of the sources and reported on the other."""
        return hash_half(self.group)


def ragtruth(data: Path, most: int) -> list[Case]:
    cases = _cases(e for e in sets.ragtruth(data) if sets.held_out(e.group))
    return Random(0).sample(cases, min(most, len(cases)))


def summedits(data: Path) -> dict[str, list[Case]]:
    by_domain: dict[str, list[ClaimExample]] = defaultdict(list)
    for example in sets.summedits(data):
        if sets.held_out(example.group):
            by_domain[example.set.removeprefix("summedits-")].append(example)
    return {domain: _cases(examples) for domain, examples in by_domain.items()}


def wice(data: Path) -> list[Case]:
    return _cases(sets.wice(data))


def _cases(examples: Iterable[ClaimExample]) -> list[Case]:
    answers: dict[str, list[ClaimExample]] = defaultdict(list)
    for example in examples:
        answers[example.answer].append(example)
    return [_case(members) for members in answers.values()]


def _case(members: Sequence[ClaimExample]) -> Case:
    pairs = tuple((e.claim[: e.context].rstrip(), e.claim[e.context :]) for e in members)
    good = min(e.as_json()["sentence_label"] for e in members)
    return Case(members[0].group, pairs, members[0].passage, good)


Scorer = Callable[[Case], float]
"""The higher, the better supported; an answer counts as its worst sentence."""


def word_overlap(case: Case) -> float:
    said = set(content_stems(case.source))
    return min((_share(set(content_stems(s)), said) for _, s in case.sentences), default=1.0)


def _share(wanted: set[str], said: set[str]) -> float:
    return len(wanted & said) / len(wanted) if wanted else 1.0


@cache
def code_alone(case: Case) -> float:
    """The verdict of each sentence and, within a verdict, how many of its words one stretch of the source contains."""
    return min(_by_code(sentence, [as_evidence(case.source)]) for _, sentence in case.sentences)


def _by_code(sentence: str, chunks: Sequence[EvidenceChunk]) -> float:
    window = Sources(chunks).window(Claim(sentence))
    return SCORES[check_support(sentence, chunks).verdict] + 0.3 * (window.coverage if window else 0.0)


@cache
def verifier(case: Case) -> float:
    return min(remembered_logit(sentence, case.source, before) for before, sentence in case.sentences)


@cache
def is_refuted(case: Case) -> bool:
    """Whether the audit, with the bounds it ships with, refutes any sentence."""
    answer = "\n\n".join(f"{sentence.rstrip()} [c1]" for _, sentence in case.sentences)
    return any(
        claim["verdict"] in REFUTED for claim in judge_claims(answer, [as_evidence(case.source)], remembered_opinion)
    )


def read(case: Case) -> None:
    """Everything that takes time, done once."""
    verifier(case)
    is_refuted(case)
    code_alone(case)
