"""Keeps sources in sync: in this process, by a worker in the background, and on a schedule."""

import asyncio
import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from masis.errors import InvalidInput, MASISError
from masis.jobs.queue import Job
from masis.jobs.worker import Lease, LeaseLost, meanwhile, only_here
from masis.knowledge.catalog import now
from masis.knowledge.ingestion.batch import IngestProgress, OnProgress
from masis.knowledge.ingestion.syncing import SyncReport
from masis.knowledge.source_table import KnownFile, Source, SourceTable, after, new_source
from masis.runs.events import QUEUE
from masis.runs.parts import Parts
from masis.sources.remote.listing import (
    ON_COMMAND,
    Wanted,
    address_of,
    ignore_for,
    is_on_command,
    require_allowed,
    without_password,
)
from masis.types import LOCAL, Caller

SCHEDULE_SECONDS = 5.0
BREATH = 0.3
LEAST_SECONDS = 60
MOST_NAMES = 100
"""File names of each kind that the record of a synchronisation keeps."""
_EVERY = re.compile(r"(?:every\s+)?(\d{1,6})\s*([smhdw])(?:[a-z]*)", re.IGNORECASE)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
log = logging.getLogger(__name__)


def seconds_of(every: str | None) -> int | None:
    """“15 m”, “every 2 hours”, “1d”; None for “never”."""
    if every is None or every.strip().lower() in ("", "never"):
        return None
    found = _EVERY.fullmatch(every.strip())
    seconds = int(found[1]) * _UNITS[found[2].lower()] if found else 0
    if seconds < LEAST_SECONDS:
        raise InvalidInput(
            f"“{every[:40]}” is not a valid sync interval.",
            advice="Write a minute or more: 15m, 2h, 1d; or never.",
        )
    return seconds


def source_for(
    table: SourceTable,
    workspace: str,
    address: str,
    ignore: Sequence[str] = (),
    every: str | None = None,
    *,
    by: Caller | None = None,
) -> Source:
    """The stored source with the given changes, or a new one that is not stored yet. Without `by` it belongs to the
    person at the machine, who may sync anything that they can read."""
    # A relative path is meaningful only on this machine.
    full = address_of(address) if by is None else without_password(address)
    made = new_source(workspace, full, is_trusted=by is None, added_by=(by or LOCAL).name)
    known = next((each for each in table.of(workspace) if each.source_id == made.source_id), made)
    seconds = known.every_seconds if every is None else seconds_of(every)
    if seconds and is_on_command(known.address):
        raise InvalidInput(ON_COMMAND, advice="Omit the schedule, and sync it on demand.")
    is_trusted = known.is_trusted or made.is_trusted
    return replace(known, ignore=tuple(ignore) or known.ignore, every_seconds=seconds, is_trusted=is_trusted)


async def sync_here(
    parts: Parts, source: Source, on_progress: OnProgress | None, *, allow_empty: bool = False
) -> SyncReport:
    """Syncs in this process, and in no other at the same time."""
    async with only_here(parts.queue, _job(source)) as lease:
        if lease is None:
            raise _being_synced(source)
        return await _carried_out(parts, source, on_progress, allow_empty=allow_empty)


def enqueue(parts: Parts, source: Source) -> None:
    """Queues a source for a worker, unless it is queued already."""
    with parts.database.writing() as db:
        parts.queue.put(db, _job(source))
    parts.hub.tell(QUEUE)


