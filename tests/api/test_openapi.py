"""The document that describes the service: pleasant to read, and true."""

import os
import re
import uuid
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from masis.api.app import create_app
from masis.api.routes.web_files import page_of
from masis.settings import Settings
from tests.api.live import Live, serving

DOCUMENT = create_app(Settings()).openapi()
OPERATIONS = [(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods]

described = schemathesis.openapi.from_dict(DOCUMENT)
# Every boundary of every parameter takes half a minute: HYPOTHESIS_PROFILE=deep tries them all.
described.config.phases.coverage.enabled = os.environ.get("HYPOTHESIS_PROFILE") == "deep"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(Settings(home=tmp_path_factory.mktemp("described"))) as service, service.client() as client:
        client.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
        yield service


@described.parametrize()
@settings(max_examples=6, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_the_service_does_what_its_document_says(case: schemathesis.Case, empty: Live) -> None:
    if case.meta and case.meta.generation.mode.is_positive:
        _say_what_no_schema_knows(case)
    case.call_and_validate(base_url=empty.address, timeout=120)


def _say_what_no_schema_knows(case: schemathesis.Case) -> None:
    """There is one workspace, and most requests should come further than to its door; a cursor is one that was given
    out; a key for repetitions is new with every new request. Each is tested by itself."""
    if len(case.path_parameters.get("workspace_id", "")) % 4:
        case.path_parameters["workspace_id"] = "acme"
    case.query.pop("cursor", None)
    if "idempotency-key" in case.headers:
        case.headers["idempotency-key"] = uuid.uuid4().hex


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_operation_is_described(path: str, method: str) -> None:
    operation = DOCUMENT["paths"][path][method]
    assert operation["summary"]
    assert len(operation["tags"]) == 1 or "ask" in operation["tags"]
    assert operation["operationId"].islower()
    assert operation["responses"]["default" if path != "/health" else "200"]


def test_operations_are_told_apart() -> None:
    names = [DOCUMENT["paths"][path][method]["operationId"] for path, method in OPERATIONS]
    assert len(names) == len(set(names))
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    used = {tag for path, method in OPERATIONS for tag in DOCUMENT["paths"][path][method]["tags"]}
    assert used == tags


def test_the_page_for_people_has_every_operation_and_loads_nothing() -> None:
    page = page_of(DOCUMENT)
    for path, method in OPERATIONS:
        assert f'id="{DOCUMENT["paths"][path][method]["operationId"]}"' in page
    assert not re.findall(r"<script|src=|https?://", page)


def test_the_page_is_served(empty: Live) -> None:
    with empty.client() as client:
        answer = client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
