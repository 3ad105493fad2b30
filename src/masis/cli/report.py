"""A run on the terminal: live progress, the answer with sources and verdicts, and what it cost."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from masis.cli.console import err, out, print_json, print_table
from masis.types import place
from masis.wording import (
    AGENTS,
    OUTCOMES,
    REPAIRS,
    REVIEW_CAUSES,
    Source,
    Sources,
    Tone,
    counted,
    likelihood_words,
    removed_sentences,
    step_words,
    verdict_of,
)

if TYPE_CHECKING:
    from masis.orchestrator.trail import InstructionSeen
    from masis.runs.events import RunEvent
    from masis.runs.planning import Estimate, Plan
    from masis.runs.records import RunResult
    from masis.types import ClosestPassage


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


def show_plan(plan: "Plan", as_json: bool) -> None:
    if as_json:
        print_json(asdict(plan))
        return
    out().print(
        f"{plan.roles}; {plan.passages} passages found, {plan.evidence_chars:,} characters. No model was asked."
    )
    rows = [_row("usually, one attempt", plan.usual), _row("at most, with every retry", plan.at_most)]
    print_table(["", "model calls", "tokens in", "tokens out", "cost", "seconds"], rows)


def _row(name: str, estimate: "Estimate") -> tuple[object, ...]:
    seconds = "not known before the first run" if estimate.seconds is None else f"about {estimate.seconds:.0f}"
    return (
        name,
        estimate.calls,
        f"{estimate.input_tokens:,}",
        f"{estimate.output_tokens:,}",
        f"${estimate.cost_usd:.4f}",
        seconds,
    )


def print_receipt(result: "RunResult") -> None:
    rows = [
        (
            row["attempt"] + 1,
            row["agent"],
            row["engine"] or "",
            row["requests"],
            f"{row['input_tokens']:,}",
            f"{row['output_tokens']:,}",
            f"${row['cost_usd']:.4f}",
            f"{row['seconds']:.1f}",
        )
        for row in result.metrics.get("receipt", [])
    ]
    print_table(["attempt", "agent", "engine", "requests", "tokens in", "tokens out", "cost", "seconds"], rows)


COLOURS: dict[Tone, str] = {"good": "green", "doubt": "yellow", "bad": "red", "plain": "yellow", "live": "cyan"}
MARKS: dict[Tone, str] = {"good": "✓ ", "doubt": "? ", "bad": "✗ "}

MOST_ORDERS_SHOWN = 3


def print_result(result: "RunResult", console: Console | None = None) -> None:
    console = console or out()
    title, colour = _title(result)
    sources = Sources(result.claims)
    answer = Text(sources.numbered(result.answer))
    if console.is_terminal:
        console.print(Panel(answer, title=title, title_align="left", border_style=colour))
    else:  # piped: no box, and no line broken
        console.print(f"{title}\n", answer, "", sep="\n", soft_wrap=True)
    if len(sources):
        console.print(_sources(sources))
    if result.closest:
        console.print(_closest(result.closest))
    for line in _repairs(result):
        console.print(Text(line, style="yellow"))
    console.print(_scores(result))
    if result.instructions_seen:
        console.print(_orders(result.instructions_seen))
    if result.requires_human_review:
        console.print(
            Text(f"\n{result.clarification_question or ''}", style="yellow"), soft_wrap=not console.is_terminal
        )
        # To be copied: in no box, and never broken.
        for command in _ways_on(result):
            console.print(f"$ {command}", style="cyan", markup=False, soft_wrap=True)


def _title(result: "RunResult") -> tuple[str, str]:
    if result.review and result.review["cause"] == "quality":
        return REVIEW_CAUSES["quality"], "yellow"
    outcome = OUTCOMES[result.outcome]
    return outcome.word, COLOURS[outcome.tone]


def _sources(sources: Sources) -> Table:
    table = Table(box=None, padding=(0, 1), show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for source in sources:
        table.add_row(f"[{source.number}]", *_source(source))
    return table


def _source(source: Source) -> tuple[str, str]:
    claim, quote = source.claim, source.citation["quote"]
    verdict = verdict_of(claim)
    colour = COLOURS[verdict.tone] if claim["verdict"] else "dim"
    quoted = f"\n[dim]“{escape(_short(quote))}”[/dim]" if quote else ""
    why = f"\n[{colour}]{escape(claim['reason'])}[/{colour}]" if colour == "red" else ""
    return f"[{colour}]{MARKS.get(verdict.tone, '')}{verdict.word}[/{colour}]", f"{escape(source.where)}{quoted}{why}"


def _repairs(result: "RunResult") -> list[str]:
    mended = [(REPAIRS[claim["repaired"]], claim["text"]) for claim in result.claims if "repaired" in claim]
    removed = [(REPAIRS["cut"], sentence) for sentence in removed_sentences(result.trace)]
    return [f"{repair.word.capitalize()}: “{_short(sentence)}”" for repair, sentence in [*mended, *removed]]


def _closest(passages: "list[ClosestPassage]") -> Text:
    """The documents do not answer: what they say that comes nearest."""
    lines = [f"{p['file_name']}, {place(p['page'], p['label'])}: “{_short(p['quote'])}”" for p in passages]
    return Text("\n  ".join(["Closest passages:", *lines]), style="dim")


def _short(quote: str, limit: int = 220) -> str:
    line = " ".join(quote.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _scores(result: "RunResult") -> Group:
    e, m = result.evaluation, result.metrics
    likelihood = "" if result.likelihood is None else f"{likelihood_words(result.likelihood)} · "
    scores = (
        f"{likelihood}confidence {result.confidence:.0%} (uncalibrated) · faithfulness {e['faithfulness']:.2f} · "
        f"relevance {e['relevance']:.2f} · completeness {e['completeness']:.2f} · "
        f"reasoning {e['reasoning_quality']:.2f} · overall {e['overall_score']:.2f}"
    )
    seconds = sum(m.get("node_latency_ms", {}).values()) / 1000
    attempts = m.get("iterations", 0)
    spent = (
        f"{counted(attempts, 'attempt')} · {counted(m.get('model_calls', 0), 'engine call')} · "
        f"{m.get('input_tokens', 0) + m.get('output_tokens', 0)} tokens · ${m.get('cost_usd', 0.0):.4f} · "
        f"{seconds:.1f} s · run {result.run_id}"
    )
    return Group(Text(scores, style="dim"), Text(spent, style="dim"))


def _orders(seen: "list[InstructionSeen]") -> Text:
    """What a document tried to make its reader do is worth a person's look, whatever became of the answer."""
    lines = [f"{one['file_name']}: “{_short(one['quote'], 120)}”" for one in seen[:MOST_ORDERS_SHOWN]]
    if len(seen) > MOST_ORDERS_SHOWN:
        lines.append(f"and {len(seen) - MOST_ORDERS_SHOWN} more, in the trace")
    title = "! The documents contain text addressed to their reader; it was treated as data, not followed:"
    return Text("\n  ".join([title, *lines]), style="yellow")


def _ways_on(result: "RunResult") -> list[str]:
    choices = result.review["choices"] if result.review else []
    start = f"masis answer {result.run_id}"
    ways = {
        "explain_both": f"{start} --both",
        "refine": f'{start} --question "…"',
        "look_again": f"{start} --again",
        "accept": f"{start} --accept",
        "stop": f"{start} --stop",
    }
    return [*_preferences(result, start), *(ways[c] for c in choices if c in ways)]


def _preferences(result: "RunResult", start: str) -> list[str]:
    conflicts = result.review["conflicts"] if result.review else []
    if not conflicts:
        return []
    first, second = (side["file_name"] for side in conflicts[0]["sides"][:2])
    return [f"{start} --prefer {quote(a)} --over {quote(b)}" for a, b in ((first, second), (second, first))]
