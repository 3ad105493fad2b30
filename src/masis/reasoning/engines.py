"""Which engine plays which role: a chat model where one is configured, the offline engine otherwise.

Where a model plays, the offline engine stands behind it: for a role that the model cannot fill, and for a run that may
spend no more.
"""

from typing import TYPE_CHECKING

from masis.reasoning.ports import Auditor, Judge, Writer
from masis.settings import OFFLINE, ROLES, Role, Settings

if TYPE_CHECKING:
    from masis.reasoning.llm.client import ModelClient


def engines_for(settings: Settings) -> tuple[Writer, Auditor, Judge]:
    """All three roles share one rate limit: it is the account's, not the role's."""
    clients = clients_for(settings)
    embedded = _embedded_engines()
    if not clients:
        return embedded
    return _measured(settings, clients, embedded)


def clients_for(settings: Settings) -> "dict[Role, ModelClient]":
    """A client for every role that a model plays."""
    roles = [role for role in ROLES if settings.model_for(role) != OFFLINE]
    if not roles:
        return {}
    from masis.reasoning.llm.client import ModelClient
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
    from masis.reasoning.llm.engine import LLMAuditor, LLMJudge, LLMWriter
    from masis.reasoning.llm.fitness import unfit_reasons
    from masis.reasoning.standing_in import MeasuredAuditor, MeasuredJudge, MeasuredWriter

    writer, auditor, judge = embedded
    unfit = unfit_reasons(settings)
    if client := clients.get("writer"):
        writer = MeasuredWriter(LLMWriter(client), writer, settings, unfit.get("writer"))
    if client := clients.get("auditor"):
        auditor = MeasuredAuditor(LLMAuditor(client), auditor, settings, unfit.get("auditor"))
    if client := clients.get("judge"):
        judge = MeasuredJudge(LLMJudge(client), judge, settings, unfit.get("judge"))
    return writer, auditor, judge
