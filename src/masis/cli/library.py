"""`masis ingest`, `workspaces`, `documents`, `reindex` and `calibrate`: what there is to ask."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, Workspace, beside, err, opened, out, print_json, print_table
from masis.wording import counted

if TYPE_CHECKING:
    from masis.cli.remote import Remote
    from masis.knowledge.calibration.fitting import Profile
    from masis.knowledge.ingestion.batch import IngestProgress
    from masis.types import Document, IngestReport


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders; folders are read recursively.")],
    workspace: Workspace,
    defer_vectors: Annotated[
        bool,
        typer.Option(
            "--defer-vectors",
            help="Stop when everything can be found by keyword; passages are embedded when needed, or next time.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read documents into a workspace, creating it if necessary.

    PDF, Word, PowerPoint, Excel, OpenDocument, RTF, EPUB, HTML, Markdown, text in any encoding, CSV, JSON, XML,
    e-mail with what is attached, and archives of all these; images where a model that sees them is configured.

    Files already ingested are skipped, changed files replace their earlier version, and files that cannot be read are
    reported with the reason. Rerun the command to resume after an interruption or to pick up changes.

    $ masis ingest report.pdf notes/ mails.zip --workspace acme
    """
    with beside(as_json=as_json) as service:
        if service:
            _uploaded(service, paths, workspace, as_json)
            return
    with opened(as_json=as_json) as masis:
        with _progress_bar(quiet=as_json) as on_progress:
            report = masis.ingest(paths, workspace, on_progress=on_progress, defer_vectors=defer_vectors)
        if as_json:
            print_json(asdict(report))
        else:
            _print_report(report)
        if report.failed and not (report.ready or report.pending or report.duplicates):
            raise typer.Exit(1)


def _uploaded(service: "Remote", paths: list[Path], workspace: str, as_json: bool) -> None:
    from masis.cli.remote import files_below

    accepted = service.upload(files_below(paths), workspace)
    if as_json:
        print_json(accepted)
        return
    for file in accepted["files"]:
        reason = f": {file['reason']}" if file.get("reason") else ""
        out().print(f"{file['file_name']} {file['stage']}{reason}", markup=False, soft_wrap=True)
    for known in accepted["duplicates"]:
        out().print(f"{known['file_name']} already here", markup=False, soft_wrap=True)
    out().print(f"{workspace}: read by the service at {service.url}", markup=False, soft_wrap=True)
    if accepted["files"] and all(file["stage"] == "failed" for file in accepted["files"]):
        raise typer.Exit(1)


@contextmanager
def _progress_bar(*, quiet: bool) -> "Iterator[Callable[[IngestProgress], None] | None]":
    if quiet:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description:<40}"), BarColumn(bar_width=20), TextColumn("{task.fields[counts]}"))
    with Progress(*columns, console=err(), transient=True) as bar:
        task = bar.add_task("looking for files", counts="")

        def show(progress: "IngestProgress") -> None:
            doing = f"{progress.stage} {progress.file_name}"
            bar.update(
                task,
                description=doing[:40],
                completed=progress.chunks_done + progress.files_done,
                total=progress.chunks_total + progress.files_total,
                counts=_counts(progress),
            )

        yield show


def _counts(progress: "IngestProgress") -> str:
    parts = [f"{progress.files_done}/{progress.files_total} files", f"{progress.pages} pages"]
    if progress.chunks_total:
        parts.append(f"{progress.chunks_done}/{progress.chunks_total} passages")
    if progress.seconds_left is not None:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        parts.append(f"{minutes}:{seconds:02} left")
    return " · ".join(parts)


def _print_report(report: "IngestReport") -> None:
    from rich.markup import escape

    console = out()
    for document in report.ready:
        console.print(f"  [green]✓[/green] {escape(document.file_name)} [dim]{_extent(document)}[/dim]")
        if document.note:
            console.print(f"    [yellow]![/yellow] {escape(document.note)}")
    for note in report.notes:
        console.print(f"  [yellow]![/yellow] {escape(note)}")
    for document in report.pending:
        console.print(f"  [yellow]…[/yellow] {escape(document.file_name)}: {escape(document.reason or '')}")
    for document in report.duplicates:
        console.print(f"  [dim]= {escape(document.file_name)} is already ingested[/dim]")
    for document in report.failed:
        console.print(f"  [red]✗[/red] {escape(_what_happened(document))}")
    passages = sum(document.chunks for document in report.ready)
    parts = [f"{len(report.ready)} read ({counted(passages, 'passage')})"]
    if report.replaced:
        parts.append(f"{len(report.replaced)} of them in place of an earlier version")
    if report.pending:
        parts.append(f"{len(report.pending)} findable by keyword only, for now")
    parts += [f"{len(report.duplicates)} already ingested", f"{len(report.failed)} failed"]
    console.print(f"[bold]{report.workspace_id}[/bold]: {', '.join(parts)}")


def _what_happened(document: "Document") -> str:
    """Most reasons name the file themselves."""
    reason = document.reason or ""
    return reason if reason.startswith(document.file_name) else f"{document.file_name}: {reason}"


def _extent(document: "Document") -> str:
    return f"{counted(document.pages, 'page')}, {counted(document.chunks, 'passage')}"


def workspaces(as_json: AsJson = False) -> None:
    """List the workspaces with their contents.

    $ masis workspaces --json
    """
    with opened(as_json=as_json) as masis:
        found = masis.workspaces()
        if as_json:
            print_json([asdict(each) for each in found])
        elif not found:
            out().print("No workspace yet. Create one: [cyan]masis ingest PATH --workspace NAME[/cyan]")
        else:
            rows = [(w.workspace_id, w.documents, w.chunks, w.created_at[:10]) for w in found]
            print_table(["workspace", "documents", "passages", "made"], rows)


def documents(workspace: Workspace, as_json: AsJson = False) -> None:
    """List a workspace's documents, with what could not be read and why.

    $ masis documents --workspace acme
    """
    with opened(as_json=as_json) as masis:
        found = masis.documents(workspace)
        if as_json:
            print_json([asdict(each) for each in found])
        elif not found:
            out().print(f"No documents in {workspace} yet: [cyan]masis ingest PATH --workspace {workspace}[/cyan]")
        else:
            rows = [(d.file_name, d.status, d.date or "", d.pages, d.chunks, d.reason or d.note or "") for d in found]
            print_table(["document", "status", "dated", "pages", "passages", ""], rows)


def reindex(as_json: AsJson = False) -> None:
    """Rebuild the index for the embedder, chunk size and language now configured.

    Questions are answered from the old index until the new one is complete. Nothing is read again: the extracted
    texts are preserved.

    $ MASIS_EMBEDDING_MODEL=text-embedding-3-small masis reindex
    """
    with opened(as_json=as_json) as masis:
        with _progress_bar(quiet=as_json) as on_progress:
            passages = masis.reindex(on_progress=on_progress)
        if as_json:
            print_json({"passages": passages})
        else:
            out().print(f"The index was rebuilt: {counted(passages, 'passage')}.")


def calibrate(
    workspace: Annotated[
        str | None, typer.Option("--workspace", "-w", help="Take passages from this workspace; default all.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            "-q",
            help='JSON lines {"question", "passage"} or {"question", "document"}; a question alone is off-topic.',
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the result without saving it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fit the relevance scale to the embedder in use, so that 0.60 and 0.55 keep and drop what they should.

    The same questions and passages go through it and through the embedded model, which is the reference. Without
    --questions they are made from the passages themselves. Only the embedder is asked, no chat model.

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
