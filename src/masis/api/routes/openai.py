"""OpenAI-compatible routes: a workspace is a model, so that any OpenAI client can question documents."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from masis.access import api_key
from masis.api.access import Access, Read, Write
from masis.api.middleware.idempotency import IdempotencyKey, failed_after_all, once
from masis.api.middleware.problems import OpenAIError, StillRunning, response_to
from masis.api.routes.runs import finished_result, location_of, result_or_problem, until_stopping
from masis.errors import InvalidInput, MASISError, UnknownWorkspace
from masis.language.follow_up import Turn, completed
from masis.numbering import Sources
from masis.runs.records import RunRecord, RunResult
from masis.runs.run_table import MOST_TURNS


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
    """Other fields (temperature, tools …) are accepted and have no effect."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        json_schema_extra={
            "examples": [{"model": "acme", "messages": [{"role": "user", "content": "What was churn in 2025?"}]}]
        },
    )

    model: str = Field(max_length=200, description="The workspace.", examples=["acme"])
    messages: list[Message] = Field(
        min_length=1, description="The last one of role `user` is the question; those before it are its thread."
    )
    stream: bool | None = False
    stream_options: StreamOptions | None = None

    @property
    def question(self) -> str:
        asked = [message.text for message in self.messages if message.role == "user"]
        return asked[-1] if asked else ""

    @property
    def turns(self) -> list[Turn]:
        """The earlier questions with their answers. A client sends its follow-ups as typed; each is completed from
        those before it, so that the last one never depends on a fragment."""
        turns = list[Turn]()
        for message in self.messages:
            if message.role == "user":
                turns.append(Turn(completed(message.text, turns[-MOST_TURNS:])))
            elif message.role == "assistant" and turns:
                turns[-1] = replace(turns[-1], answer=message.text)
        return turns[:-1][-MOST_TURNS:]


class Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Extension(BaseModel):
    """MASIS's own fields, beside OpenAI's: claims, citations, conflicts and more."""

    run_id: str
    status: Literal["success", "needs_clarification"]
    outcome: str
    confidence: float
    claims: list[dict[str, Any]]
    citations: list[dict[str, Any]] = Field(description="The sources by their number in the text.")
    conflicts: list[dict[str, Any]]
    clarification_question: str | None
    question: str = Field(description="The question as answered: a follow-up is completed from the messages before it.")


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
        question=result.question,
    )


def spoken(result: RunResult) -> str:
    """The answer with [1] for its citations, the sources below it, and the question to a person if there is one."""
    sources = Sources(result.claims)
    parts = [sources.numbered(result.answer)]
    if len(sources):
        parts.append("Sources\n" + "\n".join(f"[{source.number}] {source.where}" for source in sources))
    if result.clarification_question:
        parts.append(result.clarification_question)
    return "\n\n".join(part for part in parts if part)


router = APIRouter(
    prefix="/v1",
    tags=["openai"],
    responses={"default": {"model": OpenAIError, "description": "An error in OpenAI's shape."}},
)

_PING_SECONDS = 15.0
_UNKNOWN = "There is no workspace named “{}”."


@router.get("/models", operation_id="list_models", summary="The workspaces you may query")
async def list_models(access: Read) -> ModelList:
    held = await access.masis.aworkspaces()
    seen = set(api_key.visible(access.key, (each.workspace_id for each in held)))
    return ModelList(data=[_card(each.workspace_id, each.created_at) for each in held if each.workspace_id in seen])


@router.get("/models/{model}", operation_id="get_model", summary="One workspace")
async def get_model(access: Read, model: Annotated[str, Path(max_length=200)]) -> ModelCard:
    api_key.require(access.key, "read", model)
    for each in await access.masis.aworkspaces():
        if each.workspace_id == model:
            return _card(model, each.created_at)
    raise UnknownWorkspace(_UNKNOWN.format(model))


@router.post(
    "/chat/completions",
    operation_id="create_chat_completion",
    summary="Ask a workspace as if it were a model",
    response_model=Completion,
    responses={200: {"content": {"text/event-stream": {}}, "description": "The answer, whole or in chunks."}},
)
async def create_chat_completion(
    access: Write, asked: ChatRequest, request: Request, response: Response, idempotency_key: IdempotencyKey = None
) -> Any:
    """The last message of role `user` is the question; those before it are the thread it is completed from. Citations
    are [1] in the text with a list of sources below, and structured under `masis`. When a decision is needed, the
    content ends with the question to the person."""
    api_key.require(access.key, "write", asked.model)
    await access.require_workspace(asked.model)
    if not asked.question.strip():
        raise InvalidInput("No message has the role user, or the last one is empty.", advice="Put the question there.")
    await once(request, await request.body(), idempotency_key, asked.model)
    run = await access.masis.aask_in_background(asked.question, asked.model, turns=asked.turns, by=access.caller)
    await access.record("run.ask", asked.model, run.run_id, "by chat completion")
    headers = {"X-Run-Id": run.run_id}
    if asked.stream:
        pieces = _streamed(access, asked, run, request)
        return StreamingResponse(pieces, media_type="text/event-stream", headers=headers)
    response.headers.update(headers)
    result = await finished_result(access, run, location_of(run))
    return Completion(
        id=f"chatcmpl-{run.run_id}",
        created=int(time.time()),
        model=asked.model,
        choices=[Choice(message=Spoken(content=spoken(result)))],
        usage=usage_of(result),
        masis=extension_of(result),
    )


async def _streamed(access: Access, asked: ChatRequest, run: RunRecord, request: Request) -> AsyncIterator[str]:
    """Only audited text is sent; comments keep the connection open while the agents work."""
    frame = {"id": f"chatcmpl-{run.run_id}", "object": "chat.completion.chunk", "created": int(time.time())}
    frame |= {"model": asked.model}
    with_usage = bool(asked.stream_options and asked.stream_options.include_usage)
    no_usage = {"usage": None} if with_usage else {}
    yield _data(frame | _delta({"role": "assistant", "content": ""}) | no_usage)
    try:
        async for comment in _while_working(access, run):
            yield comment
        result = await result_or_problem(access, run, location_of(run))
    except MASISError as error:
        if not isinstance(error, StillRunning):
            failed_after_all(request)
        yield _data(json.loads(bytes(response_to("/v1/", error).body)))
        return
    for piece in re.findall(r"\S+\s*|\s+", spoken(result)):
        yield _data(frame | _delta({"content": piece}) | no_usage)
    yield _data(frame | _delta({}, "stop") | no_usage | {"masis": extension_of(result).model_dump()})
    if with_usage:
        yield _data(frame | {"choices": [], "usage": usage_of(result).model_dump()})
    yield "data: [DONE]\n\n"


async def _while_working(access: Access, run: RunRecord) -> AsyncIterator[str]:
    events = until_stopping(access.masis.afollow(run.run_id), access.service.closing)
    following = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait({following}, timeout=_PING_SECONDS)
            if not done:
                yield ": working\n\n"
                continue
            event = following.result()
            if event is None:
                return
            if event["event"] == "started":
                yield f": {event.get('agent', 'run')}\n\n"
            following = asyncio.ensure_future(anext(events, None))
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError, StopAsyncIteration):
            await following


def _delta(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def _card(workspace_id: str, created_at: str) -> ModelCard:
    return ModelCard(id=workspace_id, created=int(datetime.fromisoformat(created_at).timestamp()))
