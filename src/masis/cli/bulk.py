"""`masis ask --file`: a file of questions, answered here, by a running service or on a Ray cluster."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, redirect_stdout
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from masis.bulk import PARALLEL, Ask, Job, Report, ask_here
from masis.cli.console import clear_errors, err, masis_here, out, print_json, settings, settings_here
from masis.errors import InvalidInput
from masis.wording import counted

if TYPE_CHECKING:
    from masis.bulk.files import Question
    from masis.runs.records import RunResult
    from masis.types import Budget

MOST_SHOWN = 10


def one_of(
    question: str | None, file: Path | None, out_file: Path | None, on: str | None = None, *, alone: bool
) -> str:
    """Returns the question; empty for a file of questions. Raises InvalidInput if the options do not fit together."""
    if (question is None) == (file is None) or (file is None) != (out_file is None):
        raise InvalidInput("Give a question, or --file with --out.", advice="`masis ask --help` shows examples.")
    if on and not file:
        raise InvalidInput("--on is for a file of questions.", advice="Give one with --file, or leave --on out.")
    if file and alone:
        raise InvalidInput(
            "--document, --type, --since, --until, --pages, --thread and --dry-run are for one question.",
            advice="A file of questions has columns for them: documents, file_types, since, until.",
        )
    return question or ""


def ask_all(job: Job, on: str | None, *, as_json: bool) -> None:
    from masis.orchestrator.agent import run_blocking

    with clear_errors(as_json=as_json):
        job.check()
        # Ray prints warnings (a worker died) to standard output, where the report belongs.
        with redirect_stdout(sys.stderr), _bar(quiet=as_json) as on_progress:
            report = run_blocking(_asked(job, on, on_progress))
    if as_json:
        print_json(asdict(report) | {"out": str(job.out)})
    else:
        _print_report(report, job)
    if not report.is_complete:
        raise typer.Exit(1)


async def _asked(job: Job, on: str | None, on_progress: Callable[[Report], None]) -> Report:
    async with _asker(job, on) as (ask, parallel):
        return await job.run(ask, on_progress, parallel)


@asynccontextmanager
async def _asker(job: Job, on: str | None) -> AsyncIterator[tuple[Ask, int]]:
    from masis.cli.remote import service_beside

    if on:
        from masis.bulk.on_ray import asking_on

        async with asking_on(on, settings_here(), job.workspace, job.parallel) as on_ray:
            yield on_ray
    elif service := await asyncio.to_thread(service_beside, settings()):

        async def by_service(question: "Question", run_id: str, budget: "Budget") -> "RunResult":
            asked = partial(service.ask, question.question, job.workspace, max_retries=question.max_retries)
            return await asyncio.to_thread(asked, filters=question.filters, budget=budget, key=run_id)

        yield by_service, PARALLEL
    else:
        async with masis_here() as masis:
            await masis.arequire_workspace(job.workspace)
            yield partial(ask_here, masis, job.workspace), PARALLEL


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Callable[[Report], None]]:
    if quiet:
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("asking"), BarColumn(bar_width=20), TextColumn("{task.fields[counts]}"), TimeElapsedColumn())
    with Progress(*columns, console=err(), transient=True) as bar:
        task = bar.add_task("", counts="", total=None)

        def show(report: Report) -> None:
            done = sum(report.outcomes.values())
            cost = f" · ${report.cost_usd:.2f}" if report.cost_usd else ""
            failed = f" · {len(report.failed)} failed" if report.failed else ""
            bar.update(task, completed=done, counts=f"{done} answered{failed}{cost}")

        yield show


def _print_report(report: Report, job: Job) -> None:
    console = out()
    for title, rows in (("cannot be used", report.bad_rows), ("was not answered", report.failed)):
        for each in rows[:MOST_SHOWN]:
            console.print(f"  ✗ row {each.row} {title}: {each.reason}", markup=False, soft_wrap=True)
        if len(rows) > MOST_SHOWN:
            console.print(f"  … and {len(rows) - MOST_SHOWN} more", markup=False)
    outcomes = [f"{number} {name.replace('_', ' ')}" for name, number in sorted(report.outcomes.items())]
    parts = [counted(report.questions, "question"), *outcomes]
    parts += [f"{report.conflicts} with conflicts"] if report.conflicts else []
    parts += (
        [f"{report.needs_decision} need{'s' if report.needs_decision == 1 else ''} a decision"]
        if report.needs_decision
        else []
    )
    parts += [f"{report.unasked} not asked, since the budget is spent"] if report.unasked else []
    parts += [f"{len(report.failed)} failed"] if report.failed else []
    parts += [f"{counted(len(report.bad_rows), 'row')} skipped"] if report.bad_rows else []
    parts += (
        [f"{counted(report.model_requests, 'model request')}, ${report.cost_usd:.2f}"] if report.model_requests else []
    )
    console.print(f"{job.out}: {', '.join(parts)}", markup=False, soft_wrap=True)
    if report.failed or report.unasked:
        console.print("Rerun the command to ask the remaining questions.", style="dim")
