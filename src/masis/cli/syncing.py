"""`masis sync` and `masis sources`: keeping workspaces in sync with folders, storages, websites and mailboxes."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from masis.cli.console import (
    AsJson,
    Workspace,
    beside,
    clear_errors,
    err,
    masis_here,
    opened,
    out,
    print_json,
    progress_bar,
)
from masis.cli.library import suggest
from masis.wording import counted

if TYPE_CHECKING:
    from masis.cli.remote import Remote
    from masis.client import Masis
    from masis.knowledge.ingestion.batch import IngestProgress
    from masis.knowledge.source_table import Source

PARTLY = 3
"""The exit code if some files could not be read."""
LOOK_SECONDS, POLL_SECONDS = 0.3, 5.0
SHOWN = 20
_SIGNS = {"new": ("green", "+"), "changed": ("yellow", "~"), "moved": ("cyan", "→"), "deleted": ("red", "-")}
Given = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SOURCE]...",
        help="Folders, or addresses: s3://, gs://, az://, https://, sftp://, webdav://, github://, zip::, imap://, "
        "https://…/sitemap.xml. Default: all sources of the workspace.",
    ),
]


def sync(
    workspace: Workspace,
    sources: Given = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", "-i", help="Leave out matching files, as in a .gitignore (repeatable)."),
    ] = None,
    every: Annotated[
        str | None, typer.Option(help="How often a service syncs it: 15m, 2h, 1d, never.", metavar="TIME")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running, and sync again whenever something changes.")
    ] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Delete all documents of a source that is now empty.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Keep a workspace in sync with folders and addresses: pick up new, changed and deleted files.

    Renamed files are renamed in the workspace, not read again. Only documents that came from the source are ever
    deleted, and none if it cannot be read or is suddenly empty: an unmounted disk deletes nothing. A .masisignore file
    excludes files.

    Exits with 0 if everything is in sync, 1 if a source could not be synced, 3 if some files could not be read.

    $ masis sync reports/ --workspace acme

    $ masis sync s3://acme-reports/2025 --workspace acme --every 15m

    $ masis sync --workspace acme --dry-run
    """
    wanted = _Pass(sources or [], workspace, ignore or [], every, dry_run, allow_empty, as_json)
    if not watch:
        raise typer.Exit(wanted.run())
    with clear_errors(as_json=as_json):
        try:
            for _ in _changes(wanted.addresses(), every):
                wanted.run(in_watch=True)
        except KeyboardInterrupt:
            err().print("No longer watching.", style="dim")


