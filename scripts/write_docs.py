"""Writes docs/cli.md from the help texts and docs/configuration.md from the settings; a test keeps them current."""

import os
import subprocess
import sys
from pathlib import Path

from pydantic_core import PydanticUndefined

from masis.settings import Settings

DOCS = Path(__file__).parent.parent / "docs"
COMMANDS = [
    "",
    "ask",
    "resume",
    "runs",
    "runs show",
    "runs cancel",
    "runs delete",
    "runs prune",
    "decisions",
    "usage",
    "serve",
    "worker",
    "keys create",
    "keys list",
    "keys revoke",
    "audit-log",
    "mcp",
    "ingest",
    "search",
    "workspaces",
    "documents",
    "delete",
    "reindex",
    "calibrate",
    "doctor",
]


def cli_page() -> str:
    blocks = [f"## masis {name}\n\n```\n{_help(name)}\n```" if name else f"```\n{_help('')}\n```" for name in COMMANDS]
    return "# Commands\n\nWritten by `make docs` from `--help`.\n\n" + "\n\n".join(blocks) + "\n"


def _help(command: str) -> str:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "masis"), *command.split(), "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"},
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def configuration_page() -> str:
    rows = [f"| `{_variable(name)}` | {_default(name)} | {_meaning(name)} |" for name in Settings.model_fields]
    return (
        "# Configuration\n\nWritten by `make docs` from `masis/settings.py`. Every constant is an environment "
        "variable, and an argument of `Settings(…)` by its name in small letters without the prefix.\n\n"
        "| variable | default | meaning |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"
    )


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
    return "unset" if field.default in (None, PydanticUndefined) else f"`{field.default}`"


def _meaning(name: str) -> str:
    return " ".join((Settings.model_fields[name].description or "").split())


PAGES = {"cli.md": cli_page, "configuration.md": configuration_page}

if __name__ == "__main__":
    for file_name, page in PAGES.items():
        (DOCS / file_name).write_text(page())
