"""A run as its spans and metrics tell it: real providers of the SDK, real requests to a server on loopback."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import metrics as otel_metrics
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from masis.observability import metrics
from masis.observability.watching import ModelWatch, watch_agent, watch_run
from masis.orchestrator.graph import graph
from masis.orchestrator.services import Services
from masis.reasoning.engines import engines_for
from masis.settings import Settings
from tests.support.engines import ScriptedSearch, asked
from tests.support.fake_openai import Fail, FakeOpenAI, Recorded, Reply, Say

ROOT = Path(__file__).parents[2]
KEY = "sk-very-secret-key-1234"
SECRET_FACT = "Revenue was $12 million in 2025."
AUDIT = {"confidence": 90, "hallucination_detected": False, "needs_retry": False}
LISTS = {"unsupported_claims": [], "logical_gaps": [], "conflicting_evidence": [], "improvement_suggestions": []}
SCORES = {"faithfulness": 0.9, "relevance": 0.9, "completeness": 0.8, "reasoning_quality": 0.7}


def answer(request: Recorded) -> Reply:
    if request.body["model"] == "gpt-4o-mini":
        return Say(f"{SECRET_FACT} [c1]")
    wanted = AUDIT if "needs_retry" in json.dumps(request.body) else SCORES
    return Say(json.dumps({**wanted, **LISTS}))


class Recorder:
    def __init__(self) -> None:
        self.spans_kept = InMemorySpanExporter()
        self.reader = InMemoryMetricReader()

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        """Ours, by name; of several of one name the last."""
        mine = [s for s in self.spans_kept.get_finished_spans() if s.instrumentation_scope.name == "masis"]
        return {span.name: span for span in mine}

    def points(self, metric: str) -> list[Any]:
        data = self.reader.get_metrics_data()
        scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics] if data else []
        return [p for scope in scopes for m in scope.metrics if m.name == metric for p in m.data.data_points]

    @property
    def all(self) -> str:
        data = self.reader.get_metrics_data()
        spans = [span.to_json() for span in self.spans_kept.get_finished_spans()]
        return "".join(spans) + (data.to_json() if data else "") + metrics.page()[0].decode()


@pytest.fixture(scope="module")
def providers() -> Recorder:
    """The program's own providers: MASIS keeps what it finds. They can be set only once in a process."""
    made, tracing = Recorder(), TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(made.spans_kept))
    trace.set_tracer_provider(tracing)
    otel_metrics.set_meter_provider(MeterProvider([made.reader]))
    return made


@pytest.fixture
def recorder(providers: Recorder) -> Recorder:
    providers.spans_kept.clear()
    return providers


@pytest.fixture
def settings(fake_openai: FakeOpenAI, tmp_path: Path) -> Settings:
    fake_openai.answer_with(answer)
    return Settings(
        home=tmp_path,
        model_base_url=fake_openai.base_url,
        openai_api_key=KEY,
        rate_limit_calls=1000,
        model_deadline_seconds=1,
        telemetry=True,
    )


async def run(settings: Settings) -> None:
    with watch_run(settings, "run-1", "acme") as watch:
        services = Services(settings, ScriptedSearch(), *engines_for(settings))
        state = await graph.ainvoke(asked(), context=services)
        watch.outcome = state["outcome"]


async def test_a_run_holds_its_agents_and_these_their_models(recorder: Recorder, settings: Settings) -> None:
    await run(settings)
    spans = recorder.spans
    whole = spans["invoke_workflow masis"]
    assert whole.parent is None
    assert dict(whole.attributes or {}) == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "masis",
        "gen_ai.conversation.id": "run-1",
        "masis.workspace.id": "acme",
        "masis.outcome": "answered",
    }
    for agent in ("supervisor", "researcher", "synthesizer", "critic", "evaluator"):
        span = spans[f"invoke_agent {agent}"]
        assert span.parent is not None
        assert span.parent.span_id == whole.context.span_id
        assert span.attributes is not None
        assert span.attributes["gen_ai.agent.name"] == agent
        assert span.attributes["gen_ai.conversation.id"] == "run-1"
    call = spans["chat gpt-4o-mini"]
    assert call.parent is not None
    assert call.parent.span_id == spans["invoke_agent synthesizer"].context.span_id
    assert call.kind is trace.SpanKind.CLIENT
    assert dict(call.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.conversation.id": "run-1",
        "server.address": "127.0.0.1",
        "server.port": int(re.findall(r"\d+", settings.model_base_url or "")[-2]),
        "masis.role": "writer",
    }
    assert call.start_time is not None
    assert call.end_time is not None
    assert call.end_time > call.start_time


async def test_tokens_and_durations_are_measured(recorder: Recorder, settings: Settings) -> None:
    await run(settings.model_copy(update={"writer_model": "metered"}))
    tokens = [
        p for p in recorder.points("gen_ai.client.token.usage") if p.attributes["gen_ai.request.model"] == "metered"
    ]
    assert {p.attributes["gen_ai.token.type"]: p.sum for p in tokens} == {"input": 100, "output": 20}
    seconds = recorder.points("gen_ai.client.operation.duration")
    assert [p.count for p in seconds if p.attributes["gen_ai.request.model"] == "metered"] == [1]


