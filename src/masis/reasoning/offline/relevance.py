"""How well a text answers a question, by the embedded cross-encoder: it reads both together."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache

from masis.embedded import CROSS_ENCODER, OnnxModel, installed


class CrossEncoder:
    async def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        # In a thread: onnxruntime works outside the interpreter's lock, so the event loop stays free.
        return await asyncio.to_thread(lambda: [_logit(question, text) for text in texts])


@lru_cache(maxsize=1)
def _model() -> OnnxModel:
    return installed(CROSS_ENCODER)


@lru_cache(maxsize=20_000)
def _logit(question: str, text: str) -> float:
    """Kept, because a retry reads most statements again."""
    return float(_model().run(question, text).ravel()[0])
