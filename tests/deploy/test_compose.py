"""The services together: valid, closed to the outside, started in order, their health asked for in ways that work."""

import os
import re
import subprocess
import sys
from typing import Any

import pytest

from masis.settings import Settings
from tests.deploy.container_files import (
    COMPOSE,
    OURS,
    ROOT,
    SERVICES,
    example_variables,
    last,
    setting_names,
    used_variables,
)
from tests.support.servers import PostgresServer, QdrantServer

STORES = ("postgres", "qdrant")


def substituted(value: str, variables: dict[str, str]) -> str:
    return re.sub(r"\$\{(\w+)[^}]*\}", lambda found: variables[found[1]], value)


def test_it_is_a_compose_file() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", "compose.yaml"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_variable_is_in_the_example_and_explained() -> None:
    assert used_variables() - example_variables().keys() == set()
    paragraphs = (ROOT / ".env.example").read_text().split("\n\n")
    assert [part for part in paragraphs if not part.startswith("# ")] == []


def test_every_variable_of_the_example_has_a_reader() -> None:
    unread = example_variables().keys() - used_variables() - setting_names()
    assert [name for name in unread if not name.startswith("OTEL_EXPORTER_OTLP_")] == []


def test_names_of_masis_are_settings() -> None:
    given = {name for service in OURS for name in SERVICES[service]["environment"]} | example_variables().keys()
    ours = {name for name in given if name.startswith(("MASIS_", "QDRANT_", "OPENAI_"))}
    assert ours >= {"MASIS_DATABASE_URL", "QDRANT_URL", "OPENAI_API_KEY"}
    assert ours - setting_names() == set()


@pytest.mark.parametrize("service", OURS)
def test_the_settings_of_a_service_are_accepted(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {**example_variables(), "POSTGRES_PASSWORD": "secret", "QDRANT_API_KEY": "key"}
    for name, value in (variables | SERVICES[service]["environment"]).items():
        monkeypatch.setenv(name, substituted(value, variables))
    settings = Settings()
    assert settings.database_url == "postgresql://masis:secret@postgres:5432/masis"
    assert settings.uses_qdrant_server
    assert settings.qdrant_api_key is not None
    assert settings.qdrant_api_key.get_secret_value() == "key"
    assert not settings.uses_models


def test_a_secret_has_no_default() -> None:
    secret = {"POSTGRES_PASSWORD", "QDRANT_API_KEY", "OPENAI_API_KEY"}
    assert {name: example_variables()[name] for name in secret} == dict.fromkeys(secret, "")
    text = (ROOT / "compose.yaml").read_text()
    assert all(f"${{{name}:?" in text for name in ("POSTGRES_PASSWORD", "QDRANT_API_KEY"))
    assert not re.search(r"\$\{(POSTGRES_PASSWORD|QDRANT_API_KEY)(?!:\?)", text)


def test_only_the_api_is_published() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published.keys() == {"api"}
    assert published["api"][0].endswith(f":{last('EXPOSE').words[0]}")
    assert COMPOSE["networks"]["stores"]["internal"] is True
    assert all(SERVICES[store]["networks"] == ["stores"] for store in STORES)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_confined_and_comes_back(name: str) -> None:
    service: dict[str, Any] = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert "container_name" not in service


@pytest.mark.parametrize("name", SERVICES)
def test_a_volume_is_declared_and_kept(name: str) -> None:
    mounts = [mount.split(":")[0] for mount in SERVICES[name]["volumes"]]
    assert mounts
    assert set(mounts) <= COMPOSE["volumes"].keys()


def test_stores_are_pinned_and_healthy_before_anyone_needs_them() -> None:
    for store in STORES:
        assert re.fullmatch(r"[\w/]+:v?\d[\w.-]*", SERVICES[store]["image"])
        assert "test" in SERVICES[store]["healthcheck"]
    for service in OURS:
        assert SERVICES[service]["depends_on"] == {store: {"condition": "service_healthy"} for store in STORES}


def test_the_health_of_qdrant_is_seen(qdrant_server: QdrantServer) -> None:
    command = [part.replace("6333", str(qdrant_server.port)) for part in SERVICES["qdrant"]["healthcheck"]["test"][1:]]
    assert subprocess.run(command, timeout=60, check=False).returncode == 0
    nobody = [part.replace(str(qdrant_server.port), "1") for part in command]
    assert subprocess.run(nobody, capture_output=True, timeout=60, check=False).returncode != 0


def test_the_health_of_postgres_is_seen(postgres_server: PostgresServer) -> None:
    name, *options = SERVICES["postgres"]["healthcheck"]["test"][1:]
    command = [str(postgres_server.programs / name), *options]
    for port, healthy in ((postgres_server.port, True), (1, False)):
        environment = {**os.environ, "PGPORT": str(port)}
        result = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
        assert (result.returncode == 0) is healthy
