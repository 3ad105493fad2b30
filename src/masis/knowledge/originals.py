"""The bytes of every document, kept by their hash: a citation can be shown in the file itself, not only in its text."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from masis.knowledge.data_folder import folder_error, make_folder, require_free_space


class Originals:
    """One folder for each workspace, so that one tenant's files go without touching another's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, workspace_id: str, document_id: str, data: bytes) -> None:
        """Whole or not at all: a crash leaves a draft, which the next attempt overwrites."""
        path = self._path(workspace_id, document_id)
        if path.exists() and path.stat().st_size == len(data):
            return
        make_folder(path.parent)
        require_free_space(path.parent)
        draft = path.with_suffix(".new")
        with _translated(path):
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # a power cut must not leave a name without its bytes
            draft.replace(path)

    def read(self, workspace_id: str, document_id: str) -> bytes | None:
        path = self._path(workspace_id, document_id)
        with _translated(path):
            return path.read_bytes() if path.exists() else None

    def delete(self, workspace_id: str, document_id: str) -> int:
        """How many bytes went."""
        path = self._path(workspace_id, document_id)
        with _translated(path):
            size = path.stat().st_size if path.exists() else 0
            path.unlink(missing_ok=True)
            path.with_suffix(".new").unlink(missing_ok=True)
            return size

    def delete_workspace(self, workspace_id: str) -> int:
        folder = self._folder / workspace_id
        with _translated(folder):
            if not folder.exists():
                return 0
            size = sum(file.stat().st_size for file in folder.iterdir())
            shutil.rmtree(folder)
            return size

    def _path(self, workspace_id: str, document_id: str) -> Path:
        return self._folder / workspace_id / document_id


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise folder_error(path, error) from error
