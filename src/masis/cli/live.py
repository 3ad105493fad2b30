"""The agents at work, line by line, while a run goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from masis.cli.console import counted, err

if TYPE_CHECKING:
    from masis.runs.event_log import RunEvent

DOING = {
    "researcher": "searching the documents",
    "synthesizer": "writing",
    "critic": "auditing every sentence",
    "evaluator": "scoring",
}


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
                status.update(f"[cyan]{agent.capitalize()}[/cyan] {DOING.get(agent, 'at work')} …")
            elif entry:
                console.print(line_of(event, entry))

        yield show


def line_of(event: "RunEvent", entry: dict[str, Any]) -> str:
    agent = event.get("agent", "")
    mark, said = _said(agent, entry)
    return f"  {mark} [bold]{agent.replace('_', ' ').capitalize():<12}[/bold] [dim]{said}[/dim]"


def _said(agent: str, entry: dict[str, Any]) -> tuple[str, str]:
    if "warning" in entry:
        return "[yellow]![/yellow]", _warned(entry)
    if agent == "researcher":
        kept, dropped = entry["chunks"], entry["filtered_out"]
        return DONE, f"{counted(kept, 'passage')} kept, {dropped} dropped, average relevance {entry['avg_score']:.2f}"
    if agent == "synthesizer":
        shorter = ", context compressed" if entry["context_compressed"] else ""
        return DONE, f"{entry['answer_length']} characters, {counted(entry['citations'], 'citation')}{shorter}"
    if agent == "critic":
        return DONE, _criticised(entry)
    if agent == "evaluator":
        return DONE, f"overall {entry['overall_score']:.2f}, faithfulness {entry['faithfulness']:.2f}"
    if agent == "supervisor":
        mark = {"retry": "[yellow]↻[/yellow]", "finalize": DONE}.get(entry["decision"], "[yellow]?[/yellow]")
        return mark, DECISIONS[entry["decision"]].format(reason=entry["reason"].replace("_", " "))
    return DONE, entry.get("action", "").replace("_", " ")


DONE = "[green]✓[/green]"
DECISIONS = {
    "retry": "another attempt: {reason}",
    "finalize": "finished: {reason}",
    "HITL_conflict": "a person must decide: {reason}",
    "HITL_triggered": "a person is asked: {reason}",
}


def _warned(entry: dict[str, Any]) -> str:
    if entry["warning"] == "no_qualifying_evidence":
        return f"nothing usable among {entry['results_before_filter']} candidates"
    return str(entry.get("error") or entry["warning"].replace("_", " "))


def _criticised(entry: dict[str, Any]) -> str:
    found = [f"confidence {entry['confidence']:.0%}"]
    if entry["invalid_citations"]:
        found.append(counted(len(entry["invalid_citations"]), "fabricated citation"))
    if entry["uncited_claims"]:
        found.append(counted(entry["uncited_claims"], "uncited claim"))
    if entry["conflicts"]:
        found.append(counted(entry["conflicts"], "conflict"))
    return ", ".join(found)
