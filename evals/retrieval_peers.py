"""Runs the peers, each in its own environment made by scripts/setup_peers.sh, with the same job."""

import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from evals.retrieval_cache import CACHE
from evals.retrieval_data import Collection, Span
from masis.embedded import EMBEDDER, installed

HERE = Path(__file__).parent
PYTHON = HERE.parent / ".cache" / "peers" / "bin" / "python"
DEPTH = 30
"""Passages to request, since several of them may be from the same document."""


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    script: str
    options: tuple[str, ...] = ()


PEERS = (
    Peer("LangChain + FAISS, splitter's defaults (4,000/200)", "langchain_faiss.py", ("defaults",)),
    Peer("LangChain + FAISS, tutorial's sizes (1,000/200)", "langchain_faiss.py"),
    Peer("LangChain + FAISS + BM25 ensemble (1,000/200)", "langchain_faiss.py", ("hybrid",)),
    Peer("LlamaIndex, defaults (1,024 tokens/200)", "llama_index_vector.py"),
    Peer("Haystack, defaults (200 words), BM25 + vectors", "haystack_hybrid.py"),
)


@dataclass(frozen=True, slots=True)
class PeerAnswer:
    ranked: list[list[Span]]
    """For each question, best first."""
    index_seconds: float
    query_seconds: float


def ask(peer: Peer, collection: Collection) -> PeerAnswer | None:
    """None if the peers are not installed."""
    if not PYTHON.exists():
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    job = _job(collection)
    code = (HERE / "peers" / peer.script).read_text() + (HERE / "peers" / "job.py").read_text()
    key = hashlib.sha256("\n".join([code, *peer.options, job]).encode()).hexdigest()[:20]
    kept = CACHE / f"peer-{key}.json"
    if not kept.exists():
        kept.write_text(_run(peer, job))
    answer = json.loads(kept.read_text())
    ranked = [[Span(*each) for each in spans] for spans in answer["ranked"]]
    return PeerAnswer(ranked, answer["index_seconds"], answer["query_seconds"])


def _job(collection: Collection) -> str:
    texts = {name: parsed.text for name, parsed in collection.documents.items()}
    questions = [question.text for question in collection.questions]
    settings = {
        "limit": DEPTH,
        "model_folder": str(installed(EMBEDDER).folder),
        "cache": str(CACHE / "peer-vectors.db"),
    }
    return json.dumps({"documents": texts, "questions": questions, **settings})


def _run(peer: Peer, job: str) -> str:
    command = [str(PYTHON), peer.script, *peer.options]
    done = subprocess.run(command, cwd=HERE / "peers", input=job, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{peer.name} failed:\n{done.stderr[-2000:]}")
    return done.stdout
