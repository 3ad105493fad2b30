"""The same vectors and texts for every store, and the stores a user might pick instead: `python … PEER SIZE`.

Runs in the environment of the peers, and the `numpy` row in any: nothing of MASIS is imported here.
"""

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

DIMENSION = 384
QUESTIONS = 200
TEXTS = 5_000
_BATCH = 1_000
_TOPICS = 200
_WORDS = 20_000

Search = Callable[[list[float], str], object]


def vector_batches(size: int, seed: int = 1) -> Iterator["np.ndarray"]:
    """Unit vectors around topics, as embeddings of passages lie."""
    topics = np.random.default_rng(0).normal(size=(_TOPICS, DIMENSION))
    chance = np.random.default_rng(seed)
    for first in range(0, size, _BATCH):
        count = min(_BATCH, size - first)
        batch = topics[chance.integers(0, _TOPICS, count)] + chance.normal(size=(count, DIMENSION))
        yield (batch / np.linalg.norm(batch, axis=1, keepdims=True)).astype(np.float32)


def texts() -> list[str]:
    """About 600 characters each, words as frequent as in a language."""
    return [_sentence(random.Random(number), 85) for number in range(TEXTS)]


def questions() -> list[tuple[list[float], str]]:
    vectors = next(vector_batches(QUESTIONS, seed=2)).tolist()
    return [(vector, _sentence(random.Random(-1 - number), 8)) for number, vector in enumerate(vectors)]


_WEIGHTS = np.cumsum(1 / np.arange(1, _WORDS + 1)).tolist()


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(f"w{number:05d}" for number in chance.choices(range(_WORDS), cum_weights=_WEIGHTS, k=words))


def numpy(size: int) -> Search:
    matrix = np.concatenate(list(vector_batches(size)))

    def search(vector: list[float], _: str) -> object:
        scores = matrix @ np.asarray(vector, dtype=np.float32)
        best = np.argpartition(scores, -min(30, size))[-30:]
        return best[np.argsort(scores[best])]

    return search


def faiss_flat(size: int) -> Search:
    import faiss

    index = faiss.IndexFlatIP(DIMENSION)
    for batch in vector_batches(size):
        index.add(batch)
    return lambda vector, _: index.search(np.asarray([vector], dtype=np.float32), 30)


def faiss_and_rank_bm25(size: int) -> Search:
    """Both halves that LangChain's ensemble retriever puts together, without its own overhead."""
    from rank_bm25 import BM25Okapi

    by_meaning = faiss_flat(size)
    pool = texts()
    words = BM25Okapi([pool[number % TEXTS].split() for number in range(size)])

    def search(vector: list[float], text: str) -> object:
        scores = words.get_scores(text.split())
        return by_meaning(vector, text), np.argsort(scores)[::-1][:30]

    return search


def chroma(size: int) -> Search:
    import chromadb

    collection = chromadb.EphemeralClient().create_collection("bench")
    pool = texts()
    for first, batch in enumerate(vector_batches(size)):
        numbers = range(first * _BATCH, first * _BATCH + len(batch))
        collection.add(
            ids=[str(number) for number in numbers],
            embeddings=batch,
            documents=[pool[number % TEXTS] for number in numbers],
        )
    return lambda vector, _: collection.query(query_embeddings=[vector], n_results=30)


PEERS = {"numpy": numpy, "faiss": faiss_flat, "faiss+rank_bm25": faiss_and_rank_bm25, "chroma": chroma}


def milliseconds(search: Search) -> list[float]:
    asked = questions()
    search(*asked[0])
    taken = []
    for vector, text in asked:
        started = time.perf_counter()
        search(vector, text)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def memory_mb() -> dict[str, float]:
    """All that is resident, and what of it cannot be read back from files."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return {name: int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")}


def main() -> None:
    search = PEERS[sys.argv[1]](int(sys.argv[2]))
    print(json.dumps({"milliseconds": milliseconds(search), "memory": memory_mb()}))


if __name__ == "__main__":
    main()
