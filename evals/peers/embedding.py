"""The same model files MASIS embeds with, for libraries that know nothing of MASIS.

One text at a time, first token's vector, normalised, with bge's prefix before a question: as MASIS does it. Texts
may have the model's full 512 tokens here, because these libraries cut longer passages than MASIS does.
"""

import hashlib
import sqlite3
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
MAX_TOKENS = 512


class Model:
    def __init__(self, folder: Path, cache: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        options = onnxruntime.SessionOptions()
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = [each.name for each in self._session.get_inputs()]
        self._cache = sqlite3.connect(cache, timeout=60, check_same_thread=False, isolation_level=None)
        self._cache.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB)")

    def passage(self, text: str) -> list[float]:
        return self._vector(text)

    def query(self, text: str) -> list[float]:
        return self._vector(QUERY_PREFIX + text)

    def tokens(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def _vector(self, text: str) -> list[float]:
        key = hashlib.sha256(f"{MAX_TOKENS}\n{text}".encode()).hexdigest()
        known = self._cache.execute("SELECT vector FROM vectors WHERE key = ?", [key]).fetchone()
        if known is None:
            vector = self._run(text)
            self._cache.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", [key, vector.tobytes()])
            return vector.tolist()
        return np.frombuffer(known[0], dtype=np.float32).tolist()

    def _run(self, text: str) -> np.ndarray:
        encoding = self.tokenizer.encode(text)
        encoding.truncate(MAX_TOKENS)
        fields = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        output = self._session.run(None, {name: np.array([fields[name]], dtype=np.int64) for name in self._inputs})[0]
        vector = output[0] if output.ndim == 2 else output[0][0]
        return (vector / np.linalg.norm(vector)).astype(np.float32)
