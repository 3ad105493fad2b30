"""The data folder: creates it, locks it for one process, and explains its errors."""

import contextlib
import errno
import importlib.util
import shutil
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path

from masis.errors import DataFolderError

MIN_FREE_BYTES = 64 << 20
"""The index is memory-mapped: on a full disk a write would not fail but kill the process."""

_MORE_SPACE = "Free some space, or set MASIS_HOME to a folder on another disk."
# Some libraries keep the number of a system error, others only its text.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FULL_WORDS = ("no space left", "disk is full", "file too large")
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_FORBIDDEN_WORDS = ("permission denied", "read-only", "readonly")


def make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise folder_error(folder, error) from error
    return folder


def require_free_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        raise DataFolderError(
            f"Only {free >> 20} MB free on the disk of {folder}; MASIS needs at least {MIN_FREE_BYTES >> 20} MB.",
            advice=_MORE_SPACE,
        )


def folder_error(path: Path | str, error: BaseException) -> DataFolderError:
    """Explains an error in the data folder to the person who has to fix it."""
    number, text = getattr(error, "errno", None), str(error).lower()
    if number in _FULL or any(words in text for words in _FULL_WORDS):
        return DataFolderError(f"{path}: no space left on the device.", advice=_MORE_SPACE)
    if number in _FORBIDDEN or any(words in text for words in _FORBIDDEN_WORDS):
        return DataFolderError(f"{path}: this user may not write there.")
    return DataFolderError(f"{path} cannot be used: {error}")


class FolderLock:
    """Locks a folder for this process until the lock is released or the process ends, for whatever reason."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._resources = contextlib.ExitStack()
        self._is_held = False

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Keeps the lock from here on, unless the block fails."""
        if self._is_held:
            yield
            return
        make_folder(self._path.parent)
        self._resources.enter_context(_held_lock(self._path))
        self._is_held = True
        try:
            yield
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        self._resources.close()
        self._is_held = False

    def is_free(self) -> bool:
        """Whether no process holds the lock. Always False on systems without file locks."""
        if not self._path.exists() or not _HAS_LOCKS:
            return False
        try:
            with _held_lock(self._path):
                return True
        except DataFolderError:
            return False


@contextlib.contextmanager
def _held_lock(path: Path) -> Iterator[None]:
    """The lock file is not deleted."""
    try:
        file = path.open("a", encoding="ascii")
    except OSError as error:
        raise folder_error(path, error) from error
    with file:
        _lock(file, path)
        yield


_HAS_LOCKS = importlib.util.find_spec("fcntl") is not None


def _lock(file: TextIOWrapper, path: Path) -> None:
    if not _HAS_LOCKS:
        return  # not POSIX: Qdrant's lock on its log still keeps a second process out
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DataFolderError(
            f"The index in {path.parent} is in use by another MASIS process.",
            advice="Wait for it to finish, or run a Qdrant server for several processes and set QDRANT_HOST.",
        ) from None
    except OSError as error:
        raise folder_error(path, error) from error
