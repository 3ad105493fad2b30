"""The ingestion of one document: claiming it, reading it, making it searchable by keyword, deleting older versions.

Vectors are added afterwards (`vectors.py`), because they take longest.
"""

import asyncio
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from masis.errors import AWAY, DuplicateDocument, IndexBusy, InvalidInput, MASISError, UnreadableFile
from masis.knowledge.catalog import Catalog, now
from masis.knowledge.embedding.port import VectorCache
from masis.knowledge.ingestion.chunking import chunk_document
from masis.knowledge.ingestion.incoming import FileReader, IncomingFile, document_id_of, failure_reason
from masis.knowledge.originals import Originals
from masis.knowledge.store.points import sparse_passage
from masis.knowledge.store.port import IndexedChunk, VectorStore
from masis.settings import Settings
from masis.types import Chunk, Document, ParsedDocument

_UPSERT = 256
_PATIENCE = 200
_NEAREST, _HEADING_CHARS = 3, 200
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Ingested:
    """The result for an incoming file."""

    document: Document | None
    """PROCESSING (searchable by keyword) or FAILED; None for an archive, whose members are the documents."""
    members: list[IncomingFile] = field(default_factory=list[IncomingFile])
    notes: Sequence[str] = ()


class AlreadyThere(DuplicateDocument):
    """The same bytes are known; their members may still need checking."""

    def __init__(self, known: Document, file_name: str, members: list[IncomingFile]) -> None:
        super().__init__(f"{file_name} is in {known.workspace_id} already, as {known.file_name}.")
        self.known = known
        self.document = replace(known, file_name=file_name, reason=str(self))
        self.members = members


