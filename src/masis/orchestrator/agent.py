"""An agent as a node of the graph, sync and async, with its step timed and charged."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from functools import lru_cache, update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import Runtime, get_runtime

from masis.embedded import TURNS
from masis.embedded.fair_turns import one_work
from masis.errors import MASISError, ModelError
from masis.observability.watching import watch_agent
from masis.orchestrator.services import Services
from masis.orchestrator.state import Failure, MASISState, StateUpdate
from masis.orchestrator.trail import AgentName, Metrics, ReceiptRow, TraceEntry
from masis.reasoning.ports import Account, PromptStamp, charged_to, prompt_of
from masis.settings import OFFLINE, current_settings
from masis.types import Usage


def account_of(state: MASISState) -> Account:
    """What the run may still spend. Time spent waiting for a person does not count."""
    metrics = state.get("metrics", {})
    return Account(
        workspace_id=state.get("workspace_id", ""),
        max_cost_usd=state.get("max_cost_usd"),
        max_seconds=state.get("max_seconds"),
        spent_usd=metrics.get("cost_usd", 0.0),
        spent_seconds=sum(metrics.get("node_latency_ms", {}).values()) / 1000,
        silent_models=list(metrics.get("silent_models", [])),
    )


def settled(update: StateUpdate, account: Account) -> StateUpdate:
    """Adds to an agent's result which engine stood in for a model, and why, and what came from the cache."""
    if not (account.stood_in or account.from_cache):
        return update
    trace, metrics = update["trace"], update["metrics"] | {"answers_from_cache": account.from_cache}
    if account.stood_in:
        trace[-1]["stood_in"] = account.stood_in
        for row in metrics.get("receipt", []):
            row["engine"] = f"{OFFLINE}, for {row['engine']}"
    if account.from_cache:
        trace[-1]["from_cache"] = account.from_cache
    if account.is_spent:
        metrics["budget_spent"] = True
    if account.silent_models:
        metrics["silent_models"] = account.silent_models
    return update | {"trace": trace, "metrics": metrics}


class Turn:
    """One step of an agent, timed from its creation."""

    def __init__(self, agent: AgentName, state: MASISState, services: Services) -> None:
        self.agent = agent
        self.attempt = state.get("retry_count", 0)
        self._clock = services.clock
        self._started = self._clock()
        self._calls = 0
        self._usage = Usage()
        self._prompts: dict[str, PromptStamp] = {}
        self._engine: str | None = None

    def elapsed_ms(self) -> float:
        return round((self._clock() - self._started) * 1000, 3)

    def calls_engine(self, engine: object, prompt: str = "prompt") -> None:
        """Counts a call when it is made, even if it fails. `prompt` says which of the engine's prompts is used."""
        self._calls += 1
        self._engine = getattr(engine, "name", None)
        if stamp := prompt_of(engine, prompt):
            self._prompts[prompt] = stamp

    def spent(self, usage: Usage) -> None:
        self._usage += usage

    def metrics(self) -> Metrics:
        latency: Metrics = {"node_latency_ms": {self.agent: self.elapsed_ms()}}
        if not self._calls:
            return latency
        return (
            latency
            | self._prompts_used()
            | {
                "model_calls": self._calls,
                "model_requests": self._usage.requests,
                "input_tokens": self._usage.input_tokens,
                "output_tokens": self._usage.output_tokens,
                "cost_usd": self._usage.cost_usd,
                "calls_by_agent": {self.agent: self._calls},
                "cost_by_agent": {self.agent: self._usage.cost_usd},
                "receipt": [self._receipt()],
            }
        )

    def _receipt(self) -> ReceiptRow:
        return {
            "agent": self.agent,
            "attempt": self.attempt,
            "engine": self._engine,
            "calls": self._calls,
            "requests": self._usage.requests,
            "input_tokens": self._usage.input_tokens,
            "output_tokens": self._usage.output_tokens,
            "cost_usd": self._usage.cost_usd,
            "seconds": round(self.elapsed_ms() / 1000, 3),
        }

    def _prompts_used(self) -> Metrics:
        stamp = next(iter(self._prompts.values()), None)
        return {"prompts": {"version": stamp.version, "hash": stamp.whole}} if stamp else {}

    def trace(self, **found: Any) -> TraceEntry:
        said = {name: {"version": stamp.version, "hash": stamp.hash} for name, stamp in self._prompts.items()}
        turn = {"node": self.agent, "retry_count": self.attempt, "duration_ms": self.elapsed_ms()}
        return cast(TraceEntry, turn | found | said)

    def failure(self, error: MASISError) -> Failure:
        if isinstance(error, ModelError):
            self.spent(error.usage)
        return {"agent": self.agent, "code": error.code, "message": str(error), "advice": error.advice}


