"""Incoming files and uploads: finding the files of a list of paths, and reading each in a sandboxed process."""

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NoReturn

from masis.errors import MASISError, ScannedFile, UnknownWorkspace, UnreadableFile
from masis.knowledge.catalog import Catalog
from masis.knowledge.originals import Originals
from masis.settings import Settings
from masis.sources.archives import MAX_DEPTH, MemberNames
from masis.sources.dates import dated
from masis.sources.images.ocr import ImageReader
from masis.sources.plain import clean
from masis.sources.sandbox.pool import Sandbox
from masis.sources.sniff import is_image
from masis.types import Document, IngestReport, Member, Page, ParsedDocument

_FILE_NAME_CHARS = 255


@dataclass(slots=True)
class Allowance:
    """How much a file may unpack to, including everything nested in it; shared by all its members."""

    members: int
    bytes: int

    def spend(self, members: Sequence[Member], file_name: str) -> None:
        self.members -= len(members)
        self.bytes -= sum(len(member.data) for member in members)
        if self.members < 0 or self.bytes < 0:
            raise UnreadableFile(
                f"{file_name} and the archives inside it unpack to more than MASIS reads from one file.",
                advice="Unpack it yourself and ingest the folder, or raise MASIS_MAX_MEMBERS and "
                "MASIS_MAX_UNPACKED_BYTES.",
            )


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """An incoming file: on this machine, uploaded, or inside another file."""

    name: str
    """The document's name; for a file in a folder, the path from that folder."""
    read: Callable[[], bytes]
    """Reads its bytes; raises UnreadableFile."""
    source: str | None = None
    """Its place, if another version may appear there."""
    depth: int = 0
    """How deeply it is nested."""
    allowance: Allowance | None = None
    """What its container may still unpack."""

    def member(self, inside: Member, allowance: Allowance) -> "IncomingFile":
        source = f"{self.source}/{inside.name}" if self.source else None  # a place, not a path: never opened
        return IncomingFile(f"{self.name}/{inside.name}", lambda: inside.data, source, self.depth + 1, allowance)


def find_files(paths: Sequence[Path], max_bytes: int) -> list[IncomingFile]:
    """An unusable path becomes a file that fails with the reason when read, so that the others are still read."""
    found: dict[str, IncomingFile] = {}
    for path in paths:
        for file in _files_of(path, max_bytes):
            found.setdefault(file.source or file.name, file)
    return list(found.values())


def _files_of(path: Path, max_bytes: int) -> Iterator[IncomingFile]:
    def found(file: Path, name: str) -> IncomingFile:
        # Two names that cannot be decoded must stay two places.
        place = str(file.absolute()).encode("utf-8", "backslashreplace").decode()
        return IncomingFile(_storable(name), partial(read_file, file, max_bytes), place)

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


def _problem(path: Path, message: str) -> IncomingFile:
    def refuse() -> NoReturn:
        raise UnreadableFile(_storable(message), advice="Check the path and your right to read it.")

    return IncomingFile(_storable(str(path)), refuse)


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
    """A file name may be any bytes; what is stored and shown must be text."""
    return name.encode("utf-8", "replace").decode("utf-8")


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
    ) -> tuple[list[IncomingFile], IngestReport]:
        """Given ids and names of stored files: the files still to be read, and the results of the others, whose bytes
        were deleted when they were done."""
        report = IngestReport(workspace_id)
        waiting: list[IncomingFile] = []
        for document_id, name in dict.fromkeys((document_id, base_name(name)) for document_id, name in kept):
            # Two files of one upload may have the same name or the same content.
            place = f"upload:{upload_id}/{document_id}/{name}"
            if self._originals.has(workspace_id, document_id):
                waiting.append(IncomingFile(name, partial(self._read, workspace_id, document_id, name), place))
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
    """The client's file name is a label, never a path."""
    name = PurePosixPath(file_name.replace("\\", "/")).name
    storable = "".join(character for character in name if character.isprintable())[-_FILE_NAME_CHARS:]
    return storable.encode("utf-8", "replace").decode("utf-8") or "unnamed"


def document_id_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def failure_reason(error: Exception) -> str:
    if isinstance(error, MASISError):
        return f"{error} {error.advice}"
    return f"Unexpected {type(error).__name__}: {error}. Please report this with the file, if you may share it."


class FileReader:
    def __init__(self, settings: Settings, sandbox: Sandbox, image_reader: ImageReader | None = None) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self._image_reader = image_reader

    async def parsed(self, name: str, data: bytes) -> ParsedDocument:
        return dated(await self._read(name, data), name)

    async def _read(self, name: str, data: bytes) -> ParsedDocument:
        if len(data) > self._settings.max_file_bytes:
            raise too_large(name, self._settings.max_file_bytes)
        reader = self._image_reader
        if reader is not None and is_image(data):
            text = clean(await reader.read(data, name))
            return ParsedDocument([Page(1, text)], notes=[f"Its text was read by {reader.name}."])
        try:
            parsed = await asyncio.to_thread(self._sandbox.parse, data, name)
        except ScannedFile as scan:
            numbers = range(1, scan.pages + 1)
            parsed = ParsedDocument([Page(number, "") for number in numbers], scanned=numbers)
            if reader is None or not (recognised := await reader.read_pages(data, name, numbers)):
                raise
            return _with_pages(parsed, recognised, reader.name)
        if reader is None or not parsed.scanned:
            return parsed
        # Pages already read must not be lost because others failed.
        recognised = {}
        with suppress(MASISError):
            recognised = await reader.read_pages(data, name, parsed.scanned)
        return _with_pages(parsed, recognised, reader.name) if recognised else parsed

    def members(self, file: IncomingFile, parsed: ParsedDocument) -> list[IncomingFile]:
        if parsed.members and file.depth >= MAX_DEPTH:
            if parsed.pages:
                return []
            raise UnreadableFile(
                f"{file.name} is nested {file.depth} archives deep and was not opened.",
                advice="Unpack it yourself and ingest what you need.",
            )
        allowance = file.allowance or Allowance(self._settings.max_members, self._settings.max_unpacked_bytes)
        allowance.spend(parsed.members, file.name)
        # Two attachments may have the same name; as documents they need different ones.
        names = MemberNames()
        return [file.member(replace(inside, name=names.label(inside.name)), allowance) for inside in parsed.members]


def _with_pages(parsed: ParsedDocument, recognised: Mapping[int, str], reader: str) -> ParsedDocument:
    """Puts scanned pages in their place among the others; the notes say what read them."""
    pages = [replace(page, text=clean(recognised.get(page.number, page.text))) for page in parsed.pages]
    missing = [number for number in parsed.scanned if number not in recognised]
    notes = [f"{len(recognised)} of its {len(pages)} pages are scanned and were read by {reader}."]
    if missing:
        notes.append(f"Pages {', '.join(map(str, missing))} are scanned and could not be read.")
    return replace(parsed, pages=pages, notes=notes, scanned=missing)
