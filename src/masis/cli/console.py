"""Output of the command line: results go to standard output, everything else to standard error, without tracebacks."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from masis.cli.remote import Remote
    from masis.client import Masis
    from masis.knowledge.ingestion.batch import IngestProgress
    from masis.settings import Settings

Workspace = Annotated[
    str,
    typer.Option("--workspace", "-w", help="The workspace: letters, digits, '.', '_' and '-'."),
]
_NUMBER = re.compile(r"\$?\d[\d.,]*")
NARROWEST = 8
"""Minimum width of a column that is cut."""
NAMED, COUNTED = 24, 54
"""Widths, in characters, of the task and of its progress."""
AsJson = Annotated[bool, typer.Option("--json", help="Print the machine-readable result and nothing else.")]


def out() -> "Console":
    from rich.console import Console

    console = Console(highlight=False)
    # When piped, lines are not broken, because the reader relies on them.
    console.soft_wrap = not console.is_terminal
    return console


def err() -> "Console":
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def print_table(header: list[str], rows: Sequence[tuple[Any, ...]], *, cut: Sequence[int] = ()) -> None:
    """One line per row. In a narrow terminal only the columns in `cut` are shortened; headers, ids and names stay
    whole. When piped, everything stays whole."""
    from rich.cells import cell_len, set_cell_size

    console = out()
    cells = [[fitting(str(cell)) for cell in row] for row in (header, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    if console.is_terminal:
        _narrow(widths, [cell_len(name) for name in header], cut, console.width)
    numeric = [all(_NUMBER.fullmatch(cell) for cell in column[1:]) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        shown = []
        for text, width, is_number in zip(row, widths, numeric, strict=True):
            free = " " * (width - cell_len(text))
            whole = free + text if is_number else text + free
            shown.append(whole if cell_len(text) <= width else set_cell_size(text, width - 1) + "…")
        console.print("  ".join(shown).rstrip(), style="" if number else "bold", markup=False, soft_wrap=True)


def _narrow(widths: list[int], least: Sequence[int], cut: Sequence[int], room: int) -> None:
    """Takes the missing width from the widest of the columns that may be cut."""
    while cut and sum(widths) + 2 * (len(widths) - 1) > room:
        widest = max(cut, key=lambda column: widths[column])
        if widths[widest] <= max(least[widest], NARROWEST):
            break
        widths[widest] -= 1


def fitting(text: str, width: int | None = None) -> str:
    """On one line, cut to a width."""
    from masis.export.content import one_line

    line = one_line(text)
    return line if width is None or len(line) <= width else f"{line[: max(width - 1, 1)].rstrip()}…"


@contextmanager
def clear_errors(*, as_json: bool) -> Iterator[None]:
    """Turns any failure into one sentence, advice and a non-zero exit code; MASIS_DEBUG=1 shows the traceback."""
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
    """MASIS as configured here, closed when the command ends, with errors explained in plain words."""
    with clear_errors(as_json=as_json), masis_here() as masis:
        yield masis


def masis_here() -> "Masis":
    from masis import Masis

    return Masis(settings_here())


def settings_here() -> "Settings":
    chosen = settings()
    if "model_cache" not in chosen.model_fields_set:
        # At a terminal, people repeat a question to see the answer again, not to pay for a new one.
        chosen = chosen.model_copy(update={"model_cache": True})
    return chosen


@contextmanager
def beside(*, as_json: bool) -> "Iterator[Remote | None]":
    """The service at MASIS_URL, or the running one that holds the data folder; None if there is neither."""
    from masis.cli.remote import service_beside

    with clear_errors(as_json=as_json):
        yield service_beside(settings())


@contextmanager
def progress_bar(*, quiet: bool) -> "Iterator[Callable[[IngestProgress], None] | None]":
    if quiet:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn

    console = err()
    # Figures come first: 80 characters leave no room for the bar.
    bar_width = min(20, console.width - NAMED - COUNTED)
    drawn = [BarColumn(bar_width=bar_width)] if bar_width >= NARROWEST else []
    columns = (TextColumn(f"{{task.description:<{NAMED}}}"), *drawn, TextColumn("{task.fields[counts]}"))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("looking for files", counts="")

        def show(progress: "IngestProgress") -> None:
            doing = f"{progress.stage} {progress.file_name}"
            bar.update(
                task,
                description=fitting(doing, NAMED),
                completed=progress.chunks_done + progress.files_done,
                total=progress.chunks_total + progress.files_total,
                counts=_counts(progress),
            )

        yield show


def _counts(progress: "IngestProgress") -> str:
    parts = [f"{progress.files_done}/{progress.files_total} files", f"{progress.pages} pages"]
    if progress.chunks_total:
        parts.append(f"{progress.chunks_done}/{progress.chunks_total} passages")
    if progress.seconds_left is not None:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        parts.append(f"{minutes}:{seconds:02} left")
    return " · ".join(parts)


def show(result: object, words: str, *, as_json: bool) -> None:
    if as_json:
        print_json(result)
    else:
        out().print(words, markup=False, soft_wrap=True)


def record(masis: "Masis", action: str, workspace: str, subject: str) -> None:
    """Deletions are in the audit log, however they were requested."""
    from masis.access.audit_log import AuditLog
    from masis.types import LOCAL

    AuditLog(masis.settings).record(LOCAL, action, workspace, subject)


def _fail(code: str, message: str, advice: str, as_json: bool) -> NoReturn:
    from rich.markup import escape

    if as_json:
        print_json({"error": {"code": code, "message": message, "advice": advice}})
    else:
        err().print(f"[bold red]Error:[/bold red] {escape(message)}\n{escape(advice)}", soft_wrap=True)
    raise typer.Exit(1)


def settings() -> "Settings":
    """The environment's settings. An invalid one is reported as the user's error."""
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
