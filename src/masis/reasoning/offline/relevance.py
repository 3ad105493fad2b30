"""How well a text answers a question, by the embedded cross-encoder: it reads both together."""

import asyncio
from collections.abc import Sequence

from masis.embedded import answer_scores


class CrossEncoder:
    async def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        # In a thread: onnxruntime works outside the interpreter's lock, so the event loop stays free.
        return await asyncio.to_thread(answer_scores, question, texts)
