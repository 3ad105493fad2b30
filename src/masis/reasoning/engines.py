"""Assigns an engine to each role: a chat model if one is configured, otherwise the offline engine.

The offline engine also stands in for a model that cannot fill its role, and for the rest of a run that has used up its
budget.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from masis.errors import BadModelOutput, ModelSilent, ModelTruncated
from masis.language.follow_up import Turn, completed
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
    current_account,
)
from masis.settings import OFFLINE, ROLES, Role, Settings
from masis.types import CitationAudit, Claim, Critique, EvidenceChunk, Usage

if TYPE_CHECKING:
    from masis.reasoning.llm.chat_model import ModelClient


T = TypeVar("T")
Engine = TypeVar("Engine", Writer, Auditor, Judge)
PROMPT_CHARS = 9000
"""Upper bound for instructions, examples, schema and block marks, without evidence and draft."""
CHARS_A_TOKEN = 4


class _Means:
    """The model of a role, and what a call may cost."""

    def __init__(self, role: Role, model: str, settings: Settings, unfit: str | None) -> None:
        self.role, self.model, self.unfit = role, model, unfit
        self._price = settings.price_for(role)
        self._max_tokens = settings.max_output_tokens
        self._runs_here = settings.models_run_here

    async def reply(
        self,
        characters: int,
        ask: Callable[[], Awaitable[Reply[T]]],
        stand_in: Callable[[], Awaitable[Reply[T]]],
        unable: str | None = None,
    ) -> tuple[Reply[T], bool]:
        """The reply, and whether it is the model's rather than the embedded engine's. `unable` says why the model is
        not asked this time."""
        account, spent = current_account(), Usage()
        reason = self.unfit or unable or account.silence_of(self.model) or account.refusal(self.cost(characters))
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
            except ModelSilent as error:
                # A remote model may recover soon. A local one is too slow for its machine and would be again.
                if not self._runs_here:
                    raise
                account.silent_models.append(self.model)
                reason, spent = str(error), error.usage
                account.charge(spent)
        account.stood_in.append(f"{self.role} embedded, in place of {self.model}: {reason}")
        reply = await stand_in()
        return replace(reply, usage=reply.usage + spent), False

    def cost(self, characters: int) -> float:
        """Upper bound of the cost in US dollars, with an output of full length."""
        tokens = (characters + PROMPT_CHARS) / CHARS_A_TOKEN
        return (tokens * self._price[0] + self._max_tokens * self._price[1]) / 1e6


class _Measured(Generic[Engine]):
    role: Role

    def __init__(self, model: Engine, embedded: Engine, settings: Settings, unfit: str | None = None) -> None:
        self.name = OFFLINE if unfit else model.name
        self.prompt = getattr(model, "prompt", None)
        self._model: Engine = model
        self._embedded: Engine = embedded
        self._means = _Means(self.role, model.name, settings, unfit)


class MeasuredWriter(_Measured[Writer]):
    role = "writer"

    @property
    def reads_at_most(self) -> int | None:
        """Characters of evidence; None if only the settings limit it."""
        return getattr(self._model, "reads_at_most", None)

    @property
    def summary_prompt(self) -> object:
        return getattr(self._model, "summary_prompt", None)

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        read = sum(len(passage.text) for passage in brief.passages) + len(brief.previous_draft or "")
        is_sent_back = brief.previous_critique is not None and not brief.guidance
        is_spent = is_sent_back and getattr(self._model, "writes_once", False)
        reply, _ = await self._means.reply(
            read,
            lambda: self._model.write(brief, on_token),
            lambda: self._embedded.write(replace(brief, passages=brief.evidence or brief.passages), on_token),
            "a small model writes one draft, and its draft was sent back" if is_spent else None,
        )
        return reply

    async def complete_question(self, question: str, turns: Sequence[Turn]) -> Reply[str]:
        by_model = getattr(self._model, "complete_question", None)

        async def by_words() -> Reply[str]:
            return Reply(completed(question, turns))

        if by_model is None:
            return await by_words()
        reply, _ = await self._means.reply(len(question), lambda: by_model(question, turns), by_words)
        return reply

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        reply, _ = await self._means.reply(
            sum(len(passage.text) for passage in passages),
            lambda: self._model.summarize(question, passages, limit),
            lambda: self._embedded.summarize(question, passages, limit),
        )
        return reply


class MeasuredAuditor(_Measured[Auditor]):
    role = "auditor"

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


class MeasuredJudge(_Measured[Judge]):
    role = "judge"

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


def engines_for(settings: Settings) -> tuple[Writer, Auditor, Judge]:
    """All three roles share one rate limit, because it belongs to the account."""
    clients = clients_for(settings)
    embedded = _embedded_engines()
    if not clients:
        return embedded
    return _measured(settings, clients, embedded)


def clients_for(settings: Settings) -> "dict[Role, ModelClient]":
    """One client for each role that is played by a model."""
    roles = [role for role in ROLES if settings.model_for(role) != OFFLINE]
    if not roles:
        return {}
    from masis.reasoning.llm.chat_model import ModelClient
    from masis.reasoning.llm.limiter import limiter_for

    limiter = limiter_for(settings)
    return {role: ModelClient(settings, role, limiter) for role in roles}


def _embedded_engines() -> tuple[Writer, Auditor, Judge]:
    from masis.reasoning.offline.auditor import OfflineAuditor
    from masis.reasoning.offline.judge import OfflineJudge
    from masis.reasoning.offline.writer import OfflineWriter

    return OfflineWriter(), OfflineAuditor(), OfflineJudge()


def _measured(
    settings: Settings, clients: "dict[Role, ModelClient]", embedded: tuple[Writer, Auditor, Judge]
) -> tuple[Writer, Auditor, Judge]:
    from masis.reasoning.llm.engine import LLMAuditor, LLMJudge, LLMWriter, PlainWriter, YesOrNoAuditor
    from masis.reasoning.llm.fitness import says_yes_or_no, unfit_reasons, writes_plainly

    writer, auditor, judge = embedded
    unfit = unfit_reasons(settings)
    if client := clients.get("writer"):
        writes = PlainWriter(client) if writes_plainly(settings) else LLMWriter(client)
        writer = MeasuredWriter(writes, writer, settings, unfit.get("writer"))
    if client := clients.get("auditor"):
        by_word = "auditor" in unfit and says_yes_or_no(settings)
        asked = YesOrNoAuditor(client, auditor) if by_word else LLMAuditor(client)
        auditor = MeasuredAuditor(asked, auditor, settings, None if by_word else unfit.get("auditor"))
    if client := clients.get("judge"):
        judge = MeasuredJudge(LLMJudge(client), judge, settings, unfit.get("judge"))
    return writer, auditor, judge
