"""Does the offline writer answer what a passage answers, and stay silent where it is silent? On CLAPnq."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
from rich.progress import track

from evals.intervals import balanced, share
from evals.strength_fit import Question, fitted, strengths
from evals.tables import Section, shared_data, table
from masis.language.words import content_stems
from masis.reasoning.offline.question import parts_of
from masis.reasoning.offline.relevance import CrossEncoder
from masis.reasoning.offline.selection import candidates_of, read_closely
from masis.reasoning.offline.strength import WEIGHTS, Features
from masis.reasoning.ports import Passage
from training.figures import hash_half
from training.sets import held_out, lines

FILES = {True: "clapnq_dev_answerable.jsonl.gz", False: "clapnq_dev_unanswerable.jsonl.gz"}


def measure() -> Section:
    title = "Answer or silence, one passage (CLAPnq dev)"
    if shared_data("clapnq_dev") is None:
        return Section("silence", title, "Not measured: the data set is not at ../shared/data.")
    questions = asyncio.run(unread_questions())
    rows = [
        ["always answer", "1.00", "0.00", "0.50"],
        ["always silent", "0.00", "1.00", "0.50"],
        _row("word overlap", questions, _by_overlap(questions)),
        _row("MASIS offline writer", questions, _by_strength(questions)),
    ]
    header = ["", "answerable kept", "unanswerable refused", "balanced accuracy"]
    body = (
        f"{len(questions)} questions that the reader was not trained on, each with its own passage; the unanswerable "
        "ones come with a passage on the same topic. Weights and thresholds are fitted on one half and reported on the "
        "other, both ways round; those that ship are fitted on all of them (`python -m evals.fit_strength`). ± 95 %."
        f"\n\n{table(header, rows)}"
    )
    return Section("silence", title, body)


Answers = Callable[[Question], bool]


def _by_overlap(questions: Sequence[Question]) -> Answers:
    cheap = {half: _best_threshold([q for q in questions if q.half != half]) for half in (0, 1)}
    return lambda q: q.overlap >= cheap[q.half]


def _by_strength(questions: Sequence[Question]) -> Answers:
    fits = {half: fitted([q for q in questions if q.half != half]) for half in (0, 1)}
    return lambda q: bool(strengths([q], *fits[q.half])[0] >= 0)


async def unread_questions() -> list[Question]:
    """Those of the groups that were kept from training."""
    data = shared_data("clapnq_dev")
    if data is None:
        raise FileNotFoundError("CLAPnq is not at ../shared/data.")
    entries = [(answerable, entry) for answerable, name in FILES.items() for entry in lines(data / name)]
    reader = CrossEncoder()
    unread = [(answerable, entry) for answerable, entry in entries if held_out(f"clapnq-{entry['id']}")]
    return [await _question(answerable, entry, reader) for answerable, entry in track(unread, "CLAPnq")]


NOTHING_READ = Features(*(-12.0 if w > 0 else 12.0 for w in astuple(WEIGHTS)))


async def _question(answerable: bool, entry: dict[str, Any], reader: CrossEncoder) -> Question:
    asked = str(entry["input"])
    passage = entry["passages"][0]
    candidates = candidates_of([Passage("c1", passage["title"], 1, passage["text"], passage["title"])])
    read = await read_closely(parts_of(asked)[0], candidates, reader)
    rows = [astuple(features) for _, features in read] or [astuple(NOTHING_READ)]
    wanted, said = set(content_stems(asked)), set(content_stems(f"{passage['title']} {passage['text']}"))
    overlap = len(wanted & said) / len(wanted) if wanted else 0.0
    return Question(answerable, np.array(rows), overlap, hash_half(str(entry["id"])))


def _best_threshold(questions: Sequence[Question]) -> float:
    candidates = sorted({q.overlap for q in questions})
    return max(candidates, key=lambda t: sum((q.overlap >= t) == q.answerable for q in questions))


def _row(name: str, questions: Sequence[Question], answers: Callable[[Question], bool]) -> list[str]:
    kept = [answers(q) for q in questions if q.answerable]
    refused = [not answers(q) for q in questions if not q.answerable]
    return [name, share(kept), share(refused), balanced(kept, refused)]
