"""What the containers run are commands of `masis`, with options that they have."""

import re

import pytest
import typer
from typer.core import TyperGroup

from masis.cli.app import app
from tests.deploy.container_files import COMPOSE_TEXT, OURS, ROOT, SERVICES, last

COMMANDS = {"image": last("CMD").words} | {name: SERVICES[name]["command"] for name in OURS}


@pytest.mark.parametrize("where", COMMANDS)
def test_a_container_runs_a_real_command(where: str) -> None:
    program, name, *options = COMMANDS[where]
    assert program == "masis"
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    assert name in group.commands
    # Parsed, not run: an option that is not there, or a value of the wrong kind, is refused here.
    given = group.commands[name].make_context(name, options).params
    assert given.get("port", 8000) == int(last("EXPOSE").words[0])


def test_the_advice_in_the_files_names_real_commands() -> None:
    text = COMPOSE_TEXT + (ROOT / ".env.example").read_text()
    named = set(re.findall(r"`[^`\n]*\bmasis (\w+)[^`\n]*`", text))
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    assert "reindex" in named
    assert named - group.commands.keys() == set()
