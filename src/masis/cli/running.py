"""`masis runs`, `masis decisions` and `masis usage`: what was asked, what people decided, and what it cost."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from masis.cli.console import AsJson, Workspace, err, fitting, opened, out, print_json, print_table, show
from masis.wording import OUTCOMES, STATUSES, counted

if TYPE_CHECKING:
    from masis.client import Masis
    from masis.runs.feedback import TrackRecord
    from masis.runs.records import RunRecord


RunId = Annotated[str, typer.Argument(help="The run, as printed by `masis ask` or `masis runs`.")]


def export_run(
    run_id: RunId,
    form: Annotated[
        str | None, typer.Option("--format", "-f", help="json, md, html, docx or pdf; default from the file name.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default standard output.")
    ] = None,
) -> None:
    """Export a run: its answer with footnoted sources, verdicts, conflicts, scores and trail.

    JSON holds everything.

    $ masis runs export 4f2a… -o answer.docx

    $ masis runs export 4f2a… --format md
    """
    with opened(as_json=False) as masis:
        data = _exported(masis, run_id, form or (output.suffix.removeprefix(".") if output else "md"), output)
        if output is None:
            sys.stdout.buffer.write(data)
            return
        _write(output, data)
        err().print(f"Run {run_id} was written to {output}.", markup=False)


def _exported(masis: "Masis", run_id: str, form: str, output: Path | None) -> bytes:
    from masis.errors import InvalidInput
    from masis.export.content import Pack
    from masis.export.formats import FORMATS, exported

    known = next((each for each in FORMATS if each == form.lower()), None)
    if known is None:
        raise InvalidInput(f"“{form[:40]}” is not an export format.", advice=f"Choose among: {', '.join(FORMATS)}.")
    if output is None and known in ("docx", "pdf") and sys.stdout.isatty():
        raise InvalidInput(f"A {known} file cannot be printed.", advice="Name a file with --output.")
    record, result = masis.get_run(run_id), masis.result(run_id)
    if result is None or record.status in ("queued", "running"):
        raise InvalidInput(
            f"Run {run_id} is {record.status}.", advice="Export it when it is finished or needs your decision."
        )
    return exported(Pack(record, result, masis.events(run_id), masis.feedback.of(run_id)), known)


def _write(output: Path, data: bytes) -> None:
    from masis.errors import InvalidInput

    try:
        output.write_bytes(data)
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror}.", advice="Name another file.") from None


runs = typer.Typer()
OneWorkspace = Annotated[str | None, typer.Option("--workspace", "-w", help="Only this workspace.")]

COLOURS = {"good": "green", "doubt": "yellow", "bad": "red", "plain": "dim", "live": "cyan"}


@runs.callback(invoke_without_command=True)
def list_runs(
    context: typer.Context,
    workspace: OneWorkspace = None,
    status: Annotated[str | None, typer.Option(help="queued, running, waiting, finished, cancelled or failed.")] = None,
    outcome: Annotated[str | None, typer.Option(help="answered, conflict, insufficient_evidence …")] = None,
    search: Annotated[str | None, typer.Option(help="Only runs whose question contains these words.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first. The subcommands show, export and prune them.

    $ masis runs --workspace acme

    $ masis runs --status waiting

    $ masis runs show 4f2a…
    """
    if context.invoked_subcommand:
        return
    with opened(as_json=as_json) as masis:
        found = masis.runs(
            workspace, status=_one_of(status, "status"), outcome=_one_of(outcome, "outcome"), search=search, limit=limit
        )
        if as_json:
            print_json([asdict(record) for record in found])
        elif not found:
            out().print("No runs. Ask something: [cyan]masis ask QUESTION --workspace NAME[/cyan]")
        else:
            _print_runs(found)


