"""Agents are async; `graph.invoke` is not. A sync twin runs the same coroutine on one background event loop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from functools import lru_cache
from typing import Any, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import Runtime, get_runtime

from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISState, StateUpdate

T = TypeVar("T")
THREAD = "masis-sync"
Node = Callable[[MASISState, Runtime[Services]], Awaitable[StateUpdate]]


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Safe inside a running event loop too (a notebook): the work runs on another thread."""
    if threading.current_thread().name == THREAD:
        work.close()
        raise RuntimeError("A sync method was called from inside a run: call its async twin instead.")
    return asyncio.run_coroutine_threadsafe(work, _background_loop()).result()


@lru_cache(maxsize=1)
def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=THREAD, daemon=True).start()
    return loop


class Agent(Runnable[MASISState, StateUpdate]):
    """A node that LangGraph can call both ways, saying on the custom stream when it starts."""

    def __init__(self, node: Node) -> None:
        self.name = node.__name__
        self._node = node

    def invoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> StateUpdate:
        return run_blocking(self._work(input, get_runtime(Services)))

    async def ainvoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> StateUpdate:
        return await self._work(input, get_runtime(Services))

    async def _work(self, state: MASISState, runtime: Runtime[Services]) -> StateUpdate:
        runtime.stream_writer({"agent": self.name, "event": "started", "attempt": state.get("retry_count", 0)})
        return await self._node(state, runtime)
