"""Runs of the first versions, which kept checkpoints and no record: one that is asked for by its id gets its record."""

from typing import cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.orchestrator.state import MASISState
from masis.runs.checkpoints import open_checkpointer
from masis.runs.erasure import has_checkpoints
from masis.runs.result import result_of
from masis.runs.run_table import RunTable
from masis.settings import Settings
from masis.types import LOCAL

ID_LENGTH = 12
"""Of those versions; later ids are longer, and a run of theirs without a record was deleted."""


async def adopted(settings: Settings, runs: RunTable, run_id: str) -> bool:
    """Whether there was such a run, as far as it had come: it waits for a person, or has its answer."""
    if len(run_id) != ID_LENGTH or settings.database_url or not has_checkpoints(settings):
        return False
    state = await _state_of(settings, run_id)
    if not state or not state.get("outcome"):
        return False
    runs.adopt(run_id, state, LOCAL, result_of(run_id, state))
    return True


async def _state_of(settings: Settings, run_id: str) -> MASISState | None:
    config: RunnableConfig = {"configurable": {"thread_id": run_id}}
    async with open_checkpointer(settings) as saver:
        assert isinstance(saver, AsyncSqliteSaver)
        await saver.setup()
        saved = await saver.aget_tuple(config)
    return cast(MASISState, saved.checkpoint["channel_values"]) if saved else None
