"""What an agent's turn took: time and what it spent, as metrics."""

from typing import Any, cast

from masis.errors import MASISError, ModelError
from masis.orchestrator.services import Services
from masis.orchestrator.state import Failure, MASISState
from masis.orchestrator.trail import AgentName, Metrics, TraceEntry
from masis.reasoning.ports import PromptStamp, prompt_of
from masis.types import Usage


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

    def elapsed_ms(self) -> float:
        return round((self._clock() - self._started) * 1000, 3)

    def calls_engine(self, engine: object, prompt: str = "prompt") -> None:
        """Counted when it is made: a call that fails was a call all the same. `prompt`: which of the engine's."""
        self._calls += 1
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
            }
        )

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
