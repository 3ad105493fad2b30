"""Agents are async; `graph.invoke` is not. A sync twin runs the same coroutine on one background event loop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from functools import lru_cache
from typing import Any, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import Runtime, get_runtime

from masis.observability.watching import watch_agent
from masis.orchestrator.accounting import account_of, settled
from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISState, StateUpdate
from masis.reasoning.account import charged_to
from masis.settings import current_settings

T = TypeVar("T")
THREAD = "masis-sync"
LET_GO_SECONDS = 5.0
"""How long whoever presses Ctrl-C waits at most."""
Node = Callable[[MASISState, Runtime[Services]], Awaitable[StateUpdate]]


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Safe inside a running event loop too (a notebook): the work runs on another thread."""
    if threading.current_thread().name == THREAD:
        work.close()
        raise RuntimeError("A sync method was called from inside a run: call its async twin instead.")
    ended = threading.Event()
    future = asyncio.run_coroutine_threadsafe(_telling(work, ended), _background_loop())
    try:
        return future.result()
    except (KeyboardInterrupt, SystemExit):
        # Whoever waited is gone: the work lets go of what it holds, so that nobody takes it up again unasked.
        future.cancel()
        ended.wait(LET_GO_SECONDS)
        raise


async def _telling(work: Coroutine[Any, Any, T], ended: threading.Event) -> T:
    try:
        return await work
    finally:
        ended.set()


@lru_cache(maxsize=1)
def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=THREAD, daemon=True).start()
    return loop


def finished(agent: str, state: MASISState, config: RunnableConfig | None, update: StateUpdate) -> dict[str, Any]:
    """The custom event of a node that is done: with its step, so that a node done twice is known to be one."""
    return {**_turn(agent, state, config), "event": "finished", "update": update}


def _turn(agent: str, state: MASISState, config: RunnableConfig | None) -> dict[str, Any]:
    step = (config or {}).get("metadata", {}).get("langgraph_step")
    return {"agent": agent, "step": step, "attempt": state.get("retry_count", 0)}


class Agent(Runnable[MASISState, StateUpdate]):
    """A node that LangGraph can call both ways, saying on the custom stream when it starts and what it did."""

    def __init__(self, node: Node) -> None:
        self.name = self._agent = node.__name__
        self._node = node

    def invoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> StateUpdate:
        return run_blocking(self._work(input, get_runtime(Services), config))

    async def ainvoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> StateUpdate:
        return await self._work(input, get_runtime(Services), config)

    async def _work(self, state: MASISState, runtime: Runtime[Services], config: RunnableConfig | None) -> StateUpdate:
        # langgraph types the context as always given; without one it is None.
        given: Services | None = runtime.context
        lease = given.lease if given is not None else None
        if lease:
            await lease.check()
        runtime.stream_writer({**_turn(self._agent, state, config), "event": "started"})
        settings = given.settings if given is not None else current_settings()
        watched = watch_agent(settings, self._agent, state.get("retry_count", 0))
        with watched, charged_to(account_of(state)) as account:
            update = settled(await self._node(state, runtime), account)
        if lease:
            # A process that was frozen meanwhile wakes up here, and must not write over what another has done.
            await lease.check()
        runtime.stream_writer(finished(self._agent, state, config, update))
        return update


class Edge(Runnable[MASISState, str]):
    """Where the graph goes next, asked in place: LangGraph would hand a plain function to another thread."""

    def __init__(self, choose: Callable[[MASISState], str]) -> None:
        self.name = choose.__name__
        self._choose = choose

    def invoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        return self._choose(input)

    async def ainvoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        return self._choose(input)
