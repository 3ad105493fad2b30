"""The embedded cross-encoder in torch, with a low-rank change to each of its matrices and a head that reads tokens."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from training.base import LAYERS, MATRICES, WIDTH
from training.batches import PADDED, Example, padded

HEADS = 12
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DROPPED = 0.15

# cuDNN plans attention anew for every shape of a batch, and hardly two batches have the same.
torch.backends.cuda.enable_cudnn_sdp(False)


class Whole(nn.Module):
    """x · W + b, all of which changes."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self.weight.to(x.dtype).T, self.bias.to(x.dtype))


class Changed(nn.Module):
    """x · (W + A · B) + b, of which W stays as it is."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor, rank: int) -> None:
        super().__init__()
        self.register_buffer("weight", weight, persistent=False)
        self.bias = nn.Parameter(bias)
        self.a = nn.Parameter(torch.randn(weight.shape[0], rank) / weight.shape[0] ** 0.5)
        self.b = nn.Parameter(torch.zeros(rank, weight.shape[1]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # Some of the change is left out at random, so that no part of it learns examples by heart.
        kept = functional.dropout(torch.ones(self.a.shape[1], device=x.device), DROPPED, self.training)
        changed = self.weight + (self.a * kept) @ self.b
        return functional.linear(x, changed.to(x.dtype).T, self.bias.to(x.dtype))


class Norm(nn.LayerNorm):
    """Computed in full, handed on in the precision of what came in."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(x, self.normalized_shape, self.weight.to(x.dtype), self.bias.to(x.dtype), self.eps)


class Layer(nn.Module):
    def __init__(self, base: dict[str, torch.Tensor], number: int, rank: int, dropout: float) -> None:
        super().__init__()
        self.m = nn.ModuleDict(
            {
                name.replace(".", "_"): _matrix(
                    base[f"layer.{number}.{name}"], base[f"layer.{number}.{name}.bias"], rank
                )
                for name in MATRICES
            }
        )
        self.norms = nn.ModuleList(
            [_norm(base, f"layer.{number}.{part}.LayerNorm") for part in ("attention.output", "output")]
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        split = (x.shape[0], x.shape[1], HEADS, WIDTH // HEADS)
        q, k, v = (
            self.m[f"attention_self_{name}"](x).view(split).transpose(1, 2) for name in ("query", "key", "value")
        )
        read = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        read = read.transpose(1, 2).reshape(x.shape)
        x = self.norms[0](x + self.dropout(self.m["attention_output_dense"](read)))
        inner = functional.gelu(self.m["intermediate_dense"](x))
        return self.norms[1](x + self.dropout(self.m["output_dense"](inner)))


def _matrix(weight: torch.Tensor, bias: torch.Tensor, rank: int) -> nn.Module:
    return Changed(weight, bias, rank) if rank else Whole(weight, bias)


def _norm(base: dict[str, torch.Tensor], name: str) -> Norm:
    norm = Norm(WIDTH, eps=1e-12)
    norm.weight.data, norm.bias.data = base[f"{name}.weight"].clone(), base[f"{name}.bias"].clone()
    return norm


class Network(nn.Module):
    """Some figures for each token; those of the first token speak for the whole pair. Rank 0: all matrices change as
    wholes."""

    def __init__(self, base_file: Path, rank: int, outputs: int = 2, dropout: float = 0.15) -> None:
        super().__init__()
        base = load(base_file)
        for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
            self.register_buffer(name, base[f"embeddings.{name}"], persistent=False)
        self.norm = _norm(base, "embeddings.LayerNorm")
        self.layers = nn.ModuleList([Layer(base, n, rank, dropout) for n in range(LAYERS)])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(WIDTH, outputs)
        self.precision = torch.bfloat16 if DEVICE == "cuda" else torch.float32

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.word_embeddings[ids] + self.token_type_embeddings[types] + self.position_embeddings[: ids.shape[1]]
        x = self.dropout(self.norm(x.to(self.precision)))
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        return self.head(self.dropout(x).float())


def load(file: Path) -> dict[str, torch.Tensor]:
    stored = np.load(file)
    weights = {}
    for name in stored.files:
        if name.endswith(".quantized"):
            key = name.removesuffix(".quantized")
            whole = stored[name].astype(np.float32) - stored[f"{key}.zero_point"].astype(np.float32)
            weights[key] = torch.tensor(whole * stored[f"{key}.scale"])
        elif not name.endswith((".scale", ".zero_point")):
            weights[name] = torch.tensor(stored[name])
    return weights


def forward(network: Network, batch: Sequence[Example]) -> torch.Tensor:
    ids = padded(batch, "ids", 0, torch.long, DEVICE)
    types = padded(batch, "types", 0, torch.long, DEVICE)
    mask = torch.arange(ids.shape[1], device=DEVICE)[None, :] < torch.tensor(
        [[len(e["ids"])] for e in batch], device=DEVICE
    )
    return network(ids, types, mask)


def of_groups(network: Network, batch: Sequence[Example]) -> torch.Tensor:
    """The first figure of each trial of each question: a line for each question, filled up with what is impossible,
    and nought for saying nothing at its end."""
    longest = max(e["pairs"]["ids"].shape[1] for e in batch)
    most = max(len(e["pairs"]["ids"]) for e in batch)
    ids, types, mask = (
        torch.cat([functional.pad(e["pairs"][name], (0, longest - e["pairs"][name].shape[1])) for e in batch]).to(
            DEVICE
        )
        for name in PADDED
    )
    scores = network(ids, types, mask.bool())[:, 0, 0]
    lines = [
        functional.pad(own, (0, most - len(own)), value=-1e4)
        for own in scores.split([len(e["pairs"]["ids"]) for e in batch])
    ]
    return functional.pad(torch.stack(lines), (0, 1))
