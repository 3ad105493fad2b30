"""`python -m training.train TASK`: fits a small change to the embedded cross-encoder (torch, one GPU)."""

import argparse
import json
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from training.batches import IGNORED, TOKENS_A_BATCH, Encoder, Example, batches, padded, read
from training.network import DEVICE, Network, forward, of_groups
from training.reports import report_claims, report_selections, report_tables

FOLDER = Path(".cache/training")


@dataclass(frozen=True, slots=True)
class Recipe:
    rank: int
    epochs: int
    rate: float
    seed: int
    outputs: int = 2
    tokens: int = TOKENS_A_BATCH


RECIPES = {
    "claims": Recipe(rank=16, epochs=2, rate=4e-4, seed=7),
    "selections": Recipe(rank=32, epochs=7, rate=6e-4, seed=7, outputs=3),
    "tables": Recipe(rank=32, epochs=5, rate=5e-4, seed=7, outputs=1, tokens=131_072),
}
"""More epochs, or more of each, learnt the claims by heart: held-out figures fell."""


def claims_loss(network: Network, batch: Sequence[Example]) -> torch.Tensor:
    out = forward(network, batch)
    labels = torch.tensor([float(e["label"]) for e in batch], device=DEVICE)
    weights = torch.tensor([e["weight"] for e in batch], device=DEVICE)
    whole = functional.binary_cross_entropy_with_logits(out[:, 0, 0], labels, reduction="none")
    targets = padded(batch, "targets", IGNORED, torch.float, DEVICE)
    counted = targets != IGNORED
    each = functional.binary_cross_entropy_with_logits(
        out[:, :, 1], targets.clamp(min=0), reduction="none", pos_weight=torch.tensor(3.0, device=DEVICE)
    )
    tokens = (each * counted).sum(1) / counted.sum(1).clamp(min=1)
    return ((whole + tokens) * weights).sum() / weights.sum()


def selections_loss(network: Network, batch: Sequence[Example]) -> torch.Tensor:
    """Where the answer begins and ends, which tokens are of its sentences, and whether there is one."""
    out = forward(network, batch)
    weights = torch.tensor([e["weight"] for e in batch], device=DEVICE)
    known = torch.tensor([float(e["spans"] is not None) for e in batch], device=DEVICE)
    labels = torch.tensor([float(e["answerable"]) for e in batch], device=DEVICE)
    whole = functional.binary_cross_entropy_with_logits(out[:, 0, 2], labels, reduction="none")
    marked = padded(batch, "marked", IGNORED, torch.float, DEVICE)
    counted = marked != IGNORED
    each = functional.binary_cross_entropy_with_logits(out[:, :, 2], marked.clamp(min=0), reduction="none")
    tokens = (each * counted).sum(1) / counted.sum(1).clamp(min=1)
    return ((whole + 1.5 * tokens + 0.5 * known * span_losses(out, batch)) * weights).sum() / weights.sum()


def tables_loss(network: Network, batch: Sequence[Example]) -> torch.Tensor:
    """The share that the trials which give the answer get among all and saying nothing, whose figure is nought."""
    scores = of_groups(network, batch)
    right = torch.zeros(scores.shape, dtype=torch.bool)
    for line, e in enumerate(batch):
        right[line, : len(e["right"])] = torch.tensor(e["right"])
        right[line, -1] = not any(e["right"])
    weights = torch.tensor([e["weight"] for e in batch], device=DEVICE)
    missed = torch.logsumexp(scores, 1) - torch.logsumexp(scores.masked_fill(~right.to(DEVICE), -1e4), 1)
    return (weights * missed).sum() / weights.sum()


def span_losses(out: torch.Tensor, batch: Sequence[Example]) -> torch.Tensor:
    allowed = padded(batch, "allowed", 0, torch.bool, DEVICE)
    total = torch.zeros(len(batch), device=DEVICE)
    for channel, key in enumerate(("starts", "ends")):
        gold = padded(batch, key, 0, torch.bool, DEVICE)
        scores = out[:, :, channel].masked_fill(~allowed, -1e4)
        right = scores.masked_fill(~gold, -1e4)
        total = total + torch.logsumexp(scores, 1) - torch.logsumexp(right, 1)
    return total


def fit(
    network: Network,
    examples: Sequence[Example],
    loss_of: Callable[[Network, Sequence[Example]], torch.Tensor],
    recipe: Recipe,
) -> None:
    rng = random.Random(recipe.seed)
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=recipe.rate, weight_decay=0.01)
    steps = recipe.epochs * sum(1 for _ in batches(examples, random.Random(0), recipe.tokens))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, s / max(1, 0.06 * steps)) * 0.5 * (1 + math.cos(math.pi * min(1.0, s / steps)))
    )
    begun = time.time()
    for epoch in range(recipe.epochs):
        network.train()
        losses = []
        for batch in batches(examples, rng, recipe.tokens):
            loss = loss_of(network, batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.detach())
        print(f"epoch {epoch + 1}: loss {torch.stack(losses).mean():.4f}, {time.time() - begun:.0f} s", flush=True)


