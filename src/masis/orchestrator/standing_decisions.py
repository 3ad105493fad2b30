"""A decision on a conflict that stands for later questions: what is stored, and what it settles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from masis.language.periods import Period, period_spans
from masis.language.words import content_stems
from masis.orchestrator.human import both_explained, conflicts_settled, files_in, guidance_of, question_of
from masis.orchestrator.state import MASISState
from masis.types import Conflict, DecisionMade, StandingDecision

DECISIONS_A_RUN = 5
"""Each one that is applied costs an attempt: a run must end, however many decisions stand."""
SAYS_NOTHING = frozenset(content_stems("the same figure fact value number amount level total overall fiscal year"))
"""Words that do not part one matter from another."""


def decisions_from(answer: Mapping[str, Any], state: MASISState, *, run_id: str, created_at: str) -> list[DecisionMade]:
    """What is to be kept of an answer, one for each conflict that it settles; `state` is that of the waiting run."""
    if not answer.get("remember"):
        return []
    settled = conflicts_settled(answer["action"], answer["prefer"], answer["over"], state)
    return [_decision(answer, conflict, state, run_id, created_at) for conflict in settled]


def _decision(
    answer: Mapping[str, Any], conflict: Conflict, state: MASISState, run_id: str, created_at: str
) -> DecisionMade:
    documents = files_in(conflict)
    return {
        "workspace_id": state["workspace_id"],
        "action": answer["action"],
        "about": _about(conflict, state),
        "period": conflict["period"],
        "prefer": [name for name in documents if name in answer["prefer"]],
        "over": [name for name in documents if name in answer["over"]],
        "documents": documents,
        "note": answer["note"],
        "by": answer["by"],
        "run_id": run_id,
        "created_at": created_at,
    }


def _about(conflict: Conflict, state: MASISState) -> str:
    """“The same figure” tells nothing: then it is what was asked."""
    return conflict["about"] if _matter(conflict["about"], None).words else question_of(state)


def answers_to_apply(state: MASISState) -> list[dict[str, Any]]:
    """The standing decisions that settle an open conflict of this attempt, as if their people had answered now."""
    conflicts = _open_conflicts(state)
    chosen = _decisions_by_conflict(conflicts, state)
    while hiding := _hiding_others(chosen, conflicts):
        chosen = {index: decision for index, decision in chosen.items() if index not in hiding}
    return [_as_answer(decision) for decision in _distinct(chosen)]


def _decisions_by_conflict(conflicts: Sequence[Conflict], state: MASISState) -> dict[int, StandingDecision]:
    chosen: dict[int, StandingDecision] = {}
    for index, conflict in enumerate(conflicts):
        decision = _latest_on(conflict, state)
        if decision and _may_be_applied(decision, _distinct(chosen), state):
            chosen[index] = decision
    return chosen


def _may_be_applied(decision: StandingDecision, chosen: Sequence[StandingDecision], state: MASISState) -> bool:
    applied = _applied(state)
    if decision in chosen:
        return True
    is_one_too_many = len(applied) + len(chosen) >= DECISIONS_A_RUN
    return not (decision["decision_id"] in applied or is_one_too_many or _is_at_odds(decision, state, chosen))


def _hiding_others(chosen: Mapping[int, StandingDecision], conflicts: Sequence[Conflict]) -> set[int]:
    """An overruled document is not read any more: what else it contradicts would be settled without a word."""
    unsettled = [conflict for index, conflict in enumerate(conflicts) if index not in chosen]
    disputed = {name for conflict in unsettled for name in files_in(conflict)}
    return {index for index, decision in chosen.items() if disputed.intersection(decision["over"])}


def _distinct(chosen: Mapping[int, StandingDecision]) -> list[StandingDecision]:
    return list({decision["decision_id"]: decision for decision in chosen.values()}.values())


def _applied(state: MASISState) -> set[str]:
    return {answer["decision_id"] for answer in state.get("human_answers", []) if answer.get("decision_id")}


def _open_conflicts(state: MASISState) -> list[Conflict]:
    critique = state.get("critique")
    escalated = critique["conflicting_evidence"] if critique else []
    return [c for c in _contradictions(state.get("conflicts", [])) if c["explanation"] in escalated]


def _contradictions(conflicts: Sequence[Conflict]) -> list[Conflict]:
    return [conflict for conflict in conflicts if conflict["kind"] == "contradiction"]


def _latest_on(conflict: Conflict, state: MASISState) -> StandingDecision | None:
    """Where two stand on the same conflict, the later word counts."""
    about = _about(conflict, state)
    fitting = [d for d in state.get("standing_decisions", []) if _is_about(d, conflict, about)]
    return max(fitting, key=lambda d: d["created_at"], default=None)


def _is_about(decision: StandingDecision, conflict: Conflict, about: str) -> bool:
    if set(decision["documents"]) != set(files_in(conflict)):
        return False
    return _matter(decision["about"], decision["period"]).is_same(_matter(about, conflict["period"]))


def _is_at_odds(decision: StandingDecision, state: MASISState, chosen: Sequence[StandingDecision]) -> bool:
    """Trusting a file that was overruled, or the other way round: both cannot be obeyed, so a person is asked."""
    now = guidance_of(state)
    trusted = {*now.prefer, *(name for other in chosen for name in other["prefer"])}
    overruled = {*now.over, *(name for other in chosen for name in other["over"])}
    return bool(trusted.intersection(decision["over"]) or overruled.intersection(decision["prefer"]))


def _as_answer(decision: StandingDecision) -> dict[str, Any]:
    return {
        "action": decision["action"],
        "prefer": list(decision["prefer"]),
        "over": list(decision["over"]),
        "question": None,
        "by": decision["by"],
        "note": decision["note"],
        "remember": False,
        "decision_id": decision["decision_id"],
        "since": decision["created_at"][:10],
    }


def still_open(conflicting: Sequence[str], conflicts: Sequence[Conflict], state: MASISState) -> list[str]:
    """What the Critic lists as conflicting, less what was decided to be explained from both sides.

    A person who answers this run has seen all its conflicts; a standing decision speaks of its own one alone.
    """
    explained = both_explained(state.get("human_answers", []))
    if any(not answer.get("decision_id") for answer in explained):
        return []
    ids = {answer["decision_id"] for answer in explained}
    settled = {c["explanation"] for c in _contradictions(conflicts) if _is_explained(c, ids, state)}
    return [sentence for sentence in conflicting if sentence not in settled]


def _is_explained(conflict: Conflict, ids: set[str], state: MASISState) -> bool:
    about = _about(conflict, state)
    return any(_is_about(d, conflict, about) for d in state.get("standing_decisions", []) if d["decision_id"] in ids)


@dataclass(frozen=True, slots=True)
class Matter:
    """What a conflict is about, and for when."""

    words: frozenset[str]
    when: tuple[Period, ...]

    def is_same(self, other: "Matter") -> bool:
        """The very same words: revenue is not revenue in Europe, and asking once too often does less harm."""
        return self.words == other.words and _covers(self.when, other.when) and _covers(other.when, self.when)


def _covers(some: Sequence[Period], others: Sequence[Period]) -> bool:
    return all(any(not period.differs_from(other) for other in others) for period in some)


def _matter(about: str, period: str | None) -> Matter:
    said = f"{about} {period or ''}"
    spans = period_spans(said)
    rest = said
    for _, (start, end) in reversed(spans):
        rest = f"{rest[:start]} {rest[end:]}"
    return Matter(frozenset(content_stems(rest)) - SAYS_NOTHING, tuple(found for found, _ in spans))