@runs.command("show")
def show_run(
    run_id: RunId,
    trail: Annotated[bool, typer.Option("--trail", help="Also show every step of every attempt.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a run: its answer with sources and verdicts, or its progress.

    $ masis runs show 4f2a… --trail
    """
    with opened(as_json=as_json) as masis:
        record, result = masis.get_run(run_id), masis.result(run_id)
        if as_json:
            events = masis.events(run_id) if trail else []
            print_json(
                {"run": asdict(record), "result": result.as_dict() if result else None}
                | ({"events": events} if trail else {})
            )
            return
        if trail:
            _print_trail(masis.events(run_id))
        if result:
            from masis.cli.report import print_result

            print_result(result)
        else:
            _print_runs([record])


@runs.command("prune")
def prune_runs(
    older_than: Annotated[
        float | None,
        typer.Option("--older-than", help="Delete runs that ended more than this many days ago.", metavar="DAYS"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Delete old runs and the checkpoints of runs that have ended.

    Without --older-than, MASIS_RUN_RETENTION_DAYS decides; unset, runs stay and only checkpoints older than
    MASIS_CHECKPOINT_RETENTION_DAYS go. A service does this every hour.

    $ masis runs prune --older-than 90
    """
    with opened(as_json=as_json) as masis:
        report = masis.prune(older_than)
        said = f"{counted(report.runs, 'run')} deleted, checkpoints of {counted(report.checkpoints, 'run')} deleted."
        show(asdict(report), said, as_json=as_json)


runs.command("export")(export_run)


def decisions(workspace: Workspace, as_json: AsJson = False) -> None:
    """List the standing decisions: decisions on conflicts that apply to later questions.

    $ masis decisions --workspace acme
    """
    with opened(as_json=as_json) as masis:
        found = masis.decisions(workspace)
        if as_json:
            print_json(found)
        elif not found:
            out().print("No decisions yet. Make one: [cyan]masis answer RUN --prefer … --over … --remember[/cyan]")
        else:
            rows = [
                (
                    d["decision_id"],
                    d["about"],
                    ", ".join(d["prefer"]) or "both, explained",
                    d["by"],
                    d["created_at"][:10],
                )
                for d in found
            ]
            print_table(["id", "about", "trusted", "by", "since"], rows, cut=(1, 2, 3))


def feedback(
    run_id: Annotated[str | None, typer.Argument(help="The run to judge; without one, the track record.")] = None,
    workspace: OneWorkspace = None,
    right: Annotated[bool, typer.Option("--right", help="The answer is right.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="The answer is wrong.")] = False,
    because: Annotated[str | None, typer.Option(help="Why it is wrong.")] = None,
    sentence: Annotated[int | None, typer.Option(min=1, help="Only this sentence of the answer, from 1.")] = None,
    as_json: AsJson = False,
) -> None:
    """Mark an answer as right or wrong. Without a run, show the share of right answers by likelihood.

    $ masis feedback 4f2a… --wrong --because "the figure is of 2024"

    $ masis feedback --workspace acme
    """
    from masis.errors import InvalidInput

    with opened(as_json=as_json) as masis:
        if run_id and right != wrong:
            given = masis.feedback.give(
                run_id, "right" if right else "wrong", reason=because, claim=sentence - 1 if sentence else None
            )
            _show_feedback([asdict(each) for each in given], as_json)
        elif run_id and not right:
            _show_feedback([asdict(each) for each in masis.feedback.of(masis.get_run(run_id).run_id)], as_json)
        elif workspace and not run_id:
            _show_record(masis.feedback.record(workspace), as_json)
        else:
            raise InvalidInput("Name a run, or a workspace.", advice="`masis feedback --help` shows examples.")


def _show_feedback(given: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(given)
        return
    rows = [
        (each["given_by"], each["verdict"], each["claim"] + 1 or "answer", each["given_at"][:10], each["reason"] or "")
        for each in given
    ]
    print_table(["by", "verdict", "sentence", "on", "because"], rows, cut=(0, 4))


def _show_record(record: "TrackRecord", as_json: bool) -> None:
    if as_json:
        print_json(asdict(record))
        return
    if not record.answers:
        out().print("No answer has been judged yet: masis feedback RUN --right, or --wrong.", soft_wrap=True)
        return
    out().print(f"{record.right} of {counted(record.answers, 'judged answer')} right.")
    # Shows one measure: the likelihood if it was fitted, otherwise the Critic's confidence.
    if bands := record.by_likelihood or record.by_confidence:
        print_table(["how sure", "right", "wrong"], [(band.name, band.right, band.wrong) for band in bands])


def usage(workspace: OneWorkspace = None, as_json: AsJson = False) -> None:
    """Show usage by workspace and caller: runs, model calls, tokens and cost.

    $ masis usage --workspace acme
    """
    with opened(as_json=as_json) as masis:
        rows = masis.usage(workspace)
        if as_json:
            print_json([asdict(row) for row in rows])
            return
        cells = [
            (r.workspace_id, r.asked_by, r.runs, r.model_calls, r.input_tokens + r.output_tokens, f"${r.cost_usd:.4f}")
            for r in rows
        ]
        print_table(["workspace", "asked by", "runs", "model calls", "tokens", "cost"], cells, cut=(1,))


def _one_of(value: str | None, kind: str) -> Any:
    from typing import get_args

    from masis.errors import InvalidInput
    from masis.runs.records import RunStatus
    from masis.types import Outcome

    known = get_args(RunStatus if kind == "status" else Outcome)
    if value is not None and value not in known:
        raise InvalidInput(f"“{value}” is not a valid run {kind}.", advice=f"Choose among: {', '.join(known)}.")
    return value


def _print_runs(found: "list[RunRecord]") -> None:
    """One line each, cut to the width of the terminal; whole when piped."""
    from rich.markup import escape

    console = out()
    several = len({record.workspace_id for record in found}) > 1
    for record in found:
        term = OUTCOMES[record.outcome] if record.status == "finished" and record.outcome else STATUSES[record.status]
        start = f"{record.run_id}  {record.created_at[5:16].replace('T', ' ')}  "
        state = f"{BRIEF.get(term.word, term.word.lower()):<11}"
        where = f"{record.workspace_id}: " if several else ""
        room = console.width - len(start) - len(state) - 2
        text = fitting(f"{where}{record.question}", room if console.is_terminal else None)
        console.print(f"{start}[{COLOURS[term.tone]}]{state}[/]  {escape(text)}", soft_wrap=True)


BRIEF = {
    "Answered with a caveat": "caveat",
    "The documents disagree": "disagree",
    "Not covered by the documents": "not covered",
    "Not a question for documents": "no question",
    "Needs a decision": "decide",
}
"""Short names, for lines of 80 columns."""


def open_run(run_id: RunId, workspace: OneWorkspace = None, as_json: AsJson = False) -> None:
    """Open a run in the browser, on the page of the running service. A remote service (MASIS_URL) also needs the
    workspace.

    $ masis open 4f2a…

    $ MASIS_URL=https://masis.example.com masis open 4f2a… --workspace acme
    """
    import webbrowser

    from masis.cli.console import beside
    from masis.errors import InvalidInput

    with beside(as_json=as_json) as service:
        if service is None:
            raise InvalidInput("No service is running here.", advice="Start one with `masis serve`, or set MASIS_URL.")
        if workspace is None:
            with opened(as_json=as_json) as masis:
                workspace = masis.get_run(run_id).workspace_id
        address = service.page_of(workspace, run_id)
        show({"address": address}, address, as_json=as_json)
        webbrowser.open(address)


def _print_trail(events: list[Any]) -> None:
    from masis.cli.report import line_of

    console = out()
    for event in events:
        if entry := event.get("trace"):
            console.print(
                f"[dim]{event['at'][11:19]} attempt {event.get('attempt', 0) + 1}[/dim]{line_of(event, entry)}"
            )
