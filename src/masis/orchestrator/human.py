"""A person in the loop: the answer they may give, the node that waits for it, and what it asks of the agents."""

from collections.abc import Sequence
from typing import Any, Literal, Self

from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from masis.orchestrator.state import MASISState, StateUpdate
from masis.reasoning.ports import Guidance

Action = Literal["prefer", "explain_both", "refine", "look_again", "accept", "stop"]


class HumanAnswer(BaseModel):
    """What a person decided.

    >>> HumanAnswer(action="prefer", prefer=["annual-report.pdf"], over=["memo.docx"], by="Ada").action
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

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.action == "prefer" and not (self.prefer and self.over):
            raise ValueError("to prefer, name the documents in `prefer` and those they win over in `over`")
        if set(self.prefer) & set(self.over):
            raise ValueError("a document cannot be preferred over itself")
        if self.action == "refine" and not (self.question and self.question.strip()):
            raise ValueError("to refine, give the new `question`")
        return self


def human_review(state: MASISState) -> StateUpdate:
    """Pauses the run and does nothing else: the node runs again from its top when the answer comes."""
    given = interrupt(state.get("review"), response_schema=HumanAnswer)
    answer = HumanAnswer.model_validate(given)
    record = answer.model_dump()
    entry = {"node": "human_review", "retry_count": state.get("retry_count", 0), **record}
    return {"pending_answer": record, "human_answers": [record], "trace": [entry]}


def question_of(state: MASISState) -> str:
    """The question as a person last put it; `user_query` itself never changes."""
    refined = [a["question"] for a in state.get("human_answers", []) if a["action"] == "refine"]
    return refined[-1] if refined else state["user_query"]


def guidance_of(state: MASISState) -> Guidance:
    answers = state.get("human_answers", [])
    preferences = [a for a in answers if a["action"] == "prefer"]
    return Guidance(
        prefer=_distinct(preferences, "prefer"),
        over=_distinct(preferences, "over"),
        explain_both=any(a["action"] == "explain_both" for a in answers),
    )


def _distinct(answers: list[dict[str, Any]], key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for answer in answers for name in answer[key]))


def decisions_named(answers: Sequence[dict[str, Any]]) -> str:
    """The sentences that name a person's decisions in the answer; empty when there was none to name.

    They speak of the answer and not of the documents, and are worded so that the citation engine sees it.
    """
    decided = [_decided(answer) for answer in answers]
    return " ".join(f"This answer rests on the decision of {who} to {what}" for who, what in decided if what)


def _decided(answer: dict[str, Any]) -> tuple[str, str]:
    trusted, dropped = ", ".join(answer["prefer"]), ", ".join(answer["over"])
    wording: dict[Action, str] = {
        "prefer": f"trust {trusted} over {dropped}.",
        "explain_both": "show and explain both sides.",
        "refine": f"ask instead “{answer['question']}”",
        "accept": "accept it as it stands.",
        "look_again": "",
        "stop": "",
    }
    return answer["by"], wording[answer["action"]]
