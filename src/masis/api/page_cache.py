"""Pictures of pages: drawn in limited processes, the latest kept in memory."""

import threading
from collections import OrderedDict

from masis.settings import Settings
from masis.sources.pdf.page_image import PageImage, Wanted
from masis.sources.sandbox.pool import Sandbox

_KEPT_BYTES = 48_000_000
_PROCESSES = 2
_SECONDS = 20.0
"""For one page; who waits longer has left."""

Key = tuple[str, int, int, int | None, int | None]
"""Document, page, width, start and end: the document's id is a hash of its bytes, so none of it changes."""


class PageImages:
    """Draws pages in limited processes of its own, so that an ingestion keeps nobody waiting; keeps the latest."""

    def __init__(self, settings: Settings) -> None:
        limits = {"parse_processes": _PROCESSES, "parse_seconds": min(settings.parse_seconds, _SECONDS)}
        self._sandbox = Sandbox(settings.model_copy(update=limits))
        self._kept: OrderedDict[Key, PageImage] = OrderedDict()
        self._lock = threading.Lock()

    def kept(self, key: Key) -> PageImage | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def drawn(self, key: Key, data: bytes, file_name: str, wanted: Wanted) -> PageImage:
        image = self._sandbox.draw_page(data, file_name, wanted)
        with self._lock:
            self._kept[key] = image
            while sum(len(each.png) for each in self._kept.values()) > _KEPT_BYTES:
                self._kept.popitem(last=False)
        return image

    def close(self) -> None:
        self._sandbox.close()
