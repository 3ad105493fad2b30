"""One worker process of the sandbox, seen from outside: gives it a file, waits within limits, and ends it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from io import BufferedReader
from types import TracebackType
from typing import IO, TypeVar

from masis.errors import UnreadableFile
from masis.settings import Settings
from masis.sources.pdf.page_image import PageImage, Wanted
from masis.sources.sandbox.answer import BrokenFrame, read_answer, read_header, read_image, write_frame
from masis.types import ParsedDocument

_SECONDS_TO_START = 60
_SECONDS_TO_END = 5
# An allow-list: a process with a hostile file must not know keys and addresses.
_ENVIRONMENT = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "TEMP", "TMPDIR"),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "VIRTUAL_ENV"),
)

Answer = TypeVar("Answer")


class WorkerLost(Exception):
    """The process ended for a reason unrelated to the file: something else ended it, or it could not start."""


def harmless_environment() -> dict[str, str]:
    """The environment of a process that reads untrusted files: without keys and addresses."""
    return {name: value for name in _ENVIRONMENT if (value := os.environ.get(name)) is not None}


class Worker:
    def __init__(self, formats: Sequence[str] = ()) -> None:
        """`formats` are modules with additional formats."""
        # A pipe that the worker has and its children do not; on it the worker reports that a child has ended.
        self._ended, told_by_worker = os.pipe()
        self._process = subprocess.Popen(
            # -P: a module in the working folder must not shadow ours; -B: nothing is written, not even byte code.
            [sys.executable, "-P", "-B", "-m", "masis.sources.sandbox.inside", str(told_by_worker), *formats],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=harmless_environment(),
            # Its own process group, so that its child ends with it; and Ctrl-C is for the parent to handle.
            start_new_session=True,
            pass_fds=(told_by_worker,) if hasattr(os, "fork") else (),
        )
        os.close(told_by_worker)
        self._is_ready = False
        self._is_between_files = True

    @property
    def is_usable(self) -> bool:
        """Whether it can be given another file. Without fork, a process reads only one."""
        return hasattr(os, "fork") and self._is_between_files and self._process.poll() is None

    def read(self, data: bytes, file_name: str, settings: Settings) -> ParsedDocument:
        """Raises UnreadableFile, or WorkerLost if the file may not be the cause."""
        return self._told(
            data,
            file_name,
            _request(file_name, settings),
            settings,
            lambda: read_answer(self._answers, file_name, settings),
        )

    def draw(self, data: bytes, file_name: str, wanted: Wanted, settings: Settings) -> PageImage:
        """Like `read`, but returns a page as a picture."""
        request = _request(file_name, settings) | {"image": asdict(wanted)}
        return self._told(data, file_name, request, settings, lambda: read_image(self._answers))

    def _told(
        self,
        data: bytes,
        file_name: str,
        request: Mapping[str, object],
        settings: Settings,
        heard: Callable[[], Answer | UnreadableFile],
    ) -> Answer:
        self._wait_until_ready()
        self._is_between_files = False
        with _Deadline(settings.parse_seconds, self.kill) as deadline:
            try:
                write_frame(self._requests, request, data)
                self._requests.flush()
                answer = heard()
                is_clean = self._has_ended_cleanly()
            except (BrokenFrame, OSError):
                answer, is_clean = None, False
        # Only now is it certain whether the time was up: the deadline can no longer pass.
        if deadline.has_passed:
            raise _too_slow(file_name, settings.parse_seconds)
        if answer is None:
            raise self._died(file_name)
        self._is_between_files = is_clean
        if isinstance(answer, UnreadableFile):
            raise answer
        return answer

    def _has_ended_cleanly(self) -> bool:
        """Whether the child is gone and wrote nothing after its answer, which would be taken for the next file's
        answer."""
        if not hasattr(os, "fork") or not os.read(self._ended, 1):
            return False
        os.set_blocking(self._answers.fileno(), False)
        try:
            return not self._answers.peek(1)
        finally:
            os.set_blocking(self._answers.fileno(), True)

    def _wait_until_ready(self) -> None:
        """Waits for the parsers to load, which does not count as reading the file."""
        if self._is_ready:
            return
        with _Deadline(_SECONDS_TO_START, self.kill):
            try:
                read_header(self._answers)
            except (BrokenFrame, OSError):
                raise WorkerLost("the process that reads files did not start") from None
        self._is_ready = True

    def kill(self) -> None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def end(self) -> int | None:
        """Ends the process, kills it if it is still running, and returns its exit status."""
        with suppress(OSError):
            self._requests.close()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        with suppress(OSError):
            self._answers.close()
            os.close(self._ended)
        return self._process.returncode

    def _died(self, file_name: str) -> Exception:
        status = self.end() or 0
        if status <= 0:
            return WorkerLost("the process that reads files was ended from outside")
        return UnreadableFile(
            f"{file_name} could not be read within the limits of memory and time; it may be damaged or hostile.",
            advice="Open it in the program it comes from and save or print a new copy; split it when it is very large.",
        )

    @property
    def _requests(self) -> IO[bytes]:
        assert self._process.stdin
        return self._process.stdin

    @property
    def _answers(self) -> BufferedReader:
        assert isinstance(self._process.stdout, BufferedReader)
        return self._process.stdout


def _request(file_name: str, settings: Settings) -> dict[str, object]:
    return {
        "name": file_name,
        "memory_bytes": settings.parse_memory_bytes,
        "seconds": settings.parse_seconds,
        "max_members": settings.max_members,
        "max_unpacked_bytes": settings.max_unpacked_bytes,
    }


def _too_slow(file_name: str, seconds: float) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} could not be read within the limits of memory and time: it took more than {seconds:g} seconds.",
        advice="Split it into parts, save a new copy from the program it comes from, or raise MASIS_PARSE_SECONDS.",
    )


class _Deadline:
    """Calls `expire` if the block takes too long, and never after it has ended."""

    def __init__(self, seconds: float, expire: Callable[[], None]) -> None:
        self.has_passed = False
        self._expire = expire
        self._lock = threading.Lock()
        self._is_over = False
        self._timer = threading.Timer(seconds, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> "_Deadline":
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._is_over = True
        self._timer.cancel()

    def _pass(self) -> None:
        with self._lock:
            if not self._is_over:
                self.has_passed = True
                self._expire()
