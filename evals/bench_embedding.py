"""Passages embedded per second, as a share of what the model itself achieves in the same minutes."""

import asyncio
import gzip
import json
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from evals.tables import NotMeasured, Section, machine, shared_data, table
from masis.embedded import EMBEDDER, installed, usable_cores
from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder

PASSAGES = 200
ROUNDS = 4
SHORTEST, LONGEST = 500, 800


def measure() -> Section:
    title = "Embedding on this machine"
    data = shared_data("clapnq_dev")
    if data is None:
        raise NotMeasured("the data set is not at ../shared/data")
    texts = passages(data)
    limit, ours, while_busy, idle = asyncio.run(_rounds(texts))
    share = statistics.median(o / m for m, o in zip(limit, ours, strict=True))
    rows = [
        ["the model's own limit: its session in a tight loop on all cores, tokens ready", _median(limit), "100%"],
        ["`OnnxEmbedder.embed_passages`", _median(ours), f"{share:.0%}"],
    ]
    body = (
        f"{len(texts)} passages of {SHORTEST} to {LONGEST} characters (CLAPnq), both ways in turn, median of "
        f"{ROUNDS} rounds; {machine()}.\n\n{table(['', 'passages per second', 'share'], rows)}\n\n"
        f"A question takes {statistics.median(idle):.0f} ms to embed, and {statistics.median(while_busy):.0f} ms "
        "(medians) while passages are being embedded."
    )
    return Section("embedding", title, body)


def passages(data: Path) -> list[str]:
    lines = gzip.decompress((data / "clapnq_dev_answerable.jsonl.gz").read_bytes()).splitlines()
    texts = [passage["text"] for line in lines for passage in json.loads(line)["passages"]]
    wanted = [SHORTEST + 37 * number % (LONGEST - SHORTEST) for number in range(len(texts))]
    return [text[:length] for text, length in zip(texts, wanted, strict=True) if len(text) >= length][:PASSAGES]


async def _rounds(texts: list[str]) -> tuple[list[float], list[float], list[float], list[float]]:
    embedder = OnnxEmbedder()
    run_all = _tight_loop(texts)
    await embedder.embed_query("Is the model loaded?")
    idle = [await _question_ms(embedder) for _ in range(20)]
    limit, ours = [], []
    for _ in range(ROUNDS):
        limit.append(len(texts) / await asyncio.to_thread(_seconds, run_all))
        started = time.perf_counter()
        await embedder.embed_passages(texts)
        ours.append(len(texts) / (time.perf_counter() - started))
    busy = asyncio.create_task(embedder.embed_passages(texts))
    while_busy = [await _question_ms(embedder) for _ in range(20)]
    busy.cancel()
    await asyncio.wait([busy])
    embedder.close()
    return limit, ours, while_busy, idle


def _tight_loop(texts: list[str]) -> Callable[[], None]:
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    folder = installed(EMBEDDER).folder
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]

    def inputs(text: str) -> dict[str, Any]:
        encoding = tokenizer.encode(text)
        fields = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        return {name: np.array([fields[name]], dtype=np.int64) for name in names}

    feeds = sorted(map(inputs, texts), key=lambda feed: feed["input_ids"].size, reverse=True)

    def run_all() -> None:
        with ThreadPoolExecutor(usable_cores()) as pool:
            list(pool.map(lambda feed: session.run(None, feed), feeds))

    return run_all


def _seconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


async def _question_ms(embedder: OnnxEmbedder) -> float:
    started = time.perf_counter()
    await embedder.embed_query("What was customer churn in fiscal 2025?")
    return 1000 * (time.perf_counter() - started)


def _median(values: list[float]) -> str:
    return f"{statistics.median(values):.1f}"
