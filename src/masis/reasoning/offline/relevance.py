"""How well texts answer a question, by the embedded models, which read both together."""

import asyncio
from collections.abc import Mapping, Sequence

from masis.embedded import answer_scores
from masis.reasoning.offline.reader import Reading, read_answers


class CrossEncoder:
    async def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        # In a thread: onnxruntime works outside the interpreter's lock, so the event loop stays free.
        return await asyncio.to_thread(answer_scores, question, texts)


async def read_passages(question: str, texts: Mapping[str, str]) -> dict[str, Reading]:
    """By the texts' keys: the words of each that answer best, and how strongly."""
    read = await asyncio.to_thread(read_answers, question, list(texts.values()))
    return dict(zip(texts, read, strict=True))
