"""The shapes of OpenAI's chat API, as far as a workspace can play a model."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from masis.language.citation_marks import find_citations
from masis.runs.result import RunResult
from masis.types import Citation, place


class Part(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    type: str
    text: str = ""


class Message(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    role: str = Field(max_length=40)
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    include_usage: bool = False


class ChatRequest(BaseModel):
    """What is not named here (temperature, tools …) is accepted and has no effect."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        json_schema_extra={
            "examples": [{"model": "acme", "messages": [{"role": "user", "content": "What was churn in 2025?"}]}]
        },
    )

    model: str = Field(max_length=200, description="The workspace.", examples=["acme"])
    messages: list[Message] = Field(min_length=1, description="The last one of role `user` is the question.")
    stream: bool | None = False
    stream_options: StreamOptions | None = None

    @property
    def question(self) -> str:
        asked = [message.text for message in self.messages if message.role == "user"]
        return asked[-1] if asked else ""


class Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Extension(BaseModel):
    """What makes the answer defensible, beside OpenAI's fields."""

    run_id: str
    status: Literal["success", "needs_clarification"]
    outcome: str
    confidence: float
    claims: list[dict[str, Any]]
    citations: list[dict[str, Any]] = Field(description="The sources by their number in the text.")
    conflicts: list[dict[str, Any]]
    clarification_question: str | None


class Spoken(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str


class Choice(BaseModel):
    index: int = 0
    message: Spoken
    finish_reason: Literal["stop"] = "stop"


class Completion(BaseModel):
    id: str = Field(examples=["chatcmpl-5f0c2a9d1b7e"])
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    masis: Extension


class ModelCard(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "masis"


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelCard]


def usage_of(result: RunResult) -> Usage:
    given, written = result.metrics.get("input_tokens", 0), result.metrics.get("output_tokens", 0)
    return Usage(prompt_tokens=given, completion_tokens=written, total_tokens=given + written)


def extension_of(result: RunResult) -> Extension:
    citations = [{"number": number, **citation} for number, citation in enumerate(_cited(result), start=1)]
    return Extension(
        run_id=result.run_id,
        status=result.status,
        outcome=result.outcome,
        confidence=result.confidence,
        claims=[dict(claim) for claim in result.claims],
        citations=citations,
        conflicts=[dict(conflict) for conflict in result.conflicts],
        clarification_question=result.clarification_question,
    )


def spoken(result: RunResult) -> str:
    """The answer with [1] for its citations, the sources below it, and the question to a person where there is one."""
    cited = _cited(result)
    numbers = {citation["chunk_id"]: number for number, citation in enumerate(cited, start=1)}
    parts = [_numbered(result.answer, numbers)]
    if cited:
        parts.append("Sources\n" + "\n".join(f"[{n}] {_where(each)}" for n, each in enumerate(cited, start=1)))
    if result.clarification_question:
        parts.append(result.clarification_question)
    return "\n\n".join(part for part in parts if part)


def _cited(result: RunResult) -> list[Citation]:
    """Each passage once, in the order the answer first cites them."""
    first: dict[str, Citation] = {}
    for claim in result.claims:
        for citation in claim["citations"]:
            first.setdefault(citation["chunk_id"], citation)
    return list(first.values())


def _numbered(answer: str, numbers: dict[str, int]) -> str:
    pieces, at = [], 0
    for mark in find_citations(answer, numbers.keys()):
        shown = "".join(f"[{numbers[each]}]" for each in mark.ids if each in numbers)
        if shown:
            pieces += [answer[at : mark.start], shown]
            at = mark.end
    return "".join([*pieces, answer[at:]])


def _where(citation: Citation) -> str:
    if not citation["file_name"]:
        return "no such passage"
    return f"{citation['file_name']}, {place(citation['page'], citation.get('label'))}"
