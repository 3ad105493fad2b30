"""Uploads that wait for their turn: their bytes are kept by hash at once and become documents later.

That may be in another process, and again after a crash: a file's place in its upload tells what the first attempt
finished from what was in the workspace before.
"""

from collections.abc import Iterable
from functools import partial
from pathlib import PurePosixPath

from masis.errors import UnknownWorkspace, UnreadableFile
from masis.knowledge.catalog import Catalog
from masis.knowledge.ingestion.files import Incoming, too_large
from masis.knowledge.ingestion.ingest import document_id_of, failure_reason
from masis.knowledge.originals import Originals
from masis.settings import Settings
from masis.types import Document, IngestReport

_FILE_NAME_CHARS = 255


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

    def unread(
        self, workspace_id: str, upload_id: str, kept: Iterable[tuple[str, str]]
    ) -> tuple[list[Incoming], IngestReport]:
        """Of ids and names of kept files: what is still to be read, and what became of the rest before a crash, whose
        bytes went with their end."""
        report = IngestReport(workspace_id)
        waiting: list[Incoming] = []
        for document_id, name in dict.fromkeys((document_id, base_name(name)) for document_id, name in kept):
            # In one upload two files may have one name, or one content.
            place = f"upload:{upload_id}/{document_id}/{name}"
            if self._originals.has(workspace_id, document_id):
                waiting.append(Incoming(name, partial(self._read, workspace_id, document_id, name), place))
            else:
                self._settle(workspace_id, name, place, report)
        return waiting, report

    def _settle(self, workspace_id: str, name: str, place: str, report: IngestReport) -> None:
        documents = self._catalog.documents_at(workspace_id, place)
        if not documents:
            gone = UnreadableFile(f"The content of {name} is no longer stored.", advice="Upload it again.")
            documents = [Document(workspace_id, "", name, "FAILED", reason=failure_reason(gone))]
        for document in documents:
            lists = {"READY": report.ready, "PROCESSING": report.pending, "FAILED": report.failed}
            lists[document.status].append(document)

    def _read(self, workspace_id: str, document_id: str, name: str) -> bytes:
        data = self._originals.read(workspace_id, document_id)
        if data is None:
            raise UnreadableFile(f"{name} was deleted before it was read.", advice="Upload it again.")
        return data


def base_name(file_name: str) -> str:
    """What a client calls its upload is a label, never a path."""
    name = PurePosixPath(file_name.replace("\\", "/")).name
    storable = "".join(character for character in name if character.isprintable())[-_FILE_NAME_CHARS:]
    return storable.encode("utf-8", "replace").decode("utf-8") or "unnamed"
