"""A file of questions in, a file of answers out.

Each answer is appended to a progress file beside the output as soon as it is ready, and the id of each run is derived
from the job and the question. A job that was killed therefore continues where it stopped and asks nothing twice.
"""

import asyncio
import hashlib
import json
import os
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from masis.bulk.files import ANSWER, BadRow, Question, read_questions, require_format, write_answers
from masis.data_folder import FolderLock
from masis.errors import AWAY, DataFolderError, InvalidInput, MASISError
from masis.runs.records import RunResult
from masis.types import Budget

if TYPE_CHECKING:
    from masis.client import Masis

PARALLEL = 4
"""Questions processed at once by one process; more would only wait for its cores or the models' rate limit."""
HEADROOM = 2
"""The next question may cost this many times the most expensive one so far, if that much is left."""

Ask = Callable[[Question, str, Budget], Awaitable[RunResult]]
"""Answers a question within a budget, as the run with the given id."""


class NobodyAnswers(InvalidInput):
    """Nothing can answer questions at the moment, so the job stops instead of failing every question."""


async def ask_here(masis: "Masis", workspace: str, question: Question, run_id: str, budget: Budget) -> RunResult:
    """Asks in this process, and continues a run that another process started and left."""
    # A separate task: if another process takes over the run, only this task is cancelled.
    asking = asyncio.ensure_future(
        masis.aask(
            question.question,
            workspace,
            max_retries=question.max_retries,
            filters=question.filters,
            budget=budget,
            run_id=run_id,
        )
    )
    try:
        return await asking
    except asyncio.CancelledError:
        if (task := asyncio.current_task()) and task.cancelling():
            raise
        raise MASISError("Another process has taken over its run.", advice="") from None


@dataclass(slots=True)
class Report:
    """The results for a file of questions, including those of earlier attempts."""

    questions: int = 0
    """Valid rows. A question that occurs twice counts twice but is asked once."""
    outcomes: dict[str, int] = field(default_factory=dict[str, int])
    needs_decision: int = 0
    conflicts: int = 0
    """Questions on which the documents disagree."""
    cost_usd: float = 0.0
    model_requests: int = 0
    continued: int = 0
    """Answered by an earlier attempt."""
    bad_rows: list[BadRow] = field(default_factory=list[BadRow])
    failed: list[BadRow] = field(default_factory=list[BadRow])
    """Asked but not answered; the next attempt asks them again."""
    unasked: int = 0
    """Not asked because the budget was spent."""

    @property
    def is_complete(self) -> bool:
        return not (self.bad_rows or self.failed or self.unasked)

    def count(self, answer: dict[str, Any]) -> None:
        self.outcomes[answer["outcome"]] = self.outcomes.get(answer["outcome"], 0) + 1
        self.needs_decision += bool(answer["requires_human_review"])
        self.conflicts += bool(answer["conflicts"])
        self.cost_usd += answer["cost_usd"]
        self.model_requests += answer["model_requests"]


