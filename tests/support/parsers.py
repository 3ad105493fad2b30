"""Limited processes that outlive the library that started them: nearly every test reads a file, and starting a process
for each took two minutes of a whole run."""

from collections.abc import Sequence

from masis.sources.sandbox.process import Worker

_idle: list["_Reused"] = []
_over = False
"""Whether the tests are: a library that is only forgotten ends its processes later still."""


class _Reused(Worker):
    def end(self) -> None:
        if self.is_usable and not _over:
            _idle.append(self)
        else:
            super().end()

    def end_for_good(self) -> None:
        super().end()


def reused_worker(formats: Sequence[str] = ()) -> Worker:
    if formats:
        return Worker(formats)
    while _idle:
        worker = _idle.pop()
        if worker.is_usable:
            return worker
        worker.end_for_good()
    return _Reused()


def end_all(*, is_over: bool = False) -> None:
    global _over
    _over = is_over
    while _idle:
        _idle.pop().end_for_good()
