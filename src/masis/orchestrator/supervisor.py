"""The Supervisor: the only router. Plain Python without model calls, so the same state gives the same decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from langgraph.runtime import Runtime

from masis.audit.verdicts import judge_claims
from masis.orchestrator.agent import Turn, account_of
from masis.orchestrator.critic import names_a_limit, stands_as_silence
from masis.orchestrator.evaluator import scorecard_without_answer
from masis.orchestrator.human import answers_to_apply, decisions_named
from masis.orchestrator.review import Situation, outcome_of, review_for
from masis.orchestrator.services import Services, services_of
from masis.orchestrator.state import Attempt, MASISState, Route, StateUpdate, max_retries_of, merge_metrics
from masis.orchestrator.trail import Metrics, RetryReason
from masis.types import Claim, ReviewCause

NOTHING_ASKED: StateUpdate = {"requires_human_review": False, "clarification_question": None, "review": None}

STANDING = "standing_decision"
NO_PROGRESS = "no_progress"
BUDGET_SPENT = "budget_spent"

TraceDecision = Literal["retry", "finalize", "HITL_conflict", "HITL_triggered"]


@dataclass(frozen=True, slots=True)
class Signals:
    """Everything the decision depends on."""

    drafted: bool = False
    review_requested: ReviewCause | None = None
    """Why the Researcher asks for a person."""
    answered: Literal["continue", "end"] | None = None
    """A person answered: continue with a new round, or end."""
    failed: bool = False
    low_confidence: bool = False
    invalid_citation: bool = False
    hallucination: bool = False
    critic_asks_retry: bool = False
    conflict: bool = False
    partly: bool = False
    """The draft says that a part of the question is not covered, and there was no wider search for it yet."""
    standing_decision: bool = False
    """A decision from an earlier run settles a conflict and has not been applied in this run."""
    retries_left: bool = True
    no_progress: bool = False
    """The retry produced the same evidence and the same draft; another one would do so too."""
    budget_spent: bool = False
    """The budget does not cover another attempt."""
    repaired: bool = False
    """The best answer was repaired by the Critic and passes."""
    passed_before: bool = False
    """The best answer passes; the retry was only to search more widely."""
    silent: bool = False
    """The best answer is that the documents do not say, and no later draft passes."""

    @property
    def quality_issue(self) -> bool:
        return self.low_confidence or self.invalid_citation or self.hallucination or self.critic_asks_retry


@dataclass(frozen=True, slots=True)
class Decision:
    route: Route
    logged_as: TraceDecision | None = None
    reason: str = ""
    cause: ReviewCause | None = None


def decide(s: Signals) -> Decision:
    """The complete decision table; the first match wins."""
    if s.answered == "end":
        return Decision("finalize", "finalize", "decided_by_person")
    if s.answered == "continue":
        return Decision("retry", "retry", "answered_by_person")
    if s.review_requested:
        return Decision("human_review", "HITL_triggered", s.review_requested, s.review_requested)
    if s.failed:
        return Decision("human_review", "HITL_triggered", "unavailable", "unavailable")
    if not s.drafted:
        return Decision("first_run")
    if s.standing_decision:
        return Decision("retry", "retry", STANDING)
    worth_a_retry = s.retries_left and not s.no_progress and not s.budget_spent
    if worth_a_retry and s.quality_issue:
        return Decision("retry", "retry", "quality_issue_detected")
    if worth_a_retry and s.conflict:
        return Decision("retry", "retry", "conflicting_evidence_attempting_resolution")
    if worth_a_retry and s.partly:
        return Decision("retry", "retry", "part_not_covered")
    stuck = NO_PROGRESS if s.no_progress else BUDGET_SPENT if s.retries_left and s.budget_spent else None
    if s.repaired and not s.conflict:
        return Decision("finalize", "finalize", "repaired_answer_passed")
    if s.passed_before and not s.conflict:
        return Decision("finalize", "finalize", "quality_checks_passed")
    if s.conflict:
        return Decision("human_review", "HITL_conflict", stuck or "conflicting_evidence", "conflict")
    if s.quality_issue and s.silent:
        return Decision("finalize", "finalize", "documents_do_not_say")
    if s.quality_issue:
        return Decision("human_review", "HITL_triggered", stuck or "quality_issue_unresolved", "quality")
    return Decision("finalize", "finalize", "quality_checks_passed")


def route(state: MASISState) -> Route:
    """The one conditional edge: human review first, then retry, then first run, else end."""
    return state["decision"]


def signals(state: MASISState, services: Services) -> Signals:
    critique = state.get("critique")
    audit: Mapping[str, Any] = state.get("metrics", {}).get("last_citation_audit") or {}
    answer = state.get("pending_answer")
    threshold, best = services.settings.confidence_threshold, state.get("best")
    return Signals(
        drafted=state.get("draft_answer") is not None,
        review_requested=state.get("review_cause"),
        answered=None if answer is None else "end" if answer["action"] in ("accept", "stop") else "continue",
        failed=state.get("failure") is not None,
        low_confidence=critique is not None and state.get("confidence", 0.0) < threshold,
        invalid_citation=bool(audit.get("invalid_citations")),
        hallucination=critique is not None and critique["hallucination_detected"],
        critic_asks_retry=critique is not None and critique["needs_retry"],
        conflict=critique is not None and bool(critique["conflicting_evidence"]),
        partly=state.get("answered") == "part" and _is_first(state) and any(map(names_a_limit, state["claims"])),
        standing_decision=bool(answers_to_apply(state)),
        retries_left=state.get("retry_count", 0) < ceiling_of(state, services),
        no_progress=state.get("retried_from") == mark_of(state),
        budget_spent=is_budget_spent(state),
        repaired=_has_passed(best),
        passed_before=best is not None and not best["flagged"] and best.get("answered") == "part",
        silent=best is not None and stands_as_silence(best, services.settings),
    )


def _is_first(state: MASISState) -> bool:
    return state.get("retry_count", 0) == state.get("round_start", 0)


def is_budget_spent(state: MASISState) -> bool:
    """Whether the budget is used up, or would be after another attempt of average cost."""
    account, attempts = account_of(state), state.get("retry_count", 0) + 1
    money, seconds = account.spent_usd / attempts, account.spent_seconds / attempts
    out_of_money = account.max_cost_usd is not None and account.spent_usd + money > account.max_cost_usd
    out_of_time = account.max_seconds is not None and account.spent_seconds + seconds > account.max_seconds
    return bool(state.get("metrics", {}).get("budget_spent")) or out_of_money or out_of_time


def _has_passed(best: Attempt | None) -> bool:
    """Whether the best answer is a repaired text that passes. An unrepaired text that passes ends the run at once."""
    return best is not None and not best["flagged"] and any("repaired" in claim for claim in best["claims"])


def mark_of(state: MASISState) -> str:
    """A hash that changes with the draft and its evidence."""
    ids = sorted(chunk["chunk_id"] for chunk in state.get("evidence", []))
    return sha256("\n".join([*ids, state.get("draft_answer") or ""]).encode(errors="surrogatepass")).hexdigest()


def ceiling_of(state: MASISState, services: Services) -> int:
    ceiling = state.get("retry_ceiling")
    return max_retries_of(state, services.settings) if ceiling is None else ceiling


async def supervisor(state: MASISState, runtime: Runtime[Services]) -> StateUpdate:
    services = services_of(runtime)
    turn = Turn("supervisor", state, services)
    seen = signals(state, services)
    decision = decide(seen)
    if decision.route == "first_run":
        return {"decision": "first_run", "metrics": turn.metrics()}
    if decision.route == "retry":
        update = _next_attempt(state, seen, decision, services)
    else:
        update = _ending(state, decision, services)
    entry = turn.trace(decision=decision.logged_as, confidence=state.get("confidence", 0.0), reason=decision.reason)
    return {
        **update,
        "decision": decision.route,
        "pending_answer": None,
        "trace": [entry],
        "metrics": merge_metrics(turn.metrics(), update.get("metrics")),
    }


def _next_attempt(state: MASISState, seen: Signals, decision: Decision, services: Services) -> StateUpdate:
    attempt = state.get("retry_count", 0) + 1
    reason: RetryReason = {
        "iteration": attempt,
        "confidence": state.get("confidence", 0.0),
        "reason": decision.reason,
        "citation_issue": seen.invalid_citation,
        "hallucination": seen.hallucination,
    }
    # A person's decision changes what is to be written, even from the same evidence.
    before = None if seen.answered or decision.reason == STANDING else mark_of(state)
    update: StateUpdate = {"retry_count": attempt, "retried_from": before, "metrics": {"retry_reasons": [reason]}}
    if decision.reason == STANDING:
        # An attempt that applies a decision is not a retry and does not use one up.
        return update | {
            "human_answers": answers_to_apply(state),
            "retry_ceiling": ceiling_of(state, services) + 1,
        }
    if seen.answered:
        # A person's answer allows one more round: this attempt, and as many retries as the run was given.
        update |= {
            "round_start": attempt,
            "retry_ceiling": attempt + max_retries_of(state, services.settings),
            "review_cause": None,
            "failure": None,
            "outcome": None,
            **NOTHING_ASKED,
        }
        update |= _forgotten(state)
    return update


def _forgotten(state: MASISState) -> StateUpdate:
    """A refined question is a new question: earlier drafts and critiques do not apply to it."""
    answer = state.get("pending_answer")
    if not (answer and answer["action"] == "refine"):
        return {}
    return {
        "best": None,
        "final_answer": None,
        "draft_answer": None,
        "critique": None,
        "confidence": 0.0,
        "claims": [],
        "conflicts": [],
    }


def _ending(state: MASISState, decision: Decision, services: Services) -> StateUpdate:
    """Ends the run, or pauses it for a person, with its best attempt and everything that belongs to it."""
    best, answer = state.get("best"), state.get("pending_answer")
    update = _returned(best) if best else _without_answer(state, services)
    if decision.cause:
        review = review_for(decision.cause, _situation(state, best))
        question = review["question"]
        update |= {"requires_human_review": True, "clarification_question": question, "review": review}
        return update | {"outcome": outcome_of(decision.cause, best)}
    update |= NOTHING_ASKED
    if answer and answer["action"] == "stop":
        # The question put to the person stays unanswered, and the outcome says so.
        asked = state.get("review")
        return update | {"outcome": outcome_of(asked["cause"] if asked else None, best)}
    if answer and best:
        return update | _accepted(answer, best)
    return update | {"outcome": outcome_of(None, best)}


def _accepted(answer: dict[str, Any], best: Attempt) -> StateUpdate:
    audited, named = f"{best['answer']}\n\n", decisions_named([answer])
    outcome = outcome_of(None, best)
    return {
        "final_answer": audited + named,
        "claims": [*best["claims"], *_after(len(audited), judge_claims(named, best["evidence"]))],
        "outcome": "answered_with_caveat" if best["flagged"] and outcome == "answered" else outcome,
    }


def _after(length: int, claims: Sequence[Claim]) -> list[Claim]:
    """Shifts the claims of the sentences appended to an audited answer; the audited part keeps its verdicts."""
    return [{**claim, "start": claim["start"] + length, "end": claim["end"] + length} for claim in claims]


def _returned(best: Attempt) -> StateUpdate:
    metrics: Metrics = {"last_citation_audit": best["citation_audit"]}
    if "evaluation" in best:
        metrics["evaluation"] = best["evaluation"]
    return {
        "final_answer": best["answer"],
        "confidence": best["confidence"],
        "critique": best["critique"],
        "evidence": best["evidence"],
        "claims": best["claims"],
        "conflicts": best["conflicts"],
        "likelihood": best.get("likelihood"),
        "metrics": metrics,
    }


def _without_answer(state: MASISState, services: Services) -> StateUpdate:
    metrics: Metrics = {
        "iterations": state.get("retry_count", 0) + 1,
        "evaluation": scorecard_without_answer(services.settings),
    }
    return {"metrics": metrics}


def _situation(state: MASISState, best: Attempt | None) -> Situation:
    return Situation(
        question=state["user_query"],
        workspace_id=state["workspace_id"],
        attempts=state.get("retry_count", 0) - state.get("round_start", 0) + 1,
        confidence=best["confidence"] if best else 0.0,
        conflicts=tuple(best["conflicts"]) if best else (),
        conflict_notes=tuple(best["critique"]["conflicting_evidence"]) if best else (),
        failure=state.get("failure"),
        has_draft=best is not None,
        missing=_not_covered(best) if best else (),
    )


def _not_covered(best: Attempt) -> tuple[str, ...]:
    limits = [claim["text"] for claim in best["claims"] if claim["kind"] == "limit"]
    return tuple(dict.fromkeys([*best["critique"]["logical_gaps"], *limits]))
