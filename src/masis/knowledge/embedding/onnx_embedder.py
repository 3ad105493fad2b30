"""Embeddings computed on this machine, by the built-in bge-small or a model in a folder."""

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import file_digest
from pathlib import Path
from typing import Any, Literal

from masis.embedded import EMBEDDER, BrokenModel, OnnxModel, embedding_model, usable_cores
from masis.errors import MASISError
from masis.knowledge.embedding.port import Vector

BUILT_IN_NAME = "bge-small-en-v1.5-int8"
_BUILT_IN_DIMENSION = 384
_SMALLER = "If the GPU is out of memory, lower MASIS_EMBEDDING_BATCH, or MASIS_EMBEDDING_ACTORS_PER_GPU on Ray."
_BGE_QUERY_PREFIX = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class _Habits:
    """What a model expects beyond its weights."""

    query_prefix: str = ""
    passage_prefix: str = ""
    pools_first_token: bool = False
    """Whether the text's vector is that of its first token; otherwise it is the mean of all tokens."""


class OnnxEmbedder:
    """Embeds one text per core, or one batch after the other on a GPU. Questions have their own thread and never wait
    behind passages."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        max_tokens: int = 384,
        device: Literal["auto", "cpu", "cuda"] = "cpu",
        batch: int = 64,
    ) -> None:
        self._folder = folder
        self._max_tokens = max_tokens
        self._wanted, self._batch = device, batch
        self._dimension = None if folder else _BUILT_IN_DIMENSION
        self._lock = threading.Lock()
        self._opened: tuple[OnnxModel, _Habits] | None = None
        self._pool: ThreadPoolExecutor | None = None

    @cached_property
    def name(self) -> str:
        if self._folder is None:
            return BUILT_IN_NAME
        # The weights are part of the name: another model in the same folder is another embedder.
        digest = _sha256(self._folder / "model.onnx")
        return BUILT_IN_NAME if digest == EMBEDDER.sha256 else f"{self._folder.name}-{digest[:12]}"

    @property
    def dimension(self) -> int | None:
        return self._dimension

    @property
    def device(self) -> Literal["cpu", "cuda"]:
        """Where it computes; loads the model, unless it can only be the CPU."""
        if self._is_for_cpu:
            return "cpu"
        model, _ = self._open()
        with _as_broken_model(model):
            return model.device

    async def ready(self) -> int:
        return self._dimension or len(await self.embed_query("ready"))

    async def embed_passages(self, texts: list[str]) -> list[Vector]:
        # The longest first, so that all cores finish together, and a batch has texts of about one length. One text per
        # call on a CPU, so that a cancelled ingestion stops at the next text.
        places = sorted(range(len(texts)), key=lambda place: len(texts[place]), reverse=True)
        size, at_once = (self._batch, 1) if await self._is_on_gpu() else (1, usable_cores())
        batches = iter([places[first : first + size] for first in range(0, len(places), size)])
        vectors: list[Vector] = [[] for _ in texts]
        workers = [self._work(texts, batches, vectors) for _ in range(min(at_once, len(texts)))]
        await _all_or_none(workers)
        return vectors

    async def embed_query(self, text: str) -> Vector:
        return (await asyncio.to_thread(self._embed, [text], is_query=True))[0]

    def close(self) -> None:
        with self._lock:
            pool, self._pool, self._opened = self._pool, None, None
        if pool is not None:
            pool.shutdown(wait=False)

    async def _is_on_gpu(self) -> bool:
        return not self._is_for_cpu and await asyncio.to_thread(lambda: self.device) == "cuda"

    @property
    def _is_for_cpu(self) -> bool:
        return self._folder is None or self._wanted == "cpu"  # the built-in model is quantised

    async def _work(self, texts: list[str], batches: Iterator[list[int]], vectors: list[Vector]) -> None:
        loop = asyncio.get_running_loop()
        for batch in batches:
            embed = partial(self._embed, [texts[place] for place in batch], is_query=False)
            for place, vector in zip(batch, await loop.run_in_executor(self._threads(), embed), strict=True):
                vectors[place] = vector

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(usable_cores(), thread_name_prefix="masis-embed")
            return self._pool

    def _embed(self, texts: list[str], *, is_query: bool) -> list[Vector]:
        model, habits = self._open()
        prefix = habits.query_prefix if is_query else habits.passage_prefix
        whole = [prefix + text for text in texts]
        with _as_broken_model(model, _SMALLER if len(whole) > 1 else None):
            outputs = [model.run(whole[0])[0]] if len(whole) == 1 else model.run_batch(whole)
        vectors = [_normalised(_pooled(output, habits)) for output in outputs]
        self._dimension = len(vectors[0])
        return vectors

    def _open(self) -> tuple[OnnxModel, _Habits]:
        with self._lock:
            if self._opened is None:
                longest = self._max_tokens
                own = OnnxModel(self._folder, max_tokens=longest, wanted=self._wanted) if self._folder else None
                model = own or embedding_model(longest)
                self._opened = model, _habits(model.folder)
            return self._opened


@contextmanager
def _as_broken_model(model: OnnxModel, advice: str | None = None) -> Iterator[None]:
    try:
        yield
    except MASISError:
        raise
    except Exception as error:  # onnxruntime and tokenizers raise their own kinds, some of them bare
        raise BrokenModel(f"The embedding model in {model.folder} does not work: {error}", advice=advice) from error


async def _all_or_none(works: list[Coroutine[None, None, None]]) -> None:
    """The first failure cancels the others and is raised by itself, not in a group."""
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


def _pooled(output: Any, habits: _Habits) -> Any:
    if output.dtype == "float16":  # too coarse for sums over a whole text
        output = output.astype("float32")
    if output.ndim == 1:
        return output
    return output[0] if habits.pools_first_token else output.mean(axis=0)


def _normalised(output: Any) -> Vector:
    import numpy

    vector: Vector = (output / max(float(numpy.linalg.norm(output)), 1e-12)).tolist()
    return vector


def _habits(folder: Path) -> _Habits:
    """Read from the files that sentence-transformers puts beside a model; those of bge are known."""
    prompts = _read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    pooling = _read_json(folder / "1_Pooling" / "config.json")
    config = _read_json(folder / "config.json")
    is_bge = "bge" in f"{folder.name} {config.get('_name_or_path', '')}".lower()
    return _Habits(
        query_prefix=prompts.get("query") or (_BGE_QUERY_PREFIX if is_bge else ""),
        passage_prefix=prompts.get("passage") or prompts.get("document") or "",
        pools_first_token=bool(pooling.get("pooling_mode_cls_token", is_bge)),
    )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BrokenModel(f"There is no {path.name} in {path.parent} that can be read.") from error
