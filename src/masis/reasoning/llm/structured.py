"""The JSON that models are asked for: its schemas, how to request it from each server, and how to read the reply."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from masis.reasoning.llm.wire import Message, without_thinking
from masis.types import Answered, ConflictKind

ReportedKind = Literal["different_period", "different_definition", "revision", "contradiction", "unknown"]
_KINDS: tuple[ConflictKind, ...] = get_args(ConflictKind)
_NOTHING = ("", "none", "none.", "n/a", "null", "-", "no", "false")


def _fraction(value: object) -> float:
    """From 0 to 1; a number above 1 is a percentage."""
    number = _number(value)
    if not math.isfinite(number):
        raise ValueError("has to be a number from 0 to 1")
    return min(1.0, max(0.0, number / 100 if number > 1 else number))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("has to be a number from 0 to 1")
    if not isinstance(value, str):
        return float(value)
    text = value.strip().replace(",", ".")
    if text.endswith("%"):
        return float(text[:-1]) / 100
    part, _, whole = text.partition("/")
    return float(part) / (float(whole) or math.nan) if whole else float(part)


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case dict():
            return ": ".join(filter(None, map(_text, value.values())))
        case list():
            return ", ".join(filter(None, map(_text, value)))
        case _:
            return str(value).strip()


def _listed(value: object) -> list[object]:
    """A list, or the single item that should have been in one; “none” is an empty list."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if _text(item).lower() not in _NOTHING]


def _sentences(value: object) -> list[str]:
    return [_text(item) for item in _listed(value)]


def _flag(value: object) -> object:
    return value.strip().rstrip(".").lower() if isinstance(value, str) else value


def _kind(value: object) -> ReportedKind:
    asked = "_".join(_text(value).lower().replace("-", " ").split())
    return next((kind for kind in _KINDS if kind == asked), "unknown")


def _share(value: object) -> Answered:
    said = _text(value).lower()
    return "none" if said in ("none", "no", "nothing", "not at all") else "part" if said.startswith("part") else "all"


