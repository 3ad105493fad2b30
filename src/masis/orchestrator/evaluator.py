"""The Evaluator: a judge gives four scores, and code applies the caps and the weighted mean. It never routes."""

from langgraph.runtime import Runtime

from masis.errors import ModelError
from masis.language.measures import percent
from masis.orchestrator.agent import Turn
from masis.orchestrator.critic import as_share
from masis.orchestrator.human import question_of
from masis.orchestrator.services import Services, services_of
from masis.orchestrator.state import MASISState, StateUpdate
from masis.reasoning.offline.judge import SCORES_OF_NO_ANSWER, OfflineJudge
from masis.reasoning.ports import Judge, Reply, Scores
from masis.settings import Settings
from masis.types import CitationAudit, Evaluation

NOTHING_AUDITED: CitationAudit = {
    "invalid_citations": [],
    "uncited_claim_count": 0,
    "uncited_claim_sentences": [],
    "hallucination_detected": False,
    "unsupported_claims": [],
}


async def evaluator(state: MASISState, runtime: Runtime[Services]) -> StateUpdate:
    services = services_of(runtime)
    turn = Turn("evaluator", state, services)
    update: StateUpdate = {}
    judged_by = services.judge.name
    try:
        scores = await _judged(state, services.judge, turn)
    except ModelError as error:
        update["failure"] = turn.failure(error)
        scores = None
    if scores is not None and scores.made_by:
        judged_by = f"{scores.made_by} (in place of {judged_by})"
    if scores is None:
        # Every response has an evaluation, so the offline judge stands in, and the result says so.
        scores = (await _ask(OfflineJudge(), state)).value
        judged_by = f"{OfflineJudge.name} ({judged_by} was not asked or did not respond)"
    critique = state.get("critique")
    hallucinated = critique is not None and critique["hallucination_detected"]
    evaluation = scorecard(scores, _audit_of(state), hallucinated, judged_by, services.settings)
    return update | _report(evaluation, state, turn)


async def _judged(state: MASISState, judge: Judge, turn: Turn) -> Scores | None:
    if state.get("failure") is not None:
        # Something is already down: another call would only wait.
        return None
    turn.calls_engine(judge)
    reply = await _ask(judge, state)
    turn.spent(reply.usage)
    return reply.value


async def _ask(judge: Judge, state: MASISState) -> Reply[Scores]:
    draft = state.get("draft_answer") or ""
    # Without a draft, the claims in the state belong to the previous attempt.
    claims = state.get("claims", []) if draft else []
    critique = state.get("critique") if draft else None
    return await judge.judge(question_of(state), draft, state.get("evidence", []), _audit_of(state), claims, critique)


def _audit_of(state: MASISState) -> CitationAudit:
    audit: CitationAudit | None = state.get("metrics", {}).get("last_citation_audit")
    return audit or NOTHING_AUDITED


def scorecard_without_answer(settings: Settings) -> Evaluation:
    return scorecard(SCORES_OF_NO_ANSWER, NOTHING_AUDITED, False, OfflineJudge.name, settings)


def scorecard(
    scores: Scores, audit: CitationAudit, hallucinated: bool, judged_by: str, settings: Settings
) -> Evaluation:
    faithfulness, clamps = as_share(scores.faithfulness), []
    for cap, why in faithfulness_caps(audit, hallucinated, settings):
        if faithfulness > cap:
            faithfulness = cap
            clamps.append(f"faithfulness is at most {percent(cap)}: {why}")
    relevance, completeness = as_share(scores.relevance), as_share(scores.completeness)
    reasoning = as_share(scores.reasoning_quality)
    overall = (
        settings.weight_faithfulness * faithfulness
        + settings.weight_relevance * relevance
        + settings.weight_completeness * completeness
        + settings.weight_reasoning_quality * reasoning
    )
    return {
        "faithfulness": faithfulness,
        "relevance": relevance,
        "completeness": completeness,
        "reasoning_quality": reasoning,
        "overall_score": round(overall, 3),
        "improvement_suggestions": list(scores.improvement_suggestions),
        "clamps": clamps,
        "judged_by": judged_by,
    }


def faithfulness_caps(audit: CitationAudit, hallucinated: bool, settings: Settings) -> list[tuple[float, str]]:
    """Every cap that applies; the lowest wins."""
    uncited = audit["uncited_claim_count"]
    caps = []
    if audit["invalid_citations"] or audit["hallucination_detected"] or hallucinated:
        caps.append((settings.faithfulness_cap_fabricated, "a citation or a claim was made up"))
    if uncited >= settings.faithfulness_cap_uncited_many_count:
        caps.append((settings.faithfulness_cap_uncited_many, f"{uncited} claims carry no citation"))
    elif uncited >= settings.faithfulness_cap_uncited_count:
        caps.append((settings.faithfulness_cap_uncited, f"{uncited} claims carry no citation"))
    return caps


def _report(evaluation: Evaluation, state: MASISState, turn: Turn) -> StateUpdate:
    entry = turn.trace(
        overall_score=evaluation["overall_score"],
        faithfulness=evaluation["faithfulness"],
        relevance=evaluation["relevance"],
        completeness=evaluation["completeness"],
        reasoning_quality=evaluation["reasoning_quality"],
    )
    update: StateUpdate = {"trace": [entry], "metrics": turn.metrics() | {"evaluation": evaluation}}
    best = state.get("best")
    if best and best["number"] == turn.attempt:
        update["best"] = {**best, "evaluation": evaluation}
    return update
