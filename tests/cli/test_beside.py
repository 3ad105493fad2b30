"""The command line while a service holds the data folder, and with a service elsewhere."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from masis.cli.app import app
from tests.support.service import Service

EXPENSE = "How much was research and development expense in fiscal 2025?"


@pytest.fixture(scope="module")
def service(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("beside"), template=sample_home)
    service.start()
    yield service
    service.close()


def said(home: Path, *words: str, code: int = 0, **env: str) -> str:
    runner = CliRunner(env={"MASIS_HOME": str(home), "COLUMNS": "80", "BROWSER": "true", **env})
    done = runner.invoke(app, words)
    assert done.exit_code == code, done.output
    return done.stdout


def test_what_needs_the_index_is_asked_of_the_service_that_holds_it(service: Service, tmp_path: Path) -> None:
    home = service.home
    result = json.loads(said(home, "ask", EXPENSE, "-w", "tolmerick", "--json"))
    assert "22.7" in result["answer"]
    assert service.record("tolmerick", result["run_id"])["status"] == "finished"
    follow_up = said(home, "ask", "And the year before?", "-w", "tolmerick", "--thread", result["run_id"])
    assert "→ How much was research and development expense in fiscal 2024?" in follow_up
    assert "19.8" in follow_up
    found = json.loads(said(home, "search", "customer churn", "-w", "tolmerick", "--type", "docx", "--json"))
    assert {passage["file_name"] for passage in found} == {"board-memo-2026-02.docx"}
    (tmp_path / "note.md").write_text("# Note\n\nThe canteen opens at eight.")
    assert "note.md ready" in said(home, "ingest", str(tmp_path), "-w", "notes")
    assert said(home, "open", result["run_id"]).strip() == f"{service.url}/w/tolmerick/runs/{result['run_id']}"


def test_a_service_elsewhere_is_named_by_its_address(service: Service, tmp_path: Path) -> None:
    there = {"MASIS_URL": service.url}
    assert "22.7" in said(tmp_path, "ask", EXPENSE, "-w", "tolmerick", **there)
    refused = said(tmp_path, "ask", EXPENSE, "-w", "nowhere", "--json", code=1, **there)
    assert "nowhere" in json.loads(refused)["error"]["message"]
    gone = said(tmp_path, "search", "x", "-w", "w", "--json", code=1, MASIS_URL="http://127.0.0.1:9")
    assert "does not answer" in json.loads(gone)["error"]["message"]


def test_a_run_takes_one_line_and_nothing_is_drawn_or_coloured_when_piped(service: Service) -> None:
    lines = said(service.home, "runs", "--workspace", "tolmerick").splitlines()
    assert lines
    assert all(line.split()[3] in ("answered", "caveat", "disagree", "decide", "not") for line in lines)
    assert any(line.endswith(EXPENSE) for line in lines)
    shown = said(service.home, "runs", "show", lines[0].split()[0])
    assert not set(shown) & set("│╭╰─\x1b")
