"""OpenTelemetry, by the GenAI conventions: a span for a run, in it one for each agent, in these one for each request
to a model. Off unless MASIS_TELEMETRY=on; the SDK (`masis[otel]`) is imported only then.

A program that embeds MASIS and has providers of its own keeps them; otherwise OTLP over HTTP is set up, and the
standard OTEL_… variables say where to, with which headers and how often.
"""

import json
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from masis._version import __version__
from masis.errors import MASISError
from masis.settings import Settings
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
        """Around work in this process. An error is named by its kind: its words may quote a document."""
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
        """A request to a model that is over, as a span and in both metrics."""
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
    """What was said, for who has asked for it."""
    asked = [_as_parts(message["role"], message["content"]) for message in messages]
    said = {} if answer is None else {"gen_ai.output.messages": json.dumps([_as_parts("assistant", answer)])}
    return {"gen_ai.input.messages": json.dumps(asked), **said}


def _as_parts(role: str, content: str | Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Pictures are left out: megabytes that no trace can show."""
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
    """Providers that export over OTLP, where the program has none of its own."""
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
