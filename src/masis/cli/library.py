"""`masis ingest`, `masis workspaces` and `masis documents`: what there is to ask."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from masis.cli.console import AsJson, Workspace, clear_errors, counted, err, out, print_json, settings

if TYPE_CHECKING:
    from masis.knowledge.library import IngestProgress
    from masis.types import Document, IngestReport


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders; folders are read with all they hold.")],
    workspace: Workspace,
    as_json: AsJson = False,
) -> None:
    """Read documents into a workspace, which is made when it does not exist.

    Text, Markdown, HTML, PDF, DOCX, CSV and TSV. A file that is there already is skipped, one that cannot be read is
    reported with the reason, and the rest goes on.

    $ masis ingest report.pdf notes/ --workspace acme
    """
    with clear_errors(as_json=as_json):
        from masis import Masis

        with _progress_bar(quiet=as_json) as on_progress:
            report = Masis(settings()).ingest(paths, workspace, on_progress=on_progress)
        if as_json:
            print_json(asdict(report))
        else:
            _print_report(report)
        if report.failed and not (report.ready or report.duplicates):
            raise typer.Exit(1)


@contextmanager
def _progress_bar(*, quiet: bool) -> "Iterator[Callable[[IngestProgress], None] | None]":
    if quiet:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:<44}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err(), transient=True) as bar:
        task = bar.add_task("looking for files")

        def show(progress: "IngestProgress") -> None:
            chunks = f" {progress.chunks_done}/{progress.chunks_total}" if progress.chunks_total else ""
            doing = f"{progress.stage}{chunks} {progress.file_name}"
            bar.update(task, description=doing[:44], completed=progress.files_done, total=progress.files_total)

        yield show


def _print_report(report: "IngestReport") -> None:
    from rich.markup import escape

    console = out()
    for document in report.ready:
        console.print(f"  [green]✓[/green] {escape(document.file_name)} [dim]{_extent(document)}[/dim]")
    for document in report.duplicates:
        console.print(f"  [dim]= {escape(document.file_name)} is there already[/dim]")
    for document in report.failed:
        console.print(f"  [red]✗[/red] {escape(document.file_name)}: {escape(document.reason or '')}")
    passages = sum(document.chunks for document in report.ready)
    console.print(
        f"[bold]{report.workspace_id}[/bold]: {len(report.ready)} read ({counted(passages, 'passage')}), "
        f"{len(report.duplicates)} there already, {len(report.failed)} refused"
    )


def _extent(document: "Document") -> str:
    return f"{counted(document.pages, 'page')}, {counted(document.chunks, 'passage')}"


def workspaces(as_json: AsJson = False) -> None:
    """List the workspaces, with what each holds.

    $ masis workspaces --json
    """
    with clear_errors(as_json=as_json):
        from masis import Masis

        found = Masis(settings()).workspaces()
        if as_json:
            print_json([asdict(each) for each in found])
        elif not found:
            out().print("No workspace yet. Make one: [cyan]masis ingest PATH --workspace NAME[/cyan]")
        else:
            rows = [(w.workspace_id, w.documents, w.chunks, w.created_at[:10]) for w in found]
            _print_table(["workspace", "documents", "passages", "made"], rows)


def documents(workspace: Workspace, as_json: AsJson = False) -> None:
    """List a workspace's documents, with what could not be read and why.

    $ masis documents --workspace acme
    """
    with clear_errors(as_json=as_json):
        from masis import Masis

        found = Masis(settings()).documents(workspace)
        if as_json:
            print_json([asdict(each) for each in found])
        elif not found:
            out().print(f"No documents in {workspace} yet: [cyan]masis ingest PATH --workspace {workspace}[/cyan]")
        else:
            rows = [(d.file_name, d.status, d.date or "", d.pages, d.chunks, d.reason or "") for d in found]
            _print_table(["document", "status", "dated", "pages", "passages", ""], rows)


def _print_table(header: list[str], rows: list[tuple[Any, ...]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for name in header:
        table.add_column(name)
    for row in rows:
        table.add_row(*(escape(str(cell)) for cell in row))
    out().print(table)