async def test_a_model_that_fails_is_told_by_its_kind_of_error(
    recorder: Recorder, settings: Settings, fake_openai: FakeOpenAI
) -> None:
    fake_openai.answer_with(lambda _: Fail(401, f"Incorrect API key provided: {KEY}. You wrote: {SECRET_FACT}"))
    await run(settings)
    call = recorder.spans["chat gpt-4o-mini"]
    assert call.attributes is not None
    assert call.attributes["error.type"] == "model_rejected"
    assert call.status.status_code is trace.StatusCode.ERROR
    assert call.status.description is None
    assert KEY not in recorder.all
    assert SECRET_FACT not in recorder.all


async def test_no_text_leaves_unless_it_is_asked_for(recorder: Recorder, settings: Settings) -> None:
    await run(settings)
    assert SECRET_FACT not in recorder.all
    await run(settings.model_copy(update={"telemetry_content": True}))
    call = recorder.spans["chat gpt-4o-mini"].attributes or {}
    assert SECRET_FACT in str(call["gen_ai.input.messages"])
    said = json.loads(str(call["gen_ai.output.messages"]))
    assert said == [{"role": "assistant", "parts": [{"type": "text", "content": f"{SECRET_FACT} [c1]"}]}]
    assert KEY not in recorder.all


async def test_an_agent_that_breaks_is_a_span_in_error_and_still_breaks(recorder: Recorder, settings: Settings) -> None:
    with pytest.raises(ZeroDivisionError), watch_run(settings, "run-2", "acme"), watch_agent(settings, "critic", 1):
        raise ZeroDivisionError(SECRET_FACT)
    for name in ("invoke_agent critic", "invoke_workflow masis"):
        span = recorder.spans[name]
        assert (span.attributes or {})["error.type"] == "ZeroDivisionError"
        assert not span.events
    assert SECRET_FACT not in recorder.all


async def test_switched_off_it_only_counts(recorder: Recorder, settings: Settings) -> None:
    await run(settings.model_copy(update={"telemetry": False, "judge_model": "counted-only"}))
    assert recorder.spans == {}
    page = metrics.page()[0].decode()
    assert 'masis_model_requests_total{model="counted-only",result="ok",role="judge"} 1.0' in page
    assert 'masis_agent_duration_seconds_count{agent="critic"}' in page


def test_an_address_that_is_none_breaks_nothing(recorder: Recorder) -> None:
    ModelWatch(Settings(model_base_url="http://host:port/v1", telemetry=True), "judge").request_done([], 0.1)
    assert "server.address" not in (recorder.spans["chat gpt-4o"].attributes or {})


class Collector:
    """Takes what is exported, on loopback."""

    def __init__(self) -> None:
        received: dict[str, bytes] = {}

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                received[self.path] = received.get(self.path, b"") + body
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Silence on the terminal."""

        self.received = received
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.server.shutdown()
    made.server.server_close()


EXPORTING = """
import asyncio
from masis.observability.logs import configure_logging
from masis.settings import Settings
from tests.observability.test_watching import run
settings = Settings()
configure_logging(settings)
asyncio.run(run(settings))
"""


def _process(script: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "NO_PROXY": "127.0.0.1"} | env,
    )


def test_exported_over_otlp_and_the_key_is_nowhere(
    collector: Collector, fake_openai: FakeOpenAI, tmp_path: Path
) -> None:
    fake_openai.script(Fail(401, f"Incorrect API key provided: {KEY}"))
    fake_openai.answer_with(answer)
    done = _process(
        EXPORTING,
        MASIS_HOME=str(tmp_path),
        MASIS_TELEMETRY="on",
        MASIS_LOG="json",
        MASIS_LOG_LEVEL="debug",
        MASIS_MODEL_BASE_URL=fake_openai.base_url,
        OPENAI_API_KEY=KEY,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server.server_port}",
    )
    assert done.returncode == 0, done.stderr
    spans, measured = collector.received["/v1/traces"], collector.received["/v1/metrics"]
    assert b"invoke_agent synthesizer" in spans
    assert b"model_rejected" in spans
    assert b"gen_ai.client.operation.duration" in measured
    assert '"run_id": "run-1"' in done.stderr
    for secret in (KEY, SECRET_FACT):
        assert secret.encode() not in spans + measured
        assert secret not in done.stdout + done.stderr


WITHOUT_SDK = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "opentelemetry":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
from masis.observability.watching import ModelWatch, watch_agent, watch_run
from masis.settings import Settings
settings = Settings()
with watch_run(settings, "r", "w"), watch_agent(settings, "critic", 0):
    ModelWatch(settings, "judge").request_done([], 0.1)
assert not any(name.startswith("opentelemetry") for name in sys.modules)
print("went on")
"""


@pytest.mark.parametrize("wanted", ["on", "off"])
def test_without_the_sdk_everything_else_goes_on(wanted: str) -> None:
    done = _process(WITHOUT_SDK, MASIS_TELEMETRY=wanted)
    assert done.stdout == "went on\n", done.stderr
    assert ("masis[otel]" in done.stderr) is (wanted == "on")


def test_switched_off_the_sdk_is_not_even_imported() -> None:
    script = WITHOUT_SDK.replace("sys.meta_path.insert(0, Absent())", "")
    assert _process(script).stdout == "went on\n"
