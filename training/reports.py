"""What a trained network is worth on groups it has not seen."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch

from training.batches import Example, batches, padded
from training.figures import auroc, balanced_accuracy, best_threshold, hash_half
from training.network import DEVICE, Network, forward, of_groups


@torch.no_grad()
def claim_scores(network: Network, examples: Sequence[Example]) -> list[tuple[float, float]]:
    """For each: the whole pair's figure, and the worst token's, both the higher the better borne out."""
    network.eval()
    found: dict[int, tuple[float, float]] = {}
    for batch in batches(sorted(examples, key=lambda e: len(e["ids"])), None):
        out = forward(network, batch)
        judged = padded(batch, "judged", 0, torch.bool, DEVICE)
        worst = out[:, :, 1].masked_fill(~judged, -1e4).max(1).values
        for example, whole, token in zip(batch, out[:, 0, 0].tolist(), worst.tolist(), strict=True):
            found[id(example)] = (whole, -token)
    return [found[id(e)] for e in examples]


def report_claims(network: Network, examples: Sequence[Example]) -> dict[str, Any]:
    scores = claim_scores(network, examples)
    rows: dict[str, Any] = {}
    answers: dict[tuple[str, str], list[tuple[Example, tuple[float, float]]]] = defaultdict(list)
    made: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for example, score in zip(examples, scores, strict=True):
        if example["kind"] == "real" and example.get("answer"):
            answers[example["set"], example["answer"]].append((example, score))
        else:
            made[example["kind"]].append((example["label"], (score[0] + score[1]) / 2))
    by_set: dict[str, list[tuple[int, dict[str, float], str]]] = defaultdict(list)
    for (name, _), members in answers.items():
        label = min(e["sentence_label"] for e, _ in members)
        figures = {
            "whole": min(s[0] for _, s in members),
            "token": min(s[1] for _, s in members),
            "both": min(s[0] + s[1] for _, s in members),
        }
        by_set[name].append((label, figures, members[0][0]["group"]))
    for name, cases in sorted(by_set.items()):
        labels = [label for label, _, _ in cases]
        row = {"n": len(cases), "good": sum(labels)}
        for figure in ("whole", "token", "both"):
            values = [f[figure] for _, f, _ in cases]
            row[figure] = round(auroc(values, labels), 3)
            row[f"{figure} ba"] = round(_cross_threshold(values, labels, [g for _, _, g in cases]), 3)
        rows[name] = row
    good = [score for kind in ("as it is", "synonym", "shortened") for _, score in made.get(kind, [])]
    for kind, pairs in sorted(made.items()):
        bad = [score for label, score in pairs if not label]
        if bad and good:
            rows[f"made: {kind}"] = {
                "n": len(bad),
                "auroc": round(auroc(good + bad, [1] * len(good) + [0] * len(bad)), 3),
            }
    return rows


def _cross_threshold(values: Sequence[float], labels: Sequence[int], groups: Sequence[str]) -> float:
    """Fitted on one half of the groups, measured on the other, both ways."""
    halves = [hash_half(group) for group in groups]
    parts = []
    for half in (0, 1):
        fit_on = [n for n, h in enumerate(halves) if h != half]
        shown = [n for n, h in enumerate(halves) if h == half]
        try:
            threshold = best_threshold([values[n] for n in fit_on], [labels[n] for n in fit_on])
            parts.append(balanced_accuracy([values[n] for n in shown], [labels[n] for n in shown], threshold))
        except ZeroDivisionError:
            return float("nan")
    return sum(parts) / 2


@torch.no_grad()
def report_selections(network: Network, examples: Sequence[Example]) -> dict[str, Any]:
    """For each set and kind: told apart from passages that do not answer, and marked where they do."""
    network.eval()
    by_set: dict[str, list[tuple[int, float, bool, float]]] = defaultdict(list)
    for batch in batches(sorted(examples, key=lambda e: len(e["ids"])), None):
        out = forward(network, batch)
        allowed = padded(batch, "allowed", 0, torch.bool, DEVICE)
        allowed[:, 0] = False
        found = [best_span(row[:, 0], row[:, 1], may) for row, may in zip(out, allowed, strict=True)]
        for row, example, (start, end, score) in zip(out.cpu(), batch, found, strict=True):
            row = row[: len(example["ids"])]
            strength = float(row[0, 2]) + 0.5 * float(score - row[0, 0] - row[0, 1])
            a, b = example["offsets"][start][0], example["offsets"][end][1]
            hit = any(a < y and b > x for x, y in example["spans"] or [])
            name = example["set"] if example["kind"] == "real" else f"{example['set']}, {example['kind']}"
            by_set[name].append((example["answerable"], strength, hit, _recall_at_third(row[:, 2], example)))
    rows = {}
    for name, cases in sorted(by_set.items()):
        good = [c for c in by_set[name.partition(",")[0]] if c[0]]
        bad = [c for c in cases if not c[0]]
        labels, strengths = [1] * len(good) + [0] * len(bad), [c[1] for c in [*good, *bad]]
        rows[name] = {"n": len(cases), "bad": len(bad)}
        if good and bad:
            kept = sorted(c[1] for c in good)[int(0.2 * len(good))]
            rows[name] |= {
                "auroc": round(auroc(strengths, labels), 3),
                "ba": round(balanced_accuracy(strengths, labels, best_threshold(strengths, labels)), 3),
                "ba at 0": round(balanced_accuracy(strengths, labels, 0.0), 3),
                "refused at .8 kept": round(sum(c[1] < kept for c in bad) / len(bad), 3),
            }
        if answered := [c for c in cases if c[0]]:
            rows[name] |= {
                "span": round(sum(c[2] for c in answered) / len(answered), 3),
                "recall at a third": round(sum(c[3] for c in answered) / len(answered), 3),
            }
    return rows


@torch.no_grad()
def report_tables(network: Network, examples: Sequence[Example]) -> dict[str, Any]:
    """For each set: how often the best trial is right, before (the likeliest comes first) and now; and whether its
    figure tells questions with a right trial from those without."""
    network.eval()
    by_set: dict[str, list[tuple[bool, bool, bool, float]]] = defaultdict(list)
    for batch in batches(sorted(examples, key=lambda e: len(e["ids"])), None):
        for e, own in zip(batch, of_groups(network, batch)[:, :-1].cpu(), strict=True):
            best = int(own.argmax())
            by_set[e["set"]].append((any(e["right"]), e["right"][0], e["right"][best], float(own[best])))
    rows = {}
    for name, cases in sorted(by_set.items()):
        known = [c for c in cases if c[0]]
        rows[name] = {
            "n": len(cases),
            "reached": len(known),
            "first": round(sum(c[1] for c in known) / len(known), 3),
            "best": round(sum(c[2] for c in known) / len(known), 3),
            "auroc right": round(auroc([c[3] for c in cases], [int(c[2]) for c in cases]), 3),
        }
    return rows


def _recall_at_third(scores: torch.Tensor, example: Example) -> float:
    """Share of the marked tokens among the best third of the passage's."""
    marked = torch.tensor(example["marked"])
    wanted = (marked == 1).nonzero().ravel()
    inside = (marked >= 0).nonzero().ravel()
    if not len(wanted):
        return 0.0
    best = inside[scores[inside].topk(max(len(inside) // 3, 1)).indices]
    return min(1.0, float(torch.isin(wanted, best).float().mean()) * max(1.0, len(wanted) / len(best)))


def best_span(
    starts: torch.Tensor, ends: torch.Tensor, allowed: torch.Tensor, longest: int = 30
) -> tuple[int, int, float]:
    starts, ends = starts.masked_fill(~allowed, -1e4), ends.masked_fill(~allowed, -1e4)
    sums = starts[:, None] + ends[None, :]
    size = len(starts)
    band = torch.ones(size, size, dtype=torch.bool, device=starts.device).triu().tril(longest)
    sums = sums.masked_fill(~band, -1e9)
    place = int(sums.argmax())
    return place // size, place % size, float(sums.max())
