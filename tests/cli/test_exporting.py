"""`masis runs export`, as a person types it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from masis import Masis
from masis.cli.app import app
from masis.settings import Settings


@pytest.fixture(scope="module")
def home_and_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    home = tmp_path_factory.mktemp("exported")
    document = home / "notes.md"
    document.write_text("# Post-mortem\n\nThe root cause of the gateway outage was an expired TLS certificate.")
    masis = Masis(Settings(home=home / "masis"))
    masis.ingest([document], "acme")
    run_id = masis.ask("What was the root cause of the gateway outage?", "acme").run_id
    masis.close()
    return home / "masis", run_id


def run(home: Path, *arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["runs", "export", *arguments], env={"MASIS_HOME": str(home)})
    return done.exit_code, done.stdout, " ".join(done.stderr.split())


def test_a_run_is_printed_as_markdown(home_and_run: tuple[Path, str]) -> None:
    home, run_id = home_and_run
    code, printed, _ = run(home, run_id)
    assert code == 0
    assert printed.startswith("# What was the root cause of the gateway outage?\n")
    assert "[^1]: notes.md, page 1" in printed


def test_the_name_of_the_file_says_the_format(home_and_run: tuple[Path, str], tmp_path: Path) -> None:
    home, run_id = home_and_run
    for name, start in (("a.docx", b"PK"), ("a.pdf", b"%PDF-"), ("a.HTML", b"<!doctype html>"), ("a.json", b"{")):
        assert run(home, run_id, "-o", str(tmp_path / name))[0] == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    assert run(home, run_id, "--format", "json", "-o", str(tmp_path / "a.txt"))[0] == 0
    assert json.loads((tmp_path / "a.txt").read_bytes())["run"]["run_id"] == run_id


def test_what_cannot_be_done_is_said(home_and_run: tuple[Path, str], tmp_path: Path) -> None:
    home, run_id = home_and_run
    for arguments, words in (
        ([run_id, "--format", "exe"], "not an export format"),
        ([run_id, "-o", str(tmp_path / "nowhere" / "a.md")], "cannot be written"),
        (["0000"], "0000"),
    ):
        code, printed, said = run(home, *arguments)
        assert (code, printed) == (1, "")
        assert words in said
