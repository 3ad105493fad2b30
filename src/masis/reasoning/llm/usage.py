"""What a completion cost: the provider's own count, or an estimate where it gives none."""

import math
from collections.abc import Sequence

from masis.reasoning.llm.wire import Completion, Message
from masis.types import Usage

CHARACTERS_PER_TOKEN = 4
"""The estimate for servers that report no usage: right within about a third for English prose."""


def usage_of(completion: Completion, messages: Sequence[Message], price: tuple[float, float]) -> Usage:
    """Tokens and cost of one completion; its request was counted when it was sent.

    `price` is US dollars per million input and output tokens. What a provider may charge for a request that
    failed is not known and not counted.
    """
    tokens_in, tokens_out = completion.input_tokens, completion.output_tokens
    if tokens_in is None:
        tokens_in = _estimate(sum(len(message["content"]) for message in messages))
    if tokens_out is None:
        tokens_out = _estimate(len(completion.text))
    cost = (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000
    return Usage(input_tokens=tokens_in, output_tokens=tokens_out, cost_usd=cost)


def _estimate(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)
