"""What an agent's turn took: time and what it spent, as metrics."""

from typing import Any, cast

from masis.errors import MASISError, ModelError
from masis.orchestrator.services import Services
from masis.orchestrator.state import Failure, MASISState, StateUpdate
from masis.orchestrator.trail import AgentName, Metrics, ReceiptRow, TraceEntry
from masis.reasoning.account import Account
from masis.reasoning.ports import PromptStamp, prompt_of
from masis.types import Usage


def account_of(state: MASISState) -> Account:
    """What the run may still spend; time in which a person was waited for does not count."""
    metrics = state.get("metrics", {})
    return Account(
        workspace_id=state.get("workspace_id", ""),
        max_cost_usd=state.get("max_cost_usd"),
        max_seconds=state.get("max_seconds"),
        spent_usd=metrics.get("cost_usd", 0.0),
        spent_seconds=sum(metrics.get("node_latency_ms", {}).values()) / 1000,
    )


def settled(update: StateUpdate, account: Account) -> StateUpdate:
    """What became of an agent's turn, with who stood in for a model, and why, in its entry of the trail."""
    if not (account.stood_in or account.from_cache):
        return update
    trace, metrics = update["trace"], update["metrics"] | {"answers_from_cache": account.from_cache}
    if account.stood_in:
        trace[-1]["stood_in"] = account.stood_in
    if account.from_cache:
        trace[-1]["from_cache"] = account.from_cache
    if account.is_spent:
        metrics["budget_spent"] = True
    return update | {"trace": trace, "metrics": metrics}


class Turn:
    """One agent's turn: started when made, read when done."""

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
        """Counted when it is made: a call that fails was a call all the same. `prompt`: which of the engine's."""
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
