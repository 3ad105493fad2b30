"""Feedback on answers: right or wrong, and why; and how often answers of a given likelihood were right."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from masis.database import Database
from masis.errors import InvalidInput
from masis.language.measures import percent, whole_percent
from masis.runs.events import now
from masis.runs.run_table import RunTable
from masis.types import LOCAL, Caller
from masis.wording import LIKELIHOODS, counted

Verdict = Literal["right", "wrong"]
WHOLE = -1
"""Instead of a sentence number: the whole answer."""
BANDS = (0.9, *(least for least, _ in LIKELIHOODS))
"""The lower bounds of the bands: where the wording of a likelihood changes, and near certainty."""
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Feedback:
    run_id: str
    claim: int
    """The sentence, counted from 0; -1 for the whole answer."""
    verdict: Verdict
    reason: str | None
    given_by: str
    given_at: str
    confidence: float
    likelihood: float | None
    checked: str | None
    """The audit's verdict on the sentence."""


@dataclass(frozen=True, slots=True)
class Band:
    name: str
    right: int
    wrong: int

    @property
    def share(self) -> float | None:
        judged = self.right + self.wrong
        return self.right / judged if judged else None


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    run_id: str
    question: str
    reason: str | None
    given_by: str
    given_at: str


@dataclass(frozen=True, slots=True)
class TrackRecord:
    answers: int
    """Answers judged by people."""
    right: int
    by_likelihood: list[Band]
    by_confidence: list[Band]
    by_verdict: list[Band]
    """Sentences judged by people, by the verdict of MASIS."""
    wrong: list[WrongAnswer]
    """The latest ones, with people's comments."""


_COLUMNS = ", ".join(f"f.{each.name}" for each in fields(Feedback))


class FeedbackTable:
    def __init__(self, database: Database, runs: RunTable) -> None:
        self._database = database
        self._runs = runs

    def give(
        self,
        run_id: str,
        verdict: Verdict | None,
        *,
        reason: str | None = None,
        claim: int | None = None,
        workspace: str | None = None,
        by: Caller = LOCAL,
    ) -> list[Feedback]:
        """Stores one verdict per person and sentence; None withdraws it. Returns all feedback on the run."""
        self._runs.get(run_id, workspace)
        result = self._runs.result(run_id)
        if result is None:
            raise InvalidInput(f"Run {run_id} has no answer yet.", advice="Wait until it has finished.")
        number, claims = WHOLE if claim is None else claim, result["claims"]
        if number >= len(claims):
            raise InvalidInput(f"The answer has {counted(len(claims), 'sentence')}.", advice="Count them from 0.")
        checked = claims[number]["verdict"] if number >= 0 else None
        with self._database.writing() as db:
            db.execute(
                "DELETE FROM feedback WHERE run_id = ? AND claim = ? AND given_by = ?", (run_id, number, by.name)
            )
            if verdict:
                row = (
                    run_id,
                    number,
                    verdict,
                    reason,
                    by.name,
                    now(),
                    result["confidence"],
                    result["likelihood"],
                    checked,
                )
                db.execute("INSERT INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return self.of(run_id)

    def of(self, run_id: str) -> list[Feedback]:
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM feedback f WHERE f.run_id = ? ORDER BY f.claim, f.given_at", (run_id,)
            )
            return [Feedback(*row) for row in rows.fetchall()]

    def record(self, workspace_id: str) -> TrackRecord:
        """How often answers were right, by likelihood and confidence."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT r.question, {_COLUMNS} FROM feedback f JOIN runs r ON r.run_id = f.run_id"
                " WHERE r.workspace_id = ? ORDER BY f.given_at",
                (workspace_id,),
            ).fetchall()
        # If several people judged the same answer, the latest verdict counts.
        last = {(each.run_id, each.claim): (question, each) for question, *row in rows for each in (Feedback(*row),)}
        answers = [pair for (_, claim), pair in last.items() if claim == WHOLE]
        judged = [each for _, each in answers]
        sentences = [each for (_, claim), (_, each) in last.items() if claim != WHOLE]
        wrong = [_wrong(question, each) for question, each in answers if each.verdict == "wrong"]
        return TrackRecord(
            answers=len(judged),
            right=_right(judged),
            by_likelihood=_banded((each.likelihood, each) for each in judged),
            by_confidence=_banded((each.confidence, each) for each in judged),
            by_verdict=_by_verdict(sentences),
            wrong=sorted(wrong, key=lambda each: each.given_at, reverse=True)[:SHOWN],
        )


def _right(judged: Sequence[Feedback]) -> int:
    return sum(each.verdict == "right" for each in judged)


def _banded(figures: Iterable[tuple[float | None, Feedback]]) -> list[Band]:
    known = [(value, each) for value, each in figures if value is not None]
    bands, above = list[Band](), 2.0
    for least in BANDS:
        within = [each for value, each in known if whole_percent(least) <= whole_percent(value) < whole_percent(above)]
        name = f"below {percent(above)}" if not least else f"{percent(least)} or more" if above > 1 else ""
        name = name or f"{percent(least)} to {whole_percent(above) - 1}%"
        bands += [Band(name, _right(within), len(within) - _right(within))] if within else []
        above = least
    return bands


def _by_verdict(sentences: Sequence[Feedback]) -> list[Band]:
    names = dict.fromkeys(each.checked or "none" for each in sentences)
    grouped = {name: [each for each in sentences if (each.checked or "none") == name] for name in names}
    return [Band(name, _right(group), len(group) - _right(group)) for name, group in grouped.items()]


def _wrong(question: str, each: Feedback) -> WrongAnswer:
    return WrongAnswer(each.run_id, question, each.reason, each.given_by, each.given_at)
