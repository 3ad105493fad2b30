"""`python -m training.teacher`: a larger network that learns the same, and whose readings the selector learns from.

all-mpnet-base-v2 (110 million weights, Apache-2.0) is too large to ship. Its vocabulary is that of the embedded
cross-encoder moved by four places, so both read the same tokens, and what it says of each can be taught.

`pack FOLDER` puts its weights in whole numbers into .cache/training, in parts of a size that travels; `learn` trains it
(torch, a GPU) and writes what it reads in every token of every question and passage to taught.npy.
"""

import argparse
import json
import math
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from training.choose import Examples, fit, outputs, report
from training.encoded import FOLDER
from training.network import DEVICE, Norm

LAYERS, HEADS, WIDTH, BUCKETS, FARTHEST = 12, 12, 768, 32, 128
MOVED = 4
SPECIAL = {0: 1, 101: 0, 102: 2}
"""Padding, and what begins and ends a text."""
FIRST_POSITION = 2
PART = 40_000_000
READ_AT_ONCE = 98_304
"""Tokens."""


def pack(folder: Path) -> None:
    size, tensors = _header(folder / "model.safetensors")
    raw = np.memmap(folder / "model.safetensors", np.uint8, "r")[8 + size :]
    parts: list[dict[str, np.ndarray]] = [{}]
    for name, about in tensors.items():
        if "position_ids" in name or name.startswith("pooler"):
            continue
        start, end = about["data_offsets"]
        value = raw[start:end].view(np.float32).reshape(about["shape"])
        if sum(array.nbytes for array in parts[-1].values()) + value.size > PART:
            parts.append({})
        if value.ndim == 2 and value.size > WIDTH * BUCKETS:
            scale = np.abs(value).max(axis=1, keepdims=True) / 127 + 1e-12
            parts[-1] |= {f"{name}.whole": np.round(value / scale).astype(np.int8), f"{name}.scale": scale}
        else:
            parts[-1][name] = value
    for number, part in enumerate(parts):
        np.savez_compressed(FOLDER / f"teacher.{number}.npz", **part)


def _header(file: Path) -> tuple[int, dict[str, dict[str, list[int]]]]:
    with file.open("rb") as stored:
        size = struct.unpack("<Q", stored.read(8))[0]
        return size, {k: v for k, v in json.loads(stored.read(size)).items() if k != "__metadata__"}


def packed_weights() -> dict[str, torch.Tensor]:
    weights = {}
    for file in sorted(FOLDER.glob("teacher.*.npz")):
        stored = np.load(file)
        for name in stored.files:
            if name.endswith(".whole"):
                own = name.removesuffix(".whole")
                weights[own] = torch.tensor(stored[name].astype(np.float32) * stored[f"{own}.scale"])
            elif not name.endswith(".scale"):
                weights[name] = torch.tensor(stored[name])
    return weights


