"""Which engine plays which role: a chat model where one is configured, the offline engine otherwise."""

from typing import TYPE_CHECKING

from masis.reasoning.ports import Auditor, Judge, Writer
from masis.settings import OFFLINE, ROLES, Role, Settings

if TYPE_CHECKING:
    from masis.reasoning.llm.client import ModelClient


def engines_for(settings: Settings) -> tuple[Writer, Auditor, Judge]:
    """All three roles share one rate limit: it is the account's, not the role's."""
    clients = clients_for(settings)
    return (
        _writer(clients.get("writer")),
        _auditor(clients.get("auditor")),
        _judge(clients.get("judge")),
    )


def clients_for(settings: Settings) -> "dict[Role, ModelClient]":
    """A client for every role that a model plays."""
    roles = [role for role in ROLES if settings.model_for(role) != OFFLINE]
    if not roles:
        return {}
    from masis.reasoning.llm.client import ModelClient
    from masis.reasoning.llm.limiter import limiter_for

    limiter = limiter_for(settings)
    return {role: ModelClient(settings, role, limiter) for role in roles}


def _writer(client: "ModelClient | None") -> Writer:
    if client is None:
        from masis.reasoning.offline.writer import OfflineWriter

        return OfflineWriter()
    from masis.reasoning.llm.engine import LLMWriter

    return LLMWriter(client)


def _auditor(client: "ModelClient | None") -> Auditor:
    if client is None:
        from masis.reasoning.offline.auditor import OfflineAuditor

        return OfflineAuditor()
    from masis.reasoning.llm.engine import LLMAuditor

    return LLMAuditor(client)


def _judge(client: "ModelClient | None") -> Judge:
    if client is None:
        from masis.reasoning.offline.judge import OfflineJudge

        return OfflineJudge()
    from masis.reasoning.llm.engine import LLMJudge

    return LLMJudge(client)
