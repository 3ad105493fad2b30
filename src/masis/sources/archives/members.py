"""Archives: the files inside one become documents of their own. Nothing is ever written to disk."""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from masis.errors import UnreadableFile
from masis.sources.archives.entries import DAMAGED, DEFAULT_LIMITS, UNPACK_ERRORS, Budget, Entry, Limits, entries
from masis.types import Member, ParsedDocument

MAX_DEPTH = 3
"""How many archives inside each other are opened; an archive deeper than this is refused."""

_NAME_CHARS = 240
_NAMES_IN_A_NOTE = 5
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DRIVE = re.compile(r"^[A-Za-z]:")
_SYSTEM_FILES = ("__MACOSX", "Thumbs.db", "desktop.ini")


def parse_archive(data: bytes, file_name: str, limits: Limits = DEFAULT_LIMITS) -> ParsedDocument:
    notes: list[str] = []
    members = list(unpack(data, file_name, notes, limits))
    return ParsedDocument([], members=members, notes=notes)


def unpack(data: bytes, file_name: str, notes: list[str], limits: Limits) -> Iterator[Member]:
    """One member at a time; what was left out is in the notes at the end."""
    names = MemberNames()
    left_out: dict[str, list[str]] = defaultdict(list)
    found = 0
    for entry in _entries(data, file_name, limits):
        if _is_rubbish(entry.name):
            continue
        name = names.label(entry.name)
        if entry.data is None:
            left_out[entry.problem].append(name)
        else:
            found += 1
            yield Member(name, entry.data)
    if not found:
        raise _nothing_inside(file_name, left_out)
    notes += [f"Left out as {problem}: {_listed(of_them)}." for problem, of_them in left_out.items()]
    if names.outside:
        notes.append(f"Names that point outside the archive were shortened: {_listed(names.outside)}.")


def _entries(data: bytes, file_name: str, limits: Limits) -> Iterator[Entry]:
    try:
        yield from entries(data, file_name, Budget(file_name, len(data), limits))
    except UNPACK_ERRORS:
        raise _damaged(file_name) from None


def _nothing_inside(file_name: str, left_out: dict[str, list[str]]) -> UnreadableFile:
    if DAMAGED in left_out:
        return _damaged(file_name)
    return UnreadableFile(f"{file_name} contains no files.", advice="Check that the archive was made completely.")


def _damaged(file_name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} is a damaged or cut-off archive.",
        advice="Download or copy it again; if it can be unpacked elsewhere, ingest the files.",
    )


def _is_rubbish(name: str) -> bool:
    """What operating systems leave in archives, and hidden files."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return not parts or any(part.startswith(".") or part in _SYSTEM_FILES for part in parts)


class MemberNames:
    """Labels of members: printable, relative, each once."""

    def __init__(self) -> None:
        self.outside: list[str] = []
        self._uses: Counter[str] = Counter()

    def label(self, name: str) -> str:
        path = _UNPRINTABLE.sub("\ufffd", name).replace("\\", "/")
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if path.startswith("/") or _DRIVE.match(path) or ".." in parts:
            parts = [part for part in parts if part != ".."][-1:]
            self.outside += parts
        return self._once("/".join(parts)[-_NAME_CHARS:])

    def _once(self, name: str) -> str:
        self._uses[name] += 1
        if self._uses[name] == 1:
            return name
        stem, suffix = posixpath.splitext(name)
        return self._once(f"{stem} ({self._uses[name]}){suffix}")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMES_IN_A_NOTE])
    more = len(names) - _NAMES_IN_A_NOTE
    return f"{shown} and {more} more" if more > 0 else shown
