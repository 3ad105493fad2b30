"""The page that Prometheus reads."""

from collections.abc import Mapping

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from masis.errors import InvalidInput
from masis.observability import metrics
from masis.types import Usage
from tests.support.waiting import SOON


def value(name: str, **labels: str) -> float | None:
    """Of one series on the page; the counts of other tests in this process are in it too."""
    text = metrics.page()[0].decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return sample.value
    return None


def gained(name: str, before: float | None, **labels: str) -> float:
    return (value(name, **labels) or 0) - (before or 0)


def test_runs_by_outcome() -> None:
    before = value("masis_runs_total", outcome="conflict")
    took = value("masis_run_duration_seconds_sum", outcome="conflict")
    metrics.run_ended("conflict", 2.5)
    assert gained("masis_runs_total", before, outcome="conflict") == 1
    assert gained("masis_run_duration_seconds_sum", took, outcome="conflict") == 2.5


def test_requests_tokens_and_money_by_model_and_role() -> None:
    metrics.model_called("test-model", "judge", 0.3, Usage(1, 100, 20, 0.25))
    metrics.model_called("test-model", "judge", 60.0, Usage(), "model_unavailable")
    who = {"model": "test-model", "role": "judge"}
    assert value("masis_model_requests_total", **who, result="ok") == 1
    assert value("masis_model_requests_total", **who, result="model_unavailable") == 1
    assert value("masis_model_tokens_total", **who, direction="input") == 100
    assert value("masis_model_tokens_total", **who, direction="output") == 20
    assert value("masis_model_cost_usd_total", **who) == 0.25
    assert value("masis_model_request_duration_seconds_count", **who) == 2


def test_requests_to_the_service_by_template() -> None:
    metrics.http_request("GET", "/masis/test/{id}", 404, 0.01)
    labels = {"method": "GET", "route": "/masis/test/{id}"}
    assert value("masis_http_requests_total", **labels, status="404") == 1
    assert value("masis_http_request_duration_seconds_count", **labels) == 1


def test_documents_by_what_became_of_them() -> None:
    before = value("masis_documents_total", status="duplicate")
    metrics.document_ingested("duplicate")
    assert gained("masis_documents_total", before, status="duplicate") == 1


def test_jobs_are_counted_when_the_page_is_read_and_an_absent_database_leaves_the_rest() -> None:
    waiting = {("run", "queued"): 3}
    with metrics.watching_jobs(lambda: waiting):
        assert value("masis_jobs", kind="run", status="queued") == 3
        assert value("masis_jobs", kind="ingest", status="queued") == 0
        waiting[("run", "queued")] = 4
        assert value("masis_jobs", kind="run", status="queued") == 4
    assert value("masis_jobs", kind="run", status="queued") is None

    def away() -> Mapping[tuple[str, str], int]:
        raise ConnectionError

    with metrics.watching_jobs(away):
        assert value("masis_jobs", kind="run", status="queued") is None
        assert value("process_start_time_seconds")


def test_a_process_that_serves_nothing_else_tells_its_figures_at_a_port() -> None:
    with metrics.served("127.0.0.1", 0) as port:
        assert "process_start_time_seconds" in httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=SOON).text
        with pytest.raises(InvalidInput, match="cannot be served"), metrics.served("127.0.0.1", port):
            pass
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=SOON)


def test_no_label_tells_tenants_apart() -> None:
    text = metrics.page()[0].decode()
    labels = {name for family in text_string_to_metric_families(text) for s in family.samples for name in s.labels}
    assert labels <= {
        "outcome",
        "agent",
        "model",
        "role",
        "result",
        "direction",
        "method",
        "route",
        "status",
        "kind",
        "le",
    }
