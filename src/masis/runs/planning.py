"""What a question would take, told before a model is asked: calls, tokens, money and seconds."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from masis.orchestrator.researcher import select_evidence
from masis.reasoning.llm.fitness import named, unfit_reasons
from masis.reasoning.ports import as_passage
from masis.reasoning.standing_in import CHARS_A_TOKEN, PROMPT_CHARS
from masis.runs.asking import checked_input
from masis.runs.parts import Parts
from masis.runs.run_table import RunTable
from masis.settings import OFFLINE, ROLES, Role, Settings
from masis.types import SearchFilters

USUAL_OUTPUT_TOKENS: dict[Role, int] = {"writer": 300, "auditor": 200, "judge": 120}
"""What large models wrote on 20 questions over filings and board papers, rounded up."""


EARLIER_RUNS = 20


@dataclass(frozen=True, slots=True)
class Estimate:
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    seconds: float | None
    """As the runs before took; None where there was none."""


@dataclass(frozen=True, slots=True)
class Plan:
    roles: str
    """Who plays what."""
    passages: int
    evidence_chars: int
    usual: Estimate
    """One attempt, with answers of the usual length."""
    at_most: Estimate
    """Every retry, with the widest search and every answer as long as it may be."""


async def planned(parts: Parts, question: str, workspace: str, max_retries: int | None, filters: SearchFilters) -> Plan:
    await parts.require_workspace(workspace)
    checked_input(question, workspace, max_retries, filters)
    settings = parts.settings
    found = await parts.library.search(
        workspace, question, settings.candidates, at_least=settings.relevance_threshold, filters=filters
    )
    evidence = [as_passage(chunk) for chunk in select_evidence(found.candidates, settings.relevance_threshold)]
    chars = sum(len(passage.text) for passage in evidence)
    attempts = 1 + (max_retries or settings.max_retries)
    seconds = _seconds_an_attempt(await asyncio.to_thread(_earlier_runs, parts.runs, workspace))
    widest = max(chars, settings.retry_candidates * settings.chunk_chars)
    return Plan(
        named(settings),
        len(evidence),
        chars,
        _estimate(settings, chars, 1, USUAL_OUTPUT_TOKENS, seconds),
        _estimate(settings, widest, attempts, dict.fromkeys(ROLES, settings.max_output_tokens), seconds),
    )


def cost_of_attempt(settings: Settings, evidence_chars: int) -> float:
    longest = dict.fromkeys(ROLES, settings.max_output_tokens)
    return _estimate(settings, evidence_chars, 1, longest, None).cost_usd


def _estimate(
    settings: Settings, evidence_chars: int, attempts: int, outputs: dict[Role, int], seconds: float | None
) -> Estimate:
    unfit = unfit_reasons(settings)
    roles = [role for role in ROLES if settings.model_for(role) != OFFLINE and role not in unfit]
    read = {role: min(evidence_chars, settings.context_limit) if role == "writer" else evidence_chars for role in roles}
    tokens = {role: round((read[role] + PROMPT_CHARS) / CHARS_A_TOKEN) for role in roles}
    prices = {role: settings.price_for(role) for role in roles}
    cost = sum(tokens[role] * prices[role][0] + outputs[role] * prices[role][1] for role in roles) / 1e6
    return Estimate(
        attempts * len(roles),
        attempts * sum(tokens.values()),
        attempts * sum(outputs[role] for role in roles),
        attempts * cost,
        None if seconds is None else attempts * seconds,
    )


def _earlier_runs(runs: RunTable, workspace: str) -> list[dict[str, Any]]:
    results = [runs.result(run.run_id) for run in runs.page(workspace, limit=EARLIER_RUNS)]
    return [result["metrics"] for result in results if result]


def _seconds_an_attempt(earlier: Sequence[dict[str, Any]]) -> float | None:
    taken = [
        sum(metrics["node_latency_ms"].values()) / 1000 / metrics["iterations"]
        for metrics in earlier
        if metrics.get("iterations")
    ]
    return median(taken) if taken else None
