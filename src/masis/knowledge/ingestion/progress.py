"""How far an ingestion is: files, pages, passages, and the seconds that are left."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from masis.types import Document

IngestStage = Literal["reading", "findable", "embedding", "ready", "pending", "duplicate", "failed"]
"""`findable`: by keyword, its vectors are to come; `pending`: left so for now."""


@dataclass(frozen=True, slots=True)
class IngestProgress:
    file_name: str
    stage: IngestStage
    files_done: int
    files_total: int
    """Grows when an archive is opened."""
    pages: int = 0
    """Read so far."""
    chunks_done: int = 0
    """Passages that have their vectors …"""
    chunks_total: int = 0
    """… of those read so far."""
    seconds_left: float | None = None
    """An estimate, once there is something to estimate from."""


OnProgress = Callable[[IngestProgress], None]


class Tally:
    """Counts what happens and tells it."""

    def __init__(self, on_progress: OnProgress | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._on_progress = on_progress
        self._clock = clock
        self._started = clock()
        self._files_total = self._files_read = self._files_done = 0
        self._pages = self._chunks_done = self._chunks_total = 0

    def expect(self, files: int) -> None:
        self._files_total += files

    def reading(self, file_name: str) -> None:
        self._tell(file_name, "reading")

    def read(self, document: Document) -> None:
        self._files_read += 1
        self._pages += document.pages
        self._chunks_total += document.chunks
        self._tell(document.file_name, "findable")

    def embedded(self, document: Document, chunks: int) -> None:
        self._chunks_done += chunks
        self._tell(document.file_name, "embedding")

    def settled(self, file_name: str, stage: IngestStage) -> None:
        """However it ended."""
        self._files_done += 1
        self._tell(file_name, stage)

    def unpacked(self) -> None:
        """An archive is done when its members, which are counted themselves, are found."""
        self._files_total -= 1

    def _tell(self, file_name: str, stage: IngestStage) -> None:
        if self._on_progress:
            self._on_progress(
                IngestProgress(
                    file_name,
                    stage,
                    self._files_done,
                    self._files_total,
                    self._pages,
                    self._chunks_done,
                    self._chunks_total,
                    self._seconds_left(),
                )
            )

    def _seconds_left(self) -> float | None:
        """Embedding takes longest: at the rate so far, and as if the files not yet read were like those that are."""
        if not self._chunks_done or not self._files_read:
            return None
        settled_unread = self._files_done - min(self._files_done, self._files_read)
        unread = max(0, self._files_total - self._files_read - settled_unread)
        expected = self._chunks_total * (1 + unread / self._files_read)
        return (expected - self._chunks_done) * (self._clock() - self._started) / self._chunks_done
