"""Where the time of a run goes, agent by agent, with the offline engine on the sample workspace."""

import statistics
import tempfile
from pathlib import Path

from evals.sample import SAMPLE, questions
from evals.tables import Section, machine, table
from masis import Masis, Settings

AGENTS = ["researcher", "synthesizer", "critic", "evaluator"]


def measure() -> Section:
    with tempfile.TemporaryDirectory() as home:
        masis = Masis(Settings(home=Path(home)))
        masis.ingest([SAMPLE], "tolmerick")
        asked = [q for q in questions() if q.expected_outcome == "answered"]
        masis.ask(asked[0].question, "tolmerick")  # the first question loads the models
        runs = [masis.ask(q.question, "tolmerick").metrics for q in asked]
    happy = [m["node_latency_ms"] for m in runs if m["iterations"] == 1]
    rows = [[agent, *_spread([latency[agent] for latency in happy])] for agent in AGENTS]
    rows.append(["all agents", *_spread([sum(latency.values()) for latency in happy])])
    body = (
        f"Milliseconds, {len(happy)} questions of the sample index answered in one attempt, models loaded; "
        f"{machine()}.\n\n{table(['agent', 'median', 'p95'], rows)}"
    )
    return Section("latency", "Happy path, offline engine", body)


def _spread(values: list[float]) -> tuple[str, str]:
    p95 = statistics.quantiles(values, n=20)[-1]
    return f"{statistics.median(values):.0f}", f"{p95:.0f}"
