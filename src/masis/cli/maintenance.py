"""`masis doctor`, `migrate`, `index`, `reindex` and `calibrate`: checking, moving and rebuilding what MASIS stores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, clear_errors, err, opened, out, print_json, progress_bar, settings, show
from masis.cli.remote import SERVICE_LOCK
from masis.data_folder import FolderLock
from masis.settings import Settings
from masis.wording import counted

if TYPE_CHECKING:
    from masis.knowledge.calibration.fitting import Profile


def doctor(as_json: AsJson = False) -> None:
    """Check the data folder, index, embedder and models. Asks each configured model two short questions.

    Exits with 1 if anything configured does not work.

    $ masis doctor

    $ OPENAI_API_KEY=… masis doctor --json
    """
    with opened(as_json=as_json) as masis:
        from dataclasses import asdict

        findings = masis.checkup()
        if as_json:
            print_json([asdict(finding) for finding in findings])
        else:
            from rich.markup import escape

            for finding in findings:
                mark = {"ok": "[green]✓[/green]", "note": "[yellow]![/yellow]", "bad": "[red]✗[/red]"}[finding.state]
                out().print(f"{mark} [bold]{finding.part:<12}[/bold] {escape(finding.found)}")
                if finding.advice:
                    out().print(f"  {'':<12} [dim]{escape(finding.advice)}[/dim]")
        if any(finding.state == "bad" for finding in findings):
            raise typer.Exit(1)


def migrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be copied.")] = False,
    back: Annotated[
        str | None,
        typer.Option(
            "--back", help="Convert tables back to an older format instead, such as runs=7.", metavar="NAME=N"
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --back: do not ask for confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Copy the data folder to the configured servers: PostgreSQL, Qdrant, or both.

    Documents, files, vectors, runs with their checkpoints, decisions, keys and the queue go to MASIS_DATABASE_URL, the
    index to QDRANT_URL. Everything is counted on both sides, and samples are compared. The folder is not changed.

    Stop the service first. Servers that hold other data are refused. Rerun the command to resume after an
    interruption.

    To return to an older version of MASIS, stop every process and use --back with the format named in the older
    version's error message. Data that only the newer format can store is deleted: back up first, and check --dry-run.

    $ masis migrate --back runs=7 --dry-run

    $ MASIS_DATABASE_URL=postgresql://… QDRANT_URL=http://… masis migrate --dry-run
    """
    with clear_errors(as_json=as_json):
        from dataclasses import asdict

        from masis.bulk.migrating import migrate as migrated
        from masis.orchestrator.agent import run_blocking

        chosen = settings()
        if back is not None:
            _go_back(chosen, back, dry_run=dry_run, yes=yes, as_json=as_json)
            return
        with FolderLock(chosen.home / SERVICE_LOCK).kept(), err().status("") as status:
            show = (lambda *_: None) if as_json else (lambda *step: status.update(_step(*step)))
            done = run_blocking(migrated(chosen, show, dry_run=dry_run))
        if as_json:
            print_json(asdict(done) | {"copied": not dry_run})
            return
        parts = [(done.documents, "document"), (done.passages, "passage"), (done.files, "file")]
        parts += [(sum(done.rows.values()), "row"), (done.runs, "saved run")]
        what = ", ".join(counted(number, name) for number, name in parts if number)
        said = "would be copied" if dry_run else f"copied; all counted, {done.compared} compared"
        out().print(f"{what or 'nothing'}: {said}.", soft_wrap=True)


def _step(what: str, done: int, total: int) -> str:
    return f"copying {what}: {done} of {total}"