class Progress:
    """The answers so far, in order of arrival. A line cut off by a crash is dropped."""

    def __init__(self, path: Path, workspace: str) -> None:
        self.path = path
        self._places: dict[str, int] = {}
        self._again = Counter[str]()
        self._lent = dict[str, float]()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        try:
            if not self._read(workspace):
                self.job = uuid.uuid4().hex
                self._append({"job": self.job, "workspace": workspace})
        except BaseException:
            self.close()
            raise

    def _read(self, workspace: str) -> bool:
        self._file.seek(0)
        whole, is_begun = 0, False
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            said = json.loads(line)
            if "job" in said:
                self.job, is_begun = said["job"], True
                if said["workspace"] != workspace:
                    raise InvalidInput(
                        f"{self.path.name} holds answers from the workspace {said['workspace']}.",
                        advice="Choose another --out, or delete that file to begin again.",
                    )
            elif "again" in said:
                self._again[said["again"]] += 1
            elif "lent" in said:
                self._lent[said["key"]] = said["lent"]
            else:
                self._places[said["key"]] = whole
            whole += len(line)
        self._file.truncate(whole)
        return is_begun

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __getitem__(self, key: str) -> dict[str, Any]:
        self._file.seek(self._places[key])
        answer: dict[str, Any] = json.loads(self._file.readline())["answer"]
        return answer

    def answers(self) -> Iterator[dict[str, Any]]:
        return (self[key] for key in self._places)

    def run_id(self, key: str) -> str:
        return hashlib.sha256(f"{self.job} {key} {self._again[key]}".encode()).hexdigest()[:16]

    def save(self, key: str, answer: dict[str, Any]) -> None:
        self._places[key] = self._append({"key": key, "answer": answer})

    def ask_again(self, key: str) -> None:
        """Makes the next attempt at this question a new run."""
        self._again[key] += 1
        self._append({"again": key})

    def lent(self, key: str) -> float:
        """The share of the budget that the run was given when it started; it keeps it when it is continued."""
        return self._lent.get(key, 0.0)

    def lend(self, key: str, share: float) -> None:
        if share > self.lent(key):
            self._lent[key] = share
            self._append({"key": key, "lent": share})

    def _append(self, said: dict[str, Any]) -> int:
        place = self._file.seek(0, os.SEEK_END)
        self._file.write(json.dumps(said, default=str).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        return place

    def close(self) -> None:
        self._file.close()


@contextmanager
def progress_of(out: Path, workspace: str) -> Iterator[Progress]:
    """Opens the progress file, which only one process at a time may do."""
    path = out.with_name(f"{out.name}.progress")
    lock = FolderLock(path.with_name(f"{path.name}.lock"))
    try:
        with lock.kept():
            progress = Progress(path, workspace)
    except DataFolderError as error:
        raise InvalidInput(f"{out.name} is being written by another process.", advice=error.advice) from None
    try:
        yield progress
    finally:
        progress.close()
        lock.release()


def answer_of(result: RunResult) -> dict[str, Any]:
    """The answer columns of an output row."""
    cited = {c["chunk_id"]: c for claim in result.claims for c in claim["citations"]}
    sources = [{name: c.get(name) for name in ("chunk_id", "file_name", "page", "quote")} for c in cited.values()]
    counts = {name: result.metrics.get(name, 0) for name in ("model_requests", "input_tokens", "output_tokens")}
    return {
        **{name: getattr(result, name) for name in ("outcome", "answer", "confidence", "likelihood")},
        "requires_human_review": result.requires_human_review,
        "clarification_question": result.clarification_question,
        "sources": sources,
        "conflicts": result.conflicts,
        "attempts": result.metrics.get("iterations", 0),
        **counts,
        "cost_usd": result.metrics.get("cost_usd", 0.0),
        "run_id": result.run_id,
        "error": None,
    }


# The job


class Purse:
    """A job's budget, divided among the questions in progress so that together they cannot exceed it."""

    def __init__(self, most: float | None, spent: float, dearest: float, parallel: int) -> None:
        self._most, self._spent, self._dearest = most, spent, dearest
        self._parallel, self._in_work, self._lent = parallel, 0, 0.0
        self._is_price_known = dearest > 0
        self._changed = asyncio.Condition()

    async def lend(self, held: float = 0.0) -> float | None:
        """Returns what a question may cost, at least `held`, the share its run already has; None means no limit.

        Waits as long as questions in progress may leave enough. Raises InvalidInput if what is left does not cover the
        most expensive question so far."""
        if self._most is None:
            return None
        async with self._changed:
            while not self._room or self._left < max(self._dearest, held) or self._left <= 0:
                if not self._in_work:
                    raise InvalidInput("The budget of the job is spent.")
                await self._changed.wait()
            share = max(self._left / self._room, min(self._left, HEADROOM * self._dearest), held)
            self._lent += share
            self._in_work += 1
            return share

    @property
    def _left(self) -> float:
        return (self._most or 0.0) - self._spent - self._lent

    @property
    def _room(self) -> int:
        """How many more questions may start: only a few until one has been paid for, since a large cluster would divide
        the budget into shares too small for any question."""
        return (self._parallel if self._is_price_known else min(self._parallel, PARALLEL)) - self._in_work

    async def settle(self, share: float | None, cost: float) -> None:
        if share is not None:
            async with self._changed:
                self._lent = max(0.0, self._lent - share)
                self._in_work -= 1
                self._spent += cost
                self._dearest, self._is_price_known = max(self._dearest, cost), True
                self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class Job:
    questions: Path
    workspace: str
    out: Path
    parallel: int | None = None
    """Questions processed at once; None for the default."""
    max_cost_usd: float | None = None
    max_seconds: float | None = None
    """For each question."""
    max_retries: int | None = None
    """For questions whose row does not set it."""

    def check(self) -> None:
        """Raises InvalidInput if a file cannot be used, before anything is opened."""
        require_format(self.questions)
        require_format(self.out)
        if not self.questions.is_file():
            raise InvalidInput(f"There is no file {self.questions}.", advice="Check the path.")

    async def run(
        self, ask: Ask, on_progress: Callable[[Report], None] = lambda _: None, parallel: int = PARALLEL
    ) -> Report:
        """Asks the questions without an answer, and writes all answers in the order of the questions."""
        with progress_of(self.out, self.workspace) as progress:
            report = await _Asking(self, ask, progress, on_progress, self.parallel or parallel).run()
            write_answers(self.out, _answers(self.questions, progress, report), _columns(self.questions))
        return report


class _Asking:
    def __init__(
        self, job: Job, ask: Ask, progress: Progress, on_progress: Callable[[Report], None], parallel: int
    ) -> None:
        self._job, self._ask, self._progress, self._on_progress = job, ask, progress, on_progress
        self._parallel = parallel
        self._report = Report()
        costs = [0.0]
        for answer in progress.answers():
            self._report.count(answer)
            costs.append(answer["cost_usd"])
        self._purse = Purse(job.max_cost_usd, sum(costs), max(costs), parallel)

    async def run(self) -> Report:
        """Keeps only as many questions in memory as are processed at once."""
        waiting = iter(self._unanswered())
        workers = [asyncio.create_task(self._work(waiting)) for _ in range(self._parallel)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return self._report

    def _unanswered(self) -> Iterator[Question]:
        in_work = set[str]()
        for read in read_questions(self._job.questions):
            if isinstance(read, BadRow):
                self._report.bad_rows.append(read)
                continue
            self._report.questions += 1
            if read.key in self._progress:
                self._report.continued += read.key not in in_work
            elif read.key not in in_work:
                in_work.add(read.key)
                retries = self._job.max_retries if read.max_retries is None else read.max_retries
                yield replace(read, max_retries=retries)

    async def _work(self, waiting: Iterator[Question]) -> None:
        for question in waiting:
            try:
                share = await self._purse.lend(self._progress.lent(question.key))
            except InvalidInput:
                self._report.unasked += 1
                continue
            await self._asked(question, share)
            self._on_progress(self._report)

    async def _asked(self, question: Question, share: float | None) -> None:
        cost = 0.0
        try:
            run_id = self._progress.run_id(question.key)
            self._progress.lend(question.key, share or 0.0)
            result = await self._ask(question, run_id, Budget(share, self._job.max_seconds))
            answer = answer_of(result)
            cost = answer["cost_usd"]
            if result.outcome == "unavailable":
                self._progress.ask_again(question.key)
                raise MASISError(result.clarification_question or result.answer, advice="")
            self._progress.save(question.key, answer)
            self._report.count(answer)
        except (*AWAY, NobodyAnswers):  # the next question would fail the same way
            raise
        except Exception as error:  # an error in one question must not stop the others
            self._report.failed.append(BadRow(question.row, _why(error)))
        finally:
            await self._purse.settle(share, cost)


def _why(error: Exception) -> str:
    return f"{error} {error.advice}".strip() if isinstance(error, MASISError) else f"Unexpected {error!r}"


def _answers(questions: Path, progress: Progress, report: Report) -> Iterator[dict[str, Any]]:
    """All rows of the output; a failed question has the reason in `error`."""
    failed = {each.row: each.reason for each in report.failed}
    for read in read_questions(questions):
        if isinstance(read, Question) and (read.key in progress or read.row in failed):
            answer = progress[read.key] if read.key in progress else {"error": failed[read.row]}
            given = {_own(name): value for name, value in read.given.items()}
            yield given | {name: answer.get(name) for name in ANSWER}


def _columns(questions: Path) -> list[str]:
    """Of all rows: lines of JSON need not have the same."""
    given = dict[str, None]()
    for read in read_questions(questions):
        if isinstance(read, Question):
            given.update(dict.fromkeys(_own(name) for name in read.given))
    return [*given, *ANSWER]


def _own(name: str) -> str:
    return f"given_{name}" if name in ANSWER else name
