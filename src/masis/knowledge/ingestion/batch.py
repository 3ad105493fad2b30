"""Ingests many files at once: reads them in parallel, makes each searchable by keyword at once, then embeds them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from masis.errors import DuplicateDocument, will_pass
from masis.knowledge.ingestion.incoming import IncomingFile, failure_reason
from masis.knowledge.ingestion.ingest import AlreadyThere, Ingested, Ingestor
from masis.knowledge.ingestion.vectors import OUTAGES, VectorStage
from masis.types import Document, IngestReport

IngestStage = Literal["reading", "findable", "embedding", "ready", "pending", "duplicate", "failed"]
"""`findable`: searchable by keyword, vectors to follow. `pending`: vectors deferred."""


@dataclass(frozen=True, slots=True)
class IngestProgress:
    file_name: str
    stage: IngestStage
    files_done: int
    files_total: int
    """Grows when an archive is opened."""
    pages: int = 0
    """Pages read so far."""
    chunks_done: int = 0
    """Passages that have their vectors."""
    chunks_total: int = 0
    """Passages read so far."""
    seconds_left: float | None = None
    """An estimate; None until there is something to base it on."""


OnProgress = Callable[[IngestProgress], None]


class Tally:
    """Counts and reports progress."""

    def __init__(self, on_progress: OnProgress | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._on_progress = on_progress
        self._clock = clock
        self._started = clock()
        self._files_total = self._files_read = self._files_done = 0
        self._pages = self._chunks_done = self._chunks_total = 0

    def expect(self, files: int) -> None:
        self._files_total += files

    def reading(self, file_name: str) -> None:
        self._tell(file_name, "reading")

    def read(self, document: Document) -> None:
        self._files_read += 1
        self._pages += document.pages
        self._chunks_total += document.chunks
        self._tell(document.file_name, "findable")

    def embedded(self, document: Document, chunks: int) -> None:
        self._chunks_done += chunks
        self._tell(document.file_name, "embedding")

    def settled(self, file_name: str, stage: IngestStage) -> None:
        """The file is done, with whatever result."""
        self._files_done += 1
        self._tell(file_name, stage)

    def unpacked(self) -> None:
        """Stops counting an archive once its members are found, as they are counted themselves."""
        self._files_total -= 1

    def _tell(self, file_name: str, stage: IngestStage) -> None:
        if self._on_progress:
            self._on_progress(
                IngestProgress(
                    file_name,
                    stage,
                    self._files_done,
                    self._files_total,
                    self._pages,
                    self._chunks_done,
                    self._chunks_total,
                    self._seconds_left(),
                )
            )

    def _seconds_left(self) -> float | None:
        """Embedding takes longest. The estimate uses the rate so far and assumes that unread files are like those
        already read."""
        if not self._chunks_done or not self._files_read:
            return None
        settled_unread = self._files_done - min(self._files_done, self._files_read)
        unread = max(0, self._files_total - self._files_read - settled_unread)
        expected = self._chunks_total * (1 + unread / self._files_read)
        return (expected - self._chunks_done) * (self._clock() - self._started) / self._chunks_done


Position = tuple[int, ...]
"""The position of a file in the input; a member comes after its container."""

OnBatch = Callable[[Document, int], None]
OnDone = Callable[[Document, Exception | None], Awaitable[None]]
MakeStage = Callable[[OnBatch, OnDone], VectorStage]


class Batch:
    """One ingestion into one workspace."""

    def __init__(
        self,
        ingestor: Ingestor,
        make_stage: MakeStage,
        workspace_id: str,
        tally: Tally,
        readers: int,
        *,
        defer_vectors: bool = False,
        is_continued: bool = False,
    ) -> None:
        """`is_continued`: documents from the very same place belong to this ingestion, from before a crash; and `run`
        raises temporary failures, to be called again later."""
        self._ingestor = ingestor
        self._workspace_id = workspace_id
        self._tally = tally
        self._readers = readers
        self._defer_vectors = defer_vectors
        self._is_continued = is_continued
        self._stage = make_stage(tally.embedded, self._vectors_done)
        self._waiting: asyncio.Queue[tuple[Position, IncomingFile]] = asyncio.Queue()
        self._to_embed: asyncio.Queue[Document | None] = asyncio.Queue()
        self._positions: dict[str, Position] = {}
        """Documents that still need vectors; they stay claimed until then."""
        self._settled: list[tuple[Position, IngestStage, Document]] = []
        self._replaced: list[Document] = []
        self._notes: list[str] = []
        self._places = _Places()
        self._outage: Exception | None = None
        """The temporary failure that `run` raises."""

    async def run(self, files: Sequence[IncomingFile]) -> IngestReport:
        self._expect([((number,), file) for number, file in enumerate(files)])
        readers = [asyncio.create_task(self._read_files()) for _ in range(self._readers)]
        embedding = asyncio.create_task(self._stage.run(self._to_embed))
        try:
            await self._waiting.join()
            self._to_embed.put_nowait(None)
            await embedding
            await self._forget_vanished()
        finally:
            tasks = [*readers, embedding]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for document_id in self._positions:
                self._ingestor.release(self._workspace_id, document_id)
        if self._outage:
            raise self._outage
        return self._report()

    def _expect(self, files: Sequence[tuple[Position, IncomingFile]]) -> None:
        self._tally.expect(len(files))
        for file in files:
            self._waiting.put_nowait(file)

    async def _read_files(self) -> None:
        while True:
            position, file = await self._waiting.get()
            try:
                if not self._outage:
                    self._tally.reading(file.name)
                    await self._take_in(position, file)
            except Exception as error:  # a failure of one file must not stop the others
                failed = Document(self._workspace_id, "", file.name, status="FAILED", reason=failure_reason(error))
                if not self._waits_for(error):
                    self._settle(position, "failed", failed)
            finally:
                self._waiting.task_done()

    async def _take_in(self, position: Position, file: IncomingFile) -> None:
        data = await asyncio.to_thread(file.read)
        self._places.seen(file)
        try:
            taken = await self._ingestor.take_in(file, data, self._workspace_id)
        except AlreadyThere as there:
            is_own = self._is_continued and there.known.source == file.source
            self._settle(position, *("ready", there.known) if is_own else ("duplicate", there.document))
            taken = Ingested(None, there.members)
        except DuplicateDocument as error:
            self._settle(position, "duplicate", self._ingestor.twin_of(file, data, self._workspace_id, str(error)))
            return
        else:
            self._notes += [f"{file.name}: {note}" for note in taken.notes if taken.document is None]
            if taken.document and taken.document.status == "FAILED":
                self._places.closed(file)
            await self._sort_in(position, taken)
        self._expect([((*position, number), member) for number, member in enumerate(taken.members)])

    async def _sort_in(self, position: Position, taken: Ingested) -> None:
        document = taken.document
        if document is None:
            self._tally.unpacked()
        elif document.status == "FAILED":
            self._ingestor.release(self._workspace_id, document.document_id)
            self._settle(position, "failed", document)
        else:
            self._tally.read(document)
            self._positions[document.document_id] = position
            if self._defer_vectors:
                self._leave(document, None)
            else:
                self._to_embed.put_nowait(document)

    async def _vectors_done(self, document: Document, error: Exception | None) -> None:
        if error is None:
            try:
                ready, replaced = await self._ingestor.finish(document)
            except OUTAGES as outage:
                self._leave(document, outage)
                return
            self._replaced += replaced
            self._release(document, "ready" if ready.status == "READY" else "failed", ready)
        elif isinstance(error, OUTAGES):
            self._leave(document, error)
        else:
            failed = replace(document, status="FAILED", reason=failure_reason(error))
            with suppress(*OUTAGES):
                failed = await self._ingestor.fail(document, error)
            self._release(document, "failed", failed)

    async def _forget_vanished(self) -> None:
        """Deletes former members of an archive or a message that are no longer in it."""
        known = await asyncio.to_thread(self._ingestor.sources_inside, self._workspace_id, self._places.opened)
        for source in self._places.vanished(known):
            self._replaced += await self._ingestor.forget(self._workspace_id, source)

    def _waits_for(self, error: Exception | None) -> bool:
        if self._is_continued and error is not None and will_pass(error):
            self._outage = error
        return self._outage is not None

    def _leave(self, document: Document, outage: Exception | None) -> None:
        """Leaves the document searchable by keyword; its vectors follow with the next ingestion, or when a question
        needs them."""
        self._waits_for(outage)
        reason = failure_reason(outage) if outage else "Its vectors were left for later."
        self._release(document, "pending", replace(document, reason=reason))

    def _release(self, document: Document, stage: IngestStage, result: Document) -> None:
        self._ingestor.release(self._workspace_id, document.document_id)
        self._settle(self._positions.pop(document.document_id), stage, result)

    def _settle(self, position: Position, stage: IngestStage, document: Document) -> None:
        self._settled.append((position, stage, document))
        self._tally.settled(document.file_name, stage)

    def _report(self) -> IngestReport:
        report = IngestReport(self._workspace_id, replaced=self._replaced, notes=self._notes)
        lists = {
            "ready": report.ready,
            "pending": report.pending,
            "duplicate": report.duplicates,
            "failed": report.failed,
        }
        for _, stage, document in sorted(self._settled, key=lambda each: each[0]):
            lists[stage].append(document)
        return report


class _Places:
    """The places that an ingestion has looked at, and the known places that no longer exist."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self.opened: set[str] = set()
        self._closed: set[str] = set()

    def seen(self, file: IncomingFile) -> None:
        if file.source:
            self._seen.add(file.source)
            if file.depth == 0:
                self.opened.add(file.source)

    def closed(self, file: IncomingFile) -> None:
        """Marks a file that could not be read this time: its former members stay."""
        if file.source:
            self._closed.add(file.source)

    def vanished(self, known: Iterable[str]) -> list[str]:
        """The known places inside a file opened by this ingestion that were not found in it again."""
        return [source for source in known if source not in self._seen and self._is_inside(source)]

    def _is_inside(self, source: str) -> bool:
        above = {str(parent) for parent in PurePosixPath(source).parents}
        return not above.isdisjoint(self.opened) and above.isdisjoint(self._closed)