class _Pass:
    """One synchronisation of all the named sources."""

    def __init__(
        self,
        sources: Sequence[str],
        workspace: str,
        ignore: Sequence[str],
        every: str | None,
        dry_run: bool,
        allow_empty: bool,
        as_json: bool,
    ) -> None:
        self.sources, self.workspace, self.ignore, self.every = sources, workspace, ignore, every
        self.dry_run, self.allow_empty, self.as_json = dry_run, allow_empty, as_json
        self._told: list[dict[str, Any]] = []
        self._quietly = False

    def run(self, *, in_watch: bool = False) -> int:
        """Returns the exit code. Each source is synced even if others fail. While watching, unchanged sources are not
        reported, and an error does not end the watch."""
        from masis.errors import MASISError

        self._told, self._quietly = [], in_watch
        failed = False
        with beside(as_json=self.as_json) as service:
            named: Sequence[str | None] = self.sources or [None]
            for source in named:
                try:
                    self._told += self._one(source, service)
                except MASISError as error:
                    if not in_watch and len(self.sources) < 2:
                        raise
                    failed = True
                    self._told.append({"address": source, "error": {"message": str(error), "advice": error.advice}})
                    if not self.as_json:
                        err().print(f"{source}: {error} {error.advice}", style="red", markup=False, soft_wrap=True)
        if self.as_json:
            print_json(self._told)
        elif not (in_watch or self.dry_run):
            self._suggest(service)
        unread = any(each.get("counts", {}).get("failed") for each in self._told)
        return 1 if failed else PARTLY if unread else 0

    def _suggest(self, service: "Remote | None") -> None:
        names = [name for each in self._told for kind in ("new", "changed") for name in each.get(kind, ())]
        if service:
            suggest(names, self.workspace, service.overview)
        elif names:
            with masis_here() as masis:
                suggest(names, self.workspace, masis.overview)

    def addresses(self) -> list[str]:
        from masis.sources.remote.listing import address_of

        if self.sources:
            return [address_of(source) for source in self.sources]
        with opened(as_json=self.as_json) as masis:
            return [source.address for source in masis.sources(self.workspace)]

    def _one(self, source: str | None, service: "Remote | None") -> list[dict[str, Any]]:
        if os.environ.get("MASIS_URL") and service:
            from masis.cli.remote import synced

            told = synced(service, self.workspace, source, self.ignore, self.every, self.allow_empty, self.dry_run)
            return [self._show(each["address"], each["summary"]) for each in told]
        with masis_here() as masis, progress_bar(quiet=self.as_json) as on_progress:
            if service and not self.dry_run:
                done = [self._by_service(masis, each, on_progress) for each in self._known(masis, source)]
            else:
                done = self._here(masis, source, on_progress)
        return [self._show(address, summary) for address, summary in done]

    def _here(
        self, masis: "Masis", source: str | None, on_progress: "Callable[[IngestProgress], None] | None"
    ) -> list[tuple[str, dict[str, Any]]]:
        from masis.runs.syncing import summary_of

        reports = masis.sync(
            [source] if source else [],
            self.workspace,
            ignore=self.ignore,
            every=self.every,
            dry_run=self.dry_run,
            allow_empty=self.allow_empty,
            on_progress=on_progress,
        )
        return [(report.address, summary_of(report)) for report in reports]

    def _known(self, masis: "Masis", source: str | None) -> "list[Source]":
        from masis.runs.syncing import source_for

        table = masis.library.sources
        named = [source] if source else [each.address for each in table.of(self.workspace)]
        return [source_for(table, self.workspace, each, self.ignore, self.every) for each in named]

    def _by_service(
        self, masis: "Masis", source: "Source", on_progress: "Callable[[IngestProgress], None] | None"
    ) -> tuple[str, dict[str, Any]]:
        """The service holds the index, so it gets the source, and its progress is shown here."""
        from masis.errors import SourceUnavailable
        from masis.knowledge.ingestion.batch import IngestProgress

        masis.library.catalog.create_workspace(self.workspace)
        stored = masis.sync_in_background(source, allow_empty=self.allow_empty)
        while masis.is_syncing(stored):
            counts = masis.library.sources.get(*stored.key).progress
            if on_progress and counts:
                on_progress(IngestProgress("", "reading", counts["files_done"], counts["files_total"], counts["pages"]))
            time.sleep(LOOK_SECONDS)
        latest = masis.library.sources.get(*stored.key)
        if latest.status == "failed":
            raise SourceUnavailable(latest.error or f"{latest.address} could not be synced.", advice="")
        return latest.address, latest.summary

    def _show(self, address: str, summary: Mapping[str, Any]) -> dict[str, Any]:
        counts = summary.get("counts", {})
        is_news = any(counts.get(name) for name in ("new", "changed", "moved", "deleted", "failed"))
        if not self.as_json and (is_news or not self._quietly):
            print_summary(address, self.workspace, summary, dry_run=self.dry_run)
        return {"address": address, "workspace_id": self.workspace, "dry_run": self.dry_run, **summary}


