"""Asking for JSON of a given shape in the way a server understands, and reading what came back."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from masis.reasoning.llm.dialect import Rung
from masis.reasoning.llm.extraction import json_candidates
from masis.reasoning.llm.json_schema import strict_schema
from masis.reasoning.llm.wire import Message

Schema = TypeVar("Schema", bound=BaseModel)

WITH_SCHEMA = "Answer with one JSON object that fits this JSON schema, and nothing else:\n{schema}"
AGAIN = "That does not fit: {problems}\n" + WITH_SCHEMA
_LONGEST_REPEAT = 8000


class Misfit(Exception):
    """The answer does not fit the schema; the words say where, for the model to mend it."""


def response_format(schema: type[BaseModel], rung: Rung, *, bounded: bool = False) -> dict[str, Any] | None:
    if rung == "json_schema":
        named = {"name": schema.__name__, "schema": strict_schema(schema, bounded=bounded), "strict": True}
        return {"type": "json_schema", "json_schema": named}
    return {"type": "json_object"} if rung == "json_object" else None


def with_schema(messages: Sequence[Message], schema: type[BaseModel], rung: Rung) -> list[Message]:
    """The messages as they are where the server enforces the schema, else with it at the end of the last."""
    if rung == "json_schema":
        return list(messages)
    *before, last = messages
    content = last["content"] + "\n\n" + WITH_SCHEMA.format(schema=_printed(schema))
    return [*before, {"role": last["role"], "content": content}]


def ask_again(messages: Sequence[Message], answer: str, misfit: Misfit, schema: type[BaseModel]) -> list[Message]:
    """The schema is repeated on every rung: a server may take `response_format` and do nothing with it."""
    complaint = AGAIN.format(problems=misfit, schema=_printed(schema))
    said = answer[:_LONGEST_REPEAT] or "(nothing)"  # some servers refuse an empty message
    return [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": complaint}]


def parse(text: str, schema: type[Schema]) -> Schema:
    """The first value in the text that fits; Misfit says what is wrong with the likeliest one."""
    problems = "there is no JSON in it."
    for nth, candidate in enumerate(json_candidates(text)):
        try:
            return schema.model_validate(candidate)
        except ValidationError as error:
            problems = _problems(error) if nth == 0 else problems
    raise Misfit(problems)


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, each['loc'])) or 'answer'}: {each['msg']}" for each in found[:10])


def _printed(schema: type[BaseModel]) -> str:
    return json.dumps(strict_schema(schema), ensure_ascii=False)
