"""Engines whose part depends on what they are shown and on nothing else: another process goes on where one died.

With one retry a run goes: a first attempt of low confidence, a second that meets two documents at odds, a question to
a person, and, once they prefer one document, an answer.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from masis.orchestrator.services import Services
from masis.reasoning.ports import AuditFinding, Guidance, Listener, Passage, Reply, Scores, WritingBrief
from masis.settings import Settings
from masis.types import EVERYWHERE, CitationAudit, Claim, Critique, EvidenceChunk, SearchFilters, SearchResult, Usage
from tests.support.engines import chunk

REPORT = chunk("c1")
MEMO = chunk("c2", "Revenue was $14 million in 2025.", file_name="memo.md", document_id="d2")
PREFER = {"action": "prefer", "prefer": ["report.pdf"], "over": ["memo.md"], "by": "Ada"}

Cue = Callable[[str], Awaitable[None]]


async def no_cue(_: str) -> None:
    """Nobody waits for one."""


@dataclass(frozen=True)
class Play:
    settings: Settings
    cue: Cue = no_cue
    """Told before each part begins."""
    name: str = "player"

    @property
    def services(self) -> Services:
        return Services(self.settings, self.search, self, self, self)

    async def search(
        self,
        workspace_id: str,
        text: str,
        limit: int,
        *,
        at_least: float | None = None,
        filters: SearchFilters = EVERYWHERE,
    ) -> SearchResult:
        await self.cue("search")
        return SearchResult([REPORT] if limit == self.settings.candidates else [REPORT, MEMO])

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        await self.cue("writer")
        text = " ".join(f"{passage.text} [{passage.chunk_id}]" for passage in brief.passages)
        for word in text.split(" ") if on_token else ():
            on_token(f"{word} ")
        return Reply(text, Usage(1, 100, 10, 0.25))

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        raise AssertionError("so little evidence needs no summary")

    async def audit(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        guidance: Guidance,
        claims: Sequence[Claim],
    ) -> Reply[AuditFinding]:
        await self.cue("auditor")
        is_first = len(evidence) == 1 and not guidance
        return Reply(AuditFinding(0.3 if is_first else 0.9), Usage(1, 200, 20, 0.5))

    async def judge(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        audit: CitationAudit,
        claims: Sequence[Claim],
        critique: Critique | None = None,
    ) -> Reply[Scores]:
        await self.cue("judge")
        return Reply(Scores(0.9, 0.8, 0.7, 0.6, ["Say more."]), Usage(1, 300, 30, 0.5))
