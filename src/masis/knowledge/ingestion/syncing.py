"""Synchronises a workspace with a source: reads new and changed files, deletes deleted ones, renames renamed ones.

Only documents that came from the source are ever deleted, and only if the source was listed and lacks them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from masis.errors import MASISError, SourceUnavailable
from masis.knowledge.catalog import Catalog
from masis.knowledge.ingestion.batch import Batch, OnProgress, Tally
from masis.knowledge.ingestion.incoming import IncomingFile, document_id_of
from masis.knowledge.ingestion.ingest import Ingestor
from masis.knowledge.source_table import KnownFile, Source, SourceTable
from masis.settings import Settings
from masis.sources.remote.listing import ListedFile, Listing, Wanted, ignore_for, listed, scheme_of
from masis.types import Document, IngestReport

TOGETHER = 100
"""Progress is saved after this many files; an interrupted synchronisation resumes there."""


@dataclass(slots=True)
class SyncReport:
    address: str
    workspace_id: str
    dry_run: bool = False
    new: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])
    moved: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    deleted: list[str] = field(default_factory=list[str])
    unchanged: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Files that could not be read, now or before, with the reason."""
    unreadable: dict[str, str] = field(default_factory=dict[str, str])
    """Folders that could not be listed, and why; their documents stay."""
    notes: list[str] = field(default_factory=list[str])

    @property
    def counts(self) -> dict[str, int]:
        return {
            "new": len(self.new),
            "changed": len(self.changed),
            "moved": len(self.moved),
            "deleted": len(self.deleted),
            "unchanged": self.unchanged,
            "failed": len(self.failed) + len(self.unreadable),
        }


@dataclass(slots=True)
class Changes:
    new: list[ListedFile] = field(default_factory=list[ListedFile])
    changed: list[ListedFile] = field(default_factory=list[ListedFile])
    moved: list[tuple[KnownFile, ListedFile]] = field(default_factory=list[tuple[KnownFile, ListedFile]])
    gone: list[KnownFile] = field(default_factory=list[KnownFile])
    unchanged: list[KnownFile] = field(default_factory=list[KnownFile])
    touched: dict[str, KnownFile] = field(default_factory=dict[str, KnownFile])
    """The previous entries of changed files by place; some will turn out to have the same bytes."""


def changes_between(
    known: Mapping[str, KnownFile], listing: Listing, is_there: Callable[[KnownFile], bool] = lambda _: True
) -> Changes:
    """Compares a listing with the known files. `is_there` says whether a document is still in the workspace; one
    deleted by hand is read again."""
    changes = Changes()
    now = {file.place: file for file in listing.files}
    vanished = [file for place, file in known.items() if place not in now and not is_below(place, listing.unreadable)]
    by_identity = {file.identity: file for file in vanished if file.identity and is_there(file)}
    for file in listing.files:
        before = known.get(file.place)
        if before and file.version and before.version == file.version and is_there(before):
            changes.unchanged.append(before)
        elif before:
            changes.changed.append(file)
            changes.touched |= {file.place: before} if is_there(before) else {}
        elif file.identity and (old := by_identity.pop(file.identity, None)):
            changes.moved.append((old, file))
        else:
            changes.new.append(file)
    renamed = {old.place for old, _ in changes.moved}
    changes.gone = [file for file in vanished if file.place not in renamed]
    return changes


def is_below(place: str, folders: Iterable[str]) -> bool:
    return any(place == folder or place.startswith(f"{folder.rstrip('/')}/") for folder in folders)