class Linear(nn.Linear):
    """Weights in full, computed in the precision of what comes in."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self.weight.to(x.dtype), self.bias.to(x.dtype))


class Layer(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (Linear(WIDTH, WIDTH) for _ in range(4))
        self.inner, self.outer = Linear(WIDTH, 4 * WIDTH), Linear(4 * WIDTH, WIDTH)
        self.norms = nn.ModuleList([Norm(WIDTH, eps=1e-5) for _ in range(2)])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        split = (x.shape[0], x.shape[1], HEADS, WIDTH // HEADS)
        q, k, v = (matrix(x).view(split).transpose(1, 2) for matrix in (self.q, self.k, self.v))
        read = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = self.norms[0](x + self.dropout(self.o(read.transpose(1, 2).reshape(x.shape))))
        return self.norms[1](x + self.dropout(self.outer(functional.gelu(self.inner(x)))))


class Teacher(nn.Module):
    """Three figures for each token, as the selector has them."""

    def __init__(self, weights: dict[str, torch.Tensor], dropout: float = 0.1) -> None:
        super().__init__()
        self.register_buffer("words", weights["embeddings.word_embeddings.weight"], persistent=False)
        self.register_buffer("positions", weights["embeddings.position_embeddings.weight"], persistent=False)
        self.register_buffer("distances", weights["encoder.relative_attention_bias.weight"], persistent=False)
        self.register_buffer("renamed", _renamed(len(self.words)), persistent=False)
        self.norm = Norm(WIDTH, eps=1e-5)
        self.layers = nn.ModuleList([Layer(dropout) for _ in range(LAYERS)])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(WIDTH, 3)
        self._fill(weights)
        self.precision = torch.bfloat16 if DEVICE == "cuda" else torch.float32

    def _fill(self, weights: dict[str, torch.Tensor]) -> None:
        inside = {"q": "attention.attn.q", "k": "attention.attn.k", "v": "attention.attn.v", "o": "attention.attn.o",
                  "inner": "intermediate.dense", "outer": "output.dense",
                  "norms.0": "attention.LayerNorm", "norms.1": "output.LayerNorm"}  # fmt: skip
        named = {"norm": "embeddings.LayerNorm"} | {
            f"layers.{n}.{ours}": f"encoder.layer.{n}.{theirs}"
            for n in range(LAYERS)
            for ours, theirs in inside.items()
        }
        own = dict(self.named_parameters())
        for ours, theirs in named.items():
            for kind in ("weight", "bias"):
                own[f"{ours}.{kind}"].data = weights[f"{theirs}.{kind}"].clone()

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        length = ids.shape[1]
        x = self.words[self.renamed[ids]] + self.positions[FIRST_POSITION : FIRST_POSITION + length]
        x = self.dropout(self.norm(x.to(self.precision)))
        bias = self.distances[_buckets(length).to(ids.device)].permute(2, 0, 1)[None]
        bias = bias.masked_fill(~mask[:, None, None, :], -1e4).to(x.dtype)
        for layer in self.layers:
            x = layer(x, bias)
        return self.head(self.dropout(x).float())


def _renamed(words: int) -> torch.Tensor:
    renamed = torch.arange(words - MOVED - 1) + MOVED
    for ours, theirs in SPECIAL.items():
        renamed[ours] = theirs
    return renamed


def _buckets(length: int) -> torch.Tensor:
    """How far a token is from another: exact for near ones, in ever wider steps for those further away."""
    places = torch.arange(length)
    ahead = places[None, :] - places[:, None]
    half, exact = BUCKETS // 2, BUCKETS // 4
    far = ahead.abs()
    wide = exact + (torch.log(far.clamp(min=1) / exact) / math.log(FARTHEST / exact) * (half - exact)).long()
    return (ahead > 0).long() * half + torch.where(far < exact, far, wide.clamp(max=half - 1))


@torch.no_grad()
def teach(network: nn.Module, examples: Examples, seconds: float) -> None:
    """What the network reads in every token; nought where time ran out, which the selector then leaves alone."""
    network.eval()
    begun = time.time()
    taught = np.lib.format.open_memmap(FOLDER / "taught.npy", "w+", np.float16, (examples.tokens, 3))
    done = 0
    for reads in _of_like_length(examples):
        if time.time() - begun > seconds:
            break
        out = outputs(network, examples.tensors(reads)).half().cpu().numpy()
        for row, read in enumerate(reads):
            start, end = examples.place(read)
            taught[start:end] = out[row, : end - start]
        done += len(reads)
    print(f"taught {done:,} passages in {time.time() - begun:.0f} s", flush=True)


def _of_like_length(examples: Examples) -> Iterator[list[int]]:
    order = sorted((r for e in examples.all if not e["held_out"] for r in e["reads"]), key=examples.length)
    batch: list[int] = []
    for read in order:
        if batch and (len(batch) + 1) * examples.length(read) > READ_AT_ONCE:
            yield batch
            batch = []
        batch.append(read)
    yield batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", choices=("pack", "learn"))
    parser.add_argument("folder", type=Path, nargs="?", help="of all-mpnet-base-v2: model.safetensors")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--singles", type=float, default=0.5, help="share of the single passages in each epoch")
    parser.add_argument("--seconds", type=float, default=3_600, help="to learn in")
    parser.add_argument("--to-teach", type=float, default=3_600, help="seconds to read everything in")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    if given.do == "pack":
        return pack(given.folder)
    torch.manual_seed(given.seed)
    examples = Examples()
    network = Teacher(packed_weights()).to(DEVICE)
    fit(network, examples, given)
    teach(network, examples, given.to_teach)
    report(network, examples)
    return None


if __name__ == "__main__":
    main()
