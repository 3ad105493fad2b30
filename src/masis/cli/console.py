"""How the command line speaks: results to standard output, everything else to standard error, no tracebacks."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from masis.cli.remote import Remote
    from masis.client import Masis
    from masis.settings import Settings

Workspace = Annotated[
    str,
    typer.Option("--workspace", "-w", help="The workspace: letters, digits, '.', '_' and '-'."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the machine-readable result and nothing else.")]


def out() -> "Console":
    from rich.console import Console

    return Console(highlight=False)


def err() -> "Console":
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def print_table(header: list[str], rows: Sequence[tuple[Any, ...]], *, markup: Sequence[int] = ()) -> None:
    """`markup`: the columns whose cells are marked up by us; all others are somebody's words."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for place, name in enumerate(header):
        # What stands first is a name to copy: it must not be cut where the terminal is narrow.
        longest = max((len(str(row[0])) for row in rows), default=0) if place == 0 else None
        table.add_column(name, no_wrap=place == 0, min_width=longest)
    for row in rows:
        table.add_row(*(str(cell) if place in markup else escape(str(cell)) for place, cell in enumerate(row)))
    out().print(table)


@contextmanager
def clear_errors(*, as_json: bool) -> Iterator[None]:
    """One sentence, advice and a non-zero exit, whatever went wrong; MASIS_DEBUG=1 shows where."""
    from masis.errors import MASISError

    if os.environ.get("MASIS_DEBUG"):
        yield
        return
    try:
        yield
    except MASISError as error:
        _fail(error.code, str(error), error.advice, as_json)
    except KeyboardInterrupt:
        err().print("[yellow]Stopped.[/yellow]")
        raise typer.Exit(130) from None
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        _fail("unexpected", message, "Unexpected error, probably a bug: MASIS_DEBUG=1 shows where.", as_json)


@contextmanager
def opened(*, as_json: bool) -> Iterator["Masis"]:
    """MASIS as configured here, closed when the command ends; errors are explained in plain words."""
    with clear_errors(as_json=as_json):
        from masis import Masis

        chosen = settings()
        if "model_cache" not in chosen.model_fields_set:
            # At a terminal the same question is asked again to see the answer again, not to pay for another.
            chosen = chosen.model_copy(update={"model_cache": True})
        with Masis(chosen) as masis:
            yield masis


@contextmanager
def beside(*, as_json: bool) -> "Iterator[Remote | None]":
    """The running service that holds the data folder, or the one at MASIS_URL; None where there is none."""
    from masis.cli.remote import service_beside

    with clear_errors(as_json=as_json):
        yield service_beside(settings())


def record(masis: "Masis", action: str, workspace: str, subject: str) -> None:
    """Deletions are in the audit log, whichever door they came through."""
    from masis.access.audit_log import AuditLog
    from masis.types import LOCAL

    AuditLog(masis.settings).record(LOCAL, action, workspace, subject)


def _fail(code: str, message: str, advice: str, as_json: bool) -> NoReturn:
    from rich.markup import escape

    if as_json:
        print_json({"error": {"code": code, "message": message, "advice": advice}})
    else:
        err().print(f"[bold red]Error:[/bold red] {escape(message)}\n{escape(advice)}")
    raise typer.Exit(1)


def settings() -> "Settings":
    """The environment's settings; an invalid one is reported as the user's error."""
    from pydantic import ValidationError

    from masis.errors import InvalidInput
    from masis.settings import Settings

    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        variable = name if name.startswith(("QDRANT", "OPENAI")) else f"MASIS_{name}"
        raise InvalidInput(
            f"{variable}={first['input']!r} cannot be used: {first['msg']}.",
            advice="Correct or unset the variable.",
        ) from None
