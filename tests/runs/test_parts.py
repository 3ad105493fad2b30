"""One set of checkpoints for all who need it at the same time."""

import asyncio

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
