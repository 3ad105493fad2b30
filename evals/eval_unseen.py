"""Workspaces written by people who knew neither the code nor the data, with their questions (evals/unseen)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.answer_data import AnswerSet, Posed, all_asked, opened
from evals.answer_scoring import Scored, compared, scored
from evals.eval_answers import quoting_bm25
from evals.intervals import share
from evals.tables import Section, table

FOLDER = Path(__file__).parent / "unseen"
LOOKED_AT, UNREAD = "looked at", "not looked at"
EXPLAINED = (
    "Documents of an invented organisation as analysts meet them (report, filing, minutes, policy, workbook, article, "
    "mail, slides) and questions in other words than theirs, all asked of the whole workspace. “Right”: every fact, in "
    "one of its wordings. Half of the questions (odd numbers) may be looked at to improve the engine, the other half "
    "only gives figures. `evals/unseen/README.md` has the result of each set's first run, before anything was looked "
    "at. Offline engine, 95 % intervals."
)
HEADER = ["questions", "who answers", "n", "right", "shown, facts missing", "silent", "no answer there, refused"]


@dataclass(frozen=True, slots=True)
class Answered:
    half: str
    score: Scored


def measure() -> Section:
    body = "\n\n".join([EXPLAINED, *(_measured(folder) for folder in sorted(FOLDER.iterdir()) if folder.is_dir())])
    return Section("unseen", "Workspaces that others wrote", body)


def answer_set(folder: Path) -> AnswerSet:
    entries = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    posed = [
        Posed(_half(e["id"]), e["question"], "", (), tuple(tuple(wordings) for wordings in e["facts"])) for e in entries
    ]
    # The cache is named by the first word.
    return AnswerSet(f"unseen-{folder.name}", posed, lambda home: _copied(folder / "documents", home))


def _half(number: str) -> str:
    return LOOKED_AT if int(number[1:]) % 2 else UNREAD


def _copied(documents: Path, home: Path) -> None:
    home.mkdir(parents=True)
    for file in documents.iterdir():
        (home / file.name).write_bytes(file.read_bytes())


def _measured(folder: Path) -> str:
    unseen = answer_set(folder)
    with opened(unseen) as masis:
        results = all_asked(masis, unseen.posed, unseen.name)
        ours = [Answered(p.kind, scored(p, result)) for p, result in zip(unseen.posed, results, strict=True)]
        quoting = quoting_bm25(masis, unseen.posed)
        cheap = [Answered(p.kind, compared(p, quoting(p))) for p in unseen.posed]
    rows = [
        row
        for half in (LOOKED_AT, UNREAD)
        for row in (_row(half, "**MASIS**", ours), _row(half, "best BM25 sentence", cheap))
    ]
    return f"### {folder.name}\n\n{table(HEADER, rows)}"


def _row(half: str, who: str, answers: Sequence[Answered]) -> list[object]:
    known = [a.score for a in answers if a.half == half and a.score.answerable]
    unknown = [a.score for a in answers if a.half == half and not a.score.answerable]
    return [
        half,
        who,
        f"{len(known)} + {len(unknown)}",
        share([s.right for s in known]),
        share([s.answered and not s.right for s in known]),
        share([not s.answered for s in known]),
        share([not s.answered for s in unknown]),
    ]