@dataclass(eq=False)
class Ingestor:
    _settings: Settings
    _store: VectorStore
    _catalog: Catalog
    _originals: Originals
    _cache: VectorCache
    _reader: FileReader
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _in_work: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _is_rebuilding: bool = False

    async def take_in(self, file: IncomingFile, data: bytes, workspace_id: str) -> Ingested:
        """Reads the file and makes it searchable by keyword. The document stays claimed until `release`.

        Raises AlreadyThere, or DuplicateDocument while the same bytes are being read. Documents that a crash left
        PROCESSING and those that FAILED are read again.
        """
        document_id = await asyncio.to_thread(document_id_of, data)
        self._claim(workspace_id, document_id, file.name)
        try:
            return await self._taken_in(file, data, workspace_id, document_id)
        except BaseException:
            self.release(workspace_id, document_id)
            raise

    def twin_of(self, file: IncomingFile, data: bytes, workspace_id: str, reason: str) -> Document:
        """What is known of a document with the same bytes."""
        document_id = document_id_of(data)
        known = self._catalog.document(workspace_id, document_id)
        document = known or Document(workspace_id, document_id, file.name, status="PROCESSING")
        return replace(document, file_name=file.name, reason=reason)

    def release(self, workspace_id: str, document_id: str) -> None:
        with self._lock:
            self._in_work.discard((workspace_id, document_id))

    def require_at_rest(self, workspace_id: str, document_id: str | None = None) -> None:
        """Raises if something is being ingested: a document deleted meanwhile would come back with its next vectors."""
        with self._lock:
            in_work = {document for workspace, document in self._in_work if workspace == workspace_id}
            is_at_rest = not (in_work if document_id is None else document_id in in_work)
        self.require_no_rebuilding()
        if not is_at_rest:
            raise InvalidInput(
                f"Documents are being ingested into {workspace_id}, so a deleted one could come back.",
                advice="Wait for the ingestion to finish, or stop it, then delete again.",
            )

    def require_no_rebuilding(self) -> None:
        if self._is_rebuilding:
            raise IndexBusy("The index is being rebuilt and would miss this change.")

    @contextmanager
    def rebuilding(self) -> Iterator[None]:
        """Blocks ingestion and deletion meanwhile."""
        with self._lock:
            if self._in_work or self._is_rebuilding:
                raise InvalidInput(
                    "Documents are being ingested, or the index is already being rebuilt.",
                    advice="Wait for that to finish, then try again.",
                )
            self._is_rebuilding = True
        try:
            yield
        finally:
            self._is_rebuilding = False

    async def remove(self, workspace_id: str, document_id: str) -> tuple[int, int, int]:
        """Removes a document and counts its passages, stored bytes and cached vectors. Searches do not see it from the
        start."""
        await asyncio.to_thread(self._catalog.hide, workspace_id, document_id)
        passages = await self._store.delete_document(workspace_id, document_id)
        size = await asyncio.to_thread(self._originals.delete, workspace_id, document_id)
        cached = await asyncio.to_thread(self._cache.delete, workspace_id, document_id)
        await asyncio.to_thread(self._catalog.delete_document, workspace_id, document_id)
        return passages, size, cached

    async def finish(self, document: Document) -> tuple[Document, list[Document]]:
        """Makes this version visible to searches once all vectors are stored. Also returns the versions it replaced."""
        ready = replace(document, status="READY", reason=None)
        replaced = await asyncio.to_thread(self._catalog.finish, ready, ready.source)
        if replaced is None:
            await self.remove(document.workspace_id, document.document_id)
            reason = "It was deleted or replaced while it was being ingested. Ingest it again if it should be there."
            return replace(document, status="FAILED", reason=reason, chunks=0), []
        await self._remove_all(replaced)
        return ready, [old for old in replaced if old.status == "READY"]

    def sources_inside(self, workspace_id: str, places: Iterable[str]) -> list[str]:
        return self._catalog.sources_inside(workspace_id, places)

    async def forget(self, workspace_id: str, source: str) -> list[Document]:
        """Records that the place is empty; a document that is at no other place is deleted."""
        gone = await asyncio.to_thread(self._catalog.take_over, workspace_id, source)
        await self._remove_all(gone)
        return gone

    async def rename(self, document: Document, name: str, source: str) -> None:
        """Makes the document searchable by its new name. Its vectors stay; nothing is read or embedded again."""
        workspace_id, language = document.workspace_id, self._settings.keyword_language
        title = await asyncio.to_thread(self._catalog.title, workspace_id, document.document_id)
        items = await self._store.chunks(workspace_id, document.document_id)
        chunks = [replace(item.chunk, file_name=name) for item in items]
        renamed = [
            IndexedChunk(chunk, item.dense, sparse_passage(embedded_text(chunk, title), language))
            for chunk, item in zip(chunks, items, strict=True)
        ]
        for first in range(0, len(renamed), _UPSERT):
            await self._store.upsert(workspace_id, renamed[first : first + _UPSERT])
        await asyncio.to_thread(self._catalog.save_document, replace(document, file_name=name, source=source))

    async def _remove_all(self, documents: Sequence[Document]) -> None:
        for old in documents:
            with suppress(MASISError):  # searches do not see it any more; the next ingestion removes it
                await self.remove(old.workspace_id, old.document_id)

    async def fail(self, document: Document, error: Exception) -> Document:
        with suppress(MASISError):
            await self._store.delete_document(document.workspace_id, document.document_id)
        with suppress(MASISError):
            await asyncio.to_thread(self._originals.delete, document.workspace_id, document.document_id)
        with suppress(MASISError):
            await asyncio.to_thread(self._cache.delete, document.workspace_id, document.document_id)
        failed = replace(document, status="FAILED", reason=failure_reason(error), chunks=0)
        await asyncio.to_thread(self._catalog.save_failed, failed)
        return failed

    async def _taken_in(self, file: IncomingFile, data: bytes, workspace_id: str, document_id: str) -> Ingested:
        known = await self._found_again(workspace_id, document_id, file.source)
        if known and await self._is_complete(known):
            members = await self._members_again(file, data, known)
            if known.status == "READY":
                await self._settle_at(file.source, known)
                raise AlreadyThere(known, file.name, members)
            known = replace(known, source=file.source or known.source)
            await self._found_at(file.source, known)
            return Ingested(known, members)
        document = Document(
            workspace_id,
            document_id,
            file.name,
            status="PROCESSING",
            size_bytes=len(data),
            created_at=known.created_at if known else now(),
            source=file.source,
        )
        await asyncio.to_thread(self._catalog.save_document, document)
        await self._found_at(file.source, document)
        if known:
            await self._store.delete_document(workspace_id, document_id)
        try:
            return await self._read(file, data, document)
        except AWAY:  # it stays PROCESSING and is read again
            raise
        except Exception as error:  # a failure of one file, expected or not, must not stop the others
            return Ingested(await self.fail(document, error))

    async def _found_again(self, workspace_id: str, document_id: str, source: str | None) -> Document | None:
        """Waits while the document is being deleted: two files may swap contents, so a document must leave one place
        before it appears at another."""
        for _ in range(_PATIENCE):
            known, is_going = await asyncio.to_thread(self._catalog.found_again, workspace_id, document_id, source)
            if not is_going:
                return known
            await asyncio.sleep(0.05)
        await self.remove(workspace_id, document_id)  # a process that is gone has left it half deleted
        return None

    async def _read(self, file: IncomingFile, data: bytes, document: Document) -> Ingested:
        parsed = await self._reader.parsed(file.name, data)
        members = self._reader.members(file, parsed)
        workspace_id, document_id = document.workspace_id, document.document_id
        if not parsed.pages:
            await asyncio.to_thread(self._catalog.delete_document, workspace_id, document_id)
            self.release(workspace_id, document_id)
            return Ingested(None, members, parsed.notes)
        chunks = await asyncio.to_thread(chunk_document, parsed, document_id, document.file_name, self._settings)
        await asyncio.to_thread(self._originals.save, workspace_id, document_id, data)
        # The text first: a chunk that can be found must also be shown in place.
        await asyncio.to_thread(self._catalog.save_parsed, workspace_id, document_id, parsed)
        await self._index_by_keyword(workspace_id, chunks, parsed.title)
        findable = replace(with_what_was_read(document, parsed), chunks=len(chunks), members=len(members))
        # A new version stays hidden until it is complete; a new document may be found at once.
        save = self._catalog.save_document if await self._has_older(findable) else self._catalog.show
        await asyncio.to_thread(save, findable)
        return Ingested(findable, members, parsed.notes)

    async def _members_again(self, file: IncomingFile, data: bytes, known: Document) -> list[IncomingFile]:
        """Reads the members again: a message may be complete although a crash prevented its attachments from being
        read."""
        if not known.members:
            return []
        with suppress(UnreadableFile):
            return self._reader.members(file, await self._reader.parsed(file.name, data))
        return []

    async def _index_by_keyword(self, workspace_id: str, chunks: Sequence[Chunk], title: str | None) -> None:
        language = self._settings.keyword_language

        def indexed(batch: Sequence[Chunk]) -> list[IndexedChunk]:
            return [IndexedChunk(c, None, sparse_passage(embedded_text(c, title), language)) for c in batch]

        for first in range(0, len(chunks), _UPSERT):
            items = await asyncio.to_thread(indexed, chunks[first : first + _UPSERT])
            await self._store.upsert(workspace_id, items)

    async def _is_complete(self, known: Document) -> bool:
        """Checks the index too, because it may have been lost or replaced since."""
        if known.status == "FAILED" or not known.chunks:
            return False
        embedded = known.status == "READY"
        held = await self._store.count(known.workspace_id, known.document_id, embedded=embedded)
        return held == known.chunks

    async def _found_at(self, source: str | None, document: Document) -> None:
        if source:
            await asyncio.to_thread(self._catalog.found_at, document.workspace_id, document.document_id, source)

    async def _has_older(self, document: Document) -> bool:
        if document.source is None:
            return False
        return await asyncio.to_thread(
            self._catalog.has_other_version, document.workspace_id, document.source, document.document_id
        )

    async def _settle_at(self, source: str | None, document: Document) -> None:
        """The file at this place now has the bytes of another document, so what was there before may be deleted."""
        if source:
            await self._found_at(source, document)
            await self._remove_all(
                await asyncio.to_thread(self._catalog.take_over, document.workspace_id, source, document.document_id)
            )

    def _claim(self, workspace_id: str, document_id: str, file_name: str) -> None:
        claim = (workspace_id, document_id)
        with self._lock:
            self.require_no_rebuilding()
            if claim in self._in_work:
                raise DuplicateDocument(f"{file_name} is being ingested into {workspace_id} right now.")
            self._in_work.add(claim)


