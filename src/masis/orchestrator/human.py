"""Decisions by people: the answer to a waiting run, its effects, and standing decisions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Literal, Self, cast

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from masis.errors import InvalidInput
from masis.language.periods import Period, period_spans
from masis.language.words import content_stems
from masis.orchestrator.agent import finished
from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISState, StateUpdate, in_words, readable_question
from masis.orchestrator.trail import TraceEntry
from masis.reasoning.ports import Guidance
from masis.types import LOCAL, Conflict, DecisionMade, StandingDecision

Action = Literal["prefer", "explain_both", "refine", "look_again", "accept", "stop"]
ON_A_CONFLICT: tuple[Action, ...] = ("prefer", "explain_both")


class Answer(BaseModel):
    """What a person decided.

    >>> Answer(action="prefer", prefer=["annual-report.pdf"], over=["memo.docx"], by="Ada").action
    'prefer'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Action
    """prefer some documents over others · explain_both · refine the question · look_again, after adding documents ·
    accept the best draft as it is · stop"""
    prefer: list[str] = Field(default_factory=list)
    """File names to trust if documents disagree."""
    over: list[str] = Field(default_factory=list)
    """File names not to use for this question."""
    question: str | None = None
    """The question to ask instead."""
    by: str = Field("a person", min_length=1, max_length=200)
    note: str | None = Field(None, max_length=2000)
    remember: bool = False
    """Whether to apply the decision to later questions of the workspace with the same conflict."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.action == "prefer" and not (self.prefer and self.over):
            raise ValueError("To prefer, name the documents to trust and those not to use.")
        if set(self.prefer) & set(self.over):
            raise ValueError("A document cannot be preferred over itself.")
        if self.action == "refine" and self.question is None:
            raise ValueError("To refine, give the new question.")
        if self.remember and self.action not in ON_A_CONFLICT:
            raise ValueError("Only a decision on a conflict can be remembered: prefer or explain_both.")
        return self

    @field_validator("by")
    @classmethod
    def _a_name(cls, by: str) -> str:
        if not is_name(by):
            raise ValueError("Give the name of the person who decides.")
        return by

    @field_validator("question")
    @classmethod
    def _readable(cls, question: str | None) -> str | None:
        return None if question is None else readable_question(question)


def is_name(text: str) -> bool:
    """The name appears in the answer, so it must not contain a sentence."""
    return not re.search(r"[\n\r%$€£]|\w{4,}[.!?]\s", text)


def human_review(state: MASISState, runtime: Runtime[Services]) -> StateUpdate:
    """Pauses the run and nothing else, because the node starts again from the top when the answer arrives."""
    given = interrupt(state.get("review"), response_schema=Answer)
    record = checked_answer(given, state).model_dump()
    entry = cast(TraceEntry, {"node": "human_review", "retry_count": state.get("retry_count", 0), **record})
    update: StateUpdate = {"pending_answer": record, "human_answers": [record], "trace": [entry]}
    runtime.stream_writer(finished("human_review", state, get_config(), update))
    return update


def checked_answer(given: Any, state: MASISState) -> Answer:
    """Validates an answer: it must fit the question asked and name documents of the run. Raises InvalidInput
    otherwise."""
    try:
        answer = Answer.model_validate(given)
    except ValidationError as error:
        raise InvalidInput(in_words(error)) from None
    review = state.get("review")
    if review and answer.action not in review["choices"]:
        choices = ", ".join(review["choices"])
        raise InvalidInput(f"“{answer.action}” is not one of the choices.", advice=f"Choose among: {choices}.")
    known = _files_of(state)
    if strangers := [name for name in (*answer.prefer, *answer.over) if name not in known]:
        raise InvalidInput(
            f"Not among the documents of this run: {', '.join(strangers)}.",
            advice=f"Choose among: {', '.join(sorted(known))}.",
        )
    if answer.remember and not conflicts_settled(answer.action, answer.prefer, answer.over, state):
        raise InvalidInput(
            "Nothing to remember: this answer does not settle a conflict between two known documents.",
            advice="Name documents from both sides, or answer without `remember`.",
        )
    return answer


def conflicts_settled(action: Action, prefer: Sequence[str], over: Sequence[str], state: MASISState) -> list[Conflict]:
    """The conflicts the person was asked about that this answer settles."""
    review = state.get("review")
    asked = review["conflicts"] if review else []
    return [c for c in asked if _settles(action, frozenset(prefer), frozenset(over), frozenset(files_in(c)))]


def _settles(action: Action, prefer: frozenset[str], over: frozenset[str], disputed: frozenset[str]) -> bool:
    if action == "prefer":
        return bool(prefer & disputed) and bool(over & disputed) and disputed <= prefer | over
    return action == "explain_both" and bool(disputed)


def files_in(conflict: Conflict) -> list[str]:
    return list(dict.fromkeys(side["file_name"] for side in conflict["sides"]))


def _files_of(state: MASISState) -> set[str]:
    disputed = {side["file_name"] for conflict in state.get("conflicts", []) for side in conflict["sides"]}
    named_before = {name for answer in state.get("human_answers", []) for name in (*answer["prefer"], *answer["over"])}
    return disputed | named_before | {chunk["file_name"] for chunk in state.get("evidence", [])}


def question_of(state: MASISState) -> str:
    """The question as a person last worded it; `user_query` itself never changes."""
    refined = [a["question"] for a in state.get("human_answers", []) if a["action"] == "refine"]
    return refined[-1] if refined else state["user_query"]


def guidance_of(state: MASISState) -> Guidance:
    """The decisions in force. The latest one on a document counts, and a new question reopens its conflicts."""
    answers = state.get("human_answers", [])
    trusted: dict[str, bool] = {}
    for answer in answers:
        trusted |= dict.fromkeys(answer["prefer"], True) | dict.fromkeys(answer["over"], False)
    return Guidance(
        prefer=tuple(name for name, wins in trusted.items() if wins),
        over=tuple(name for name, wins in trusted.items() if not wins),
        explain_both=bool(both_explained(answers)),
    )


def both_explained(answers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The decisions in force to explain both sides; a new question reopens its conflicts."""
    refined = [index for index, answer in enumerate(answers) if answer["action"] == "refine"]
    latest = answers[refined[-1] :] if refined else answers
    return [answer for answer in latest if answer["action"] == "explain_both"]