T = TypeVar("T")
THREAD = "masis-sync"
LET_GO_SECONDS = 5.0
"""The longest wait after Ctrl-C."""
Node = Callable[[MASISState, Runtime[Services]], Awaitable[StateUpdate]]


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Runs the work on another thread, so it is safe inside a running event loop too (a notebook)."""
    if threading.current_thread().name == THREAD:
        work.close()
        raise RuntimeError("A sync method was called from inside a run: call its async twin instead.")
    ended = threading.Event()
    future = asyncio.run_coroutine_threadsafe(_telling(work, ended), _background_loop())
    try:
        return future.result()
    except (KeyboardInterrupt, SystemExit):
        # The caller is gone: release what the work holds, so that it does not go on unasked.
        future.cancel()
        ended.wait(LET_GO_SECONDS)
        raise


P = ParamSpec("P")
Self = TypeVar("Self")


def blocking(method: Callable[Concatenate[Self, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[Self, P], T]:
    """The sync counterpart of an async method."""

    def twin(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run_blocking(method(self, *args, **kwargs))

    update_wrapper(twin, method)
    twin.__name__ = method.__name__.removeprefix("a").rstrip("_")
    return twin


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
    """The event that a node is done. It contains the step, so that a repeated event can be recognised."""
    return {**_turn(agent, state, config), "event": "finished", "update": update}


def _turn(agent: str, state: MASISState, config: RunnableConfig | None) -> dict[str, Any]:
    step = (config or {}).get("metadata", {}).get("langgraph_step")
    return {"agent": agent, "step": step, "attempt": state.get("retry_count", 0)}


class Agent(Runnable[MASISState, StateUpdate]):
    """A node that LangGraph can call sync and async. It reports its start and its result on the custom stream."""

    def __init__(self, node: Node) -> None:
        self.name = self._agent = node.__name__
        self._node = node

    def invoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> StateUpdate:
        return run_blocking(self._work(input, get_runtime(Services), config))

    async def ainvoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> StateUpdate:
        return await self._work(input, get_runtime(Services), config)

    async def _work(self, state: MASISState, runtime: Runtime[Services], config: RunnableConfig | None) -> StateUpdate:
        # langgraph's types say that the context is always set, but without one it is None.
        given: Services | None = runtime.context
        lease = given.lease if given is not None else None
        if lease:
            await lease.check()
        runtime.stream_writer({**_turn(self._agent, state, config), "event": "started"})
        settings = given.settings if given is not None else current_settings()
        watched = watch_agent(settings, self._agent, state.get("retry_count", 0))
        with watched, one_work(TURNS), charged_to(account_of(state)) as account:
            update = settled(await self._node(state, runtime), account)
        if lease:
            # A process that was suspended wakes up here and must not overwrite another's work.
            await lease.check()
        runtime.stream_writer(finished(self._agent, state, config, update))
        return update


class Edge(Runnable[MASISState, str]):
    """Decides the next node inline: LangGraph would run a plain function in another thread."""

    def __init__(self, choose: Callable[[MASISState], str]) -> None:
        self.name = choose.__name__
        self._choose = choose

    def invoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        return self._choose(input)

    async def ainvoke(self, input: MASISState, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        return self._choose(input)
