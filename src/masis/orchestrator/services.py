"""What the agents work with: settings, retrieval, engines and a clock, passed through the runtime context."""

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
    """One query to the store, restricted to a workspace by the store itself."""

    async def __call__(
        self,
        workspace_id: str,
        text: str,
        limit: int,
        *,
        at_least: float | None = None,
        filters: SearchFilters = EVERYWHERE,
    ) -> SearchResult:
        """`at_least` is the relevance threshold that will be applied; neighbouring passages that both reach it are
        joined."""
        ...


class MentionCounter(Protocol):
    """Counts the documents of the workspace that contain each word; None for a word that the index does not hold."""

    async def __call__(self, workspace_id: str, words: Sequence[str]) -> Mapping[str, Mentions | None]: ...


class Outline(Protocol):
    """For a question about whole documents: the passages with the substance of each, and all file names if there are
    several."""

    async def __call__(
        self, workspace_id: str, question: str, found: Sequence[EvidenceChunk], filters: SearchFilters, limit: int
    ) -> tuple[list[EvidenceChunk], list[str]]: ...


class WholeTables(Protocol):
    """Completes evidence with the other rows of the tables that the best passages belong to, and with text next to
    it."""

    async def __call__(
        self, workspace_id: str, evidence: Sequence[EvidenceChunk], and_beside: int = 0
    ) -> list[EvidenceChunk]: ...


class Lease(Protocol):
    """The right of this process to work on a run."""

    async def check(self) -> None:
        """Raises if another process has taken over the run."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    search: Search
    writer: Writer
    auditor: Auditor
    judge: Judge
    second_opinion: SecondOpinion | None = None
    """Decides whether a paraphrased claim is supported, if code cannot tell."""
    checks: tuple[Check, ...] = ()
    """The caller's own checks, which every cited claim has to pass as well."""
    mentions: MentionCounter | None = None
    """Without it, no word is reported as absent."""
    outline: Outline | None = None
    """Without it, a question about a whole document is answered from search results only."""
    whole_tables: WholeTables | None = None
    clock: Callable[[], float] = time.perf_counter
    lease: Lease | None = None
    """Checked before and after each agent's step; without one, the run belongs to this process alone."""


def services_of(runtime: Runtime[Services]) -> Services:
    """A plain `graph.invoke(state)` has no context and gets what the environment configures."""
    # langgraph's types say that the context is always set, but without one it is None.
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
    """Makes everything that is not given from the settings."""
    from masis.reasoning.engines import engines_for
    from masis.reasoning.offline.verifier import second_opinion

    writes, audits, judges = engines_for(settings)
    return Services(
        settings, search, writer or writes, auditor or audits, judge or judges, second_opinion, tuple(checks)
    )
