"""What ZIP, TAR and compressed files hold, entry by entry, unpacked in memory and counted while unpacking."""

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from masis.errors import UnreadableFile

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
    """As the archive has it."""
    data: bytes | None
    problem: str = ""
    """Why the data are missing."""


class Budget:
    """What an archive may still unpack to."""

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
                f"{self._file_name} unpacks to more than {_MAX_RATIO} times its size, as archives made to do harm do.",
                advice="If it is what it should be, unpack it and ingest the files.",
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
    """A stream that pays for what is read from it."""

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
    """A TAR has no mark that all writers agree on, but every header has a sum over itself."""
    try:
        tarfile.TarInfo.frombuf(data[:_TAR_BLOCK], "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


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
    """Many programs write UTF-8 without saying so; what is not UTF-8 is what the format says."""
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
