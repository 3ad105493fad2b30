"""The old Office container (OLE compound file): its streams by path."""

import io
from types import TracebackType

from masis.errors import UnreadableFile
from masis.sources.office.package import encrypted

_LONGEST_STREAM = 500_000_000


class CompoundFile:
    """Streams by path; one that is missing or damaged is None."""

    def __init__(self, data: bytes, file_name: str, kind: str) -> None:
        import olefile

        self.file_name = file_name
        self._kind = kind
        try:
            self._file = olefile.OleFileIO(io.BytesIO(data))
            self.paths = ["/".join(path) for path in self._file.listdir()]
        except Exception as error:  # a damaged table of sectors fails in many ways, none of them declared
            raise self.damaged() from error
        if "EncryptedPackage" in self.paths:
            raise encrypted(file_name)

    def __enter__(self) -> "CompoundFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def read(self, path: str) -> bytes | None:
        if path not in self.paths:
            return None
        try:
            data: bytes = self._file.openstream(path).read(_LONGEST_STREAM)
        except Exception:  # as above
            return None
        return data

    def required(self, path: str) -> bytes:
        data = self.read(path)
        if data is None:
            raise self.damaged()
        return data

    def damaged(self) -> UnreadableFile:
        return UnreadableFile(
            f"{self.file_name} is damaged: it cannot be read as {self._kind}.",
            advice="Open it in the program it comes from and save it again in a newer format.",
        )
