"""How well a text answers a question, by the embedded cross-encoder: it reads both together."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from masis.embedded import CROSS_ENCODER, OnnxModel, installed, usable_cores


class CrossEncoder:
    async def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        # In threads: onnxruntime works outside the interpreter's lock, so the event loop stays free.
        return await asyncio.to_thread(_logits, question, texts)


def _logits(question: str, texts: Sequence[str]) -> list[float]:
    _model()  # made here, once: threads that find none would each make one
    with ThreadPoolExecutor(usable_cores(), thread_name_prefix="masis-read") as readers:
        return list(readers.map(lambda text: _logit(question, text), texts))


@lru_cache(maxsize=1)
def _model() -> OnnxModel:
    return installed(CROSS_ENCODER)


@lru_cache(maxsize=20_000)
def _logit(question: str, text: str) -> float:
    """Kept, because a retry reads most statements again."""
    return float(_model().run(question, text).ravel()[0])
