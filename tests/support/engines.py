"""Engines that do as they are told and count how often they were asked: for the graph, never for quality."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from masis.audit.checks.second_opinion import SecondOpinion
from masis.client import Masis
from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISInput, MASISState
from masis.reasoning.ports import AuditFinding, Guidance, Listener, Passage, Reply, Scores, WritingBrief
from masis.settings import Settings
from masis.types import EVERYWHERE, CitationAudit, Claim, Critique, EvidenceChunk, SearchFilters, SearchResult, Usage


def chunk(chunk_id: str = "c1", text: str = "Revenue was $12 million in 2025.", **changes: Any) -> EvidenceChunk:
    made: EvidenceChunk = {
        "chunk_id": chunk_id,
        "file_name": "report.pdf",
        "text": text,
        "score": 0.9,
        "document_id": "d1",
        "page": 1,
        "start": 0,
        "end": len(text),
        "heading": None,
        "date": None,
    }
    return made | changes


GOOD_ANSWER = "Revenue was $12 million in 2025. [c1]"
GOOD_FINDING = AuditFinding(confidence=0.9)
GOOD_SCORES = Scores(0.9, 0.8, 0.7, 0.6, ["Say more."])


def _next(script: list[Any], turn: int) -> Any:
    """The last entry of a script stands for all that follow; an exception is raised."""
    entry = script[min(turn, len(script) - 1)]
    if isinstance(entry, Exception):
        raise entry
    return entry


@dataclass
class ScriptedSearch:
    script: list[Any] = field(default_factory=lambda: [[chunk()]])
    empty_workspace: bool = False
    queries: list[tuple[str, str, int]] = field(default_factory=list)
    filters: list[SearchFilters] = field(default_factory=list)

    async def __call__(
        self,
        workspace_id: str,
        text: str,
        limit: int,
        *,
        at_least: float | None = None,
        filters: SearchFilters = EVERYWHERE,
    ) -> SearchResult:
        self.queries.append((workspace_id, text, limit))
        self.filters.append(filters)
        return SearchResult(_next(self.script, len(self.queries) - 1), self.empty_workspace)


@dataclass
class ScriptedWriter:
    script: list[Any] = field(default_factory=lambda: [GOOD_ANSWER])
    summaries: Any = field(default_factory=dict)
    name: str = "scripted-writer"
    stubborn: bool = False
    """Whether a draft that is repeated is the same to the letter: a retry that changes nothing is the last."""
    briefs: list[WritingBrief] = field(default_factory=list)
    summarized: list[list[str]] = field(default_factory=list)

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        self.briefs.append(brief)
        turn = len(self.briefs) - 1
        text = _next(self.script, turn)
        if brief.previous_critique and not self.stubborn:
            text = text.replace(" ", " " * (1 + max(0, turn + 1 - len(self.script))), 1)
        for word in text.split(" ") if on_token else ():
            on_token(f"{word} ")
        return Reply(text, Usage(1, 100, 10, 0.25))

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        self.summarized.append([p.chunk_id for p in passages])
        return Reply(_next([self.summaries], 0), Usage(1, 50, 5, 0.05))


@dataclass
class ScriptedAuditor:
    script: list[Any] = field(default_factory=lambda: [GOOD_FINDING])
    name: str = "scripted-auditor"
    audited: list[str] = field(default_factory=list)

    async def audit(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        guidance: Guidance,
        claims: Sequence[Claim],
    ) -> Reply[AuditFinding]:
        self.audited.append(answer)
        return Reply(_next(self.script, len(self.audited) - 1), Usage(1, 200, 20, 0.5))


@dataclass
class ScriptedJudge:
    script: list[Any] = field(default_factory=lambda: [GOOD_SCORES])
    name: str = "scripted-judge"
    audits: list[CitationAudit] = field(default_factory=list)
    critiques: list[Critique | None] = field(default_factory=list)

    async def judge(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        audit: CitationAudit,
        claims: Sequence[Claim],
        critique: Critique | None = None,
    ) -> Reply[Scores]:
        self.audits.append(audit)
        self.critiques.append(critique)
        return Reply(_next(self.script, len(self.audits) - 1), Usage(1, 300, 30, 0.5))


@dataclass
class Stage:
    """Everything a run needs, scripted; `services` goes into the graph's context."""

    search: ScriptedSearch = field(default_factory=ScriptedSearch)
    writer: ScriptedWriter = field(default_factory=ScriptedWriter)
    auditor: ScriptedAuditor = field(default_factory=ScriptedAuditor)
    judge: ScriptedJudge = field(default_factory=ScriptedJudge)
    settings: Settings = field(default_factory=Settings)
    second_opinion: SecondOpinion | None = None

    @property
    def services(self) -> Services:
        return Services(self.settings, self.search, self.writer, self.auditor, self.judge, self.second_opinion)

    @property
    def model_calls(self) -> int:
        return (
            len(self.writer.briefs) + len(self.writer.summarized) + len(self.auditor.audited) + len(self.judge.audits)
        )

    @property
    def store_queries(self) -> int:
        return len(self.search.queries)


def asked(question: str = "What was revenue in 2025?", **changes: Any) -> MASISState:
    return MASISInput(user_query=question, workspace_id="w", **changes).to_state()


def masis_with(services: Services) -> Masis:
    """One whose agents work with these services, search included, instead of its own."""
    masis = Masis(services.settings)
    masis._parts.services = services
    return masis
