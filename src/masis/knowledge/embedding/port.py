"""What turns text into vectors, and which one the settings name."""

import math
from collections.abc import Sequence
from typing import Protocol

from masis.errors import InvalidInput
from masis.settings import Settings

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


Vector = list[float]


class Embedder(Protocol):
    """Loads nothing until its first use; may be used from any thread and event loop."""

    @property
    def name(self) -> str:
        """Tells embedders apart that must not share an index."""
        ...

    @property
    def dimension(self) -> int | None:
        """None until the first vector shows it."""
        ...

    async def ready(self) -> int:
        """The dimension; the model is asked once if it is unknown."""
        ...

    async def embed_passages(self, texts: list[str]) -> list[Vector]: ...

    async def embed_query(self, text: str) -> Vector: ...

    def close(self) -> None: ...


def embedder_for(settings: Settings) -> Embedder:
    from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
    from masis.knowledge.embedding.openai_embedder import OpenAIEmbedder

    if settings.embedding_model and settings.embedding_path:
        raise InvalidInput(
            "MASIS_EMBEDDING_MODEL and MASIS_EMBEDDING_PATH are both set.",
            advice="Keep one: the model of an endpoint, or a folder with model.onnx and tokenizer.json.",
        )
    if settings.embedding_model:
        return OpenAIEmbedder(settings)
    if settings.embedding_base_url:
        raise InvalidInput(
            "MASIS_EMBEDDING_BASE_URL is set, but not which model to ask there.",
            advice="Set MASIS_EMBEDDING_MODEL too, or unset MASIS_EMBEDDING_BASE_URL.",
        )
    return OnnxEmbedder(settings.embedding_path, max_tokens=settings.embedding_max_tokens)
