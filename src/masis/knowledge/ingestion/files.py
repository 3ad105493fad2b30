"""Files on their way in, and which of them a list of paths means: folders walked in order, hidden files left out."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from masis.errors import UnreadableFile
from masis.types import Member


@dataclass(slots=True)
class Allowance:
    """What one file may unpack to with all that is nested in it; shared by its members and theirs."""

    members: int
    bytes: int

    def spend(self, members: Sequence[Member], file_name: str) -> None:
        self.members -= len(members)
        self.bytes -= sum(len(member.data) for member in members)
        if self.members < 0 or self.bytes < 0:
            raise UnreadableFile(
                f"{file_name} unpacks, with what is nested in it, to more than MASIS takes from one file.",
                advice="Unpack it yourself and ingest the folder, or raise MASIS_MAX_MEMBERS and "
                "MASIS_MAX_UNPACKED_BYTES.",
            )


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file on its way in: on this machine, uploaded, or inside another file."""

    name: str
    """How the document will be called: below a walked folder, the path from there."""
    read: Callable[[], bytes]
    """From where it is; raises UnreadableFile."""
    source: str | None = None
    """Where it lies, where that is a place to which another version may come."""
    depth: int = 0
    """In how many files it is."""
    allowance: Allowance | None = None
    """What is left to unpack of the file it is in."""

    def member(self, inside: Member, allowance: Allowance) -> "Incoming":
        source = f"{self.source}/{inside.name}" if self.source else None  # a place, not a path: never opened
        return Incoming(f"{self.name}/{inside.name}", lambda: inside.data, source, self.depth + 1, allowance)


def find_files(paths: Sequence[Path], max_bytes: int) -> list[Incoming]:
    """A path that cannot be used is a file without a place, whose reading says why, so that the others still are."""
    found: dict[str, Incoming] = {}
    for path in paths:
        for file in _files_of(path, max_bytes):
            found.setdefault(file.source or file.name, file)
    return list(found.values())


def _files_of(path: Path, max_bytes: int) -> Iterator[Incoming]:
    def found(file: Path, name: str) -> Incoming:
        # Two names that are no text must stay two places.
        place = str(file.absolute()).encode("utf-8", "backslashreplace").decode()
        return Incoming(_storable(name), partial(read_file, file, max_bytes), place)

    try:
        path = path.expanduser()
        if path.is_dir():
            files = [found(file, file.relative_to(path).as_posix()) for file in _walk(path)]
            yield from files or [_problem(path, f"{path} has no files in it.")]
        elif path.exists():
            yield found(path, path.name)
        else:
            yield _problem(path, f"{path} does not exist.")
    except (OSError, ValueError, RuntimeError) as error:
        yield _problem(path, f"{path} cannot be used: {error}")


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(names) if not name.startswith("."))


def _problem(path: Path, message: str) -> Incoming:
    def refuse() -> NoReturn:
        raise UnreadableFile(_storable(message), advice="Check the path and your right to read it.")

    return Incoming(_storable(str(path)), refuse)


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
