"""What a question would take, and what a run took: agent by agent, attempt by attempt."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from masis.cli.console import out, print_json, print_table

if TYPE_CHECKING:
    from masis.runs.planning import Estimate, Plan
    from masis.runs.result import RunResult


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
