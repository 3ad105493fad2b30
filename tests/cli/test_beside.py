"""The command line while a service holds the data folder, and with a service elsewhere."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
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
    (tmp_path / "other.md").write_text("# Other\n\nThe garage closes at nine.")
    assert "note.md ready" in said(home, "ingest", str(tmp_path), "-w", "notes")
    again = json.loads(said(home, "ingest", str(tmp_path), "-w", "notes", "--json"))
    assert (again["files"], len(again["duplicates"])) == ([], 2)
    assert said(home, "open", result["run_id"]).strip() == f"{service.url}/w/tolmerick/runs/{result['run_id']}"


def test_a_conversation_with_the_service_that_holds_the_data(service: Service) -> None:
    lines = "\n".join([EXPENSE, "And the year before?", "/history", "/scope board-memo-2026-02.docx", "/quit"])
    runner = CliRunner(env={"MASIS_HOME": str(service.home), "COLUMNS": "110"})
    done = runner.invoke(app, ["chat", "-w", "tolmerick"], input=lines)
    assert done.exit_code == 0, done.output
    assert "→ How much was research and development expense in fiscal 2024?" in done.output
    assert "19.8 million" in done.output
    assert "2 questions in this thread." in done.output
    assert "Asking board-memo-2026-02.docx." in done.output
    assert "nowhere" in runner.invoke(app, ["chat", "-w", "nowhere"], input="x").output


def test_a_document_at_a_glance_and_questions_from_the_service(service: Service, tmp_path: Path) -> None:
    words = ("documents", "annual-report-2025.pdf", "-w", "tolmerick")
    there = said(tmp_path, *words, MASIS_URL=service.url)
    assert "Worth asking\n$ masis ask " in there
    found = json.loads(said(service.home, *words, "--json"))
    assert found["opening"]["text"] in " ".join(there.split())
    gone = said(tmp_path, "documents", "none.pdf", "-w", "tolmerick", "--json", code=1, MASIS_URL=service.url)
    assert "'none.pdf'" in json.loads(gone)["error"]["message"]
    (tmp_path / "churn.md").write_text(
        "# Churn\n\nCustomer churn in fiscal 2025 was 7.4%, after many a customer left.\n"
    )
    read = said(service.home, "ingest", str(tmp_path / "churn.md"), "-w", "notes", FORCE_COLOR="1", NO_COLOR="1")
    assert "$ masis ask 'What was customer churn in fiscal 2025?' --workspace notes --document churn.md\n" in read
    scoped = said(service.home, "ask", EXPENSE, "-w", "tolmerick", "-d", "annual-report-2025.pdf")
    assert "Scope: annual-report-2025.pdf" in scoped


def test_a_budget_reaches_the_service(service: Service) -> None:
    words = ("ask", EXPENSE, "-w", "tolmerick", "--max-seconds", "50", "--max-cost", "0.5", "--json")
    run_id = json.loads(said(service.home, *words))["run_id"]
    with closing(sqlite3.connect(service.home / "masis.db")) as db:
        (state,) = db.execute("SELECT state FROM run_inputs WHERE run_id = ?", (run_id,)).fetchone()
    assert (json.loads(state)["max_seconds"], json.loads(state)["max_cost_usd"]) == (50, 0.5)


def test_a_folder_is_synced_by_the_service_that_holds_the_data(service: Service, tmp_path: Path) -> None:
    (tmp_path / "tide.md").write_text("# Tide\n\nHigh tide is at noon.")
    told = json.loads(said(service.home, "sync", str(tmp_path), "-w", "tides", "--json"))
    assert (told[0]["counts"]["new"], told[0]["address"]) == (1, str(tmp_path))
    (tmp_path / "tide.md").unlink()
    refused = said(service.home, "sync", "-w", "tides", "--json", code=1)
    assert "is empty" in json.loads(refused)["error"]["message"]
    assert json.loads(said(service.home, "sync", "-w", "tides", "--allow-empty", "--json"))[0]["counts"]["deleted"] == 1
    there = {"MASIS_URL": service.url}
    assert "cannot see the folders" in said(tmp_path, "sync", str(tmp_path), "-w", "tides", "--json", code=1, **there)
    assert "not a public address" in said(
        tmp_path, "sync", f"{service.url}/health", "-w", "tides", "--json", code=1, **there
    )


def test_a_service_elsewhere_is_named_by_its_address(service: Service, tmp_path: Path) -> None:
    there = {"MASIS_URL": service.url}
    assert "22.7" in said(tmp_path, "ask", EXPENSE, "-w", "tolmerick", **there)
    refused = said(tmp_path, "ask", EXPENSE, "-w", "nowhere", "--json", code=1, **there)
    assert "nowhere" in json.loads(refused)["error"]["message"]
    gone = said(tmp_path, "search", "x", "-w", "w", "--json", code=1, MASIS_URL="http://127.0.0.1:9")
    assert "does not respond" in json.loads(gone)["error"]["message"]


def test_a_killed_service_left_an_address_where_another_one_listens(service: Service, tmp_path: Path) -> None:
    (tmp_path / "service.url").write_text(service.url)
    (tmp_path / "service.lock").touch()
    refused = said(tmp_path, "search", "expense", "-w", "tolmerick", "--json", code=1)
    assert "tolmerick" in json.loads(refused)["error"]["message"]


def test_a_run_takes_one_line_and_nothing_is_drawn_or_coloured_when_piped(service: Service) -> None:
    lines = said(service.home, "runs", "--workspace", "tolmerick").splitlines()
    assert lines
    assert all(line.split()[3] in ("answered", "caveat", "disagree", "decide", "not") for line in lines)
    assert any(line.endswith(EXPENSE) for line in lines)
    shown = said(service.home, "runs", "show", lines[0].split()[0])
    assert not set(shown) & set("│╭╰─\x1b")
