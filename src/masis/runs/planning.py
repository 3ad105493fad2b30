"""Before a run: an estimate of its calls, tokens, cost and seconds; and whether the configuration works."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from masis.database import open_database
from masis.errors import MASISError, ModelError, ModelSilent
from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
from masis.knowledge.library import Library
from masis.orchestrator.evidence import select_evidence
from masis.reasoning.engines import CHARS_A_TOKEN, PROMPT_CHARS, clients_for
from masis.reasoning.llm.fitness import (
    cannot_fill,
    cannot_write_plainly,
    keep,
    named,
    probe,
    tells_yes_from_no,
    unfit_reasons,
    writes_plainly,
)
from masis.reasoning.llm.prompts import PLAIN_CONTEXT_CHARS
from masis.reasoning.ports import as_passage
from masis.runs.asking import checked_input
from masis.runs.parts import Parts
from masis.runs.run_table import RunTable
from masis.runs.tables import RUNS
from masis.settings import OFFLINE, ROLES, Role, Settings
from masis.types import SearchFilters
from masis.wording import counted

if TYPE_CHECKING:
    from masis.reasoning.llm.chat_model import ModelClient


USUAL_PROMPT_CHARS: dict[Role, int] = {"writer": 5200, "auditor": 6900, "judge": 3500}
"""Instructions, examples and schema, beside the evidence."""
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
    """Based on earlier runs; None if there were none."""


@dataclass(frozen=True, slots=True)
class Plan:
    roles: str
    """Which engine or model fills each role."""
    passages: int
    evidence_chars: int
    usual: Estimate
    """One attempt, with answers of the usual length."""
    at_most: Estimate
    """All retries, with the widest search and every output at its limit."""


async def planned(parts: Parts, question: str, workspace: str, max_retries: int | None, filters: SearchFilters) -> Plan:
    await parts.require_workspace(workspace)
    checked_input(question, workspace, max_retries, filters)
    settings = parts.settings
    found = await parts.library.search(
        workspace, question, settings.candidates, at_least=settings.relevance_threshold, filters=filters
    )
    both, least = [*found.candidates, *found.further], settings.relevance_threshold
    chosen = await asyncio.to_thread(select_evidence, question, both, least, settings.candidates)
    evidence = [as_passage(chunk) for chunk in chosen]
    chars = sum(len(passage.text) for passage in evidence)
    attempts = 1 + (max_retries or settings.max_retries)
    seconds = _seconds_an_attempt(await asyncio.to_thread(_earlier_runs, parts.runs, workspace))
    widest = max(chars, settings.retry_candidates * settings.chunk_chars)
    return Plan(
        named(settings),
        len(evidence),
        chars,
        _estimate(settings, chars, 1, _usual_sizes(settings), seconds),
        _estimate(settings, widest, attempts, _largest_sizes(settings), seconds),
    )


def cost_of_attempt(settings: Settings, evidence_chars: int) -> float:
    return _estimate(settings, evidence_chars, 1, _largest_sizes(settings), None).cost_usd


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Of a call, by role, beside the evidence."""

    prompt_chars: dict[Role, int]
    output_tokens: dict[Role, int]


def _usual_sizes(settings: Settings) -> _Sizes:
    outputs = {role: min(tokens, settings.max_output_tokens) for role, tokens in USUAL_OUTPUT_TOKENS.items()}
    return _Sizes(USUAL_PROMPT_CHARS, outputs)


def _largest_sizes(settings: Settings) -> _Sizes:
    return _Sizes(dict.fromkeys(ROLES, PROMPT_CHARS), dict.fromkeys(ROLES, settings.max_output_tokens))


def _estimate(settings: Settings, evidence_chars: int, attempts: int, sizes: _Sizes, seconds: float | None) -> Estimate:
    unfit = unfit_reasons(settings)
    roles = [role for role in ROLES if settings.model_for(role) != OFFLINE and role not in unfit]
    limit = min(settings.context_limit, PLAIN_CONTEXT_CHARS if writes_plainly(settings) else settings.context_limit)
    read = {role: min(evidence_chars, limit) if role == "writer" else evidence_chars for role in roles}
    tokens = {role: round((read[role] + sizes.prompt_chars[role]) / CHARS_A_TOKEN) for role in roles}
    outputs = sizes.output_tokens
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


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    state: Literal["ok", "note", "bad"]
    found: str
    advice: str | None = None


Check = Callable[[Settings, Library], Awaitable[list[Finding]]]


async def examine(settings: Settings, library: Library) -> list[Finding]:
    checks: list[Check] = [_data_folder, _database, _index, _embedder, _models]
    findings = [finding for check in checks for finding in await _tried(check, settings, library)]
    return [*findings, _cost(settings)]


async def _tried(check: Check, settings: Settings, library: Library) -> list[Finding]:
    try:
        return await check(settings, library)
    except MASISError as error:
        return [Finding(check.__name__.strip("_").replace("_", " "), "bad", str(error), error.advice)]


async def _data_folder(settings: Settings, _: Library) -> list[Finding]:
    home = settings.home
    if not home.exists():
        return [Finding("data folder", "ok", f"{home} (will be created)")]
    if not os.access(home, os.W_OK):
        return [Finding("data folder", "bad", f"{home} is not writable", "Set MASIS_HOME to another folder.")]
    return [Finding("data folder", "ok", str(home))]


async def _database(settings: Settings, _: Library) -> list[Finding]:
    database = open_database(settings, RUNS)
    try:
        with database.reading() as db:
            waiting = db.execute("SELECT COUNT(*) FROM runs WHERE status = 'waiting'").fetchone()[0]
    finally:
        database.close()
    engine = "PostgreSQL" if settings.database_url else "SQLite in the data folder"
    return [Finding("database", "ok", f"{engine}; runs that need a decision: {waiting}")]


