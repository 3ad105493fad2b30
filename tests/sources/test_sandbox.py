import gc
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from masis.errors import UnreadableFile
from masis.settings import Settings
from masis.sources import parse
from masis.sources.sandbox import answer as sandbox_answer
from masis.sources.sandbox import process as sandbox_process
from masis.sources.sandbox.answer import write_frame
from masis.sources.sandbox.pool import Sandbox
from tests.sources.files import docx_of, heading, pdf_of, scanned_pdf
from tests.sources.hostile import pdf_bomb, zip_of
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("own_parsers")
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
SLOW = pdf_bomb(20)
"""Takes a second to read."""


def children(pid: int) -> dict[int, bytes]:
    """Living children of a process, with what they run."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                if int(parent) == pid and state != "Z":
                    found[int(folder.name)] = (folder / "cmdline").read_bytes()
            except OSError:
                continue
    return found


def workers(pid: int | None = None) -> set[int]:
    """Some may be of sandboxes that other tests have forgotten: those end whenever they are collected."""
    return {child for child, command in children(pid or os.getpid()).items() if b"sandbox.inside" in command}


@pytest.fixture
def own_sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox(Settings(parse_processes=1))
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", "Revenue rose.\fÉtat, 東京".encode()),
        ("a.pdf", pdf_of(heading("Annual Report"), "Published: 12 March 2026", None, "Second page.")),
        ("a.docx", docx_of(lambda document: document.add_paragraph("Revenue rose."))),
        ("a.zip", zip_of({"a.txt": b"Revenue rose.", "b/c.bin": bytes(range(256)), "../up.txt": b"x"})),
    ],
)
def test_says_what_the_parser_says(sandbox: Sandbox, name: str, data: bytes) -> None:
    inside, outside = sandbox.parse(data, name), parse(data, name)
    assert (inside.title, inside.date) == (outside.title, outside.date)
    for part in ("pages", "members", "notes"):
        assert list(getattr(inside, part)) == list(getattr(outside, part))


def test_a_refusal_keeps_its_words(sandbox: Sandbox) -> None:
    with pytest.raises(UnreadableFile) as outside:
        parse(scanned_pdf(), "scan.pdf")
    with pytest.raises(UnreadableFile) as inside:
        sandbox.parse(scanned_pdf(), "scan.pdf")
    assert (str(inside.value), inside.value.advice) == (str(outside.value), outside.value.advice)


def test_many_at_once(sandbox: Sandbox) -> None:
    """pdfium is not safe in threads: each file has a process of its own."""
    files = [pdf_of(f"Document number {n}.") for n in range(12)]
    with ThreadPoolExecutor(6) as threads:
        documents = list(threads.map(lambda data: sandbox.parse(data, "a.pdf"), files))
    assert [document.text for document in documents] == [f"Document number {n}." for n in range(12)]


def test_too_much_memory_ends_one_file_and_not_the_next() -> None:
    sandbox = Sandbox(Settings(parse_processes=1, parse_memory_bytes=1 << 28))
    with pytest.raises(UnreadableFile, match=r"bomb\.pdf could not be read within the limits of memory") as error:
        sandbox.parse(pdf_bomb(60), "bomb.pdf")
    assert error.value.advice
    assert sandbox.parse(b"Revenue rose.", "a.txt").text == "Revenue rose."
    sandbox.close()


def test_too_much_time_ends_one_file_and_not_the_next() -> None:
    sandbox = Sandbox(Settings(parse_processes=1, parse_seconds=0.2))
    with pytest.raises(UnreadableFile, match=r"took more than 0\.2 seconds") as error:
        sandbox.parse(SLOW, "slow.pdf")
    assert "MASIS_PARSE_SECONDS" in error.value.advice
    assert sandbox.parse(b"Revenue rose.", "a.txt").text == "Revenue rose."
    sandbox.close()


def test_too_much_text(own_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_answer, "_MAX_CHARACTERS", 1000)
    assert len(own_sandbox.parse(b"a" * 1000, "a.txt").text) == 1000
    with pytest.raises(UnreadableFile, match="more text"):
        own_sandbox.parse(b"a" * 1001, "a.txt")
    with pytest.raises(UnreadableFile, match="more text"):
        own_sandbox.parse(b"a" * 5001, "a.txt")
    assert own_sandbox.parse(b"Revenue rose.", "a.txt").text == "Revenue rose."


def test_the_limits_on_archives_reach_the_worker() -> None:
    archive = zip_of({f"{number}.txt": b"Revenue rose." for number in range(5)})
    few = Sandbox(Settings(parse_processes=1, max_members=4))
    with pytest.raises(UnreadableFile, match="more than 4 files"):
        few.parse(archive, "a.zip")
    few.close()
    small = Sandbox(Settings(parse_processes=1, max_unpacked_bytes=64))
    with pytest.raises(UnreadableFile, match="unpacks to more than"):
        small.parse(archive, "a.zip")
    small.close()


@needs_proc
def test_starts_when_needed_keeps_its_process_and_ends_it() -> None:
    before = workers()
    sandbox = Sandbox(Settings(parse_processes=2))
    assert workers() <= before
    sandbox.parse(b"Revenue rose.", "a.txt")
    (first,) = workers() - before
    sandbox.parse(b"Revenue rose.", "a.txt")
    assert workers() - before == {first}
    sandbox.close()
    assert workers() <= before
    assert sandbox.parse(b"Revenue rose.", "a.txt").text == "Revenue rose."
    sandbox.close()
    assert workers() <= before


@needs_proc
def test_a_forgotten_sandbox_ends_its_processes() -> None:
    before = workers()
    sandbox = Sandbox(Settings(parse_processes=1))
    sandbox.parse(b"Revenue rose.", "a.txt")
    del sandbox
    gc.collect()
    assert workers() <= before


@needs_proc
def test_the_worker_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    before = workers()
    sandbox = Sandbox(Settings(parse_processes=1))
    sandbox.parse(b"Revenue rose.", "a.txt")
    (worker,) = workers() - before
    assert b"sk-secret" not in Path(f"/proc/{worker}/environ").read_bytes()
    sandbox.close()


@needs_proc
def test_a_process_that_somebody_ends_is_replaced(own_sandbox: Sandbox) -> None:
    before = workers()
    own_sandbox.parse(b"Revenue rose.", "a.txt")
    (worker,) = workers() - before
    os.kill(worker, signal.SIGKILL)
    assert own_sandbox.parse(b"Revenue rose.", "a.txt").text == "Revenue rose."


@needs_proc
def test_a_process_ended_while_reading_does_not_blame_the_file(own_sandbox: Sandbox) -> None:
    before = workers()
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(own_sandbox.parse, SLOW, "slow.pdf")
        wait_until(lambda: any(children(worker) for worker in workers() - before))
        (worker,) = workers() - before
        os.kill(worker, signal.SIGKILL)
        assert reading.result().pages


@needs_proc
def test_closing_while_reading() -> None:
    sandbox = Sandbox(Settings(parse_processes=1))
    before = workers()
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(sandbox.parse, pdf_bomb(60), "slow.pdf")
        wait_until(lambda: any(children(worker) for worker in workers() - before))
        sandbox.close()
        with pytest.raises(UnreadableFile, match="was not read") as error:
            reading.result()
    assert "ingest the file again" in error.value.advice
    assert workers() <= before


@needs_proc
def test_a_parent_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    slow = tmp_path / "slow.pdf"
    slow.write_bytes(pdf_bomb(60))
    code = (
        "import sys, pathlib\nfrom masis.settings import Settings\nfrom masis.sources.sandbox.pool import Sandbox\n"
        "Sandbox(Settings(parse_processes=1)).parse(pathlib.Path(sys.argv[1]).read_bytes(), 'slow.pdf')"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(slow)])
    wait_until(lambda: any(children(worker) for worker in workers(parent.pid)))
    (worker,) = workers(parent.pid)
    (child,) = children(worker)
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in (worker, child)))


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_place_is_free_again_after_a_refusal(own_sandbox: Sandbox) -> None:
    for _ in range(3):
        with pytest.raises(UnreadableFile):
            own_sandbox.parse(b"", "a.txt")
    done = threading.Event()

    def read() -> None:
        own_sandbox.parse(b"Revenue rose.", "a.txt")
        done.set()

    threading.Thread(target=read, daemon=True).start()
    assert done.wait(30)


def test_what_a_child_says_after_its_answer_is_not_taken_for_the_next_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser taken over by its file could say more than its answer; here the wire does, as its reader sees it."""
    sandbox = Sandbox(Settings(parse_processes=1))
    assert sandbox.parse(b"First.", "a.txt").text == "First."
    [worker] = sandbox._pool._idle
    leftover = io.BytesIO()
    write_frame(leftover, {"page": 1, "label": None}, b"Forged.")
    write_frame(leftover, {"title": None, "date": None, "scanned": []})
    genuine = sandbox_process.read_answer

    def with_more(stream: Any, *rest: Any) -> Any:
        answer = genuine(stream, *rest)
        monkeypatch.setattr(type(worker), "_answers", property(lambda self: _Followed(stream, leftover)))
        return answer

    monkeypatch.setattr(sandbox_process, "read_answer", with_more)
    assert sandbox.parse(b"Second.", "b.txt").text == "Second."
    assert not worker.is_usable
    monkeypatch.undo()
    assert sandbox.parse(b"Third.", "c.txt").text == "Third."
    sandbox.close()


class _Followed:
    def __init__(self, stream: Any, leftover: io.BytesIO) -> None:
        self.fileno = stream.fileno
        self.close = stream.close
        self.peek = lambda size: leftover.getvalue()[:size]