@dataclass(frozen=True, slots=True)
class Syncer:
    settings: Settings
    catalog: Catalog
    sources: SourceTable
    ingestor: Ingestor
    batch_with: Callable[[str, Tally], Batch]
    begin: Callable[[Source], Awaitable[object]]
    """Called once the source has been listed, before anything is changed."""

    async def sync(
        self,
        source: Source,
        on_progress: OnProgress | None = None,
        *,
        dry_run: bool = False,
        allow_empty: bool = False,
    ) -> SyncReport:
        """Raises SourceUnavailable, without changing anything, if the source cannot be listed or is suddenly empty."""
        ignore = await asyncio.to_thread(ignore_for, source.address, source.ignore)
        wanted = Wanted(source.address, ignore, self.settings, source.is_trusted)
        listing = await asyncio.to_thread(listed, wanted)
        try:
            return await self._applied(source, listing, on_progress, dry_run=dry_run, allow_empty=allow_empty)
        finally:
            await asyncio.to_thread(listing.close)

    async def _applied(
        self, source: Source, listing: Listing, on_progress: OnProgress | None, *, dry_run: bool, allow_empty: bool
    ) -> SyncReport:
        known = await asyncio.to_thread(self._known, source, listing)
        if known and not listing.files and not allow_empty:
            raise SourceUnavailable(
                f"{source.address} is empty, and held {len(known)} files before.",
                advice="Nothing was deleted: check that it is mounted. If its files are gone for good, allow an empty "
                "source (--allow-empty).",
            )
        documents = await asyncio.to_thread(self.catalog.documents, source.workspace_id)
        there = {document.document_id for document in documents if document.status != "PROCESSING"}
        changes = changes_between(known, listing, lambda f: f.document_id in there or self._is_archive(source, f))
        unread = [document for document in documents if document.status == "FAILED"]
        report = _report_of(source, listing, changes, unread, dry_run=dry_run)
        if not dry_run:
            await self.begin(source)
            await _Application(self, source, report).run(changes, on_progress)
        elif not scheme_of(source.address):  # nothing is downloaded just for a dry run
            failed = {document.document_id for document in unread}
            read = {place for place, before in changes.touched.items() if before.document_id not in failed}
            local = [file for file in changes.changed if file.place in read]
            _note_same_bytes(report, changes, await asyncio.to_thread(_hashes_of, local))
        return report

    def _known(self, source: Source, listing: Listing) -> dict[str, KnownFile]:
        """What was read at the last synchronisation; for a folder, also what was ingested from it by other means."""
        known = self.sources.files(source)
        if scheme_of(source.address):
            return known
        listed_now = {file.place for file in listing.files}
        for place in self.catalog.sources(source.workspace_id):
            if place.startswith(f"{source.address.rstrip('/')}/") and place not in listed_now:
                above = {str(parent) for parent in PurePosixPath(place).parents} | {place}
                if above.isdisjoint(listed_now | known.keys()):
                    name = place.removeprefix(source.address).strip("/")
                    known[place] = KnownFile(place, name, "", None, "")
        return known

    def _is_archive(self, source: Source, file: KnownFile) -> bool:
        """Whether the file is an archive, which is not a document itself but has documents as its members."""
        return bool(self.catalog.documents_at(source.workspace_id, file.place))


