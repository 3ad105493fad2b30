"""Which places of the workspace's files an ingestion has looked at, and what is no longer at them."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from masis.knowledge.ingestion.reading import Incoming


class Places:
    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._opened: set[str] = set()
        self._closed: set[str] = set()

    def seen(self, file: Incoming) -> None:
        if file.source:
            self._seen.add(file.source)
            if file.depth == 0:
                self._opened.add(file.source)

    def closed(self, file: Incoming) -> None:
        """It could not be read this time: what was in it before stays."""
        if file.source:
            self._closed.add(file.source)

    def vanished(self, known: Iterable[str]) -> list[str]:
        """Of the places known from before, those inside a file that was opened just now, and not found in it."""
        return [source for source in known if source not in self._seen and self._is_inside(source)]

    def _is_inside(self, source: str) -> bool:
        above = {str(parent) for parent in PurePosixPath(source).parents}
        return not above.isdisjoint(self._opened) and above.isdisjoint(self._closed)
