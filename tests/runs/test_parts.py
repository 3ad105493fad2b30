"""One set of checkpoints for all who need it at the same time; and what a process of ours begins with."""

import asyncio
import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from masis.errors import DataFolderError
from masis.runs import parts
from masis.runs.checkpoints import open_checkpointer
from masis.runs.parts import SharedGraph
from masis.settings import Settings


async def test_opened_once_and_closed_with_the_last(stored: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Settings] = []

    def counting(settings: Settings) -> object:
        opened.append(settings)
        return open_checkpointer(settings)

    monkeypatch.setattr(parts, "open_checkpointer", counting)
    shared = SharedGraph(stored)

    async def use() -> int:
        async with shared.opened() as graph:
            await asyncio.sleep(0.01)
            await graph.aget_state({"configurable": {"thread_id": "1"}})
            return id(graph)

    assert len(set(await asyncio.gather(*(use() for _ in range(20))))) == 1
    assert len(opened) == 1
    await use()
    assert len(opened) == 2


async def test_what_fails_or_is_cancelled_closes_nothing_for_the_others(stored: Settings) -> None:
    shared = SharedGraph(stored)
    async with shared.opened() as graph:
        with pytest.raises(ZeroDivisionError):
            async with shared.opened():
                raise ZeroDivisionError
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01), shared.opened():
                await asyncio.sleep(5)
        assert (await graph.aget_state({"configurable": {"thread_id": "1"}})).values == {}


async def test_a_folder_that_cannot_be_used_is_said_and_tried_again(stored: Settings) -> None:
    if stored.database_url:
        pytest.skip("a folder is for SQLite")
    stored.home.write_text("a file where the folder should be")
    shared = SharedGraph(stored)
    with pytest.raises(DataFolderError):
        async with shared.opened():
            pass
    stored.home.unlink()
    async with shared.opened() as graph:
        assert (await graph.aget_state({"configurable": {"thread_id": "1"}})).values == {}


HEAPS_OF_MANY_THREADS = """
import asyncio, ctypes, sys, threading
from masis.runs.working import settle_in

async def begin():
    settle_in()

asyncio.run(begin())
library, together = ctypes.CDLL(None), threading.Barrier(12)
library.fopen.restype = ctypes.c_void_p

def take():
    library.malloc(1000)
    together.wait()

threads = [threading.Thread(target=take) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
said = ctypes.c_void_p(library.fopen(sys.argv[1].encode(), b"w"))
library.malloc_info(0, said)
library.fclose(said)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="GNU's C library alone has heaps to count")
def test_a_process_of_ours_keeps_no_heap_for_each_thread(tmp_path: Path) -> None:
    told = tmp_path / "heaps.xml"
    subprocess.run([sys.executable, "-c", HEAPS_OF_MANY_THREADS, told], check=True)
    assert 1 <= told.read_text().count("<heap nr=") <= 2
