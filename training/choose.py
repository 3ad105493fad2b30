"""`python -m training.choose`: teaches the selector to choose among the passages of a search (torch, a GPU).

A question comes with all its passages. The passage that answers must be read as likelier to answer than every other and
than silence, and so must the sentences and rows that do; single passages (`training.build`) are learnt beside them.
"""

import argparse
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from training.base import MATRICES, saved
from training.encoded import EMPTY, FIELDS, FOLDER, MOST_UNITS, of_a_few, of_one_document
from training.figures import auroc
from training.network import DEVICE, Network
from training.train import SELECTION_WEIGHTS

ALONE = 0.3
"""Share of our own questions that are asked of their own document alone."""
TOKENS_A_BATCH = 32_768
SIZES_A_BATCH = 4
TAUGHT = 0.5
"""Share of the loss that asks for what the teacher says instead of what is known."""
LIST_WEIGHTS = {
    "own": 1.0,
    "written": 0.7,
    "xquad": 0.5,
    "squad2": 1.5,
    "qed": 0.5,
    "clapnq": 1.0,
    "chunking": 1.0,
    "tatqa": 0.5,
}


class Examples:
    """All tokens lie on the GPU, so that a batch is cut out of them there."""

    def __init__(self, taught: Path | None = None) -> None:
        stored = np.load(FOLDER / "encoded.npz")
        self._fields = {name: torch.from_numpy(stored[name]).to(DEVICE) for name in FIELDS}
        self._at = stored["at"]
        self._taught = torch.from_numpy(np.load(taught)).to(DEVICE) if taught else None
        self.all = [json.loads(line) for line in (FOLDER / "encoded.jsonl").open()]

    @property
    def tokens(self) -> int:
        return int(self._at[-1])

    def place(self, read: int) -> tuple[int, int]:
        return int(self._at[read]), int(self._at[read + 1])

    def length(self, read: int) -> int:
        return int(self._at[read + 1] - self._at[read])

    def longest(self, example: Mapping[str, Any]) -> int:
        return max(map(self.length, example["reads"]))

    def tokens_of(self, example: Mapping[str, Any]) -> int:
        return sum(map(self.length, example["reads"]))

    def tensors(self, reads: Sequence[int]) -> dict[str, torch.Tensor]:
        first = self._at[reads]
        lengths = self._at[np.array(reads) + 1] - first
        begin = torch.from_numpy(first).to(DEVICE, non_blocking=True)[:, None]
        size = torch.from_numpy(lengths).to(DEVICE, non_blocking=True)[:, None]
        step = torch.arange(_rounded_up(int(lengths.max())), device=DEVICE)
        mask = step < size
        place = torch.where(mask, begin + step, 0)
        made = {name: field[place].masked_fill(~mask, EMPTY.get(name, 0)) for name, field in self._fields.items()}
        if self._taught is not None:
            made["taught"] = self._taught[place].float() * mask[..., None]
        return made | {"mask": mask, "lengths": torch.from_numpy(lengths)}