class SyncWork:
    """Processes the sync jobs of the queue."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, job: Job, lease: Lease) -> None:
        parts = self._parts
        try:
            source = await asyncio.to_thread(parts.library.sources.get, job.workspace_id, job.subject)
            watch = _Watch(parts, source)
            async with meanwhile(watch.keep_saving()):
                await _carried_out(parts, source, watch.progress, allow_empty=source.allow_empty)
        except LeaseLost:
            raise
        except MASISError as error:
            log.warning("sync_failed", extra={"source": job.subject, "error": str(error)})
        await asyncio.to_thread(_done, parts, job, lease.owner)


class _Watch:
    def __init__(self, parts: Parts, source: Source) -> None:
        self._parts = parts
        self._source = source
        self._counts: dict[str, int] = {}

    def progress(self, p: IngestProgress) -> None:
        self._counts = {"files_done": p.files_done, "files_total": p.files_total, "pages": p.pages}

    async def keep_saving(self) -> None:
        saved: dict[str, int] = {}
        while True:
            if self._counts != saved:
                saved = self._counts
                with suppress(MASISError):
                    running = replace(self._source, status="running", progress=saved)
                    await asyncio.to_thread(self._parts.library.sources.save, running)
            await asyncio.sleep(BREATH)


async def scheduling(parts: Parts) -> None:
    """Queues the sources that are due. Several workers may do this at once."""
    while True:
        try:
            for source in await asyncio.to_thread(parts.library.sources.due):
                await asyncio.to_thread(enqueue, parts, source)
        except MASISError as error:
            log.warning("schedule_unavailable", extra={"error": str(error)})
        await asyncio.sleep(SCHEDULE_SECONDS)


async def _carried_out(
    parts: Parts, source: Source, on_progress: OnProgress | None, *, allow_empty: bool
) -> SyncReport:
    save = parts.library.sources.save
    following = after(source.every_seconds)
    await asyncio.to_thread(save, replace(source, status="running", progress={}))
    try:
        report = await parts.library.sync(source, on_progress, allow_empty=allow_empty)
    except BaseException as error:
        said = f"{error} {error.advice}" if isinstance(error, MASISError) else "It was interrupted."
        failed = replace(source, status="failed", error=said, next_sync=following, progress={}, allow_empty=False)
        await asyncio.shield(asyncio.to_thread(save, failed))
        raise
    done = replace(source, status="synced", last_sync=now(), next_sync=following, progress={}, allow_empty=False)
    await asyncio.to_thread(save, replace(done, error=_unread(report), summary=summary_of(report)))
    return report


def _unread(report: SyncReport) -> str | None:
    unread = [*report.unreadable.items(), *report.failed]
    if not unread:
        return None
    place, why = unread[0]
    more = f" And {len(unread) - 1} more." if len(unread) > 1 else ""
    return (why if why.startswith(place) else f"{place}: {why}") + more


def summary_of(report: SyncReport) -> dict[str, Any]:
    lists = {name: each[:MOST_NAMES] for name, each in asdict(report).items() if isinstance(each, list)}
    return {**lists, "unreadable": dict(list(report.unreadable.items())[:MOST_NAMES]), "counts": report.counts}


def _job(source: Source) -> Job:
    return Job("sync", source.source_id, source.workspace_id)


def _done(parts: Parts, job: Job, owner: str) -> None:
    with parts.database.writing() as db:
        parts.queue.done(db, owner, job.key)


async def sync_sources(
    parts: Parts, wanted: Sequence[Source], on_progress: OnProgress | None, *, dry_run: bool, allow_empty: bool
) -> list[SyncReport]:
    if dry_run:
        sync = parts.library.sync
        return [await sync(each, on_progress, dry_run=True, allow_empty=allow_empty) for each in wanted]
    return [await sync_here(parts, each, on_progress, allow_empty=allow_empty) for each in wanted]


async def sources_for(
    parts: Parts, workspace: str, addresses: Sequence[str], ignore: Sequence[str], every: str | None
) -> list[Source]:
    """The sources at these addresses; without any, all sources of the workspace."""
    table = parts.library.sources
    named = addresses or [each.address for each in await asyncio.to_thread(table.of, workspace)]
    if not named:
        raise InvalidInput(f"{workspace} has no sources yet.", advice="Name a folder or an address to sync.")
    return [await asyncio.to_thread(source_for, table, workspace, each, ignore, every) for each in named]


async def leave_to_worker(parts: Parts, source: Source) -> Source:
    wanted = Wanted(source.address, ignore_for("", ()), parts.settings, source.is_trusted)
    await asyncio.to_thread(require_allowed, wanted)
    stored = await asyncio.to_thread(parts.library.sources.add, source)
    await asyncio.to_thread(enqueue, parts, stored)
    return stored


async def files_of(parts: Parts, workspace: str, source: str) -> list[KnownFile]:
    table = parts.library.sources
    found = await asyncio.to_thread(table.named, workspace, source)
    return sorted((await asyncio.to_thread(table.files, found)).values(), key=lambda file: file.name)


async def delete_source(parts: Parts, workspace: str, source: str) -> Source:
    table = parts.library.sources
    found = await asyncio.to_thread(table.named, workspace, source)
    if found.source_id in await asyncio.to_thread(parts.queue.open_subjects, "sync", workspace):
        raise _being_synced(found)
    await asyncio.to_thread(table.remove, workspace, found.source_id)
    return found


def is_syncing(parts: Parts, source: Source) -> bool:
    with parts.database.reading() as db:
        return parts.queue.is_open(db, _job(source).key)


def _being_synced(source: Source) -> InvalidInput:
    return InvalidInput(f"{source.address} is being synced right now.", advice="Wait until the sync has finished.")