def weigh(examples: Sequence[Example], task: str, other_section: float) -> list[Example]:
    if task == "tables":
        return [e | {"weight": (0.3 if e["is_unreached"] else 1.0) * TABLE_WEIGHTS[e["set"]]} for e in examples]
    if task == "selections":
        return [e | {"weight": _selection_weight(e, other_section)} for e in examples]
    return [e | {"weight": _claim_weight(e)} for e in examples]


SELECTION_WEIGHTS = {
    "wtq": 0.4, "tatqa": 0.6, "ramdocs": 0.6, "squad2": 3.0, "clapnq": 2.0, "xquad": 1.5, "written": 1.5, "own": 2.0,
}  # fmt: skip


TABLE_WEIGHTS = {"WikiTableQuestions": 1.0, "TAT-QA": 1.5, "written": 3.0}


def _selection_weight(example: Example, other_section: float) -> float:
    share = other_section if example["kind"] == "other section" else 1.0
    return share * SELECTION_WEIGHTS.get(example["set"], 1.0)


def _claim_weight(example: Example) -> float:
    if example["kind"] != "real":
        return 0.5
    if example["set"].startswith("summedits"):
        return 3.0
    if example["set"] == "ragtruth":
        return 1.0 if example["label"] else 3.0
    return 1.0


def _times(example: Example) -> list[Example]:
    """Questions that we wrote ourselves count twice. One with a sister word in it (“the agency” for “the firm”) is only
    measured with: it teaches that other words than the passage's ask for something else."""
    is_sister = "question" in example and example.get("kind") == "sister"
    if example["held_out"] or example.get("only_measured") or is_sister:
        return []
    return [example] * (2 if (example["set"], example.get("kind")) == ("own", "real") else 1)


def _is_measured(example: Example) -> bool:
    """Of the made ones every twelfth: they are many, and easy."""
    if example.get("only_measured"):
        return True
    made = example.get("kind", "real") != "real"
    return bool(example["held_out"]) and (not made or "claim" not in example or len(example["claim"]) % 12 == 0)


def begin_with(network: Network, file: Path) -> None:
    """All but the head, which is another for each task."""
    stored = np.load(file)
    known = {n: torch.tensor(stored[n].astype(np.float32)) for n in stored.files if not n.startswith("head")}
    begun = {n: _widened(known[n], value) for n, value in network.state_dict().items() if n in known}
    network.load_state_dict(begun, strict=False)


def _widened(narrow: torch.Tensor, fresh: torch.Tensor) -> torch.Tensor:
    """A change of lower rank is the first part of a wider one; the rest of A stays random and that of B zero."""
    wide = fresh.clone()
    wide[tuple(slice(0, n) for n in narrow.shape)] = narrow.to(wide.device)
    return wide


def save(network: Network, file: Path) -> None:
    arrays = {name: value.detach().cpu().numpy().astype(np.float16) for name, value in network.named_parameters()}
    np.savez_compressed(file, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=RECIPES)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--start", type=Path, help="begin with this change, of this rank or a lower one")
    parser.add_argument("--rank", type=int)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument(
        "--other-section", type=float, default=1.0, help="how much a section that only looks right weighs"
    )
    parser.add_argument("--sample", type=int, help="train on a sample of this size, to try it out")
    given = parser.parse_args()
    asked = {name: getattr(given, name) for name in ("rank", "epochs", "rate", "seed")}
    recipe = replace(RECIPES[given.task], **{name: value for name, value in asked.items() if value is not None})
    torch.manual_seed(recipe.seed)
    encoder = Encoder(FOLDER / "tokenizer.json")
    examples = weigh(read(FOLDER / f"{given.task}.jsonl.gz"), given.task, given.other_section)
    if given.sample:
        examples = random.Random(1).sample(examples, given.sample)
    encode, loss_of, report = {
        "claims": (encoder.claims, claims_loss, report_claims),
        "selections": (encoder.selections, selections_loss, report_selections),
        "tables": (encoder.tables, tables_loss, report_tables),
    }[given.task]
    trained = encode([e for example in examples for e in _times(example)])
    measured = encode([e for e in examples if _is_measured(e)])
    print(f"{given.task}: {len(trained)} examples to train on, {len(measured)} to measure with", flush=True)
    network = Network(FOLDER / "base.npz", recipe.rank, recipe.outputs).to(DEVICE)
    if given.start:
        begin_with(network, given.start)
    print(f"{sum(p.numel() for p in network.parameters()):,} parameters change", flush=True)
    fit(network, trained, loss_of, recipe)
    save(network, given.out / f"{given.task}.npz")
    for name, row in report(network, measured).items():
        print(name, json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
