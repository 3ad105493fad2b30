"""Finding the JSON in what a model said: in fences, after its thinking, amid prose, with commas too many."""

import json
import re
from collections.abc import Iterator
from typing import Any

from masis.reasoning.llm.thinking import without_thinking

_DECODER = json.JSONDecoder(strict=False)  # models put real line breaks into strings
_OPENING = re.compile(r"[{\[]")
_STRING_OR_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def json_candidates(text: str) -> list[Any]:
    """Every JSON object or array of the text, the largest first: examples in prose are smaller."""
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