async def _index(settings: Settings, library: Library) -> list[Finding]:
    where = settings.qdrant_url or f"{settings.qdrant_host}:{settings.qdrant_port}"
    engine = f"Qdrant server at {where}" if settings.uses_qdrant_server else "Qdrant embedded in the data folder"
    held = library.catalog.workspaces()
    await library.check()
    return [
        Finding(
            "index",
            "ok",
            f"{engine}: {counted(len(held), 'workspace')}, {counted(sum(w.documents for w in held), 'document')}, "
            f"{counted(sum(w.chunks for w in held), 'passage')}",
        )
    ]


async def _embedder(settings: Settings, library: Library) -> list[Finding]:
    vector = await library.embedder.embed_query("Does the embedder work?")
    found = f"{library.embedder.name}, {len(vector)} dimensions"
    if isinstance(library.embedder, OnnxEmbedder):
        found += f", on {'a GPU (CUDA)' if library.embedder.device == 'cuda' else 'the CPU'}"
    scale = library.calibration
    if scale.is_calibrated:
        return [Finding("embedder", "ok", f"{found}, relevance calibrated: {scale.source}")]
    advice = "The thresholds 0.60 and 0.55 were not measured for it: fit them with `masis calibrate`."
    return [Finding("embedder", "note", f"{found}, relevance not calibrated: {scale.source}", advice)]


async def _models(settings: Settings, _: Library) -> list[Finding]:
    """Tries each model in its role; the embedded engine fills the roles that a model cannot fill."""
    clients = clients_for(settings)
    findings = [Finding(role, "ok", "offline engine") for role in ROLES if role not in clients]
    trials = {role: await _tried_as(role, client, settings.models_run_here) for role, client in clients.items()}
    judged = {role: trial for role, trial in trials.items() if not trial.is_down}
    by_word = "auditor" in judged and await _says_yes_or_no(judged["auditor"], clients["auditor"])
    plainly = "writer" in judged and await _writes_plainly(settings, judged, clients["writer"])
    if plainly:
        judged["writer"] = trials["writer"] = replace(judged["writer"], unfit=None)
    findings += [trial.finding for trial in trials.values()]
    if judged:
        unfit = {role: trial.unfit for role, trial in judged.items()}
        keep(settings, unfit, by_word=by_word, plainly=plainly)
        findings.append(Finding("roles", "ok", named(settings)))
    return findings


UNFIT = "The embedded engine fills this role. To use a model, configure a larger one and run `masis doctor` again."
TOO_SLOW = "it is too slow on this machine, and did not respond in time"
LONGER = (
    "The embedded engine fills this role. If the model was only being loaded, run `masis doctor` again. To wait longer,"
    " raise MASIS_MODEL_TIMEOUT_SECONDS and MASIS_MODEL_DEADLINE_SECONDS first."
)


@dataclass(frozen=True, slots=True)
class _Trial:
    """What came of trying a model at a role."""

    role: Role
    found: str
    unfit: str | None = None
    advice: str | None = None
    is_down: bool = False
    """It could not be tried."""

    @property
    def finding(self) -> Finding:
        if self.is_down:
            return Finding(self.role, "bad", self.found, self.advice)
        if self.unfit is None:
            return Finding(self.role, "ok", self.found)
        advice = LONGER if self.unfit == TOO_SLOW else UNFIT
        return Finding(self.role, "note", f"{self.found}, and cannot be the {self.role}: {self.unfit}", advice)


async def _tried_as(role: Role, client: "ModelClient", runs_here: bool) -> _Trial:
    result = await probe(client)
    if result.is_silent and runs_here:
        return _Trial(role, f"{result.model} was reached", TOO_SLOW)
    if not result.answers:
        return _Trial(role, f"{result.model}: {result.error}", advice=result.advice, is_down=True)
    spoken = f"structured output by {result.rung}" if result.rung else "plain prose only"
    found = f"{result.model} responds in {result.latency_seconds:.1f} s, {spoken}"
    try:
        return _Trial(role, found, await cannot_fill(role, client))
    except ModelError as error:
        if runs_here and isinstance(error, ModelSilent):
            return _Trial(role, found, TOO_SLOW)
        return _Trial(role, f"{result.model}: {error}", advice=error.advice, is_down=True)


async def _says_yes_or_no(auditor: _Trial, client: "ModelClient") -> bool:
    with suppress(ModelError):
        return auditor.unfit is not None and await tells_yes_from_no(client)
    return False


async def _writes_plainly(settings: Settings, trials: Mapping[Role, _Trial], client: "ModelClient") -> bool:
    """The short prompt is for a writer that the long one is too much for. A model on this machine that cannot audit is
    a small one; elsewhere, one bad reply says little about a model that writes well."""
    audits = settings.model_for("auditor") == settings.model_for("writer") and trials.get("auditor")
    is_small = trials["writer"].unfit or (settings.models_run_here and audits and audits.unfit)
    with suppress(ModelError):
        return bool(is_small) and await cannot_write_plainly(client) is None
    return False


def _cost(settings: Settings) -> Finding:
    """One attempt and the worst case, at list or configured prices and with every output at its limit."""
    if all(settings.model_for(role) == OFFLINE for role in ROLES):
        return Finding("cost", "ok", "nothing: no model is called")
    attempt = cost_of_attempt(settings, settings.retry_candidates * settings.chunk_chars)
    worst = attempt * (settings.max_retries + 1)
    return Finding(
        "cost",
        "ok",
        f"at most ${attempt:.4f} for one attempt, ${worst:.4f} with {settings.max_retries} retries",
    )
