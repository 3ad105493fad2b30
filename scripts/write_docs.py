"""Writes docs/cli.md from the help texts and docs/configuration.md from the settings; a test keeps them current."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import PydanticUndefined
from typer.main import get_command
from typer.testing import CliRunner

from masis.cli.app import app
from masis.settings import Settings

DOCS = Path(__file__).parent.parent / "docs"


def _names(command: Any, name: str = "") -> Iterator[str]:
    yield name
    for part, below in getattr(command, "commands", {}).items():
        yield from _names(below, f"{name} {part}".strip())


COMMANDS = list(_names(get_command(app)))


def cli_page() -> str:
    blocks = [f"## masis {name}\n\n```\n{_help(name)}\n```" if name else f"```\n{_help('')}\n```" for name in COMMANDS]
    return "# Commands\n\nWritten by `make docs` from `--help`.\n\n" + "\n\n".join(blocks) + "\n"


def _help(command: str) -> str:
    runner = CliRunner(env={"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"})
    done = runner.invoke(app, [*command.split(), "--help"], prog_name="masis", catch_exceptions=False)
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def configuration_page() -> str:
    return (
        "# Configuration\n\nWritten by `make docs` from `masis/settings.py`. Every setting is an environment variable, "
        "and an argument of `Settings(…)`: its name in lower case without the prefix.\n\n"
        + "\n\n".join(_section(title, names) for title, names in _sections().items())
        + "\n"
    )


def _sections() -> dict[str, list[str]]:
    """The settings under the comments that head them in the source."""
    found: dict[str, list[str]] = {}
    for line in inspect.getsource(Settings).splitlines():
        if line.startswith("    # "):
            found[line.removeprefix("    # ")] = []
        elif (name := line.strip().partition(":")[0]) in Settings.model_fields:
            found[list(found)[-1]].append(name)
    return found


def _section(title: str, names: list[str]) -> str:
    rows = [f"| `{_variable(name)}` | {_default(name)} | {_meaning(name)} |" for name in names]
    return f"## {title}\n\n| variable | default | meaning |\n| --- | --- | --- |\n" + "\n".join(rows)


def _variable(name: str) -> str:
    return (
        name.upper()
        if name.startswith(("qdrant_host", "qdrant_port", "qdrant_url", "qdrant_api_key", "openai_"))
        else f"MASIS_{name.upper()}"
    )


def _default(name: str) -> str:
    field = Settings.model_fields[name]
    if name == "home":
        return "`~/.masis`"
    if isinstance(field.default, bool):
        return "`on`" if field.default else "`off`"
    return "unset" if field.default in (None, PydanticUndefined) else f"`{field.default}`"


def _meaning(name: str) -> str:
    return " ".join((Settings.model_fields[name].description or "").split())


PAGES = {"cli.md": cli_page, "configuration.md": configuration_page}

if __name__ == "__main__":
    for file_name, page in PAGES.items():
        (DOCS / file_name).write_text(page())