def print_summary(address: str, workspace: str, summary: Mapping[str, Any], *, dry_run: bool) -> None:
    from rich.markup import escape

    console, counts = out(), summary["counts"]
    for kind, (colour, sign) in _SIGNS.items():
        for name in summary[kind][:SHOWN]:
            words = f"{name[0]} is now {name[1]}" if kind == "moved" else name
            console.print(f"  [{colour}]{sign}[/{colour}] {escape(words)}", soft_wrap=True)
        if counts[kind] > SHOWN:
            console.print(f"    [dim]and {counts[kind] - SHOWN} more[/dim]")
    unread = [*summary["unreadable"].items(), *summary["failed"]]
    for name, why in unread[:SHOWN]:
        console.print(f"  [red]✗[/red] {escape(why if why.startswith(name) else f'{name}: {why}')}", soft_wrap=True)
    for note in summary["notes"]:
        console.print(f"  [yellow]![/yellow] {escape(note)}", soft_wrap=True)
    words = {"moved": "renamed", "failed": "not read"}
    parts = [f"{count} {words.get(name, name)}" for name, count in counts.items() if count] or ["no files"]
    would = "would be " if dry_run else ""
    console.print(f"[bold]{escape(workspace)}[/bold] ← {escape(address)}: {would}{', '.join(parts)}", soft_wrap=True)


def _changes(addresses: Sequence[str], every: str | None) -> Iterator[object]:
    """Yields at once and whenever something changes; remote addresses are checked at intervals."""
    from pathlib import Path

    from masis.runs.syncing import seconds_of
    from masis.sources.remote.listing import scheme_of

    folders = [Path(each) for each in addresses if not scheme_of(each)]
    pause = (seconds_of(every) or 900) if len(folders) < len(addresses) else None
    err().print(f"Watching {', '.join(addresses)}. Press Ctrl-C to stop.", style="dim", markup=False, soft_wrap=True)
    yield None
    try:
        from watchfiles import watch
    except ImportError:
        while True:  # without `masis[watch]`, the folders are listed every few seconds
            time.sleep(POLL_SECONDS)
            yield None
    there = [folder for folder in folders if folder.exists()]
    asked, is_first = time.monotonic(), True
    for change in watch(*there, watch_filter=None, yield_on_timeout=True, rust_timeout=2_000):
        # The first time in any case, because something may have changed before the watch began.
        if is_first or change or (pause and time.monotonic() - asked > pause):
            asked, is_first = time.monotonic(), False
            yield change


def sources(
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="Only this workspace.")] = None,
    files: Annotated[
        str | None, typer.Option("--files", help="List every file of this source, with its address and version.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the sources that workspaces are in sync with: the last and the next sync, and what went wrong.

    `masis delete source ADDRESS` ends it; the documents stay.

    $ masis sources --workspace acme
    """
    with opened(as_json=as_json) as masis:
        if files and workspace:
            from masis.sources.remote.listing import address_of

            known = masis.source_files(workspace, address_of(files))
            if as_json:
                print_json([asdict(each) for each in known])
            for file in [] if as_json else known:
                out().print(f"{file.place}  {file.version}", markup=False, soft_wrap=True)
            return
        found = masis.sources(workspace)
        if as_json:
            print_json([asdict(each) for each in found])
        elif not found:
            out().print("No sources yet. Add one: [cyan]masis sync FOLDER --workspace NAME[/cyan]", soft_wrap=True)
        for each in [] if as_json else found:
            _print_source(each)


def _print_source(source: "Source") -> None:
    out().print(source.address, style="bold", markup=False, soft_wrap=True)
    counts = source.summary.get("counts", {})
    files = sum(counts.get(name, 0) for name in ("new", "changed", "moved", "unchanged"))
    parts = [source.workspace_id, state_of(source)]
    parts += [counted(files, "file")] if counts else []
    parts += [f"every {time_in_words(source.every_seconds)}"] if source.every_seconds else ["on command"]
    parts += [f"next {_moment(source.next_sync)}"] if source.next_sync else []
    out().print(f"  {' · '.join(parts)}", markup=False, soft_wrap=True)
    if source.error:
        out().print(f"  {source.error}", style="red", markup=False, soft_wrap=True)


def state_of(source: "Source") -> str:
    if source.status == "running":
        return "being synced"
    last = f"synced {_moment(source.last_sync)}" if source.last_sync else "not synced yet"
    return f"failed, {last}" if source.status == "failed" else last


def time_in_words(seconds: int) -> str:
    for size, unit in ((604_800, "w"), (86_400, "d"), (3600, "h"), (60, "m")):
        if seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _moment(at: str | None) -> str:
    return (at or "")[:16].replace("T", " ")
