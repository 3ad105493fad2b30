"""Whether a model answers at all, and how well it can be made to answer in JSON: for `masis doctor`."""

import time
from dataclasses import dataclass

from masis.errors import BadModelOutput, ModelError, ModelTruncated
from masis.reasoning.llm.client import ModelClient
from masis.reasoning.llm.dialect import Rung
from masis.reasoning.llm.schemas import Flag, Output
from masis.reasoning.llm.wire import Message

_GREETING: list[Message] = [{"role": "user", "content": "Reply with the one word: ready"}]
_QUESTION: list[Message] = [
    {
        "role": "user",
        "content": 'Is 7 larger than 3? Answer in JSON with the field "is_larger", true or false.',
    }
]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    model: str
    answers: bool
    rung: Rung | None = None
    """How structured output works with it; None when it does not."""
    latency_seconds: float | None = None
    """Of the first answer."""
    error: str | None = None
    """What went wrong, in a sentence."""
    advice: str | None = None


class _Comparison(Output):
    is_larger: Flag


async def probe(client: ModelClient) -> ProbeResult:
    """Two small requests, more when the server has to be asked in other ways. Never raises a ModelError."""
    started = time.perf_counter()
    try:
        await client.complete(_GREETING)
    except (ModelTruncated, BadModelOutput):
        pass  # it answers, if not in one word: a reasoning model may think its whole budget away
    except ModelError as error:
        return ProbeResult(client.name, False, error=str(error), advice=error.advice)
    latency = time.perf_counter() - started
    try:
        await client.structured(_QUESTION, _Comparison)
    except ModelError as error:
        return ProbeResult(client.name, True, None, latency, str(error), error.advice)
    return ProbeResult(client.name, True, client.rung, latency)
