"""Do the documents disagree on the question? RAMDocs: two or more answers among documents that are not noise."""

import gzip
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

from evals.eval_sample import sample_results
from evals.evidence import as_evidence
from evals.intervals import balanced
from evals.sample import questions
from evals.tables import NotMeasured, Section, shared_data, table
from masis.audit.conflicts.detection import find_conflicts
from masis.language.words import content_stems
from masis.reasoning.offline.disagreement import all_conflicts
from masis.types import Conflict, EvidenceChunk
from training.sets import held_out

TITLE = "Conflicts between documents (RAMDocs)"


@dataclass(frozen=True, slots=True)
class Case:
    question: str
    evidence: list[EvidenceChunk]
    disagrees: bool
    alike: list[EvidenceChunk]
    """Two of its documents that give the same answer …"""
    apart: list[EvidenceChunk]
    """… and two that do not; empty if there are none."""
    is_ambiguous: bool

    @property
    def is_held_out(self) -> bool:
        """The embedded reader was trained, and thresholds were set, on the others."""
        return held_out(f"ramdocs-{self.question}")


Detector = Callable[[str, Sequence[EvidenceChunk]], bool]


def measure(limit: int | None = None) -> Section:
    data = shared_data("ramdocs")
    if data is None:
        raise NotMeasured("the data set is not at ../shared/data")
    cases = read_cases(data)[:limit]
    fit, reported = [c for c in cases if not c.is_held_out], [c for c in cases if c.is_held_out]
    overlap = _best(fit, lambda _, evidence: -least_overlap(evidence))
    count = _best(fit, lambda _, evidence: float(len(evidence)))
    rows = [
        _row("always a conflict", reported, lambda *_: True),
        _row("never a conflict", reported, lambda *_: False),
        _row(f"{count:.0f} documents or more (no text read)", reported, lambda _, e: len(e) >= count),
        _row(f"word overlap of two documents ≤ {-overlap:.2f}", reported, lambda _, e: -least_overlap(e) >= overlap),
        _row("MASIS, plain code alone", reported, lambda q, e: bool(find_conflicts(q, e))),
        _row("MASIS, with the embedded reader", reported, lambda q, e: bool(conflicts_of(q, e))),
    ]
    header = [
        "",
        "conflicts found",
        "none raised where there is none",
        "balanced accuracy (± 95 %)",
        "pairs that disagree found",
        "pairs that agree left alone",
        "balanced accuracy, pairs (± 95 %)",
    ]
    return Section(
        "conflicts",
        TITLE,
        f"{_explained(reported)}\n\n{table(header, rows)}\n\n{in_wikipedia(limit)}\n\n{_in_the_sample()}",
    )


