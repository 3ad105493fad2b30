"""`python -m training.base`: takes the weights out of the embedded cross-encoder's ONNX file (needs `onnx`).

Writes .cache/training/base.npz: matrices as they are stored, in whole numbers with their scale.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np

OUT = Path(".cache/training")
LAYERS, WIDTH = 12, 384
MATRICES = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "intermediate.dense": (WIDTH, 4 * WIDTH),
    "output.dense": (4 * WIDTH, WIDTH),
}
LAYER = re.compile(
    r"/bert/encoder/(layer\.\d+)/(attention/self/(?:query|key|value)|attention/output/dense|intermediate/dense|output/dense)/MatMul_quant$"
)
EMBEDDINGS = ("word_embeddings", "position_embeddings", "token_type_embeddings")


def saved(file: Path) -> dict[str, Any]:
    """What `training.choose` wrote in two files, named without their numbers; matrices as they are multiplied with."""
    stored = {name: value for part in "01" for name, value in np.load(file.with_suffix(f".{part}.npz")).items()}
    made = {name: value for name, value in stored.items() if not name.endswith((".whole", ".scale"))}
    whole = [name.removesuffix(".whole") for name in stored if name.endswith(".whole")]
    return made | {name: stored[f"{name}.whole"] * stored[f"{name}.scale"] for name in whole}


def matrices(model: Any) -> dict[str, str]:
    """The network's own name of each matrix, and the name the file stores it under."""
    found = {}
    for node in model.graph.node:
        if node.op_type == "MatMulInteger" and (match := LAYER.match(node.name)):
            found[f"{match[1]}.{match[2].replace('/', '.')}"] = node.input[1].removesuffix("_quantized")
    return found | {f"embeddings.{name}": f"bert.embeddings.{name}.weight" for name in EMBEDDINGS}


def main() -> None:
    import onnx
    from onnx import numpy_helper

    from masis.embedded import CROSS_ENCODER, installed

    folder = installed(CROSS_ENCODER).folder
    model = onnx.load(folder / "model.onnx")
    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    weights = {}
    for name, file_name in matrices(model).items():
        weights[f"{name}.quantized"] = stored[f"{file_name}_quantized"]
        weights[f"{name}.scale"] = stored[f"{file_name}_scale"]
        weights[f"{name}.zero_point"] = stored[f"{file_name}_zero_point"]
    for name, value in stored.items():
        if (name.endswith(("bias", "LayerNorm.weight")) and "encoder" in name) or "embeddings.LayerNorm" in name:
            weights[name.removeprefix("bert.").removeprefix("encoder.")] = value
    OUT.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(OUT / "base.npz", **weights)
    shutil.copy(folder / "tokenizer.json", OUT / "tokenizer.json")


if __name__ == "__main__":
    main()
