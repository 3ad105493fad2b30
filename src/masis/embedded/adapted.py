"""The embedded cross-encoder, adapted to say what a passage supports or which words answer.

Most changes are small (a few thousand figures per matrix, in `trained/`): the matrices themselves are read from the
base model's file in its wheel, changed, and passed to the runtime. The selector has matrices of its own.
training/README.md says how they were trained.
"""

import json
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from masis.embedded import CROSS_ENCODER, TURNS, OnnxModel, installed, silent_runtime

if TYPE_CHECKING:
    import numpy as np

TRAINED = Path(__file__).parent / "trained"
MAX_TOKENS = 512
"""As in training. Only the second text is cut, unless the first alone has more than half of them."""

FIGURES = 3
"""Outputs per token. Each task fills as many as it was trained for and leaves the others empty."""

Task = Literal["verifier", "selector", "tables"]


@dataclass(frozen=True, slots=True)
class Figures:
    """The network's output for each token of a pair: three figures, and the token's position."""

    values: "np.ndarray[Any, Any]"
    offsets: list[tuple[int, int]]
    texts: list[int | None]
    """0 for a token of the first text, 1 for the second, None for neither."""


def as_share(logit: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))


@lru_cache(maxsize=3)
def adapted(task: Task) -> "AdaptedModel":
    return AdaptedModel(installed(CROSS_ENCODER), TRAINED / f"{task}.npz")


@dataclass(slots=True)
class AdaptedModel:
    """Loaded on first use; safe to use from several threads."""

    base: OnnxModel
    change: Path
    _loaded: Any = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, first: str, second: str) -> Figures:
        import numpy as np

        tokenizer, session = self._load()
        encoding = tokenizer.encode(first, second)
        fields = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        with TURNS.one():
            outputs = session.run(None, {name: np.array([value], dtype=np.int64) for name, value in fields.items()})
        return Figures(outputs[0][0], encoding.offsets, encoding.sequence_ids)

    def _load(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open()
            return self._loaded

    def _open(self) -> tuple[Any, Any]:
        onnxruntime = silent_runtime()
        self.base.check()
        tokenizer = self.base.tokenizer()
        tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
        options = self.base.session_options()
        weights = _weights(self.base.folder / "model.onnx", self.change)
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in weights.values()]
        options.add_external_initializers(list(weights), values)
        session = onnxruntime.InferenceSession(
            str(TRAINED / "network.onnx"), options, providers=["CPUExecutionProvider"]
        )
        return tokenizer, session


def _weights(base_file: Path, change_file: Path) -> dict[str, "np.ndarray[Any, Any]"]:
    import numpy as np

    data = base_file.read_bytes()
    change = dict(np.load(change_file))
    weights = {n: v.astype(np.float32) for n, v in change.items() if not n.endswith((".a", ".b", ".whole", ".scale"))}
    for name, place in json.loads((TRAINED / "base.json").read_text()).items():
        rows, columns = place["shape"]
        whole = np.frombuffer(data, place["type"], rows * columns, place["start"]).reshape(rows, columns)
        if f"{name}.whole" in change:
            whole, scale = change[f"{name}.whole"], change[f"{name}.scale"]
        elif f"{name}.a" in change:
            a, b = (change[f"{name}.{part}"].astype(np.float32) for part in "ab")
            changed = whole.astype(np.float32) * place["scale"] + a @ b
            scale = np.abs(changed).max(axis=0) / 127 + 1e-12
            whole = np.round(changed / scale).astype(np.int8)
        else:
            scale = None
        weights[f"{place['stored_as']}_quantized"] = whole
        if scale is not None:
            weights[f"{place['stored_as']}_scale"] = scale.astype(np.float32)
    for name in ("head.weight", "head.bias"):
        missing = FIGURES - weights[name].shape[-1]
        weights[name] = np.pad(weights[name], [(0, 0)] * (weights[name].ndim - 1) + [(0, missing)])
    return {name: np.ascontiguousarray(value) for name, value in weights.items()}