def _rounded_up(length: int) -> int:
    return -(-length // 32) * 32


def outputs(network: nn.Module, t: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """Short and long passages apart: what only fills a line up is hardly computed."""
    lengths, width = t["lengths"], t["ids"].shape[1]
    order = lengths.argsort()
    read = []
    for rows in order.tensor_split(min(SIZES_A_BATCH, len(order))):
        wide = _rounded_up(int(lengths[rows].max()))
        own = rows.to(DEVICE, non_blocking=True)
        out = network(t["ids"][own, :wide].long(), t["types"][own, :wide].long(), t["mask"][own, :wide])
        read.append(functional.pad(out, (0, 0, 0, width - wide)))
    return torch.cat(read)[order.argsort().to(DEVICE, non_blocking=True)]


def unit_logits(marks: torch.Tensor, unit: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean mark of each unit's tokens, and which units there are."""
    places = (unit + 1).long()
    sums = torch.zeros(len(unit), MOST_UNITS + 1, device=marks.device).scatter_add(1, places, marks)
    counts = torch.zeros_like(sums).scatter_add(1, places, torch.ones_like(marks))
    return (sums / counts.clamp(min=1))[:, 1:], counts[:, 1:] > 0


def singles_loss(out: torch.Tensor, t: Mapping[str, torch.Tensor], batch: Sequence[Mapping[str, Any]]) -> torch.Tensor:
    weights = torch.tensor([weight_of(e) for e in batch], device=DEVICE)
    labels = torch.tensor([float(e["answers"][0]) for e in batch], device=DEVICE)
    whole = functional.binary_cross_entropy_with_logits(out[:, 0, 2], labels, reduction="none")
    known = torch.tensor([float(e["has_span"]) for e in batch], device=DEVICE)
    losses = whole + 1.5 * token_loss(out, t) + 0.5 * known * span_loss(out, t)
    return (losses * weights).sum() / weights.sum()


def token_loss(out: torch.Tensor, t: Mapping[str, torch.Tensor]) -> torch.Tensor:
    counted = t["marks"] >= 0
    each = functional.binary_cross_entropy_with_logits(out[:, :, 2], t["marks"].clamp(min=0).float(), reduction="none")
    return (each * counted).sum(1) / counted.sum(1).clamp(min=1)


def span_loss(out: torch.Tensor, t: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """The first token stands for no answer."""
    total = torch.zeros(len(out), device=DEVICE)
    none = ~((t["starts"] > 0).any(1) & (t["ends"] > 0).any(1))
    for channel, key in enumerate(("starts", "ends")):
        gold = t[key] > 0
        gold[none] = False
        gold[:, 0] = none
        allowed = (t["types"] == 1) & (t["mask"] > 0)
        allowed[:, 0] = True
        scores = out[:, :, channel].masked_fill(~allowed, -1e4)
        total = total + torch.logsumexp(scores, 1) - torch.logsumexp(scores.masked_fill(~gold, -1e4), 1)
    return total


def taught_loss(out: torch.Tensor, t: Mapping[str, torch.Tensor], batch: Sequence[Mapping[str, Any]]) -> torch.Tensor:
    """How far the figures are from those of the teacher, who is not always right and not always sure."""
    taught = t["taught"]
    known = taught[:, 0].abs().sum(1) > 0
    weights = known * torch.tensor([weight_of(e) / len(e["reads"]) for e in batch for _ in e["reads"]], device=DEVICE)
    each = functional.binary_cross_entropy_with_logits(out[..., 2], taught[..., 2].sigmoid(), reduction="none")
    inside = (t["types"] == 1) & (t["mask"] > 0)
    losses = each[:, 0] + 1.5 * (each * inside).sum(1) / inside.sum(1).clamp(min=1)
    # The first token stands for no answer.
    outside = ~inside
    outside[:, 0] = False
    for channel in (0, 1):
        ours = functional.log_softmax(out[..., channel].masked_fill(outside, -1e4), 1)
        theirs = functional.softmax(taught[..., channel].masked_fill(outside, -1e4), 1)
        losses = losses - 0.25 * (theirs * ours).sum(1)
    return (losses * weights).sum() / weights.sum().clamp(min=1e-6)


def lists_loss(out: torch.Tensor, t: Mapping[str, torch.Tensor], batch: Sequence[Mapping[str, Any]]) -> torch.Tensor:
    answers, tokens = out[:, 0, 2], token_loss(out, t)
    labels = torch.tensor([a for e in batch for a in e["answers"]])
    told = torch.zeros(len(labels), MOST_UNITS, dtype=torch.bool)
    for row, numbers in enumerate(numbers for e in batch for numbers in e["gold"]):
        told[row, [n for n in numbers if n < MOST_UNITS]] = True
    marks, there = unit_logits(out[:, :, 2], t["unit"])
    labels, told = labels.to(DEVICE, non_blocking=True), told.to(DEVICE, non_blocking=True) & there
    each = functional.binary_cross_entropy_with_logits(answers, labels.float(), reduction="none")
    rows = _rows(batch).to(DEVICE, non_blocking=True)
    missed = _missed(answers[:, None], torch.ones_like(labels)[:, None], labels[:, None], rows)
    missed = missed + _missed(marks, there, told, rows)
    count = (rows >= 0).sum(1)
    mean = torch.where(rows >= 0, (each + 1.5 * tokens)[rows], 0).sum(1) / count
    shares = torch.tensor([weight_of(e) for e in batch]).to(DEVICE, non_blocking=True)
    return ((missed + mean) * shares).sum() / shares.sum()


def _rows(batch: Sequence[Mapping[str, Any]]) -> torch.Tensor:
    """The passages of each question, by their numbers in the batch; -1 where it has fewer than others."""
    sizes = torch.tensor([len(e["reads"]) for e in batch])
    step = torch.arange(int(sizes.max()))
    first = (sizes.cumsum(0) - sizes)[:, None]
    return torch.where(step < sizes[:, None], first + step, -1)


def _missed(scores: torch.Tensor, there: torch.Tensor, right: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Of each question, how little of the whole goes to what is right; silence is always there, with nought."""
    known = (rows >= 0)[..., None]
    there, right = (there[rows] & known).flatten(1), (right[rows] & known).flatten(1)
    right = functional.pad(right, (0, 1))
    right[:, -1] = ~right.any(1)
    scores = functional.pad(scores[rows].flatten(1).masked_fill(~there, -1e4), (0, 1))
    return torch.logsumexp(scores, 1) - torch.logsumexp(scores.masked_fill(~right, -1e4), 1)


def weight_of(example: Mapping[str, Any]) -> float:
    if example["kind"] == "list":
        return LIST_WEIGHTS.get(example["set"], 1.0)
    return SELECTION_WEIGHTS.get(example["set"], 1.0) * (0.5 if example["kind"] == "other section" else 1.0)


def batches(examples: Examples, chosen: Sequence[Any], rng: random.Random | None) -> Iterator[list[Any]]:
    """Of like length, lists and single passages apart."""
    made: list[list[Any]] = []
    size = 0
    for lists in (True, False):
        order = [e for e in chosen if (e["kind"] == "list") == lists]
        if rng:
            rng.shuffle(order)
        blocks = [order[n : n + 4_096] for n in range(0, len(order), 4_096)]
        for e in (e for block in blocks for e in sorted(block, key=examples.longest)):
            is_open = made and (made[-1][0]["kind"] == "list") == lists
            own = examples.tokens_of(e)
            if is_open and size + own <= TOKENS_A_BATCH:
                made[-1].append(e)
                size += own
            else:
                made.append([e])
                size = own
    if rng:
        rng.shuffle(made)
    yield from made


def epoch_of(examples: Examples, rng: random.Random, singles: float) -> list[Any]:
    trained = [e for e in examples.all if not e["held_out"] and (e["kind"] == "list" or rng.random() < singles)]
    return [of_a_few(of_one_document(e) if e["set"] == "own" and rng.random() < ALONE else e, rng) for e in trained]


def fit(
    network: nn.Module, examples: Examples, given: argparse.Namespace, keep: Callable[[], None] | None = None
) -> None:
    """With `keep`, what is learnt is kept after each epoch: a lent machine may be gone before the last."""
    rng = random.Random(given.seed)
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=given.rate, weight_decay=0.01, fused=DEVICE == "cuda")
    begun = time.time()
    for epoch in range(given.epochs):
        network.train()
        todo = list(batches(examples, epoch_of(examples, rng, given.singles), rng))
        losses: dict[bool, list[torch.Tensor]] = {True: [], False: []}
        for number, batch in enumerate(todo):
            done = (epoch + number / len(todo)) / given.epochs
            # The clock counts too: a lent machine goes back when its time is over.
            done = max(done, (time.time() - begun) / given.seconds)
            if done >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = given.rate * min(1.0, done / 0.04 + 0.02) * 0.5 * (1 + math.cos(math.pi * done))
            t = examples.tensors([r for e in batch for r in e["reads"]])
            is_list = batch[0]["kind"] == "list"
            out = outputs(network, t)
            loss = (lists_loss if is_list else singles_loss)(out, t, batch)
            if "taught" in t:
                loss = (1 - TAUGHT) * loss + TAUGHT * taught_loss(out, t, batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            losses[is_list].append(loss.detach())
        said = ", ".join(f"{'lists' if k else 'singles'} {torch.stack(v).mean():.4f}" for k, v in losses.items() if v)
        print(
            f"epoch {epoch + 1}: {number + 1:,} of {len(todo):,} batches, {said}, {time.time() - begun:.0f} s",
            flush=True,
        )
        if keep:
            keep()
        if time.time() - begun >= given.seconds:
            break


@torch.no_grad()
def report(network: nn.Module, examples: Examples) -> None:
    network.eval()
    chosen: dict[str, list[tuple[bool, bool, bool, float]]] = defaultdict(list)
    apart: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    rng = random.Random(1)
    seen = [e for e in examples.all if not e["held_out"] and e["kind"] == "list" and rng.random() < 0.06]
    held = [e for e in examples.all if e["held_out"] and (e["kind"] in ("list", "real") or rng.random() < 0.25)]
    for batch in batches(examples, [*held, *seen], None):
        t = examples.tensors([r for e in batch for r in e["reads"]])
        out = outputs(network, t)
        marks, there = unit_logits(out[:, :, 2], t["unit"])
        marks = marks.masked_fill(~there, -30)
        row = 0
        for e in batch:
            own = slice(row, row + len(e["reads"]))
            row = own.stop
            answers = out[own, 0, 2]
            if e["kind"] != "list":
                apart[f"{e['set']}, {e['kind']}"].append((e["answers"][0], float(answers[0])))
                continue
            name = f"{'held out' if e['held_out'] else 'seen'}: {e['set']}"
            # As masis.reasoning.offline.selection weighs them, which the lent machine does not have.
            weighed = 0.14 * answers[:, None] + 0.31 * marks[own]
            best = int(weighed.argmax())
            place, unit = divmod(best, MOST_UNITS)
            chosen[name].append(
                (any(e["answers"]), e["answers"][int(answers.argmax())], unit in e["gold"][place], float(weighed.max()))
            )
    for name, cases in sorted(chosen.items()):
        known = [c for c in cases if c[0]]
        row = {"n": len(cases), "answerable": len(known)}
        row |= {
            "passage": round(sum(c[1] for c in known) / max(1, len(known)), 3),
            "statement": round(sum(c[2] for c in known) / max(1, len(known)), 3),
        }
        if len(known) < len(cases):
            row["auroc"] = round(auroc([c[3] for c in cases], [int(c[0]) for c in cases]), 3)
            row["auroc right"] = round(auroc([c[3] for c in cases], [int(c[0] and c[2]) for c in cases]), 3)
        print(name, json.dumps(row), flush=True)
    for name, cases in sorted(apart.items()):
        good = [s for label, s in apart.get(f"{name.split(',')[0]}, real", []) if label]
        bad = [s for label, s in cases if not label]
        if len(good) > 20 and len(bad) > 20:
            print(name, len(bad), round(auroc(good + bad, [1] * len(good) + [0] * len(bad)), 3), flush=True)


def begin(network: Network, file: Path) -> None:
    """From a change as MASIS ships it, whole matrices or low-rank parts that are added to them, or from what `save`
    wrote."""
    if not file.exists():
        learnt = saved(file)
        for name, value in network.named_parameters():
            value.data = torch.tensor(learnt[name]).to(DEVICE)
        return
    stored = {name: torch.tensor(value.astype(np.float32)) for name, value in np.load(file).items()}
    for number, layer in enumerate(network.layers):
        for matrix in MATRICES:
            own, place = f"layer.{number}.{matrix}", layer.m[matrix.replace(".", "_")]  # type: ignore[union-attr, index]
            if f"{own}.whole" in stored:
                place.weight.data = (stored[f"{own}.whole"] * stored[f"{own}.scale"]).to(DEVICE)
            else:
                place.weight.data += (stored[f"{own}.a"] @ stored[f"{own}.b"]).to(DEVICE)
            place.bias.data = stored[f"bert.encoder.{own}.bias"].to(DEVICE)
        for norm, part in zip(layer.norms, ("attention.output", "output"), strict=True):  # type: ignore[arg-type]
            norm.weight.data = stored[f"bert.encoder.layer.{number}.{part}.LayerNorm.weight"].to(DEVICE)
            norm.bias.data = stored[f"bert.encoder.layer.{number}.{part}.LayerNorm.bias"].to(DEVICE)
    network.norm.weight.data = stored["bert.embeddings.LayerNorm.weight"].to(DEVICE)
    network.norm.bias.data = stored["bert.embeddings.LayerNorm.bias"].to(DEVICE)
    network.head.weight.data = stored["head.weight"].T.contiguous().to(DEVICE)
    network.head.bias.data = stored["head.bias"].to(DEVICE)


def mix(network: Network, begun: Mapping[str, torch.Tensor], learnt: Mapping[str, torch.Tensor], share: float) -> None:
    """Between the weights before and after: what is learnt by heart counts for less on documents of other kinds."""
    for name, value in network.named_parameters():
        value.data = begun[name] + share * (learnt[name] - begun[name])


def save(network: Network, file: Path) -> None:
    """Matrices in whole numbers, a scale for each column, as they are used; small weights as they are."""
    made: dict[str, Any] = {}
    for name, value in network.named_parameters():
        array = value.detach().float().cpu().numpy()
        if array.ndim == 2 and not name.startswith("head"):
            scale = np.abs(array).max(axis=0) / 127 + 1e-12
            made[f"{name}.whole"], made[f"{name}.scale"] = (
                np.round(array / scale).astype(np.int8),
                scale.astype(np.float32),
            )
        else:
            made[name] = array.astype(np.float32)
    # Two files, since what comes back from a lent machine may not be large.
    for part, names in enumerate((sorted(made)[::2], sorted(made)[1::2])):
        np.savez(file.with_suffix(f".{part}.npz"), **{name: made[name] for name in names})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--start",
        type=Path,
        help="a change as MASIS ships it, or what an earlier run wrote; without it, from the plain cross-encoder",
    )
    parser.add_argument("--out", type=Path, default=FOLDER / "chosen.npz")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--singles", type=float, default=0.5, help="share of the single passages in each epoch")
    parser.add_argument("--seconds", type=float, default=3_600)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--compile", action="store_true", help="a minute more to begin, and faster from then on")
    parser.add_argument("--taught", type=Path, help="what the teacher read (training.teacher)")
    parser.add_argument(
        "--shares", type=float, nargs="+", default=[1.0], help="also measure with so much of what was learnt"
    )
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    examples = Examples(given.taught)
    network = Network(FOLDER / "base.npz", 0, 3, given.dropout).to(DEVICE)
    if given.start:
        begin(network, given.start)
    begun = {name: value.detach().clone() for name, value in network.named_parameters()}
    if given.compile:
        network.compile(dynamic=True)
    if given.epochs:
        fit(network, examples, given, lambda: save(network, given.out))
    learnt = {name: value.detach().clone() for name, value in network.named_parameters()}
    for share in given.shares:
        print(f"== {share} of what was learnt", flush=True)
        mix(network, begun, learnt, share)
        report(network, examples)


if __name__ == "__main__":
    main()
