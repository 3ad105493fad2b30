"""What is configured and whether it works: tried, not assumed."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from masis.database import open_database
from masis.errors import MASISError
from masis.knowledge.library import Library
from masis.reasoning.engines import clients_for
from masis.runs.schema import RUNS
from masis.settings import OFFLINE, ROLES, Role, Settings

PROMPT_TOKENS = 900
"""What instructions and question take beside the evidence, roughly."""
CHARS_A_TOKEN = 4


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
        return [Finding("data folder", "ok", f"{home} (will be made)")]
    if not os.access(home, os.W_OK):
        return [Finding("data folder", "bad", f"{home} cannot be written", "Set MASIS_HOME to another folder.")]
    return [Finding("data folder", "ok", str(home))]


async def _database(settings: Settings, _: Library) -> list[Finding]:
    database = open_database(settings, RUNS)
    try:
        with database.reading() as db:
            waiting = db.execute("SELECT COUNT(*) FROM runs WHERE status = 'waiting'").fetchone()[0]
    finally:
        database.close()
    engine = "PostgreSQL" if settings.database_url else "SQLite in the data folder"
    return [Finding("database", "ok", f"{engine}; runs that wait for a person: {waiting}")]


async def _index(settings: Settings, library: Library) -> list[Finding]:
    where = settings.qdrant_url or f"{settings.qdrant_host}:{settings.qdrant_port}"
    engine = f"Qdrant server at {where}" if settings.uses_qdrant_server else "Qdrant embedded in the data folder"
    held = library.catalog.workspaces()
    await library.check()
    return [
        Finding(
            "index",
            "ok",
            f"{engine}: {_counted(len(held), 'workspace')}, {_counted(sum(w.documents for w in held), 'document')}, "
            f"{_counted(sum(w.chunks for w in held), 'passage')}",
        )
    ]


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


async def _embedder(settings: Settings, library: Library) -> list[Finding]:
    vector = await library.embedder.embed_query("Does the embedder work?")
    found = f"{library.embedder.name}, {len(vector)} dimensions"
    scale = library.calibration
    if scale.is_calibrated:
        return [Finding("embedder", "ok", f"{found}, relevance calibrated: {scale.source}")]
    advice = "The thresholds 0.60 and 0.55 were not measured for it: fit them with `masis calibrate`."
    return [Finding("embedder", "note", f"{found}, relevance not calibrated: {scale.source}", advice)]


async def _models(settings: Settings, _: Library) -> list[Finding]:
    from masis.reasoning.llm.probe import probe

    clients = clients_for(settings)
    findings = [Finding(role, "ok", "offline engine") for role in ROLES if role not in clients]
    for role, client in clients.items():
        result = await probe(client)
        if not result.answers:
            findings.append(Finding(role, "bad", f"{result.model}: {result.error}", result.advice))
        elif result.rung is None:
            found = f"{result.model} answers, but not in JSON: {result.error}"
            findings.append(Finding(role, "bad" if role != "writer" else "note", found, result.advice))
        else:
            found = f"{result.model} answers in {result.latency_seconds:.1f} s, structured output by {result.rung}"
            findings.append(Finding(role, "ok", found))
    return findings


def _cost(settings: Settings) -> Finding:
    """One attempt and the worst case, at list or configured prices and with every output at its limit."""
    if all(settings.model_for(role) == OFFLINE for role in ROLES):
        return Finding("cost", "ok", "nothing: no model is called")
    attempt = sum(_cost_of_call(settings, role) for role in ROLES) + _cost_of_call(settings, "writer")
    worst = attempt * (settings.max_retries + 1)
    return Finding(
        "cost",
        "ok",
        f"at most ${attempt:.4f} for one attempt, ${worst:.4f} with {settings.max_retries} retries",
    )


def _cost_of_call(settings: Settings, role: Role) -> float:
    if settings.model_for(role) == OFFLINE:
        return 0.0
    price_input, price_output = settings.price_for(role)
    # The auditor and the judge read the whole evidence and the answer, which the writer's limit bounds.
    evidence = settings.retry_candidates * settings.chunk_chars if role != "writer" else settings.context_limit
    tokens = PROMPT_TOKENS + evidence / CHARS_A_TOKEN + settings.max_output_tokens
    return (tokens * price_input + settings.max_output_tokens * price_output) / 1e6
