"""The contents of ZIP, TAR, compressed files and mailboxes: each file inside is a separate document.

They are unpacked in memory and counted on the way; nothing is ever written to disk.
"""

import bz2
import gzip
import io
import lzma
import posixpath
import re
import stat
import tarfile
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email import policy
from email.parser import BytesHeaderParser
from pathlib import PurePosixPath
from typing import Protocol

from masis.errors import UnreadableFile
from masis.types import Member, ParsedDocument

MAX_DEPTH = 3
"""How many levels of nested archives are opened; a deeper archive is refused."""

_NAME_CHARS = 240
_NAMES_IN_A_NOTE = 5
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DRIVE = re.compile(r"^[A-Za-z]:")
_SYSTEM_FILES = ("__MACOSX", "Thumbs.db", "desktop.ini")


_BLOCK_BYTES = 1 << 20
_TAR_BLOCK = 512
_MAX_RATIO = 300
_RATIO_MATTERS_ABOVE = 50_000_000
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
UNPACK_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(ValueError, NotImplementedError, RuntimeError, IndexError, OverflowError),
)
_COMPRESSIONS = (b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00")

DAMAGED, LINK, SPECIAL = "damaged", "a link", "not a plain file"


@dataclass(frozen=True, slots=True)
class Limits:
    members: int = 10_000
    unpacked_bytes: int = 1_000_000_000


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    """The name as in the archive."""
    data: bytes | None
    problem: str = ""
    """Why the data are missing."""


class Budget:
    """How much an archive may still unpack to."""

    def __init__(self, file_name: str, packed_bytes: int, limits: Limits) -> None:
        self._file_name = file_name
        self._packed_bytes = packed_bytes
        self._limits = limits
        self._bytes = 0
        self._entries = 0

    def count_entry(self) -> None:
        self._entries += 1
        if self._entries > self._limits.members:
            raise UnreadableFile(
                f"{self._file_name} holds more than {self._limits.members} files and was not opened.",
                advice="Unpack it and ingest the folder, or raise MASIS_MAX_MEMBERS.",
            )

    def count_bytes(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self._limits.unpacked_bytes:
            raise self.too_large()
        if self._bytes > max(_RATIO_MATTERS_ABOVE, _MAX_RATIO * self._packed_bytes):
            raise UnreadableFile(
                f"{self._file_name} unpacks to more than {_MAX_RATIO} times its size, like a malicious archive.",
                advice="If you trust it, unpack it and ingest the files.",
            )

    def too_large(self) -> UnreadableFile:
        limit = self._limits.unpacked_bytes // 1_000_000
        return UnreadableFile(
            f"{self._file_name} unpacks to more than {limit} MB and was not opened.",
            advice="Unpack it and ingest the files, or raise MASIS_MAX_UNPACKED_BYTES.",
        )

    def refuse_if_larger(self, announced: int) -> None:
        if announced > self._limits.unpacked_bytes:
            raise self.too_large()


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Counted(io.RawIOBase):
    """A stream that charges the budget for what is read from it."""

    def __init__(self, stream: _Stream, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(_BLOCK_BYTES if size < 0 else min(size, _BLOCK_BYTES))
        self._budget.count_bytes(len(data))
        return data

    def read_all(self) -> bytes:
        return b"".join(iter(self.read, b""))


def entries(data: bytes, file_name: str, budget: Budget) -> Iterator[Entry]:
    if is_mailbox(data):
        return _messages(data, budget)
    if data.startswith(b"PK"):
        return _zip_entries(data, file_name, budget)
    if not is_compressed(data):
        return _tar_entries(_Counted(io.BytesIO(data), budget), budget)
    if holds_tar(data):
        return _tar_entries(_Counted(_decompressed(data), budget), budget)
    return _lone_entry(data, file_name, budget)


def is_compressed(data: bytes) -> bool:
    return data.startswith(_COMPRESSIONS)


def _decompressed(data: bytes) -> _Stream:
    packed = io.BytesIO(data)
    if data.startswith(b"BZh"):
        return bz2.BZ2File(packed)
    if data.startswith(b"\xfd"):
        return lzma.LZMAFile(packed)
    return gzip.GzipFile(fileobj=packed)


def holds_tar(data: bytes) -> bool:
    try:
        return starts_like_tar(_decompressed(data).read(_TAR_BLOCK))
    except UNPACK_ERRORS:
        return False


def starts_like_tar(data: bytes) -> bool:
    """TAR writers agree on no mark, but every header has a checksum."""
    try:
        tarfile.TarInfo.frombuf(data[:_TAR_BLOCK], "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


_ENVELOPE = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]+\r?\n(?=[A-Za-z-]+:)")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_UNFIT = re.compile(r"[^\w ,()&+-]+")


def is_mailbox(data: bytes) -> bool:
    """Whether it is a file of messages, each after a line with its sender and date (mbox)."""
    return _ENVELOPE.match(data) is not None


def _messages(data: bytes, budget: Budget) -> Iterator[Entry]:
    starts = [(found.start(), found.end()) for found in _ENVELOPE.finditer(data)]
    ends = [start for start, _ in starts[1:]] + [len(data)]
    for (_, start), end in zip(starts, ends, strict=True):
        budget.count_entry()
        budget.count_bytes(end - start)
        message = _QUOTED.sub(rb"\1", data[start:end]).rstrip(b"\r\n") + b"\n"
        yield Entry(f"{message_name(message)}.eml", message)


def message_name(message: bytes) -> str:
    """“2024-03-01 Budget”."""
    head = BytesHeaderParser(policy=policy.default).parsebytes(message)
    subject, day = "", ""
    with suppress(Exception):  # a header may be anything
        subject = " ".join(_UNFIT.sub(" ", str(head["subject"] or "")).split())[:80]
    with suppress(Exception):
        day = head["date"].datetime.date().isoformat()
    return " ".join(filter(None, (day, subject or "message")))


def _lone_entry(data: bytes, file_name: str, budget: Budget) -> Iterator[Entry]:
    budget.count_entry()
    name = PurePosixPath(file_name).stem or "content"
    try:
        yield Entry(name, _Counted(_decompressed(data), budget).read_all())
    except UNPACK_ERRORS:
        yield Entry(name, None, DAMAGED)


def _zip_entries(data: bytes, file_name: str, budget: Budget) -> Iterator[Entry]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        if any(info.flag_bits & _ENCRYPTED for info in files):
            raise UnreadableFile(
                f"{file_name} is password-protected: files in it are encrypted.",
                advice="Unpack it with its password and ingest the files.",
            )
        budget.refuse_if_larger(sum(info.file_size for info in files))
        for info in files:
            budget.count_entry()
            yield _zip_entry(archive, info, budget)


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> Entry:
    name = _zip_name(info)
    if stat.S_ISLNK(info.external_attr >> 16):
        return Entry(name, None, LINK)
    try:
        with archive.open(info) as stream:
            return Entry(name, _Counted(stream, budget).read_all())
    except UNPACK_ERRORS:
        return Entry(name, None, DAMAGED)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Many programs write UTF-8 without saying so; a name that is not UTF-8 has the format's own encoding."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _tar_entries(stream: _Counted, budget: Budget) -> Iterator[Entry]:
    name = "the first file"
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for info in archive:
                if not info.isdir():
                    name = info.name
                    budget.count_entry()
                    budget.refuse_if_larger(info.size)
                    yield _tar_entry(archive, info)
    except UNPACK_ERRORS:
        yield Entry(f"what follows {name}", None, DAMAGED)


def _tar_entry(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Entry:
    if info.issym() or info.islnk():
        return Entry(info.name, None, LINK)
    # A sparse file of a few bytes can claim to be as large as a disk.
    content = archive.extractfile(info) if info.isreg() and not info.issparse() else None
    return Entry(info.name, content.read()) if content else Entry(info.name, None, SPECIAL)


def parse_archive(data: bytes, file_name: str, limits: Limits = DEFAULT_LIMITS) -> ParsedDocument:
    notes: list[str] = []
    members = list(unpack(data, file_name, notes, limits))
    return ParsedDocument([], members=members, notes=notes)


def unpack(data: bytes, file_name: str, notes: list[str], limits: Limits) -> Iterator[Member]:
    """Yields one member at a time; at the end, the notes say what was left out."""
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
    return UnreadableFile(f"{file_name} contains no files.", advice="Check that the archive is complete.")


def _damaged(file_name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} is a damaged or cut-off archive.",
        advice="Download or copy it again; if it can be unpacked elsewhere, ingest the files.",
    )


def _is_rubbish(name: str) -> bool:
    """Whether it is a hidden file, or one that operating systems leave in archives."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return not parts or any(part.startswith(".") or part in _SYSTEM_FILES for part in parts)


class MemberNames:
    """Names of members: printable, relative, and unique."""

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
