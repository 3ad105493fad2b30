"""LangGraph's checkpoints in SQLite, without the writes that say the same twice."""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.runs.lean_writes import must_be_kept


class LeanSqliteSaver(AsyncSqliteSaver):
    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if must_be_kept(writes):
            await super().aput_writes(config, writes, task_id, task_path)