def decisions_named(answers: Sequence[dict[str, Any]]) -> str:
    """The sentences of the answer that name a person's decisions; empty if there are none.

    They are about the answer, not the documents, and are worded so that the citation engine recognises that.
    """
    refined = [answer for answer in answers if answer["action"] == "refine"]
    decided = [_decided(answer) for answer in answers if answer["action"] != "refine" or answer is refined[-1]]
    named = [f"This answer rests on the decision of {who} to {what}" for who, what in decided if what]
    return " ".join(dict.fromkeys(named))


def _decided(answer: dict[str, Any]) -> tuple[str, str]:
    trusted, dropped = ", ".join(answer["prefer"]), ", ".join(answer["over"])
    wording: dict[Action, str] = {
        "prefer": f"trust {trusted} over {dropped}.",
        "explain_both": "show and explain both sides.",
        "refine": f"ask “{shorten(answer['question'] or '', 120, placeholder=' …')}” instead.",
        "accept": "accept it as it is.",
        "look_again": "",
        "stop": "",
    }
    since = f", remembered since {answer['since']}," if answer.get("decision_id") else ""
    # Without keys and without a name, the service knows nobody: "local" means nothing to a reader.
    who = "the person at this machine" if answer["by"] == LOCAL.name else answer["by"]
    return who + since, wording[answer["action"]]


DECISIONS_A_RUN = 5
"""Each applied decision costs an attempt, and a run must end however many standing decisions there are."""
SAYS_NOTHING = frozenset(content_stems("the same figure fact value number amount level total overall fiscal year"))
"""Words that do not distinguish one subject from another."""


def decisions_from(answer: Mapping[str, Any], state: MASISState, *, run_id: str, created_at: str) -> list[DecisionMade]:
    """The decisions to store, one for each conflict that the answer settles; `state` is that of the waiting run."""
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
    """The subject of a conflict, or the question if the subject says nothing (“the same figure”)."""
    return conflict["about"] if _matter(conflict["about"], None).words else question_of(state)


def answers_to_apply(state: MASISState) -> list[dict[str, Any]]:
    """The standing decisions that settle an open conflict of this attempt, as if they had just been made."""
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
    """Decisions that must not be applied: an overruled document is no longer read, so its other conflicts would be
    settled silently."""
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
    """The latest standing decision on this conflict."""
    about = _about(conflict, state)
    fitting = [d for d in state.get("standing_decisions", []) if _is_about(d, conflict, about)]
    return max(fitting, key=lambda d: d["created_at"], default=None)


def _is_about(decision: StandingDecision, conflict: Conflict, about: str) -> bool:
    if set(decision["documents"]) != set(files_in(conflict)):
        return False
    return _matter(decision["about"], decision["period"]).is_same(_matter(about, conflict["period"]))


def _is_at_odds(decision: StandingDecision, state: MASISState, chosen: Sequence[StandingDecision]) -> bool:
    """Whether it trusts a file that was overruled or the reverse: both cannot apply, so a person is asked."""
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
    """The Critic's conflicts without those that a decision says to explain from both sides.

    A person who answers this run has seen all its conflicts; a standing decision only covers its own.
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
        """Exact match: “revenue” is not “revenue in Europe”, and asking once too often does less harm."""
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
