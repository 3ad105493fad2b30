"""Texts put into requests that an embedding endpoint accepts: not too many, not too long, nothing lost on the way.

Token counts are estimates, made to err upwards: the tokenizers of hosted models are downloaded at run time, which
MASIS never does.
"""

import math
from collections.abc import Sequence

REQUEST_TOKENS = 300_000
"""What OpenAI takes in one request, all texts together."""
TEXT_TOKENS = 8191
"""What OpenAI's models read of one text; other models say so themselves when it is too much for them."""

_PROSE_CHARACTERS_A_TOKEN = 3
"""Four to five in plain English; names and technical words have fewer."""
_TOKENS_A_FOREIGN_CHARACTER = 2


def estimated_tokens(text: str) -> int:
    return math.ceil(sum(map(_tokens_of, text))) or 1


def cut(text: str, tokens: int = TEXT_TOKENS) -> str:
    """The beginning of a text that is too long; all of any other. A blank stands for nothing, which is refused."""
    if len(text) * _TOKENS_A_FOREIGN_CHARACTER <= tokens:
        return text or " "
    spent = 0.0
    for place, character in enumerate(text):
        spent += _tokens_of(character)
        if spent > tokens:
            return text[:place]
    return text


def batches(texts: Sequence[str], most_texts: int, most_tokens: int = REQUEST_TOKENS) -> list[list[str]]:
    """In order, and each text in exactly one."""
    made: list[list[str]] = []
    spent = 0
    for text in texts:
        tokens = estimated_tokens(text)
        if not made or len(made[-1]) == most_texts or spent + tokens > most_tokens:
            made.append([])
            spent = 0
        made[-1].append(text)
        spent += tokens
    return made


def _tokens_of(character: str) -> float:
    if not character.isascii():
        return _TOKENS_A_FOREIGN_CHARACTER
    return 1 / _PROSE_CHARACTERS_A_TOKEN if character.isalpha() or character.isspace() else 1
