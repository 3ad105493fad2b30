"""A run on the terminal: live progress, the answer with sources and verdicts, and its cost."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import groupby
from shlex import quote
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from masis.cli.console import err, out, print_json, print_table
from masis.language.measures import percent
from masis.numbering import Source, Sources, quote_words
from masis.types import place
from masis.wording import (
    AGENTS,
    OUTCOMES,
    REPAIRS,
    REVIEW_CAUSES,
    Tone,
    counted,
    removed_sentences,
    scope_words,
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
        f"{plan.roles}; {plan.passages} passages found, {plan.evidence_chars:,} characters. No model was called."
    )
    rows = [_row("usually, one attempt", plan.usual), _row("at most, with every retry", plan.at_most)]
    print_table(["", "calls", "tokens in", "tokens out", "cost", "seconds"], rows)


def _row(name: str, estimate: "Estimate") -> tuple[object, ...]:
    seconds = "unknown" if estimate.seconds is None else f"about {estimate.seconds:.0f}"
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
    print_table(["attempt", "agent", "engine", "calls", "tokens in", "tokens out", "cost", "seconds"], rows, cut=(2,))


COLOURS: dict[Tone, str] = {"good": "green", "doubt": "yellow", "bad": "red", "plain": "yellow", "live": "cyan"}
MARKS: dict[Tone, str] = {"good": "✓ ", "doubt": "? ", "bad": "✗ "}

MOST_ORDERS_SHOWN = 3


def print_result(result: "RunResult", console: Console | None = None) -> None:
    console = console or out()
    is_piped = not console.is_terminal
    _print_answer(result, console)
    if scope := scope_words(result.filters, result.evidence):
        console.print(Text(f"Scope: {scope}", style="dim"), soft_wrap=is_piped)
    _print_sources(Sources(result.claims), console)
    if result.closest:
        console.print(_closest(result.closest), soft_wrap=is_piped)
    for line in _repairs(result):
        console.print(Text(line, style="yellow"), soft_wrap=is_piped)
    console.print(_scores(result), soft_wrap=is_piped)
    if result.instructions_seen:
        console.print(_orders(result.instructions_seen), soft_wrap=is_piped)
    if result.requires_human_review:
        console.print(Text(f"\n{result.clarification_question or ''}", style="yellow"), soft_wrap=is_piped)
        # Ready to copy: no box, no line breaks.
        for command in _ways_on(result):
            console.print(f"$ {command}", style="cyan", markup=False, soft_wrap=True)


def _print_answer(result: "RunResult", console: Console) -> None:
    title, colour = _title(result)
    answer = Sources(result.claims).numbered(result.answer)
    if result.says_only_silence:
        console.print(title, style=f"bold {colour}")
    elif console.is_terminal:
        console.print(Panel(as_read(answer), title=title, title_align="left", border_style=colour))
    else:  # piped: no box, no broken lines
        console.print(f"{title}\n", Text(answer), "", sep="\n", soft_wrap=True)


def as_read(answer: str) -> Group:
    """Markdown for a terminal: draws tables, sets bold text in bold, and drops the marks."""
    blocks = groupby(answer.splitlines(), key=lambda line: line.startswith("|"))
    return Group(*(_table([*lines]) if is_table else _bold("\n".join(lines)) for is_table, lines in blocks))


def _table(lines: Sequence[str]) -> Table:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    rows = [row for row in rows if any(cell.strip("-: ") for cell in row)]
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for number, name in enumerate(rows[0]):
        table.add_column(Text(name), style="bold" if number == 0 else "")
    for row in rows[1:]:
        table.add_row(*map(Text, row[: len(rows[0])]))
    return table


def _bold(text: str) -> Text:
    pieces = text.split("**")
    marked = ((piece, "bold" if at % 2 else "") for at, piece in enumerate(pieces))
    return Text.assemble(*marked) if len(pieces) % 2 else Text(text)


def _title(result: "RunResult") -> tuple[str, str]:
    if result.review and result.review["cause"] == "quality":
        return REVIEW_CAUSES["quality"], "yellow"
    outcome = OUTCOMES[result.outcome]
    return outcome.word, COLOURS[outcome.tone]


def _print_sources(sources: Sources, console: Console) -> None:
    if not console.is_terminal:
        for source in sources:
            words = " ".join(part.plain for part in _source(source))
            console.print(f"[{source.number}] {words}", markup=False, soft_wrap=True)
        return
    table = Table(box=None, padding=(0, 1), show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for source in sources:
        verdict, *lines = _source(source)
        table.add_row(f"\\[{source.number}]", verdict, Text("\n").join(lines))
    if len(sources):
        console.print(table)


def _source(source: Source) -> list[Text]:
    """Its verdict, place and text, and why it does not support the sentence."""
    claim, words = source.claim, quote_words(source.citation)
    verdict = verdict_of(claim)
    colour = COLOURS[verdict.tone] if claim["verdict"] else "dim"
    quoted = [Text(f"“{_short(words)}”", style="dim")] if words else []
    why = [Text(claim["reason"], style=colour)] if colour == "red" else []
    return [Text(f"{MARKS.get(verdict.tone, '')}{verdict.word}", style=colour), Text(source.where), *quoted, *why]


def _repairs(result: "RunResult") -> list[str]:
    mended = [(REPAIRS[claim["repaired"]], claim["text"]) for claim in result.claims if "repaired" in claim]
    removed = [(REPAIRS["cut"], sentence) for sentence in removed_sentences(result.trace)]
    return [f"{repair.word.capitalize()}: “{_short(sentence)}”" for repair, sentence in [*mended, *removed]]


def _closest(passages: "list[ClosestPassage]") -> Text:
    """The closest passages, if the documents do not answer the question."""
    lines = [
        f"{p['file_name']}, {place(p['page'], p['label'])}: “{_short(quote_words(p))}”"
        + (f" (mentions {', '.join(p['words'])})" if p["words"] else "")
        for p in passages
    ]
    advice = "Ask with words that the documents use, or add documents that cover the question."
    return Text("\n".join(["Closest passages:", *(f"  {line}" for line in lines), advice]), style="dim")


def _short(quote: str, limit: int = 220) -> str:
    line = " ".join(quote.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _scores(result: "RunResult") -> Text:
    e, m = result.evaluation, result.metrics
    seconds = sum(m.get("node_latency_ms", {}).values()) / 1000
    # The id comes first, so that it is not broken at the end of a line and can be copied.
    spent = (
        f"run {result.run_id} · {counted(m.get('iterations', 0), 'attempt')} · "
        f"{counted(m.get('model_calls', 0), 'engine call')} · "
        f"{m.get('input_tokens', 0) + m.get('output_tokens', 0)} tokens · ${m.get('cost_usd', 0.0):.4f} · "
        f"{seconds:.1f} s"
    )
    if not result.sure:
        return Text(spent, style="dim")
    scores = (
        f"{result.sure} · overall score {percent(e['overall_score'])}: faithfulness {percent(e['faithfulness'])}, "
        f"relevance {percent(e['relevance'])}, completeness {percent(e['completeness'])}, "
        f"reasoning {percent(e['reasoning_quality'])}"
    )
    return Text(f"{scores}\n{spent}", style="dim")


def _orders(seen: "list[InstructionSeen]") -> Text:
    """Instructions found in documents deserve attention, whatever the answer."""
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
