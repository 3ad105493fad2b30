"""The shapes of OpenAI's chat API, as far as a workspace can play a model."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from masis.numbering import Sources
from masis.runs.result import RunResult


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
    return Extension(
        run_id=result.run_id,
        status=result.status,
        outcome=result.outcome,
        confidence=result.confidence,
        claims=[dict(claim) for claim in result.claims],
        citations=[{"number": source.number, **source.citation} for source in Sources(result.claims)],
        conflicts=[dict(conflict) for conflict in result.conflicts],
        clarification_question=result.clarification_question,
    )


def spoken(result: RunResult) -> str:
    """The answer with [1] for its citations, the sources below it, and the question to a person where there is one."""
    sources = Sources(result.claims)
    parts = [sources.numbered(result.answer)]
    if len(sources):
        parts.append("Sources\n" + "\n".join(f"[{source.number}] {source.where}" for source in sources))
    if result.clarification_question:
        parts.append(result.clarification_question)
    return "\n\n".join(part for part in parts if part)
