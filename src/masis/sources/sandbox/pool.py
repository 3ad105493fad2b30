"""Reads files in a pool of confined processes."""

import os
import threading
import weakref
from collections.abc import Callable
from importlib.util import find_spec
from typing import TypeVar

from masis.errors import InvalidInput, UnreadableFile
from masis.settings import Settings
from masis.sources.pdf.page_image import PageImage, Wanted
from masis.sources.sandbox.process import Worker, WorkerLost
from masis.types import ParsedDocument

_ATTEMPTS = 2

Answer = TypeVar("Answer")


class Sandbox:
    """Reads files in confined processes, several at once.

    Each process is started when it is first needed and then reused: it has the parsers loaded and forks for every
    file.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._places = threading.BoundedSemaphore(settings.parse_processes or os.cpu_count() or 1)
        self._pool = _Pool(_modules(settings.formats))
        # A sandbox that nobody closes ends its processes when it is garbage-collected.
        weakref.finalize(self, self._pool.close)

    def parse(self, data: bytes, file_name: str) -> ParsedDocument:
        """Waits for a free place and for the result; safe from any thread. Raises UnreadableFile and nothing else."""
        return self._by_a_worker(file_name, lambda worker: worker.read(data, file_name, self._settings))

    def draw_page(self, data: bytes, file_name: str, wanted: Wanted) -> PageImage:
        """Draws a page of a PDF as a picture; otherwise like `parse`."""
        return self._by_a_worker(file_name, lambda worker: worker.draw(data, file_name, wanted, self._settings))

    def _by_a_worker(self, file_name: str, job: Callable[[Worker], Answer]) -> Answer:
        with self._places:
            try:
                return self._done(job)
            except (WorkerLost, OSError) as error:
                raise UnreadableFile(
                    f"{file_name} was not read: {error}.",
                    advice="Check that the machine has memory left, then ingest the file again.",
                ) from error

    def _done(self, job: Callable[[Worker], Answer]) -> Answer:
        opened = self._pool.closings
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._pool.do(job)
            except WorkerLost:
                # The pool was closed while reading: that was intended and must not start a new process.
                if self._pool.closings != opened:
                    raise
        return self._pool.do(job)

    def close(self) -> None:
        """Ends all processes, including those that are reading; the next file starts new ones."""
        self._pool.close()


def _modules(named: str) -> tuple[str, ...]:
    modules = tuple(name.strip() for name in named.split(",") if name.strip())
    for module in modules:
        if find_spec(module) is None:
            raise InvalidInput(
                f"MASIS_FORMATS names {module}, and Python finds no such module.",
                advice="Install the package that has it, or add its folder to PYTHONPATH.",
            )
    return modules


class _Pool:
    def __init__(self, formats: tuple[str, ...] = ()) -> None:
        self._formats = formats
        self.closings = 0
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()

    def do(self, job: Callable[[Worker], Answer]) -> Answer:
        worker = self._taken()
        try:
            return job(worker)
        finally:
            self._put_back(worker)

    def _taken(self) -> Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_usable:
                    break
                worker.end()
            else:
                worker = Worker(self._formats)
            self._busy.add(worker)
            return worker

    def _put_back(self, worker: Worker) -> None:
        with self._lock:
            is_ours = worker in self._busy
            self._busy.discard(worker)
            if is_ours and worker.is_usable:
                self._idle.append(worker)
                return
        worker.kill()
        worker.end()

    def close(self) -> None:
        with self._lock:
            self.closings += 1
            idle, busy = self._idle, self._busy
            self._idle, self._busy = [], set()
        for worker in busy:
            worker.kill()
        for worker in idle:
            worker.end()
