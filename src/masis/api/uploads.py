"""Files as they arrive: spooled to disk, hashed and measured on the way, never held whole in memory."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, overload

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from masis.api.middleware.problems import TooLarge
from masis.errors import InvalidInput

FIELD = "files"
MAX_FILES = 200
_CHUNK = 1 << 20

UPLOAD_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "One or more parts named `files`. A file's name is a label; its bytes decide what it is.",
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {
                        FIELD: {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1}
                    },
                }
            }
        },
    }
}


class _LimitedParser(MultiPartParser):
    """Refuses a file as soon as it is too large, not when all of it has been read."""

    max_file_bytes = 0

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        file = self._current_part.file
        if file is not None and (file.size or 0) + self._waiting(file) + end - start > self.max_file_bytes:
            raise TooLarge(
                f"A file is larger than {self.max_file_bytes:,} bytes.",
                advice="Split it, or raise MASIS_MAX_FILE_BYTES.",
            )
        super().on_part_data(data, start, end)

    def _waiting(self, file: UploadFile) -> int:
        return sum(len(data) for part, data in self._file_parts_to_write if part.file is file)


class Uploaded:
    """One file on disk, with the id that its bytes give it."""

    def __init__(self, file: UploadFile) -> None:
        self.file = file
        self.name = file.filename or "unnamed"
        self.document_id = _digest(file)

    def read(self) -> bytes:
        self.file.file.seek(0)
        return self.file.file.read()


class Contents(Sequence[tuple[str, bytes]]):
    """Names and bytes of files, each read when it is its turn: one at a time is in memory."""

    def __init__(self, files: Sequence[Uploaded]) -> None:
        self._files = files

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return ((file.name, file.read()) for file in self._files)

    @overload
    def __getitem__(self, index: int) -> tuple[str, bytes]: ...
    @overload
    def __getitem__(self, index: slice) -> "Contents": ...
    def __getitem__(self, index: int | slice) -> "tuple[str, bytes] | Contents":
        if isinstance(index, slice):
            return Contents(self._files[index])
        return self._files[index].name, self._files[index].read()


@asynccontextmanager
async def uploaded_files(request: Request, max_file_bytes: int) -> AsyncIterator[list[Uploaded]]:
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise InvalidInput("The body is not multipart/form-data.", advice=f"Send the files as parts named `{FIELD}`.")
    parser = _LimitedParser(request.headers, request.stream(), max_files=MAX_FILES, max_fields=10)
    parser.max_file_bytes = max_file_bytes
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise InvalidInput(f"The multipart body cannot be read: {error.message}") from None
    try:
        files = [value for name, value in form.multi_items() if name == FIELD and isinstance(value, UploadFile)]
        if not files:
            raise InvalidInput("There is no file in the request.", advice=f"Send the files as parts named `{FIELD}`.")
        yield await asyncio.to_thread(lambda: [Uploaded(file) for file in files])
    finally:
        await form.close()


def _digest(file: UploadFile) -> str:
    digest = hashlib.sha256()
    file.file.seek(0)
    while data := file.file.read(_CHUNK):
        digest.update(data)
    return digest.hexdigest()
