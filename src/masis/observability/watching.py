"""The functions that the rest of MASIS calls to report events: one line each, about a microsecond if nobody is
watching."""

import json
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from masis._version import __version__
from masis.errors import MASISError
from masis.observability import metrics
from masis.observability.logs import bind, bound
from masis.settings import Role, Settings
from masis.types import Usage

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.trace import Span, Tracer


SCOPE = "masis"
Attributes = Mapping[str, str | int | float | bool | Sequence[str]]

_DURATION_BUCKETS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
_TOKEN_BUCKETS = [4.0**power for power in range(14)]


@dataclass(frozen=True, slots=True)
class Telemetry:
    tracer: "Tracer"
    tokens: "Histogram"
    seconds: "Histogram"

    @contextmanager
    def span(self, name: str, attributes: Attributes) -> Iterator["Span"]:
        """A span around work in this process. Errors are recorded by type, because a message may quote a document."""
        from opentelemetry.trace import StatusCode

        with self.tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except Exception as error:
                span.set_attribute("error.type", error.code if isinstance(error, MASISError) else type(error).__name__)
                span.set_status(StatusCode.ERROR)
                raise

    def model_call(
        self, attributes: Attributes, seconds: float, usage: Usage, error: str | None, more: Attributes
    ) -> None:
        """Records a finished model request, as a span and in both metrics."""
        from opentelemetry.trace import SpanKind, StatusCode

        ended = time.time_ns()
        span = self.tracer.start_span(
            f"chat {attributes['gen_ai.request.model']}",
            kind=SpanKind.CLIENT,
            attributes=attributes,
            start_time=ended - int(seconds * 1e9),
        )
        if error:
            span.set_attribute("error.type", error)
            span.set_status(StatusCode.ERROR)
        else:
            span.set_attribute("gen_ai.usage.input_tokens", usage.input_tokens)
            span.set_attribute("gen_ai.usage.output_tokens", usage.output_tokens)
        span.set_attributes(dict(more))
        span.end(ended)
        self._measure(attributes, seconds, usage, error)

    def _measure(self, attributes: Attributes, seconds: float, usage: Usage, error: str | None) -> None:
        if error:
            self.seconds.record(seconds, {**attributes, "error.type": error})
            return
        self.seconds.record(seconds, attributes)
        self.tokens.record(usage.input_tokens, {**attributes, "gen_ai.token.type": "input"})
        self.tokens.record(usage.output_tokens, {**attributes, "gen_ai.token.type": "output"})


def telemetry_for(settings: Settings) -> Telemetry | None:
    return _telemetry() if settings.telemetry else None


def message_attributes(messages: Sequence[Mapping[str, Any]], answer: str | None) -> Attributes:
    """The messages, if the settings ask for them."""
    asked = [_as_parts(message["role"], message["content"]) for message in messages]
    said = {} if answer is None else {"gen_ai.output.messages": json.dumps([_as_parts("assistant", answer)])}
    return {"gen_ai.input.messages": json.dumps(asked), **said}


def _as_parts(role: str, content: str | Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Leaves out images: no trace can show megabytes."""
    texts = [content] if isinstance(content, str) else [part["text"] for part in content if "text" in part]
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts]}


@lru_cache(maxsize=1)
def _telemetry() -> Telemetry | None:
    try:
        _provide()
        from opentelemetry import metrics, trace
    except ImportError:
        logging.getLogger(__name__).warning("MASIS_TELEMETRY is on, but the SDK is not installed: masis[otel].")
        return None
    meter = metrics.get_meter(SCOPE, __version__)
    return Telemetry(
        trace.get_tracer(SCOPE, __version__),
        meter.create_histogram(
            "gen_ai.client.token.usage",
            unit="{token}",
            description="Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=_TOKEN_BUCKETS,
        ),
        meter.create_histogram(
            "gen_ai.client.operation.duration",
            unit="s",
            description="GenAI operation duration.",
            explicit_bucket_boundaries_advisory=_DURATION_BUCKETS,
        ),
    )


def _provide() -> None:
    """Sets up providers that export over OTLP, unless the program has its own."""
    from opentelemetry import metrics, trace
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        tracing = TracerProvider(resource=_resource())
        tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(tracing)
    if not isinstance(metrics.get_meter_provider(), MeterProvider):
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        metrics.set_meter_provider(MeterProvider([reader], resource=_resource()))


def _resource() -> "Resource":
    from opentelemetry.sdk.resources import Resource

    named = "OTEL_SERVICE_NAME" in os.environ or "service.name" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return Resource.create({"service.version": __version__} | ({} if named else {"service.name": SCOPE}))


WORKFLOW = "masis"
_NOTHING_SPENT = Usage()
_OPENAI = "https://api.openai.com/v1"


@dataclass(slots=True)
class RunWatch:
    """The result of a run once it has stopped; set by its worker."""

    outcome: str = "failed"
    """The run's outcome, or `waiting`, `cancelled`."""


@contextmanager
def watch_run(settings: Settings, run_id: str, workspace_id: str) -> Iterator[RunWatch]:
    """Wraps the work on a run: its log lines carry the run id, and its span contains those of the agents."""
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
        # The protocol; the address tells which server it is.
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": model,
        **_server_attributes(base_url or _OPENAI),
    }


def _server_attributes(base_url: str) -> dict[str, str | int]:
    try:
        address = urlsplit(base_url)
        port = address.port or (80 if address.scheme == "http" else 443)
    except ValueError:  # an invalid address is reported when it is opened
        return {}
    return {"server.address": address.hostname, "server.port": port} if address.hostname else {}


def _conversation() -> dict[str, str]:
    run_id = bound().get("run_id")
    return {"gen_ai.conversation.id": run_id} if run_id else {}