def _go_back(chosen: Settings, back: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from masis.bulk.migrating import go_back_to

    undone = go_back_to(chosen, back, dry_run=True)
    if undone and not dry_run:
        if not yes and not typer.confirm(
            f"Undo {counted(len(undone), 'change')} and delete what they store?", err=True
        ):
            raise typer.Abort
        with FolderLock(chosen.home / SERVICE_LOCK).kept():
            go_back_to(chosen, back)
    is_done = bool(undone) and not dry_run
    said = f"{counted(len(undone), 'change')} {'undone' if is_done else 'to undo'}."
    show({"back": back, "undone": undone, "is_done": is_done}, "\n".join([*undone, said]), as_json=as_json)


index = typer.Typer(
    no_args_is_help=True,
    help="""Save the index of a Qdrant server to a file, and restore it, instead of rebuilding it.

    $ masis index save masis.snapshot""",
)
Snapshot = Annotated[Path, typer.Argument(help="The snapshot.", metavar="FILE")]


@index.command("save")
def save_index(file: Snapshot, as_json: AsJson = False) -> None:
    """Save the current index to one file, without stopping anything.

    Back up the database first, not afterwards: passages that are in the index but not in the database are ignored.

    $ masis index save masis.snapshot
    """
    with clear_errors(as_json=as_json):
        from masis.bulk.migrating import save_index
        from masis.orchestrator.agent import run_blocking

        _tell_passages(run_blocking(save_index(settings(), file)), "saved", as_json)


@index.command("restore")
def restore_index(file: Snapshot, as_json: AsJson = False) -> None:
    """Replace the current index with a saved one.

    The snapshot must belong to the same database and have all of its documents; otherwise the current index stays.

    $ masis index restore masis.snapshot
    """
    with clear_errors(as_json=as_json):
        from masis.bulk.migrating import restore_index
        from masis.orchestrator.agent import run_blocking

        _tell_passages(run_blocking(restore_index(settings(), file)), "restored", as_json)


def _tell_passages(passages: int, what: str, as_json: bool) -> None:
    show({"passages": passages}, f"The index was {what}: {counted(passages, 'passage')}.", as_json=as_json)


def reindex(as_json: AsJson = False) -> None:
    """Rebuild the index for the configured embedder, chunk size and language.

    Reads every document again from its original. Searches use the old index until the new one is complete.

    $ MASIS_EMBEDDING_MODEL=text-embedding-3-small masis reindex
    """
    with opened(as_json=as_json) as masis:
        with progress_bar(quiet=as_json) as on_progress:
            passages = masis.reindex(on_progress=on_progress)
        show({"passages": passages}, f"The index was rebuilt: {counted(passages, 'passage')}.", as_json=as_json)


def calibrate(
    workspace: Annotated[
        str | None, typer.Option("--workspace", "-w", help="Use passages from this workspace; default all.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            "-q",
            help='JSON lines {"question", "passage"} or {"question", "document"}; without either, it is off-topic.',
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the result without saving it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fit the relevance scale to the current embedder, so that the thresholds of 60% and 55% work as intended.

    It compares the embedder with the embedded model, which is the reference, on the same questions and passages.
    Without --questions, the questions are generated from the passages. It calls the embedder but no chat model.

    $ MASIS_EMBEDDING_MODEL=text-embedding-3-small masis calibrate --workspace acme

    $ masis calibrate --questions labelled.jsonl --dry-run
    """
    with opened(as_json=as_json) as masis:
        from masis.knowledge.calibration.fitting import calibrate_library
        from masis.orchestrator.agent import run_blocking

        profile = run_blocking(calibrate_library(masis.library, masis.settings, workspace, questions, dry_run=dry_run))
        if as_json:
            print_json({**profile.as_json(), "saved": not dry_run})
        else:
            _print_profile(profile, is_saved=not dry_run)


def _print_profile(profile: "Profile", *, is_saved: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    console = out()
    console.print(f"[bold]{escape(profile.embedder)}[/bold], {escape(profile.source)}")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("relevance", "cosine", f"{profile.reference}", "before", "calibrated"):
        table.add_column(title)
    cosines = {relevance: cosine for cosine, relevance in profile.points}
    for rates in profile.rates:
        if rates.threshold in cosines:
            shares = (rates.reference, rates.uncalibrated, rates.calibrated)
            table.add_row(f"{rates.threshold:.2f}", f"{cosines[rates.threshold]:.3f}", *map(_shares, shares))
    console.print(table)
    console.print("[dim]Share of questions whose answer passes / of off-topic questions that find something.[/dim]")
    console.print("Saved: searches use it from now on." if is_saved else "Nothing was saved (--dry-run).")


def _shares(shares: tuple[float, float]) -> str:
    on_topic, off_topic = shares
    return f"{on_topic:.0%} / {off_topic:.0%}"
