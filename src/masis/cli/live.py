"""The agents at work, line by line, while a run is in progress."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from masis.cli.console import err
from masis.wording import AGENTS, step_words

if TYPE_CHECKING:
    from masis.runs.event_log import RunEvent


@contextmanager
def watching(*, quiet: bool) -> "Iterator[Callable[[RunEvent], None] | None]":
    if quiet:
        yield None
        return
    console = err()
    with console.status("starting") as status:

        def show(event: "RunEvent") -> None:
            agent, entry = event.get("agent", ""), event.get("trace")
            if event["event"] == "started":
                named = AGENTS[agent]
                status.update(f"[cyan]{named.word}[/cyan] {named.meaning} …")
            elif entry:
                console.print(line_of(event, entry))

        yield show


def line_of(event: "RunEvent", entry: Mapping[str, Any]) -> str:
    agent = event.get("agent", "")
    return f"  {_mark(agent, entry)} [bold]{AGENTS[agent].word:<12}[/bold] [dim]{escape(step_words(entry))}[/dim]"


def _mark(agent: str, entry: Mapping[str, Any]) -> str:
    if "warning" in entry:
        return "[yellow]![/yellow]"
    if agent == "supervisor" and entry["decision"] != "finalize":
        return "[yellow]↻[/yellow]" if entry["decision"] == "retry" else "[yellow]?[/yellow]"
    return "[green]✓[/green]"
