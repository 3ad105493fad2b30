"""What the agents work with: settings, retrieval, engines and a clock. They reach it through the runtime context."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from langgraph.runtime import Runtime

from masis.audit.checks.second_opinion import SecondOpinion
from masis.audit.checks.signature import Check
from masis.reasoning.ports import Auditor, Judge, Writer
from masis.settings import Settings, current_settings
from masis.types import EVERYWHERE, EvidenceChunk, Mentions, SearchFilters, SearchResult


class Search(Protocol):
    """One store query, filtered by workspace inside the store."""

    async def __call__(
        self,
        workspace_id: str,
        text: str,
        limit: int,
        *,
        at_least: float | None = None,
        closely: bool = False,
        filters: SearchFilters = EVERYWHERE,
    ) -> SearchResult:
        """`at_least`: the relevance that will be asked for; neighbours that both have it come as one passage."""
        ...


class MentionCounter(Protocol):
    """In how many documents of the workspace each word occurs; None for a word that the index does not keep."""

    async def __call__(self, workspace_id: str, words: Sequence[str]) -> Mapping[str, Mentions | None]: ...


class Outline(Protocol):
    """For a question about whole documents: the passages with the substance of each, and, of several, all names."""

    async def __call__(
        self, workspace_id: str, question: str, found: Sequence[EvidenceChunk], filters: SearchFilters, limit: int
    ) -> tuple[list[EvidenceChunk], list[str]]: ...


class WholeTables(Protocol):
    """Evidence with the other rows of the tables that the best of it have rows of, and some characters beside it."""

    async def __call__(
        self, workspace_id: str, evidence: Sequence[EvidenceChunk], and_beside: int = 0
    ) -> list[EvidenceChunk]: ...


class Lease(Protocol):
    """The right of this process to work on a run."""

    async def check(self) -> None:
        """Raises when another process has taken the run over."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    search: Search
    writer: Writer
    auditor: Auditor
    judge: Judge
    second_opinion: SecondOpinion | None = None
    """Who is asked what a sentence in other words means, where code cannot tell."""
    checks: tuple[Check, ...] = ()
    """Checks of the caller's own, which every cited sentence has to pass as well."""
    mentions: MentionCounter | None = None
    """Without it no word is said to be absent."""
    outline: Outline | None = None
    """Without it a whole document is known by what a search finds of it."""
    whole_tables: WholeTables | None = None
    clock: Callable[[], float] = time.perf_counter
    lease: Lease | None = None
    """Asked before and after each agent's turn; without one the run belongs to this process alone."""


def services_of(runtime: Runtime[Services]) -> Services:
    """`graph.invoke(state)` alone has no context: it gets what the environment configures."""
    # langgraph types the context as always given; without one it is None.
    given: Services | None = runtime.context
    return given if given is not None else services_for(current_settings())


@lru_cache(maxsize=8)
def services_for(settings: Settings) -> Services:
    from masis.knowledge.library import open_library
    from masis.reasoning.llm.vision import image_reader_for

    library = open_library(settings, image_reader_for(settings))
    services = services_with(settings, library.search)
    return replace(services, mentions=library.mentions, outline=library.outline, whole_tables=library.whole_tables)


def services_with(
    settings: Settings,
    search: Search,
    writer: Writer | None = None,
    auditor: Auditor | None = None,
    judge: Judge | None = None,
    checks: Sequence[Check] = (),
) -> Services:
    """What is not given is made from the settings."""
    from masis.reasoning.engines import engines_for
    from masis.reasoning.offline.verifier import second_opinion

    writes, audits, judges = engines_for(settings)
    return Services(
        settings, search, writer or writes, auditor or audits, judge or judges, second_opinion, tuple(checks)
    )
