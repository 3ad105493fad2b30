"""`masis keys` and `masis audit-log` as a person uses them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from masis.access.keys import Keys
from masis.cli.app import app
from masis.errors import Unauthorized
from masis.settings import Settings

TOKEN = re.compile(r"masis_[0-9a-f]{12}_[0-9a-f]{64}")


class CommandLine:
    def __init__(self, home: Path) -> None:
        self.keys = Keys(Settings(home=home))

    def __call__(self, *words: str, fails: bool = False) -> Result:
        done = CliRunner().invoke(app, words)
        assert done.exit_code == (1 if fails else 0), done.output
        return done

    def json(self, *words: str, fails: bool = False) -> Any:
        return json.loads(self(*words, "--json", fails=fails).stdout)


@pytest.fixture
def masis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "140")
    return CommandLine(tmp_path / "home")


def test_a_key_is_made_and_its_token_shown_with_a_way_to_use_it(masis: CommandLine) -> None:
    said = masis("keys", "create", "Ada's laptop", "--role", "write", "-w", "acme", "--expires", "90d").stdout
    tokens = set(TOKEN.findall(said))
    assert len(tokens) == 1
    assert "shown only this once" in said
    assert "curl http://127.0.0.1:8000/masis/workspaces/acme -H 'Authorization: Bearer masis_" in said
    key = masis.keys.verify(tokens.pop())
    assert (key.name, key.role, key.workspaces) == ("Ada's laptop", "write", ("acme",))


def test_who_only_reads_is_shown_how_to_read(masis: CommandLine) -> None:
    said = masis("keys", "create", "eyes", "-w", "acme").stdout
    assert "/masis/workspaces/acme/documents" in said
    assert "query" not in said


def test_the_list_shows_every_key_and_no_token(masis: CommandLine) -> None:
    assert "masis keys create" in masis("keys", "list").stdout
    made = masis.json("keys", "create", "bot", "--role", "admin", "-w", "*")
    masis("keys", "create", "pen", "--role", "write", "-w", "acme", "-w", "zenith")
    masis.keys.verify(made["token"])
    said = masis("keys", "list").stdout
    assert "admin in all workspaces" in said
    assert "write in acme, zenith" in said
    listed = masis.json("keys", "list")
    assert {key["name"] for key in listed} == {"bot", "pen"}
    assert not TOKEN.search(said + json.dumps(listed))


def test_a_revoked_key_opens_nothing(masis: CommandLine) -> None:
    made = masis.json("keys", "create", "bot", "-w", "acme")
    said = masis("keys", "revoke", made["key_id"]).stdout
    assert f"Revoked {made['key_id']} (bot)" in said
    assert "the last one" in said
    with pytest.raises(Unauthorized, match="revoked"):
        masis.keys.verify(made["token"])
    assert masis.json("keys", "list")[0]["revoked_at"]
    assert masis.keys.needed()
    assert "Keys are no longer required" in masis("keys", "stop-asking").stdout
    assert not masis.keys.needed()


def test_what_was_done_is_written_down(masis: CommandLine) -> None:
    assert "is empty" in masis("audit-log").stdout
    made = masis.json("keys", "create", "bot", "-w", "acme")
    masis("keys", "create", "other", "-w", "zenith")
    masis("keys", "revoke", made["key_id"])
    entries = masis.json("audit-log", "-w", "acme")
    assert [(entry["who"], entry["action"]) for entry in entries] == [("local", "key.revoke"), ("local", "key.create")]
    assert {entry["subject"] for entry in entries} == {made["key_id"]}
    assert len(masis.json("audit-log", "-n", "1")) == 1
    assert len(masis.json("audit-log", "--before", entries[0]["entry_id"])) == 2
    said = masis("audit-log").stdout
    assert "key.revoke" in said
    assert made["token"] not in said + json.dumps(entries)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("keys", "create", "x", "-w", "acme", "--role", "boss"), "invalid_input"),
        (("keys", "create", "x", "-w", "../x"), "invalid_input"),
        (("keys", "create", "x", "-w", "acme", "--expires", "soon"), "invalid_input"),
        (("keys", "revoke", "nobody"), "unknown_key"),
    ],
)
def test_what_cannot_be_done_is_said(masis: CommandLine, words: tuple[str, ...], code: str) -> None:
    error = masis.json(*words, fails=True)["error"]
    assert error["code"] == code
    assert error["advice"]
    assert masis.json("audit-log") == []


@pytest.mark.parametrize("words", [("keys",), ("keys", "create"), ("keys", "list"), ("keys", "revoke"), ("audit-log",)])
def test_help_teaches_with_an_example(masis: CommandLine, words: tuple[str, ...]) -> None:
    assert "$ masis" in masis(*words, "--help").stdout
