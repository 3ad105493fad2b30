"""What the rest of MASIS calls where something happens: one line each, a microsecond where nobody looks."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from masis.observability import metrics
from masis.observability.logs import bind, bound
from masis.observability.telemetry import Attributes, message_attributes, telemetry_for
from masis.settings import Role, Settings
from masis.types import Usage

WORKFLOW = "masis"
_NOTHING_SPENT = Usage()
_OPENAI = "https://api.openai.com/v1"


@dataclass(slots=True)
class RunWatch:
    """What is known of a run once it has stopped; set by who runs it."""

    outcome: str = "failed"
    """The run's outcome, or `waiting`, `cancelled`."""


@contextmanager
def watch_run(settings: Settings, run_id: str, workspace_id: str) -> Iterator[RunWatch]:
    """Around the work on a run: its log lines carry its id, its span holds those of its agents."""
    watch, started = RunWatch(), time.perf_counter()
    telemetry = telemetry_for(settings)
    try:
        with bind(run_id=run_id, workspace=workspace_id):
            if telemetry is None:
                yield watch
                return
            with telemetry.span(f"invoke_workflow {WORKFLOW}", _run_attributes(run_id, workspace_id)) as span:
                yield watch
                span.set_attribute("masis.outcome", watch.outcome)
    finally:
        metrics.run_ended(watch.outcome, time.perf_counter() - started)


@contextmanager
def watch_agent(settings: Settings, agent: str, attempt: int) -> Iterator[None]:
    started = time.perf_counter()
    telemetry = telemetry_for(settings)
    try:
        if telemetry is None:
            yield
        else:
            with telemetry.span(f"invoke_agent {agent}", _agent_attributes(agent, attempt)):
                yield
    finally:
        metrics.agent_done(agent, time.perf_counter() - started)


class ModelWatch:
    """Counts the requests to the model of one role."""

    def __init__(self, settings: Settings, role: Role) -> None:
        self._settings = settings
        self._role: Role = role
        self._model = settings.model_for(role)
        self._attributes: Attributes = _model_attributes(self._model, settings.model_base_url)

    def request_done(
        self,
        messages: Sequence[Mapping[str, Any]],
        seconds: float,
        usage: Usage = _NOTHING_SPENT,
        *,
        answer: str | None = None,
        error: str | None = None,
    ) -> None:
        metrics.model_called(self._model, self._role, seconds, usage, error)
        telemetry = telemetry_for(self._settings)
        if telemetry is not None:
            said = message_attributes(messages, answer) if self._settings.telemetry_content else {}
            more = {"masis.role": self._role, **_conversation(), **said}
            telemetry.model_call(self._attributes, seconds, usage, error, more)


def _run_attributes(run_id: str, workspace_id: str) -> Attributes:
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": WORKFLOW,
        "gen_ai.conversation.id": run_id,
        "masis.workspace.id": workspace_id,
    }


def _agent_attributes(agent: str, attempt: int) -> Attributes:
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": WORKFLOW,
        "gen_ai.agent.name": agent,
        "masis.attempt": attempt,
        **_conversation(),
    }


def _model_attributes(model: str, base_url: str | None) -> Attributes:
    return {
        "gen_ai.operation.name": "chat",
        # The protocol that is spoken; which server answers is told by its address.
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": model,
        **_server_attributes(base_url or _OPENAI),
    }


def _server_attributes(base_url: str) -> dict[str, str | int]:
    try:
        address = urlsplit(base_url)
        port = address.port or (80 if address.scheme == "http" else 443)
    except ValueError:  # an address that is none is reported by who opens it
        return {}
    return {"server.address": address.hostname, "server.port": port} if address.hostname else {}


def _conversation() -> dict[str, str]:
    run_id = bound().get("run_id")
    return {"gen_ai.conversation.id": run_id} if run_id else {}