def embedded_text(chunk: Chunk, title: str | None) -> str:
    """A passage is found by its place as well as its text: its file name, title and headings.

    Every filing opens with “UNITED STATES”, and only its file name says whose it is and for which quarter.
    """
    name = PurePosixPath(chunk.file_name).stem.replace("_", " ").replace("-", " ")
    heading = _nearest(chunk.heading or "")
    openings = (chunk.heading or "", chunk.text.lstrip("# "))
    names = [part for part in dict.fromkeys([name, title]) if part and not any(o.startswith(part) for o in openings)]
    above = [*names, heading] if heading else names
    return "\n".join([" > ".join(above), chunk.text]).strip()


def _nearest(heading: str) -> str:
    """The headings directly above: the path to them is much the same for half of the document."""
    parts = heading.split(" > ")
    return " > ".join(part[:_HEADING_CHARS] for part in parts[-_NEAREST:])


def meaning_text(chunk: Chunk, title: str | None) -> str:
    """The text its vector is made from. For a table, only the names of its rows and columns, which figures would drown
    out."""
    whole = embedded_text(chunk, title)
    if "\n|" not in whole:
        return whole
    return "\n".join(_without_figures(line) for line in whole.split("\n"))


def _without_figures(line: str) -> str:
    if not line.startswith("|"):
        return line
    cells = [cell.strip() for cell in line.strip("| ").split("|")]
    return " | ".join(cell for cell in cells if any(map(str.isalpha, cell)) or _YEAR.fullmatch(cell))


def with_what_was_read(document: Document, parsed: ParsedDocument) -> Document:
    return replace(
        document,
        pages=len(parsed.pages),
        date=parsed.date,
        period=parsed.period,
        author=parsed.author,
        note=" ".join(parsed.notes) or None,
    )
