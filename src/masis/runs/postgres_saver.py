"""LangGraph's checkpoints in PostgreSQL, without the writes that say the same twice."""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from masis.runs.lean_writes import must_be_kept


class LeanPostgresSaver(AsyncPostgresSaver):
    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if must_be_kept(writes):
            await super().aput_writes(config, writes, task_id, task_path)
