"""A person in the loop: the answer they may give, the node that waits for it, and what it asks of the agents."""

import re
from collections.abc import Sequence
from textwrap import shorten
from typing import Any, Literal, Self, cast

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from masis.errors import InvalidInput
from masis.orchestrator.agent import finished
from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISState, StateUpdate, in_words, readable_question
from masis.orchestrator.trail import TraceEntry
from masis.reasoning.ports import Guidance
from masis.types import LOCAL, Conflict

Action = Literal["prefer", "explain_both", "refine", "look_again", "accept", "stop"]
ON_A_CONFLICT: tuple[Action, ...] = ("prefer", "explain_both")


class Answer(BaseModel):
    """What a person decided.

    >>> Answer(action="prefer", prefer=["annual-report.pdf"], over=["memo.docx"], by="Ada").action
    'prefer'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Action
    """prefer some documents over others · explain_both · refine the question · look_again, documents were added ·
    accept the best draft as it is · stop"""
    prefer: list[str] = Field(default_factory=list)
    """File names to trust where documents disagree …"""
    over: list[str] = Field(default_factory=list)
    """… and the file names not to use for this question."""
    question: str | None = None
    """The question to ask instead."""
    by: str = Field("a person", min_length=1, max_length=200)
    note: str | None = Field(None, max_length=2000)
    remember: bool = False
    """Whether later questions of the workspace that meet the same conflict are to be answered the same way."""

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
    """Who decides is named in the answer: a name must not smuggle in a sentence."""
    return not re.search(r"[\n\r%$€£]|\w{4,}[.!?]\s", text)


def human_review(state: MASISState, runtime: Runtime[Services]) -> StateUpdate:
    """Pauses the run and does nothing else: the node runs again from its top when the answer comes."""
    given = interrupt(state.get("review"), response_schema=Answer)
    record = checked_answer(given, state).model_dump()
    entry = cast(TraceEntry, {"node": "human_review", "retry_count": state.get("retry_count", 0), **record})
    update: StateUpdate = {"pending_answer": record, "human_answers": [record], "trace": [entry]}
    runtime.stream_writer(finished("human_review", state, get_config(), update))
    return update


def checked_answer(given: Any, state: MASISState) -> Answer:
    """An answer to the question that was asked, about documents of the run; raises InvalidInput otherwise."""
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
    """Of the conflicts the person was asked about, those this answer decides."""
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
    """The question as a person last put it; `user_query` itself never changes."""
    refined = [a["question"] for a in state.get("human_answers", []) if a["action"] == "refine"]
    return refined[-1] if refined else state["user_query"]


def guidance_of(state: MASISState) -> Guidance:
    """The decisions that hold now: the last word on a document counts, and a new question reopens its conflicts."""
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
    """The decisions to explain both sides that still hold: a new question reopens its conflicts."""
    refined = [index for index, answer in enumerate(answers) if answer["action"] == "refine"]
    latest = answers[refined[-1] :] if refined else answers
    return [answer for answer in latest if answer["action"] == "explain_both"]


def decisions_named(answers: Sequence[dict[str, Any]]) -> str:
    """The sentences that name a person's decisions in the answer; empty when there was none to name.

    They speak of the answer and not of the documents, and are worded so that the citation engine sees it.
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
        "accept": "accept it as it stands.",
        "look_again": "",
        "stop": "",
    }
    since = f", remembered since {answer['since']}," if answer.get("decision_id") else ""
    # Without keys and without a name the service knows nobody: "local" means nothing to a reader.
    who = "the person at this machine" if answer["by"] == LOCAL.name else answer["by"]
    return who + since, wording[answer["action"]]
