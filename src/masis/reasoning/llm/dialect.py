"""What one server understands of the chat protocol, learnt from what it refuses.

Every step goes down and none goes back, so learning ends after a handful of requests, once per client.
"""

from dataclasses import dataclass, replace
from typing import Literal

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
    """How structured output is asked for."""
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """Reasoning models of OpenAI know only the second, most other servers only the first."""
    sends_temperature: bool = True
    sends_stream_options: bool = True
    streams: bool = True

    def merged(self, other: "Dialect") -> "Dialect":
        """What both have learnt: two calls at once may each learn something."""
        return Dialect(
            max(self.rung, other.rung, key=RUNGS.index),
            max(self.token_limit, other.token_limit, key=("max_tokens", "max_completion_tokens").index),
            self.sends_temperature and other.sends_temperature,
            self.sends_stream_options and other.sends_stream_options,
            self.streams and other.streams,
        )


def after_refusal(dialect: Dialect, sent: frozenset[str], status: int | None, words: str) -> Dialect | None:
    """The dialect to try next, when the server's words are about a parameter that was sent."""
    if status not in _REFUSING_STATUSES:
        return None
    said = words.lower()
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
