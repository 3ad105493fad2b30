"""A file is read: its pages, by recognition where they are pictures of text, and the files it carries."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from masis.errors import MASISError, ScannedFile, UnreadableFile
from masis.knowledge.ingestion.files import Allowance, IncomingFile, too_large
from masis.settings import Settings
from masis.sources.archives.members import MAX_DEPTH, MemberNames
from masis.sources.dates import dated
from masis.sources.images.ocr import ImageReader
from masis.sources.plain import clean
from masis.sources.sandbox.pool import Sandbox
from masis.sources.sniff import is_image
from masis.types import Page, ParsedDocument


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
        # What was read already must not be lost to pages that could not be.
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
        # Two attachments may have one name; as documents they need two.
        names = MemberNames()
        return [file.member(replace(inside, name=names.label(inside.name)), allowance) for inside in parsed.members]


def _with_pages(parsed: ParsedDocument, recognised: Mapping[int, str], reader: str) -> ParsedDocument:
    """Scanned pages take their place among the others, and the note says who read them."""
    pages = [replace(page, text=clean(recognised.get(page.number, page.text))) for page in parsed.pages]
    missing = [number for number in parsed.scanned if number not in recognised]
    notes = [f"{len(recognised)} of its {len(pages)} pages are scanned and were read by {reader}."]
    if missing:
        notes.append(f"Pages {', '.join(map(str, missing))} are scanned and could not be read.")
    return replace(parsed, pages=pages, notes=notes, scanned=missing)
