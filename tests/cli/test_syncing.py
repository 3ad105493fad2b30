"""`masis sync` and `masis sources` at the terminal."""

import json
import os
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from masis.cli.app import app
from tests.support.deployment import MASIS, until
from tests.support.service import clean_environment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "fleet.md").write_text("# Fleet\n\nThe ferry Halvorsen carried 4100 cars.\n")
    (folder / "harbour.md").write_text("# Harbour\n\nVardo has two cranes.\n")
    return folder


def said(home: Path, *words: str, code: int = 0) -> str:
    done = CliRunner(env={"MASIS_HOME": str(home), "COLUMNS": "80"}).invoke(app, words)
    assert done.exit_code == code, done.output
    return done.output


def test_a_folder_as_it_changes(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    assert "would be 2 new" in said(home, "sync", str(folder), "-w", "acme", "--dry-run")
    assert "No workspace yet" in said(home, "workspaces")
    first = said(home, "sync", str(folder), "-w", "acme", "--every", "15m", "--ignore", "*.tmp")
    assert first.splitlines()[-1] == f"acme ← {folder}: 2 new"
    (folder / "harbour.md").rename(folder / "vardo.md")
    (folder / "draft.tmp").write_text("left out")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    told = said(home, "sync", "-w", "acme", code=3)
    assert "→ harbour.md is now vardo.md" in told
    assert "✗ broken.pdf" in told
    assert told.splitlines()[-1] == f"acme ← {folder}: 1 renamed, 1 unchanged, 1 not read"
    os.utime(folder / "fleet.md", (1, 1))
    told = said(home, "sync", "-w", "acme", code=3)
    assert "✗ broken.pdf" in told, "unread until it is read or gone"
    assert told.splitlines()[-1] == f"acme ← {folder}: 2 unchanged, 1 not read", "touched, but the same"
    (listed,) = json.loads(said(home, "sources", "--json"))
    assert (listed["address"], listed["every_seconds"]) == (str(folder), 900)
    shown = said(home, "sources")
    assert "every 15 m · next 20" in shown
    assert "broken.pdf" in shown
    assert "vardo.md" in said(home, "sources", "-w", "acme", "--files", str(folder))
    assert "is no longer synced" in said(home, "delete", "source", str(folder), "-w", "acme")
    assert "No sources yet" in said(home, "sources")


def test_a_folder_that_is_gone_or_empty_is_an_error_and_deletes_nothing(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    said(home, "sync", str(folder), "-w", "acme")
    folder.rename(tmp_path / "away")
    assert "cannot be read" in said(home, "sync", str(folder), "-w", "acme", code=1)
    folder.mkdir()
    refused = said(home, "sync", str(folder), "-w", "acme", "--json", code=1)
    assert "--allow-empty" in json.loads(refused)["error"]["advice"]
    (other := tmp_path / "other").mkdir()
    (other / "own.md").write_text("# Own\n\nA note.\n")
    both = said(home, "sync", str(folder), str(other), "-w", "acme", "--json", code=1)
    assert [each.get("counts", {}).get("new") for each in json.loads(both[both.index("[") :])] == [None, 1]
    assert len(json.loads(said(home, "documents", "-w", "acme", "--json"))) == 3
    gone = json.loads(said(home, "sync", str(folder), "-w", "acme", "--allow-empty", "--json"))
    assert gone[0]["counts"]["deleted"] == 2


def test_watching_a_folder(tmp_path: Path, folder: Path) -> None:
    environment = clean_environment() | {"MASIS_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"}
    log = tmp_path / "log"
    with log.open("wb") as into:
        words = [MASIS, "sync", str(folder), "-w", "acme", "--watch"]
        # A shell's background jobs ignore the signal, and so would what they start.
        heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        process = subprocess.Popen(words, env=environment, stdout=into, stderr=subprocess.STDOUT, preexec_fn=heeds)
    try:
        until(lambda: "2 new" in log.read_text())
        (folder / "south.md").write_text("# South\n\nThe southern line has a night boat.\n")
        until(lambda: "+ south.md" in log.read_text())
        (folder / "south.md").unlink()
        until(lambda: "- south.md" in log.read_text())
    finally:
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(120) == 0, log.read_text()
