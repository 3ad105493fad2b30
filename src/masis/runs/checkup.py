"""What is configured and whether it works: tried, not assumed."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from masis.database import open_database
from masis.errors import MASISError, ModelError
from masis.knowledge.library import Library
from masis.reasoning.engines import clients_for
from masis.runs.planning import cost_of_attempt
from masis.runs.schema import RUNS
from masis.settings import OFFLINE, ROLES, Role, Settings

if TYPE_CHECKING:
    from masis.reasoning.llm.client import ModelClient


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
    """Each model is tried at its role; the embedded engine fills the roles that a model is not up to."""
    from masis.reasoning.llm import fitness

    clients = clients_for(settings)
    findings = [Finding(role, "ok", "offline engine") for role in ROLES if role not in clients]
    unfit: dict[Role, str | None] = {}
    for role, client in clients.items():
        finding, reason = await _tried_as(role, client)
        findings.append(finding)
        if finding.state != "bad":
            unfit[role] = reason
    if unfit:
        fitness.keep(settings, unfit)
        findings.append(Finding("roles", "ok", fitness.named(settings)))
    return findings


async def _tried_as(role: Role, client: "ModelClient") -> tuple[Finding, str | None]:
    from masis.reasoning.llm.fitness import cannot_fill
    from masis.reasoning.llm.probe import probe

    result = await probe(client)
    if not result.answers:
        return Finding(role, "bad", f"{result.model}: {result.error}", result.advice), None
    try:
        reason = await cannot_fill(role, client)
    except ModelError as error:
        return Finding(role, "bad", f"{result.model}: {error}", error.advice), None
    spoken = f"structured output by {result.rung}" if result.rung else "plain prose only"
    found = f"{result.model} answers in {result.latency_seconds:.1f} s, {spoken}"
    if reason is None:
        return Finding(role, "ok", found), None
    advice = "The embedded engine fills this role. Name a larger model to have one do it, and run `masis doctor` again."
    return Finding(role, "note", f"{found}, and cannot be the {role}: {reason}", advice), reason


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
