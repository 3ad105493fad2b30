"""The embedded engine in a model's place: where the model cannot fill its role, or the run may spend no more.

A model that is down is another matter: the run then ends with what it has, and says so.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from masis.errors import BadModelOutput, ModelTruncated
from masis.reasoning.account import current_account
from masis.reasoning.ports import (
    AuditFinding,
    Auditor,
    Guidance,
    Judge,
    Listener,
    Passage,
    Reply,
    Scores,
    Writer,
    WritingBrief,
)
from masis.settings import OFFLINE, Role, Settings
from masis.types import CitationAudit, Claim, Critique, EvidenceChunk, Usage

T = TypeVar("T")
PROMPT_CHARS = 9000
"""What instructions and examples take beside question, evidence and draft."""
CHARS_A_TOKEN = 4


class _Means:
    """Who plays a role, and what a call of it may cost."""

    def __init__(self, role: Role, model: str, settings: Settings, unfit: str | None) -> None:
        self.role, self.model, self.unfit = role, model, unfit
        self._price = settings.price_for(role)
        self._max_tokens = settings.max_output_tokens

    async def reply(
        self, characters: int, ask: Callable[[], Awaitable[Reply[T]]], stand_in: Callable[[], Awaitable[Reply[T]]]
    ) -> tuple[Reply[T], bool]:
        """The model's reply or the embedded engine's, and whether it is the model's."""
        account, spent = current_account(), Usage()
        reason = self.unfit or account.refusal(self.cost(characters))
        if reason is None:
            try:
                async with asyncio.timeout(account.seconds_left):
                    reply = await ask()
                account.charge(reply.usage)
                return reply, True
            except TimeoutError:
                reason = account.out_of_time()
            except (BadModelOutput, ModelTruncated) as error:
                reason, spent = str(error).rstrip("."), error.usage
                account.charge(spent)
        account.stood_in.append(f"{self.role} embedded, in place of {self.model}: {reason}")
        reply = await stand_in()
        return replace(reply, usage=reply.usage + spent), False

    def cost(self, characters: int) -> float:
        """At most: with an output of full length."""
        tokens = (characters + PROMPT_CHARS) / CHARS_A_TOKEN
        return (tokens * self._price[0] + self._max_tokens * self._price[1]) / 1e6


class MeasuredWriter:
    def __init__(self, model: Writer, embedded: Writer, settings: Settings, unfit: str | None = None) -> None:
        self.name = OFFLINE if unfit else model.name
        self.prompt = getattr(model, "prompt", None)
        self.summary_prompt = getattr(model, "summary_prompt", None)
        self._model, self._embedded = model, embedded
        self._means = _Means("writer", model.name, settings, unfit)

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        read = sum(len(passage.text) for passage in brief.passages) + len(brief.previous_draft or "")
        reply, _ = await self._means.reply(
            read, lambda: self._model.write(brief, on_token), lambda: self._embedded.write(brief, on_token)
        )
        return reply

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        reply, _ = await self._means.reply(
            sum(len(passage.text) for passage in passages),
            lambda: self._model.summarize(question, passages, limit),
            lambda: self._embedded.summarize(question, passages, limit),
        )
        return reply


class MeasuredAuditor:
    def __init__(self, model: Auditor, embedded: Auditor, settings: Settings, unfit: str | None = None) -> None:
        self.name = OFFLINE if unfit else model.name
        self.prompt = getattr(model, "prompt", None)
        self._model, self._embedded = model, embedded
        self._means = _Means("auditor", model.name, settings, unfit)

    async def audit(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        guidance: Guidance,
        claims: Sequence[Claim],
    ) -> Reply[AuditFinding]:
        given = (question, answer, evidence, guidance, claims)
        reply, is_the_models = await self._means.reply(
            _read(evidence, answer), lambda: self._model.audit(*given), lambda: self._embedded.audit(*given)
        )
        return reply if is_the_models else replace(reply, value=replace(reply.value, made_by=OFFLINE))


class MeasuredJudge:
    def __init__(self, model: Judge, embedded: Judge, settings: Settings, unfit: str | None = None) -> None:
        self.name = OFFLINE if unfit else model.name
        self.prompt = getattr(model, "prompt", None)
        self._model, self._embedded = model, embedded
        self._means = _Means("judge", model.name, settings, unfit)

    async def judge(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        audit: CitationAudit,
        claims: Sequence[Claim],
        critique: Critique | None = None,
    ) -> Reply[Scores]:
        given = (question, answer, evidence, audit, claims, critique)
        reply, is_the_models = await self._means.reply(
            _read(evidence, answer), lambda: self._model.judge(*given), lambda: self._embedded.judge(*given)
        )
        return reply if is_the_models else replace(reply, value=replace(reply.value, made_by=OFFLINE))


def _read(evidence: Sequence[EvidenceChunk], answer: str) -> int:
    return sum(len(chunk["text"]) for chunk in evidence) + len(answer)