def conflicts_of(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """All conflicts found without a key: by code, and by the embedded reader."""
    return all_conflicts(question, evidence)


@dataclass(frozen=True, slots=True)
class Passages:
    """WikiContradict: two passages that contradict each other, or one with the paragraph it was taken from."""

    question: str
    first: str
    second: str
    contradicts: bool

    @property
    def pair(self) -> list[EvidenceChunk]:
        return [passage(1, self.first), passage(2, self.second)]

    @property
    def is_reported(self) -> bool:
        """The other half may be inspected."""
        return int(sha256(f"wikicontradict-{self.question}".encode()).hexdigest(), 16) % 2 == 1

    @property
    def is_one_text(self) -> bool:
        """A third of the contradictions are within one passage, given twice."""
        return self.contradicts and (self.first.strip() in self.second or self.second.strip() in self.first)


def wikicontradict(data: Path) -> list[Passages]:
    entries = [json.loads(x) for x in gzip.decompress((data / "questions.jsonl.gz").read_bytes()).splitlines()]
    pairs = (("context1", "context2"), ("context1", "context1_info"), ("context2", "context2_info"))
    return [Passages(e["question"], e[a], e[b], b == "context2") for e in entries for a, b in pairs]


def in_wikipedia(limit: int | None = None) -> str:
    data = shared_data("wikicontradict_half")
    if data is None:
        return ""
    cases = [c for c in wikicontradict(data) if c.is_reported][:limit]
    raised = [(c, any(r["kind"] == "contradiction" for r in conflicts_of(c.question, c.pair))) for c in cases]
    found = [was for c, was in raised if c.contradicts]
    apart = [was for c, was in raised if c.contradicts and not c.is_one_text]
    quiet = [not was for c, was in raised if not c.contradicts]
    return (
        f"WikiContradict, the half that is not looked at: {sum(found)} of {len(found)} contradictions raised "
        f"({sum(apart)} of the {len(apart)} between two different texts; the others stand within one passage), none "
        f"raised for {sum(quiet)} of {len(quiet)} passages with the paragraph they were taken from: balanced accuracy "
        f"{balanced(found, quiet)}."
    )


def _explained(reported: Sequence[Case]) -> str:
    peaceful = [c for c in reported if not c.disagrees]
    apart, alike = sum(bool(c.apart) for c in reported), sum(bool(c.alike) for c in reported)
    return (
        f"{len(reported)} questions on which nothing was trained or fitted, {len(peaceful)} of them without a "
        "conflict. Always saying “conflict” has an F1 of .92, hence balanced accuracy. No detector is published for "
        "this split; the best published answers have 32.6 exact match. The questions without a conflict are few and "
        f"have fewer documents, and {sum(c.is_ambiguous for c in peaceful)} of them have several right answers, all "
        "but one of them in documents marked as noise. The last three columns are free of this: "
        f"{apart} pairs of documents with different answers and {alike} with the same one, from the same questions."
    )


def least_overlap(evidence: Sequence[EvidenceChunk]) -> float:
    """The simple baseline: how little two of the documents have in common."""
    said = [set(content_stems(chunk["text"])) for chunk in evidence]
    return min((len(a & b) / len(a | b) for a, b in combinations(said, 2) if a | b), default=1.0)


def _in_the_sample() -> str:
    """Office documents, in which most figures that differ are for other times or defined differently."""
    with tempfile.TemporaryDirectory() as home:
        expected = [q.expected_outcome == "conflict" for q in questions()]
        ran = list(zip(expected, sample_results(Path(home)), strict=True))
    raised = [(is_real, any(c["kind"] == "contradiction" for c in result.conflicts)) for is_real, result in ran]
    explained = sum(any(c["kind"] != "contradiction" for c in result.conflicts) for _, result in ran)
    real = [found for is_real, found in raised if is_real]
    quiet = [not found for is_real, found in raised if not is_real]
    return (
        f"On the sample workspace, which the engine was tuned on: {sum(real)} of {len(real)} contradictions raised, "
        f"none raised in {sum(quiet)} of the {len(quiet)} other questions; in {explained} a difference of period, "
        "definition or stage is explained instead of raised."
    )


def read_cases(data: Path) -> list[Case]:
    lines = gzip.decompress((data / "RAMDocs_test.jsonl.gz").read_bytes()).splitlines()
    return [_case(json.loads(line)) for line in lines]


def _case(entry: dict[str, Any]) -> Case:
    answers = {d["answer"] for d in entry["documents"] if d["type"] != "noise"}
    evidence = [passage(number, d["text"]) for number, d in enumerate(entry["documents"], start=1)]
    pairs = list(
        combinations([d for d in zip(evidence, entry["documents"], strict=True) if d[1]["type"] != "noise"], 2)
    )
    alike = next(([a, b] for (a, x), (b, y) in pairs if x["answer"] == y["answer"]), [])
    apart = next(([a, b] for (a, x), (b, y) in pairs if x["answer"] != y["answer"]), [])
    return Case(str(entry["question"]), evidence, len(answers) > 1, alike, apart, len(entry["gold_answers"]) > 1)


def passage(number: int, text: str) -> EvidenceChunk:
    """Each document of the set is a file with one passage."""
    return as_evidence(text, f"c{number}", f"d{number}", f"document-{number}.txt")


def _best(cases: Sequence[Case], score: Callable[[str, Sequence[EvidenceChunk]], float]) -> float:
    """The threshold with the best balanced accuracy on the cases for fitting."""
    scored = [(score(c.question, c.evidence), c.disagrees) for c in cases]
    return max(sorted({s for s, _ in scored}), key=lambda t: _balanced(scored, t))


def _balanced(scored: Sequence[tuple[float, bool]], threshold: float) -> float:
    found = [s >= threshold for s, disagrees in scored if disagrees]
    quiet = [s < threshold for s, disagrees in scored if not disagrees]
    return sum(found) / max(1, len(found)) + sum(quiet) / max(1, len(quiet))


def _row(name: str, cases: Sequence[Case], says: Detector) -> list[str]:
    found = [says(c.question, c.evidence) for c in cases if c.disagrees]
    quiet = [not says(c.question, c.evidence) for c in cases if not c.disagrees]
    apart = [says(c.question, c.apart) for c in cases if c.apart]
    alike = [not says(c.question, c.alike) for c in cases if c.alike]
    whole = [_share(found), _share(quiet), balanced(found, quiet)]
    return [name, *whole, _share(apart), _share(alike), balanced(apart, alike)]


def _share(held: Sequence[bool]) -> str:
    return f"{sum(held) / max(1, len(held)):.2f}"
