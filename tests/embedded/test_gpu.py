"""Where a model computes. There is no GPU here: sessions are real and on the CPU; what is told of CUDA is not."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from masis.embedded import CPU, CUDA, EMBEDDER, BrokenModel, NoGPU, OnnxModel, installed
from masis.errors import InvalidInput
from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
from masis.knowledge.embedding.port import embedder_for
from masis.knowledge.store.port import cosine
from masis.settings import Settings

TEXTS = ["Revenue rose in the third quarter, and so did costs.", "Ducks dive.", "", "The board met twice in May."]
real_session = onnxruntime.InferenceSession


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A network in float: the vectors of a text's tokens."""
    shutil.copy(installed(EMBEDDER).folder / "tokenizer.json", tmp_path)
    table = np.random.default_rng(1).normal(size=(30_522, 8)).astype(np.float32)
    (tmp_path / "model.onnx").write_bytes(network(table))
    return tmp_path


class ToldOfCuda:
    """A real session on the CPU that says it is on a GPU, if it was asked to be there."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.providers: list[Any] = []

    def __call__(self, file: str, options: object, providers: list[Any]) -> "ToldOfCuda":
        self.providers = providers
        self._session = real_session(file, options, providers=[CPU])
        return self

    def get_providers(self) -> list[str]:
        return [each if isinstance(each, str) else each[0] for each in self.providers]

    def get_inputs(self) -> Any:
        return self._session.get_inputs()

    def run(self, names: None, given: dict[str, Any]) -> Any:
        self.batches.append(len(given["input_ids"]))
        return self._session.run(names, given)


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> ToldOfCuda:
    told = ToldOfCuda()
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
    monkeypatch.setattr(onnxruntime, "InferenceSession", told)
    return told


async def test_without_cuda_auto_is_the_cpu_with_the_vectors_of_before(folder: Path) -> None:
    chosen, plain = OnnxEmbedder(folder, device="auto"), OnnxEmbedder(folder)
    assert chosen.device == plain.device == "cpu"
    assert await chosen.embed_passages(TEXTS) == await plain.embed_passages(TEXTS)


async def test_cuda_that_onnxruntime_does_not_offer_is_refused_with_advice(folder: Path) -> None:
    with pytest.raises(NoGPU, match=r"does not offer CUDA, only .*CPUExecutionProvider") as refused:
        await OnnxEmbedder(folder, device="cuda").embed_passages(TEXTS)
    assert "onnxruntime-gpu" in refused.value.advice


@pytest.mark.filterwarnings("ignore:Specified provider 'CUDAExecutionProvider'")
def test_cuda_that_does_not_start_is_refused_and_auto_goes_on_without(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As onnxruntime-gpu on a machine without a driver: it offers CUDA, and gives a session on the CPU."""
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
    assert OnnxEmbedder(folder, device="auto").device == "cpu"
    with pytest.raises(NoGPU, match="cannot use it here"):
        _ = OnnxEmbedder(folder, device="cuda").device


@pytest.mark.parametrize("device", ["auto", "cuda"])
async def test_a_gpu_embeds_in_batches_what_the_cpu_embeds_alone(folder: Path, cuda: ToldOfCuda, device: Any) -> None:
    embedder = OnnxEmbedder(folder, device=device, batch=3)
    vectors = await embedder.embed_passages(TEXTS)
    assert embedder.device == "cuda"
    assert cuda.batches == [3, 1]
    assert cuda.providers == [(CUDA, {"use_tf32": "0"}), CPU]
    assert len(await embedder.embed_query("Who met?")) == embedder.dimension == 8
    alone = await OnnxEmbedder(folder).embed_passages(TEXTS)
    assert cuda.providers == [CPU]
    assert np.allclose(vectors, alone, atol=1e-6)
    assert embedder.name == OnnxEmbedder(folder).name  # one index for both


async def test_a_network_in_half_precision_has_vectors_of_length_one(folder: Path, cuda: ToldOfCuda) -> None:
    table = np.random.default_rng(1).normal(size=(30_522, 8), scale=300).astype(np.float16)
    (folder / "model.onnx").write_bytes(network(table))
    for vector in await OnnxEmbedder(folder, device="cuda").embed_passages(TEXTS):
        assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-6)


async def test_what_the_gpu_has_no_memory_for_is_told(folder: Path, cuda: ToldOfCuda) -> None:
    def run(*_: object) -> None:
        raise RuntimeError("Failed to allocate memory for requested buffer")

    cuda.run = run  # type: ignore[method-assign]
    with pytest.raises(BrokenModel, match="Failed to allocate") as broken:
        await OnnxEmbedder(folder, device="cuda").embed_passages(TEXTS)
    assert "MASIS_EMBEDDING_BATCH" in broken.value.advice


def test_a_quantised_model_stays_on_the_cpu(cuda: ToldOfCuda) -> None:
    quantised = installed(EMBEDDER).folder
    assert OnnxEmbedder(quantised, device="auto").device == "cpu"
    with pytest.raises(NoGPU, match="quantised for CPUs"):
        _ = OnnxEmbedder(quantised, device="cuda").device
    assert OnnxEmbedder(device="auto").device == "cpu"


def test_texts_of_different_lengths_are_masked_in_a_real_network() -> None:
    """Its quantisation, and nothing else, lets the texts of a batch influence each other a little."""
    model = installed(EMBEDDER)
    for text, row in zip(TEXTS, model.run_batch(TEXTS), strict=True):
        [alone] = model.run(text)
        assert row.shape == alone.shape
        assert cosine(row[0].tolist(), alone[0].tolist()) > 0.98


def test_the_settings_choose_the_device(folder: Path, cuda: ToldOfCuda) -> None:
    chosen = embedder_for(Settings(embedding_path=folder, embedding_device="cuda"))
    assert isinstance(chosen, OnnxEmbedder)
    assert chosen.device == "cuda"
    assert OnnxModel(folder).device == "cpu"
    with pytest.raises(InvalidInput, match="MASIS_EMBEDDING_PATH is not set"):
        embedder_for(Settings(embedding_device="cuda"))
    with pytest.raises(InvalidInput, match="an endpoint has its own devices"):
        embedder_for(Settings(embedding_model="m", embedding_device="cuda"))


def network(table: "np.ndarray[Any, Any]") -> bytes:
    """Gather(table, input_ids) as ONNX, written field by field: the package onnx is not needed for one node."""
    tensor = b"".join(_number(1, each) for each in table.shape)
    kind = {"float32": 1, "float16": 10}[table.dtype.name]
    tensor += _number(2, kind) + _bytes(8, b"table") + _bytes(9, table.tobytes())
    node = _bytes(1, b"table") + _bytes(1, b"input_ids") + _bytes(2, b"hidden") + _bytes(4, b"Gather")
    graph = _bytes(1, node) + _bytes(2, b"tokens") + _bytes(5, tensor)
    graph += _bytes(11, _value(b"input_ids", 7, b"texts", b"tokens"))
    graph += _bytes(12, _value(b"hidden", kind, b"texts", b"tokens", b"width"))
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13))


def _value(name: bytes, kind: int, *axes: bytes) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, axis)) for axis in axes)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + _varint(value >> 7)
