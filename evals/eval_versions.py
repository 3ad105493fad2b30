"""Two versions of one report: is a changed figure raised where it is asked for, and left alone where it is not?"""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.eval_conflicts import passage
from evals.intervals import balanced
from evals.tables import NotMeasured, Section, shared_data, table
from masis.audit.conflicts.detection import find_conflicts
from masis.language.words import content_stems
from masis.reasoning.offline.disagreement import all_conflicts
from masis.types import EvidenceChunk

TITLE = "Two versions of one report, one figure changed (TAT-QA)"
SEED = 4
FIGURE = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?!\w|[.,]\d)")
YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Case:
    question: str
    report: str
    answer_changed: str
    """The report with another figure where the answer was …"""
    other_changed: str
    """… and with another figure elsewhere."""


Detector = Callable[[str, Sequence[EvidenceChunk]], bool]


def measure(limit: int | None = 300) -> Section:
    data = shared_data("tatqa_dev")
    if data is None:
        raise NotMeasured("the data set is not at ../shared/data")
    cases = read_cases(data, limit)
    rows = [
        _row("always a conflict", cases, lambda *_: True),
        _row("never a conflict", cases, lambda *_: False),
        _row("any figure that only one version has", cases, lambda _, e: _figures(e[0]) != _figures(e[1])),
        _row("such a figure in a line that shares a word with the question", cases, _line_shares_a_word),
        _row("MASIS, plain code alone", cases, lambda q, e: bool(find_conflicts(q, e))),
        _row("MASIS, with the embedded selector", cases, lambda q, e: bool(all_conflicts(q, e))),
    ]
    header = [
        "",
        "changed answer raised",
        "other change left alone",
        "balanced accuracy (± 95 %)",
        "same text left alone",
    ]
    body = (
        f"{len(cases)} questions on the tables and paragraphs of financial reports that a figure answers. The second "
        "version is a copy in which one figure was changed: the answer, or another one that is not asked for. The "
        "rules were written looking at the development part of the set; these are from its test part.\n\n"
        f"{table(header, rows)}"
    )
    return Section("versions", TITLE, body)


def read_cases(data: Path, limit: int | None) -> list[Case]:
    reports = json.loads(gzip.decompress((data / "tatqa_dataset_test_gold.json.gz").read_bytes()))
    chance = random.Random(SEED)
    cases = [case for report in reports for case in _cases(report, chance)]
    return chance.sample(cases, min(limit or len(cases), len(cases)))


def _cases(report: dict[str, Any], chance: random.Random) -> Iterator[Case]:
    rows = "\n".join(" | ".join(row) for row in report["table"]["table"])
    text = "\n\n".join([rows, *(p["text"] for p in report["paragraphs"])])
    for question in report["questions"]:
        answer = FIGURE.search(str(question["answer"][0])) if question["answer_type"] == "span" else None
        if answer is None or len(question["answer"]) > 1 or YEAR.fullmatch(answer[0]):
            continue
        others = sorted({f for f in FIGURE.findall(text) if f != answer[0] and len(f) > 2 and not YEAR.fullmatch(f)})
        if re.search(_alone(answer[0]), text) and others:
            yield Case(
                str(question["question"]), text, _changed(text, answer[0]), _changed(text, chance.choice(others))
            )


def _changed(text: str, figure: str) -> str:
    """Everywhere, in its leading digits: a typing error that matters."""
    first = str(int(figure[0]) % 9 + 1)
    return re.sub(_alone(figure), first + figure[1:], text)


def _alone(figure: str) -> str:
    return rf"(?<![\w.,]){re.escape(figure)}(?!\w|[.,]\d)"


def _figures(chunk: EvidenceChunk) -> set[str]:
    return set(FIGURE.findall(chunk["text"]))


def _line_shares_a_word(question: str, evidence: Sequence[EvidenceChunk]) -> bool:
    """The cheap way."""
    first, second = (set(chunk["text"].splitlines()) for chunk in evidence)
    asked = set(content_stems(question))
    return any(asked & set(content_stems(line)) for line in first - second)


def _row(name: str, cases: Sequence[Case], says: Detector) -> list[str]:
    found = [says(c.question, _versions(c.report, c.answer_changed)) for c in cases]
    quiet = [not says(c.question, _versions(c.report, c.other_changed)) for c in cases]
    same = [not says(c.question, _versions(c.report, c.report)) for c in cases]
    shares = [sum(held) / len(held) for held in (found, quiet)]
    return [name, f"{shares[0]:.2f}", f"{shares[1]:.2f}", balanced(found, quiet), f"{sum(same) / len(same):.2f}"]


def _versions(first: str, second: str) -> list[EvidenceChunk]:
    return [passage(1, first), passage(2, second)]
