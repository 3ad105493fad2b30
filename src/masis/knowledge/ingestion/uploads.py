"""Uploads that wait for their turn: their bytes are kept by hash at once and become documents later.

That may be in another process, and again after a crash: a file's place in its upload tells what the first attempt
finished from what was in the workspace before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from masis.errors import UnknownWorkspace, UnreadableFile
from masis.knowledge.catalog import Catalog
from masis.knowledge.ingestion.batch import Waiting
from masis.knowledge.ingestion.files import too_large
from masis.knowledge.ingestion.ingest import document_id_of, failure_reason
from masis.knowledge.ingestion.reading import Allowance, Incoming
from masis.knowledge.originals import Originals
from masis.settings import Settings
from masis.types import Document, IngestReport

_FILE_NAME_CHARS = 255


@dataclass(frozen=True, slots=True)
class KeptFile:
    document_id: str
    name: str
    place: str
    """In its upload, where two files may have one name, or one content."""


class Uploads:
    def __init__(self, settings: Settings, catalog: Catalog, originals: Originals) -> None:
        self._settings = settings
        self._catalog = catalog
        self._originals = originals

    def keep(self, workspace_id: str, name: str, data: bytes) -> str:
        self.require_workspace(workspace_id)
        if len(data) > self._settings.max_file_bytes:
            raise too_large(base_name(name), self._settings.max_file_bytes)
        document_id = document_id_of(data)
        self._originals.save(workspace_id, document_id, data)
        return document_id

    def forget(self, workspace_id: str, document_ids: Iterable[str]) -> None:
        for document_id in document_ids:
            if self._catalog.document(workspace_id, document_id) is None:
                self._originals.delete(workspace_id, document_id)

    def require_workspace(self, workspace_id: str) -> None:
        if not self._catalog.has_workspace(workspace_id):
            raise UnknownWorkspace(f"There is no workspace {workspace_id[:80]!r}.")

    def waiting(self, workspace_id: str, files: Iterable[KeptFile]) -> list[Waiting]:
        return [Waiting(file.name, partial(self._load, workspace_id, file)) for file in files]

    def settled(self, workspace_id: str, files: Sequence[KeptFile]) -> tuple[list[KeptFile], IngestReport]:
        """What is still to be read, and what became of the rest before a crash: their bytes went with their end."""
        report = IngestReport(workspace_id)
        unread = [file for file in files if not self._settle(workspace_id, file, report)]
        return unread, report

    def _settle(self, workspace_id: str, file: KeptFile, report: IngestReport) -> bool:
        if self._originals.has(workspace_id, file.document_id):
            return False
        documents = self._catalog.documents_at(workspace_id, file.place)
        if not documents:
            gone = UnreadableFile(f"The content of {file.name} is kept no more.", advice="Upload it again.")
            documents = [Document(workspace_id, "", file.name, "FAILED", reason=failure_reason(gone))]
        for document in documents:
            lists = {"READY": report.ready, "PROCESSING": report.pending, "FAILED": report.failed}
            lists[document.status].append(document)
        return True

    def _load(self, workspace_id: str, file: KeptFile) -> Incoming:
        data = self._originals.read(workspace_id, file.document_id)
        if data is None:
            raise UnreadableFile(f"{file.name} was deleted before it was read.", advice="Upload it again.")
        allowance = Allowance(self._settings.max_members, self._settings.max_unpacked_bytes)
        return Incoming(file.name, data, allowance, source=file.place)


def kept_files(upload_id: str, files: Iterable[tuple[str, str]]) -> list[KeptFile]:
    """Of document ids and file names."""
    named = dict.fromkeys((document_id, base_name(name)) for document_id, name in files)
    return [KeptFile(id_, name, f"upload:{upload_id}/{id_}/{name}") for id_, name in named]


def base_name(file_name: str) -> str:
    """What a client calls its upload is a label, never a path."""
    name = PurePosixPath(file_name.replace("\\", "/")).name
    storable = "".join(character for character in name if character.isprintable())[-_FILE_NAME_CHARS:]
    return storable.encode("utf-8", "replace").decode("utf-8") or "unnamed"