class _Application:
    """One synchronisation in progress."""

    def __init__(self, syncer: Syncer, source: Source, report: SyncReport) -> None:
        self._of = syncer
        self._source = source
        self._workspace = source.workspace_id
        self._report = report
        self._hashes: dict[str, str] = {}

    async def run(self, changes: Changes, on_progress: OnProgress | None) -> None:
        for old, file in changes.moved:
            await self._move(old, file)
        await self._read([*changes.changed, *changes.new], Tally(on_progress))
        _note_same_bytes(self._report, changes, self._hashes)
        came = {self._hashes[file.place]: file for file in changes.new if file.place in self._hashes}
        elsewhere = await asyncio.to_thread(self._of.sources.others_at, self._source)
        for gone in changes.gone:
            if gone.place not in elsewhere:
                await self._forget(gone.place)
            if same := came.pop(gone.document_id, None):
                self._report.new = [name for name in self._report.new if name != same.name]
                self._report.deleted.remove(gone.name)
                self._report.moved.append((gone.name, same.name))
        await asyncio.to_thread(self._of.sources.forget_files, self._source, [file.place for file in changes.gone])
        await self._rename_what_moved([*changes.new, *changes.changed], {file.document_id for file in changes.gone})

    async def _move(self, old: KnownFile, file: ListedFile) -> None:
        for document in await asyncio.to_thread(self._of.catalog.documents_at, self._workspace, old.place):
            name = file.name + document.file_name.removeprefix(old.name)
            await self._of.ingestor.rename(document, name, document.source or file.place)
        await asyncio.to_thread(self._of.catalog.move, self._workspace, old.place, file.place)
        known = KnownFile(file.place, file.name, file.version, file.identity, old.document_id)
        await asyncio.to_thread(self._of.sources.save_files, self._source, [known])
        await asyncio.to_thread(self._of.sources.forget_files, self._source, [old.place])

    async def _read(self, files: Sequence[ListedFile], tally: Tally) -> None:
        tally.expect(len(files))
        for first in range(0, len(files), TOGETHER):
            some = files[first : first + TOGETHER]
            tally.expect(-len(some))  # each batch expects its own
            incoming = [IncomingFile(file.name, self._reading(file), file.place) for file in some]
            result = await self._of.batch_with(self._workspace, tally).run(incoming)
            await asyncio.to_thread(self._of.sources.save_files, self._source, self._as_known(some))
            self._note(result)

    def _reading(self, file: ListedFile) -> Callable[[], bytes]:
        def read() -> bytes:
            data = file.read()
            self._hashes[file.place] = document_id_of(data)
            return data

        return read

    def _as_known(self, files: Sequence[ListedFile]) -> list[KnownFile]:
        """Leaves out files that could not be fetched, so that they are fetched again next time."""
        return [
            KnownFile(file.place, file.name, file.version, file.identity, self._hashes[file.place])
            for file in files
            if file.place in self._hashes
        ]

    def _note(self, result: IngestReport) -> None:
        failed = {document.file_name: document.reason or "" for document in result.failed}
        self._report.failed += failed.items()
        self._report.new = [name for name in self._report.new if name not in failed]
        self._report.changed = [name for name in self._report.changed if name not in failed]
        self._report.notes += result.notes
        self._report.notes += [f"{d.file_name}: {d.reason}" for d in result.pending if d.reason]

    async def _forget(self, place: str) -> None:
        sources = await asyncio.to_thread(self._of.catalog.sources, self._workspace)
        for each in sources:
            if is_below(each, [place]):
                await self._of.ingestor.forget(self._workspace, each)

    async def _rename_what_moved(self, files: Sequence[ListedFile], gone: set[str]) -> None:
        """Renames a document whose place is gone but that is also at another place."""
        names = {file.place: file.name for file in files}
        for document_id in {*self._hashes.values(), *gone}:
            document = await asyncio.to_thread(self._of.catalog.document, self._workspace, document_id)
            places = await asyncio.to_thread(self._of.catalog.places, self._workspace, document_id)
            if document and document.source not in places and (there := [each for each in places if each in names]):
                await self._of.ingestor.rename(document, names[there[0]], there[0])


def _report_of(
    source: Source, listing: Listing, changes: Changes, unread: Sequence[Document], *, dry_run: bool
) -> SyncReport:
    report = SyncReport(source.address, source.workspace_id, dry_run=dry_run)
    report.new, report.changed = [file.name for file in changes.new], [file.name for file in changes.changed]
    report.moved = [(old.name, file.name) for old, file in changes.moved]
    report.deleted = [file.name for file in changes.gone]
    report.unreadable, report.notes = dict(listing.unreadable), list(listing.notes)
    renamed = [replace(old, name=file.name) for old, file in changes.moved]
    report.failed = _still_unread([*changes.unchanged, *renamed], unread)
    names = {name for name, _ in report.failed}
    report.unchanged = sum(file.name not in names for file in changes.unchanged)
    return report


def _still_unread(files: Sequence[KnownFile], unread: Sequence[Document]) -> list[tuple[str, str]]:
    """Files that failed before and have not changed, including those in archives. They stay an error until they are
    read or gone."""
    reasons = {document.document_id: document.reason or "" for document in unread}
    whole = {file.name: reasons[file.document_id] for file in files if file.document_id in reasons}
    places = {file.place for file in files}
    inside = {d.file_name: d.reason or "" for d in unread if d.source and not places.isdisjoint(_above(d.source))}
    return list((inside | whole).items())


def _above(place: str) -> Iterator[str]:
    while place := place.rpartition("/")[0]:
        yield place


def _note_same_bytes(report: SyncReport, changes: Changes, hashes: Mapping[str, str]) -> None:
    """Counts files as unchanged if only their modification time is new."""
    unread = {name for name, _ in report.failed}
    touched = changes.touched.items()
    same = {before.name for place, before in touched if hashes.get(place) == before.document_id} - unread
    report.changed = [name for name in report.changed if name not in same]
    report.unchanged += len(same)


def _hashes_of(files: Sequence[ListedFile]) -> dict[str, str]:
    hashes = dict[str, str]()
    for file in files:
        with suppress(OSError, MASISError):
            hashes[file.place] = document_id_of(file.read())
    return hashes
