"""Does the offline writer answer what a passage answers, and stay silent where it is silent? On CLAPnq."""

import asyncio
import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from evals.tables import Section, shared_data, table
from masis.audit.words import content_stems
from masis.reasoning.offline.question import parts_of
from masis.reasoning.offline.relevance import CrossEncoder
from masis.reasoning.offline.selection import candidates_of, rank
from masis.reasoning.offline.writer import ANSWERS
from masis.reasoning.ports import Passage

LOOKED_AT = 120
"""The writer's threshold was chosen by looking at this many questions of either kind; they are not reported on."""


@dataclass(frozen=True, slots=True)
class Case:
    answerable: bool
    strength: float
    overlap: float
    """The cheap way: share of the question's words in the passage."""


def measure() -> Section:
    title = "Answer or silence, one passage (CLAPnq dev)"
    data = shared_data("clapnq_dev")
    if data is None:
        return Section("silence", title, "Not measured: the data set is not at ../shared/data.")
    fit, held_out = asyncio.run(_read_all(data))
    cheap = _best_threshold(fit)
    rows = [
        ["always answer", "1.00", "0.00", "0.50"],
        ["always silent", "0.00", "1.00", "0.50"],
        _row(f"word overlap ≥ {cheap:.2f} (fitted on the others)", held_out, lambda c: c.overlap >= cheap),
        _row("MASIS offline writer", held_out, lambda c: c.strength >= ANSWERS),
    ]
    header = ["", "answerable kept", "unanswerable refused", "balanced accuracy (± 95 %)"]
    body = (
        f"{len(held_out)} questions that played no part in setting the threshold (a later rule was tried on them "
        "and kept in the form that leaves these figures as they were), each with its own passage; the "
        f"unanswerable ones come with a passage on the same topic.\n\n{table(header, rows)}"
    )
    return Section("silence", title, body)


async def _read_all(data: Path) -> tuple[list[Case], list[Case]]:
    """The questions that thresholds were set on, and the others."""
    reader = CrossEncoder()
    files = {True: "clapnq_dev_answerable.jsonl.gz", False: "clapnq_dev_unanswerable.jsonl.gz"}
    fit: list[Case] = []
    held_out: list[Case] = []
    for answerable, name in files.items():
        lines = gzip.decompress((data / name).read_bytes()).splitlines()
        for number, line in enumerate(lines):
            case = await _case(answerable, json.loads(line), reader)
            (fit if number < LOOKED_AT else held_out).append(case)
    return fit, held_out


async def _case(answerable: bool, entry: dict[str, Any], reader: CrossEncoder) -> Case:
    question = str(entry["input"])
    passage = entry["passages"][0]
    candidates = candidates_of([Passage("c1", passage["title"], 1, passage["text"], passage["title"])])
    ranked = await rank(parts_of(question)[0], candidates, reader)
    asked, said = set(content_stems(question)), set(content_stems(f"{passage['title']} {passage['text']}"))
    overlap = len(asked & said) / len(asked) if asked else 0.0
    return Case(answerable, ranked[0].strength if ranked else float("-inf"), overlap)


def _best_threshold(cases: Sequence[Case]) -> float:
    candidates = sorted({case.overlap for case in cases})
    return max(candidates, key=lambda t: sum((c.overlap >= t) == c.answerable for c in cases))


def _row(name: str, cases: Sequence[Case], answers: Callable[[Case], bool]) -> list[str]:
    kept = [answers(c) for c in cases if c.answerable]
    refused = [not answers(c) for c in cases if not c.answerable]
    share_kept, share_refused = sum(kept) / len(kept), sum(refused) / len(refused)
    spread = (
        1.96
        * 0.5
        * sqrt(share_kept * (1 - share_kept) / len(kept) + share_refused * (1 - share_refused) / len(refused))
    )
    balanced = (share_kept + share_refused) / 2
    return [name, f"{share_kept:.2f}", f"{share_refused:.2f}", f"{balanced:.2f} ± {spread:.2f}"]
