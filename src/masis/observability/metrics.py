"""Counters and histograms of this process, for Prometheus.

They use a separate registry, and no label ever holds a workspace, a question or a file: operators' tools collect this
page, and it must not reveal what a tenant does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from masis.errors import InvalidInput
from masis.settings import Role
from masis.types import Usage

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Histogram
    from prometheus_client.core import GaugeMetricFamily

JobCounts = Callable[[], Mapping[tuple[str, str], int]]
"""Number of jobs by kind ("run", "ingest") and status ("queued", "running")."""

_RUN_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600)
_AGENT_SECONDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180)
_MODEL_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)
_HTTP_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)


@dataclass(frozen=True, slots=True)
class _Instruments:
    registry: "CollectorRegistry"
    jobs: "_Jobs"
    runs: "Counter"
    run_seconds: "Histogram"
    agent_seconds: "Histogram"
    model_calls: "Counter"
    model_seconds: "Histogram"
    model_tokens: "Counter"
    model_cost: "Counter"
    http_requests: "Counter"
    http_seconds: "Histogram"
    documents: "Counter"


def run_ended(outcome: str, seconds: float) -> None:
    """`outcome` is the run's; `waiting`, `cancelled` or `failed` if it has none."""
    made = _instruments()
    made.runs.labels(outcome).inc()
    made.run_seconds.labels(outcome).observe(seconds)


def agent_done(agent: str, seconds: float) -> None:
    _seconds_of(agent).observe(seconds)


@lru_cache(maxsize=16)
def _seconds_of(agent: str) -> "Histogram":
    return _instruments().agent_seconds.labels(agent)


def model_called(model: str, role: Role, seconds: float, usage: Usage, error: str | None = None) -> None:
    """Counts one request on the wire, answered or not."""
    made = _instruments()
    made.model_calls.labels(model, role, error or "ok").inc()
    made.model_seconds.labels(model, role).observe(seconds)
    made.model_tokens.labels(model, role, "input").inc(usage.input_tokens)
    made.model_tokens.labels(model, role, "output").inc(usage.output_tokens)
    made.model_cost.labels(model, role).inc(usage.cost_usd)


def http_request(method: str, route: str, status: int, seconds: float) -> None:
    """`route` is the template (`/masis/workspaces/{workspace_id}`), never the requested path."""
    made = _instruments()
    made.http_requests.labels(method, route, str(status)).inc()
    made.http_seconds.labels(method, route).observe(seconds)


def document_ingested(status: str) -> None:
    """`status`: ready, pending, duplicate or failed."""
    _instruments().documents.labels(status).inc()


@contextmanager
def watching_jobs(counts: JobCounts) -> Iterator[None]:
    """Read on every scrape until the block ends. With several services in a process, the latest counts."""
    jobs = _instruments().jobs
    jobs.counts = counts
    try:
        yield
    finally:
        if jobs.counts is counts:
            jobs.counts = None


def page() -> tuple[bytes, str]:
    """The text that Prometheus reads, and its media type."""
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

    return generate_latest(_instruments().registry), CONTENT_TYPE_LATEST


@contextmanager
def served(host: str, port: int) -> Iterator[int]:
    """Serves the metrics on a separate port, for a process that serves nothing else. Port 0 picks a free one."""
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, host, _instruments().registry)
    except OSError as error:
        raise InvalidInput(
            f"The metrics cannot be served on {host}, port {port}: {error.strerror or error}.",
            advice="Free the port, or choose another with --metrics-host and --metrics-port.",
        ) from None
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_NEVER_MISSING = (("run", "queued"), ("ingest", "queued"))


class _Jobs:
    def __init__(self) -> None:
        self.counts: JobCounts | None = None

    def collect(self) -> "Iterable[GaugeMetricFamily]":
        from prometheus_client.core import GaugeMetricFamily

        family = GaugeMetricFamily("masis_jobs", "Jobs waiting and running.", labels=["kind", "status"])
        for labels, count in self._counted().items():
            family.add_metric(list(labels), count)
        yield family

    def _counted(self) -> Mapping[tuple[str, str], int]:
        try:
            # Zero is reported too, so that an autoscaler does not mistake it for a missing figure.
            return dict.fromkeys(_NEVER_MISSING, 0) | dict(self.counts()) if self.counts else {}
        except Exception:
            # The other figures are needed most when the database is down.
            return {}


@lru_cache(maxsize=1)
def _instruments() -> _Instruments:
    from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

    registry = CollectorRegistry(auto_describe=True)
    ProcessCollector(registry=registry)
    jobs = _Jobs()
    registry.register(jobs)

    def counter(name: str, text: str, *labels: str) -> Counter:
        return Counter(f"masis_{name}", text, labels, registry=registry)

    def seconds(name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"masis_{name}_seconds", text, labels, buckets=buckets, registry=registry)

    by_model = ("model", "role")
    return _Instruments(
        registry,
        jobs,
        runs=counter("runs", "Runs that stopped.", "outcome"),
        run_seconds=seconds("run_duration", "From the start of a run to its stop.", _RUN_SECONDS, "outcome"),
        agent_seconds=seconds("agent_duration", "One step of an agent.", _AGENT_SECONDS, "agent"),
        model_calls=counter("model_requests", "Requests to chat models.", *by_model, "result"),
        model_seconds=seconds("model_request_duration", "One request to a chat model.", _MODEL_SECONDS, *by_model),
        model_tokens=counter("model_tokens", "Tokens of chat models.", *by_model, "direction"),
        model_cost=counter("model_cost_usd", "US dollars spent on chat models.", *by_model),
        http_requests=counter("http_requests", "Requests to this service.", "method", "route", "status"),
        http_seconds=seconds("http_request_duration", "Until the response began.", _HTTP_SECONDS, "method", "route"),
        documents=counter("documents", "Documents ingested.", "status"),
    )
