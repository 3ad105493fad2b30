"""Which files a list of paths means: folders walked in order, hidden files left out."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from masis.errors import MASISError, UnreadableFile


@dataclass(frozen=True, slots=True)
class FoundFile:
    path: Path
    name: str
    """How the document will be called: below a walked folder, the path from there."""
    problem: MASISError | None = None


def find_files(paths: Sequence[Path]) -> list[FoundFile]:
    """A path that cannot be used is an entry with its problem, so that the others still are."""
    found: dict[Path, FoundFile] = {}
    for path in paths:
        for file in _files_of(path):
            found.setdefault(file.path.absolute(), file)
    return list(found.values())


def _files_of(path: Path) -> Iterator[FoundFile]:
    try:
        path = path.expanduser()
        if path.is_dir():
            files = [FoundFile(file, _storable(file.relative_to(path).as_posix())) for file in _walk(path)]
            yield from files or [_problem(path, f"{path} has no files in it.")]
        elif path.exists():
            yield FoundFile(path, _storable(path.name))
        else:
            yield _problem(path, f"{path} does not exist.")
    except (OSError, ValueError, RuntimeError) as error:
        yield _problem(path, f"{path} cannot be used: {error}")


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(names) if not name.startswith("."))


def _problem(path: Path, message: str) -> FoundFile:
    error = UnreadableFile(_storable(message), advice="Check the path and your right to read it.")
    return FoundFile(path, _storable(str(path)), error)


def read_file(path: Path, max_bytes: int) -> bytes:
    try:
        if not path.is_file():
            raise UnreadableFile(f"{path.name} is not a regular file.", advice="Copy its content into one.")
        if path.stat().st_size > max_bytes:
            raise too_large(path.name, max_bytes)
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(
            f"{path.name} cannot be read: {error.strerror or error}", advice="Check your right to read it."
        ) from error


def too_large(name: str, max_bytes: int) -> UnreadableFile:
    return UnreadableFile(
        f"{name} is larger than {max_bytes / 1_000_000:g} MB.",
        advice="Split it, or raise MASIS_MAX_FILE_BYTES.",
    )


def _storable(name: str) -> str:
    """A file name may be any bytes; what is stored and shown is text."""
    return name.encode("utf-8", "replace").decode("utf-8")