Fraction = Annotated[float, BeforeValidator(_fraction)]
Share = Annotated[Answered, BeforeValidator(_share)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Text = Annotated[str, BeforeValidator(_text)]
Sentences = Annotated[list[str], BeforeValidator(_sentences)]
Kind = Annotated[ReportedKind, BeforeValidator(_kind)]


class Output(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ReportedConflict(Output):
    """Two passages that disagree, as the auditor puts it; a bare sentence is taken for what it is about."""

    about: Text = ""
    value_a: Text = ""
    chunk_a: Text = ""
    value_b: Text = ""
    chunk_b: Text = ""
    period: Text = ""
    kind: Kind = "contradiction"

    @model_validator(mode="before")
    @classmethod
    def _from_sentence(cls, value: Any) -> Any:
        return value if isinstance(value, dict) else {"about": value}


class Audit(Output):
    unsupported_claims: Sentences = []
    logical_gaps: Sentences = []
    conflicting_evidence: Annotated[list[ReportedConflict], BeforeValidator(_listed)] = []
    hallucination_detected: Flag
    answered: Share = "all"
    needs_retry: Flag = False
    confidence: Fraction


class Scorecard(Output):
    improvement_suggestions: Sentences = []
    faithfulness: Fraction
    relevance: Fraction
    completeness: Fraction
    reasoning_quality: Fraction


class PassageSummary(Output):
    chunk_id: Text = ""
    summary: Text = ""


class Summaries(Output):
    summaries: list[PassageSummary]

    @model_validator(mode="before")
    @classmethod
    def _from_other_shapes(cls, value: Any) -> Any:
        """Accepts a bare list, or a mapping from id to summary, as small models answer."""
        listed = value.get("summaries") if isinstance(value, dict) else value
        if isinstance(listed, dict):
            listed = [{"chunk_id": key, "summary": text} for key, text in listed.items()]
        return {"summaries": listed}


Rung = Literal["json_schema", "json_object", "prompt"]
RUNGS: tuple[Rung, ...] = ("json_schema", "json_object", "prompt")

_REFUSING_STATUSES = (400, 404, 422, 500, 501)
_FORMAT_WORDS = (
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "structured output",
    "grammar",
    "guided",
)


@dataclass(frozen=True, slots=True)
class Dialect:
    rung: Rung = "json_schema"
    """How structured output is requested."""
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """OpenAI's reasoning models accept only the second, most other servers only the first."""
    sends_temperature: bool = True
    sends_stream_options: bool = True
    streams: bool = True
    gives_chances: bool = True
    """Whether the server returns the probabilities of the first token."""

    def merged(self, other: "Dialect") -> "Dialect":
        """Combines what two concurrent calls have found out."""
        return Dialect(
            max(self.rung, other.rung, key=RUNGS.index),
            max(self.token_limit, other.token_limit, key=("max_tokens", "max_completion_tokens").index),
            self.sends_temperature and other.sends_temperature,
            self.sends_stream_options and other.sends_stream_options,
            self.streams and other.streams,
            self.gives_chances and other.gives_chances,
        )


def after_refusal(dialect: Dialect, sent: frozenset[str], status: int | None, words: str) -> Dialect | None:
    """The dialect to try next, if the server's message is about a parameter that was sent; otherwise None."""
    if status not in _REFUSING_STATUSES:
        return None
    said = words.lower()
    if "logprobs" in sent and "logprob" in said:
        return replace(dialect, gives_chances=False)
    if "stream_options" in sent and "stream_options" in said:
        return replace(dialect, sends_stream_options=False)
    if "stream" in sent and "stream" in said:
        return replace(dialect, streams=False)
    if "max_tokens" in sent and "max_completion_tokens" in said:
        return replace(dialect, token_limit="max_completion_tokens")
    if "temperature" in sent and "temperature" in said:
        return replace(dialect, sends_temperature=False)
    if dialect.rung != "prompt" and "response_format" in sent and any(word in said for word in _FORMAT_WORDS):
        return replace(dialect, rung=RUNGS[RUNGS.index(dialect.rung) + 1])
    return None


_LEFT_OUT = ("title", "default", "$defs", "properties")


_LONGEST_TEXT, _MOST_TEXTS, _MOST_RECORDS = 80, 3, 1
"""Bounds for a small model that cannot stop by itself; a record holds several texts."""


def strict_schema(model: type[BaseModel], *, bounded: bool = False) -> dict[str, Any]:
    """The schema for strict mode. `bounded` limits every list and text, which not every strict mode accepts."""
    schema = model.model_json_schema()
    strict: dict[str, Any] = _strict(schema, schema.get("$defs", {}))
    return _bounded(strict) if bounded else strict


def _strict(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_strict(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        # Small servers do not know references, and strict ones forbid other keys beside them, so the definition is
        # inlined.
        return _strict(definitions[reference.removeprefix("#/$defs/")], definitions)
    plain = {key: _strict(value, definitions) for key, value in node.items() if key not in _LEFT_OUT}
    if "properties" in node:
        fields = {name: _strict(field, definitions) for name, field in node["properties"].items()}
        plain |= {"properties": fields, "required": list(fields), "additionalProperties": False}
    return plain


def _bounded(node: Any) -> Any:
    if isinstance(node, list):
        return [_bounded(item) for item in node]
    if not isinstance(node, dict):
        return node
    inside = {key: _bounded(value) for key, value in node.items()}
    match node:
        case {"type": "array", "items": {"type": "object"}}:
            return inside | {"maxItems": _MOST_RECORDS}
        case {"type": "array"}:
            return inside | {"maxItems": _MOST_TEXTS}
        case {"type": "string", "enum": _}:
            return inside
        case {"type": "string"}:
            return inside | {"maxLength": _LONGEST_TEXT}
    return inside


_DECODER = json.JSONDecoder(strict=False)  # models put raw line breaks into strings
_OPENING = re.compile(r"[{\[]")
_STRING_OR_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def json_candidates(text: str) -> list[Any]:
    """Every JSON object or array in the text, largest first: examples in prose are smaller."""
    answer = without_thinking(text)
    found = [*_values(answer), *_values(_without_trailing_commas(answer))]
    return [value for _, value in sorted(found, key=lambda sized: sized[0], reverse=True)]


def _values(text: str) -> Iterator[tuple[int, Any]]:
    at = 0
    while (match := _OPENING.search(text, at)) is not None:
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except (json.JSONDecodeError, RecursionError):
            at = match.start() + 1
        else:
            yield end - match.start(), value
            at = end


def _without_trailing_commas(text: str) -> str:
    return _STRING_OR_TRAILING_COMMA.sub(lambda match: match[1] or "", text)


Schema = TypeVar("Schema", bound=BaseModel)

WITH_SCHEMA = "Answer with one JSON object that fits this JSON schema, and nothing else:\n{schema}"
AGAIN = "That does not fit: {problems}\n" + WITH_SCHEMA
_LONGEST_REPEAT = 8000


class Misfit(Exception):
    """The answer does not fit the schema; the message says where, so that the model can correct it."""


def response_format(schema: type[BaseModel], rung: Rung, *, bounded: bool = False) -> dict[str, Any] | None:
    if rung == "json_schema":
        named = {"name": schema.__name__, "schema": strict_schema(schema, bounded=bounded), "strict": True}
        return {"type": "json_schema", "json_schema": named}
    return {"type": "json_object"} if rung == "json_object" else None


def with_schema(messages: Sequence[Message], schema: type[BaseModel], rung: Rung) -> list[Message]:
    """Appends the schema to the last message, unless the server enforces it."""
    if rung == "json_schema":
        return list(messages)
    *before, last = messages
    content = last["content"] + "\n\n" + WITH_SCHEMA.format(schema=_printed(schema))
    return [*before, {"role": last["role"], "content": content}]


def ask_again(messages: Sequence[Message], answer: str, misfit: Misfit, schema: type[BaseModel]) -> list[Message]:
    """Repeats the schema on every rung, because a server may accept `response_format` and ignore it."""
    complaint = AGAIN.format(problems=misfit, schema=_printed(schema))
    said = answer[:_LONGEST_REPEAT] or "(nothing)"  # some servers refuse an empty message
    return [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": complaint}]


def parse(text: str, schema: type[Schema]) -> Schema:
    """The first value in the text that fits. Misfit describes what is wrong with the largest one."""
    problems = "it contains no JSON."
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
