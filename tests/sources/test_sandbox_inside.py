import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest

from masis.settings import Settings
from masis.sources.sandbox.answer import BrokenFrame, read_answer, read_header, write_frame

START = (
    "import os, sys\nimport masis.sources.parse\nparsing = sys.modules['masis.sources.parse']\nparse = parsing.parse\n"
    "{before}\nfrom masis.sources.sandbox.inside import main\nmain()"
)
LIMITS = {"memory_bytes": 1 << 29, "seconds": 60, "max_members": 10, "max_unpacked_bytes": 1000}


class Talk:
    def __init__(self, worker: "subprocess.Popen[bytes]", to: IO[bytes], back: IO[bytes]) -> None:
        self.worker, self._to, self._back = worker, to, back

    def text_of(self, data: bytes) -> str:
        write_frame(self._to, {"name": "a.txt", **LIMITS}, data)
        self._to.flush()
        document = read_answer(self._back, "a.txt", Settings())
        assert not isinstance(document, Exception), document
        return document.text


@contextmanager
def worker_after(before: str) -> Iterator[Talk]:
    ended, told_by_worker = os.pipe()
    command = [sys.executable, "-P", "-B", "-c", START.format(before=before), str(told_by_worker)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, pass_fds=(told_by_worker,), **pipes) as worker:
        os.close(told_by_worker)
        assert worker.stdin
        assert worker.stdout
        assert read_header(worker.stdout)[0] == {"ready": True}
        yield Talk(worker, worker.stdin, worker.stdout)
    os.close(ended)


def test_one_process_for_many_files() -> None:
    with worker_after("") as talk:
        assert [talk.text_of(data) for data in (b"One.", b"Two.", b"Three.")] == ["One.", "Two.", "Three."]
    # The last child may still have been on its way out when nobody asked any more.
    assert talk.worker.returncode in (0, 128 + 9)


def test_without_fork_one_process_for_one_file() -> None:
    with worker_after("del os.fork") as talk:
        assert talk.text_of(b"One.") == "One."
        assert talk.worker.wait(30) == 0


def test_what_a_library_prints_is_no_answer() -> None:
    noisy = "parsing.parse = lambda *given: (os.write(1, b'noise'), print('noise', flush=True), parse(*given))[2]"
    with worker_after(noisy) as talk:
        assert [talk.text_of(data) for data in (b"One.", b"Two.")] == ["One.", "Two."]


# Not os.kill: an audit hook stands before it, which a library in C would not ask.
DEATHS = {"ctypes.CDLL(None).kill(os.getpid(), 11)": 128 + 11, "os.abort()": 128 + 6, "os._exit(3)": 3}


@pytest.mark.parametrize("death", DEATHS)
def test_a_child_that_dies_takes_the_worker_with_it_and_says_how(death: str) -> None:
    with worker_after(f"import ctypes\nparsing.parse = lambda *_: {death}") as talk:
        with pytest.raises(BrokenFrame):
            talk.text_of(b"One.")
        assert talk.worker.wait(30) == DEATHS[death]


def test_a_panic_that_is_no_exception_is_a_refusal() -> None:
    panic = "class Panic(BaseException): pass\ndef fail(*_): raise Panic\nparsing.parse = fail"
    with worker_after(panic) as talk, pytest.raises(AssertionError, match=r"a\.txt is damaged"):
        talk.text_of(b"One.")
