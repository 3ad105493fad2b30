"""`masis ingest`, `workspaces` and `documents`: managing documents."""

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import (
    AsJson,
    Workspace,
    beside,
    clear_errors,
    opened,
    out,
    print_json,
    print_table,
    progress_bar,
    settings,
)
from masis.wording import counted

if TYPE_CHECKING:
    from masis.cli.remote import Remote
    from masis.knowledge.overview import Overview
    from masis.types import Document, IngestReport

MOST_LOOKED_AT, MOST_QUESTIONS = 8, 3


def ingest(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="PATHS...",
            help="Files and folders; folders are read recursively. With --on also addresses: s3://, gs://, az://.",
        ),
    ],
    workspace: Workspace,
    defer_vectors: Annotated[
        bool,
        typer.Option(
            "--defer-vectors",
            help="Stop once keyword search works; passages are embedded on demand or by the next `masis ingest`.",
        ),
    ] = False,
    on: Annotated[
        str | None,
        typer.Option(
            help="Read on a Ray cluster: its address, HOST:6379; `ray` for the one in RAY_ADDRESS, or else this"
            " machine; `local` for this machine only."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read documents into a workspace, creating it if necessary.

    PDF, Word, PowerPoint, Excel, OpenDocument, RTF, EPUB, HTML, Markdown, text in any encoding, CSV, JSON, XML,
    e-mail with attachments, and archives of all these; images with a vision model or masis[ocr].

    Files already ingested are skipped, changed files replace their earlier version, and files that cannot be read are
    reported with the reason. Rerun the command to resume after an interruption or to pick up changes.

    $ masis ingest report.pdf notes/ mails.zip --workspace acme

    $ masis ingest s3://archive/reports --workspace acme --on head:6379
    """
    if on:
        _ingest_on(on, sources, workspace, as_json)
        return
    paths = [Path(source) for source in sources]
    with beside(as_json=as_json) as service:
        if service:
            _uploaded(service, paths, workspace, as_json)
            return
    with opened(as_json=as_json) as masis:
        with progress_bar(quiet=as_json) as on_progress:
            report = masis.ingest(paths, workspace, on_progress=on_progress, defer_vectors=defer_vectors)
        _show_report(report, as_json)
        if not as_json:
            suggest([each.file_name for each in (*report.ready, *report.pending)], workspace, masis.overview)
        _exit_for(report)


def _ingest_on(where: str, sources: Sequence[str], workspace: str, as_json: bool) -> None:
    from masis.bulk.on_ray import ingest_on
    from masis.orchestrator.agent import run_blocking

    with clear_errors(as_json=as_json):
        # Ray prints warnings (a worker died) to standard output, where the report belongs.
        with redirect_stdout(sys.stderr), progress_bar(quiet=as_json) as on_progress:
            report = run_blocking(ingest_on(where, settings(), sources, workspace, on_progress))
        _show_report(report, as_json)
    _exit_for(report)


def _show_report(report: "IngestReport", as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
    else:
        _print_report(report)


def _exit_for(report: "IngestReport") -> None:
    if report.failed and not (report.ready or report.pending or report.duplicates):
        raise typer.Exit(1)


def _uploaded(service: "Remote", paths: list[Path], workspace: str, as_json: bool) -> None:
    from masis.cli.remote import files_below

    with progress_bar(quiet=as_json) as on_progress:
        accepted = service.upload(files_below(paths), workspace, on_progress)
    if as_json:
        print_json(accepted)
        return
    for file in accepted["files"]:
        reason = f": {file['reason']}" if file.get("reason") else ""
        out().print(f"{file['file_name']} {file['stage']}{reason}", markup=False, soft_wrap=True)
    for known in accepted["duplicates"]:
        out().print(f"{known['file_name']} already here", markup=False, soft_wrap=True)
    out().print(f"{workspace}: read by the service at {service.url}", markup=False, soft_wrap=True)
    read = [file["file_name"] for file in accepted["files"] if file["stage"] in ("ready", "pending")]
    suggest(read, workspace, service.overview)
    if accepted["files"] and all(file["stage"] == "failed" for file in accepted["files"]):
        raise typer.Exit(1)


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
        parts.append(f"{len(report.replaced)} of them replaced an earlier version")
    if report.pending:
        parts.append(f"{len(report.pending)} searchable by keyword only, for now")
    parts += [f"{len(report.duplicates)} already ingested", f"{len(report.failed)} failed"]
    console.print(f"[bold]{report.workspace_id}[/bold]: {', '.join(parts)}")


def suggest(names: Sequence[str], workspace: str, overview: "Callable[[str, str], Overview]") -> None:
    """At a terminal, suggests questions about the documents just read: one per document if there are several."""
    from masis.errors import MASISError
    from masis.knowledge.overview import OF_THE_WHOLE

    if not out().is_terminal:
        return
    found: list[tuple[int, str, str]] = []
    for name in names[:MOST_LOOKED_AT]:
        with suppress(MASISError):  # two files of the same name, or deleted again
            for rank, question in enumerate(overview(name, workspace).questions):
                found.append((rank + 10 * (question in OF_THE_WHOLE), question, name))
    if found:
        out().print("Worth asking:", style="dim")
    for _, question, name in sorted(found, key=lambda each: each[0])[:MOST_QUESTIONS]:
        _print_command(question, workspace, name)


def _print_command(question: str, workspace: str, document: str) -> None:
    """Ready to copy: no box, no line breaks, and quoted, because the words come from a document."""
    from masis.export.content import one_line

    command = f"masis ask {quote(one_line(question))} --workspace {workspace} --document {quote(document)}"
    out().print(f"$ {command}", style="cyan", markup=False, soft_wrap=True)


def _what_happened(document: "Document") -> str:
    """Most reasons already name the file."""
    reason = document.reason or document.note or ""
    return reason if reason.startswith(document.file_name) else f"{document.file_name}: {reason}"


def _extent(document: "Document") -> str:
    return f"{counted(document.pages, 'page')}, {counted(document.chunks, 'passage')}"


def workspaces(as_json: AsJson = False) -> None:
    """List the workspaces and what they contain.

    $ masis workspaces --json
    """
    with opened(as_json=as_json) as masis:
        found = masis.workspaces()
        if as_json:
            print_json([asdict(each) for each in found])
        elif not found:
            create = "[cyan]masis ingest PATH --workspace NAME[/cyan]"
            out().print(f"No workspace yet. Create one: {create}", soft_wrap=True)
        else:
            rows = [(w.workspace_id, w.documents, w.chunks, w.created_at[:10]) for w in found]
            print_table(["workspace", "documents", "passages", "made"], rows)


def documents(
    workspace: Workspace,
    name: Annotated[
        str | None, typer.Argument(help="Summarise this document: a file name or an id.", metavar="DOCUMENT")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List a workspace's documents, including those that could not be read and why; or summarise one.

    The summary of a document has its type, opening, sections and main figures with their pages, and questions that it
    can answer.

    $ masis documents --workspace acme

    $ masis documents annual-report-2025.pdf --workspace acme
    """
    if name is not None:
        _at_a_glance(name, workspace, as_json)
        return
    with opened(as_json=as_json) as masis:
        found = masis.documents(workspace)
        if as_json:
            print_json([asdict(each) for each in found])
        elif not found:
            create = f"[cyan]masis ingest PATH --workspace {workspace}[/cyan]"
            out().print(f"No documents in {workspace} yet: {create}", soft_wrap=True)
        else:
            _print_documents(found)


def _print_documents(found: "Sequence[Document]") -> None:
    """The name comes last, so that it stays whole; below it, what is wrong with the document."""
    rows = [(d.status.lower(), d.date or "", d.pages, d.chunks, d.file_name) for d in found]
    print_table(["status", "dated", "pages", "passages", "document"], rows)
    troubled = [each for each in found if each.reason or each.note]
    for document in troubled:
        style = "red" if document.reason else "yellow"
        out().print(f"! {_what_happened(document)}", style=style, markup=False, soft_wrap=True)


def _at_a_glance(name: str, workspace: str, as_json: bool) -> None:
    with beside(as_json=as_json) as service:
        if service:
            _show_overview(service.overview(name, workspace), name, workspace, as_json)
            return
    with opened(as_json=as_json) as masis:
        _show_overview(masis.overview(name, workspace), name, workspace, as_json)


def _show_overview(found: "Overview", name: str, workspace: str, as_json: bool) -> None:
    from masis.export.content import one_line

    if as_json:
        print_json(asdict(found))
        return
    console = out()
    facts = (found.title, found.kind, found.date, found.period, found.author, counted(found.pages, "page"))
    console.print(name, style="bold", markup=False, soft_wrap=True)
    console.print(one_line(" · ".join(filter(None, facts))), style="dim", markup=False, soft_wrap=True)
    parts = {"Opening": [found.opening] if found.opening else [], "Sections": found.sections, "Figures": found.figures}
    for heading, quotes in parts.items():
        if quotes:
            console.print(heading, style="bold")
        for each in quotes:
            words = f"  {one_line(each.text)} (page {each.page})"
            console.print(words, markup=False)
    if found.questions:
        console.print("Worth asking", style="bold")
    for question in found.questions:
        _print_command(question, workspace, name)
