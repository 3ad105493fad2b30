"""Does the Critic tell a good answer from a bad one? Errors planted in the sample's own answers, offline engine."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from evals.audited import audited, raises_alarm
from evals.planting import PLANTS
from evals.sample import SAMPLE, questions
from evals.tables import Section, table
from masis import Masis, RunResult, Settings

Answered = tuple[str, RunResult]


def finished_answers() -> list[Answered]:
    with tempfile.TemporaryDirectory() as home:
        masis = Masis(Settings(home=Path(home)))
        masis.ingest([SAMPLE], "tolmerick")
        answered = [q for q in questions() if q.expected_outcome == "answered"]
        return [(q.question, masis.ask(q.question, "tolmerick")) for q in answered]


def measure() -> Section:
    answers = finished_answers()
    rows = [_row("untouched", [(q, r.answer, r) for q, r in answers])]
    for kind, plant in PLANTS.items():
        planted = [(q, bad, r) for q, r in answers if (bad := plant(r.answer, r.evidence))]
        rows.append(_row(kind, planted))
    shifted = zip(answers, answers[1:] + answers[:1], strict=True)
    rows.append(_row("answer to another question", [(q, other.answer, other) for (q, _), (_, other) in shifted]))
    header = ["", "answers", "sent back", "share", "mean confidence"]
    body = (
        "Answers of the sample index, audited by the offline engine and the citation engine. An untouched answer "
        f"that is sent back is a false alarm; a planted one that is not was missed.\n\n{table(header, rows)}"
    )
    return Section("planted-errors", "Planted errors", body)


def _row(kind: str, cases: Sequence[tuple[str, str, RunResult]]) -> list[object]:
    critiques = [audited(question, answer, result.evidence) for question, answer, result in cases]
    caught = sum(map(raises_alarm, critiques))
    mean = sum(c["confidence"] for c in critiques) / len(critiques)
    return [kind, len(cases), caught, f"{caught / len(cases):.2f}", f"{mean:.2f}"]
