"""Examples as tensors: pairs of texts in tokens, with what each token should say."""

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

MAX_TOKENS = 512
TOKENS_A_BATCH = 32_768
IGNORED = -100.0
LONGEST_TRIAL = 160
PADDED = ("ids", "type_ids", "attention_mask")

Example = dict[str, Any]


def read(file: Path) -> list[Example]:
    with gzip.open(file, "rt") as text:
        return [json.loads(line) for line in text]


class Encoder:
    def __init__(self, tokenizer_file: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer_file))
        self._tokenizer.no_padding()
        # Only the passage is cut: it is the second of the two.
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")

    def claims(self, examples: Sequence[Example]) -> list[Example]:
        """Targets: at the first token, whether the claim is borne out; at each of its own, whether it is not."""
        encoded = self._tokenizer.encode_batch([(e["claim"][:1_000], e["passage"]) for e in examples])
        return [
            e | self._tensors(code) | {"targets": _wrong_tokens(e, code), "judged": _judged_tokens(e, code)}
            for e, code in zip(examples, encoded, strict=True)
        ]

    def selections(self, examples: Sequence[Example]) -> list[Example]:
        """Targets: at each token of the passage, whether a short answer begins or ends and whether its sentence or
        row belongs to the answer; at the first token, whether there is no answer."""
        encoded = self._tokenizer.encode_batch([(e["question"], e["passage"]) for e in examples])
        return [
            e | self._tensors(code) | _spans(e["spans"] or [], code) | {"marked": _marked_tokens(e, code)}
            for e, code in zip(examples, encoded, strict=True)
        ]

    def tables(self, examples: Sequence[Example]) -> list[Example]:
        """A question with all its trials is one example, as long as they are together when padded."""
        self._tokenizer.enable_truncation(LONGEST_TRIAL, strategy="only_second")
        self._tokenizer.enable_padding()
        made = []
        for e in examples:
            codes = self._tokenizer.encode_batch([(e["question"][:400], text) for text in e["texts"]])
            fields = {name: torch.tensor([getattr(c, name) for c in codes]) for name in PADDED}
            made.append(e | {"pairs": fields, "ids": range(fields["ids"].numel())})
        return made

    def _tensors(self, code: Any) -> Example:
        return {"ids": code.ids, "types": code.type_ids}


def _wrong_tokens(example: Example, code: Any) -> list[float]:
    targets = []
    for (start, end), sequence in zip(code.offsets, code.sequence_ids, strict=True):
        if sequence != 0:
            targets.append(IGNORED)
        else:
            targets.append(float(any(start < b and end > a for a, b in example["wrong"])))
    return targets


def _judged_tokens(example: Example, code: Any) -> list[bool]:
    """Those of the last sentence: what stands before it is there to be understood by."""
    first = example["context"]
    return [sequence == 0 and end > first for (_, end), sequence in zip(code.offsets, code.sequence_ids, strict=True)]


def _marked_tokens(example: Example, code: Any) -> list[float]:
    if example["marks"] is None:
        return [IGNORED] * len(code.ids)
    return [
        float(any(start < b and end > a for a, b in example["marks"])) if sequence == 1 else IGNORED
        for (start, end), sequence in zip(code.offsets, code.sequence_ids, strict=True)
    ]


def _spans(answers: Sequence[Sequence[int]], code: Any) -> Example:
    allowed = [sequence == 1 for sequence in code.sequence_ids]
    places = list(zip(code.offsets, allowed, strict=True))
    starts = [inside and any(start <= a < end for a, _ in answers) for (start, end), inside in places]
    ends = [inside and any(start < b <= end for _, b in answers) for (start, end), inside in places]
    none = not (any(starts) and any(ends))
    starts[0] = ends[0] = none
    allowed[0] = True
    return {"starts": starts, "ends": ends, "allowed": allowed, "offsets": code.offsets, "none": none}


def batches(
    examples: Sequence[Example], rng: random.Random | None, tokens: int = TOKENS_A_BATCH
) -> Iterator[list[Example]]:
    """Pairs of like length together; shuffled where they are trained on."""
    order = list(examples)
    if rng:
        rng.shuffle(order)
        blocks = [sorted(order[n : n + 4_096], key=lambda e: len(e["ids"])) for n in range(0, len(order), 4_096)]
        order = [e for block in blocks for e in block]
    made: list[list[Example]] = [[]]
    longest = 0
    for example in order:
        longest = max(longest, len(example["ids"]))
        if longest * (len(made[-1]) + 1) > tokens:
            made.append([])
            longest = len(example["ids"])
        made[-1].append(example)
    if rng:
        rng.shuffle(made)
    yield from made


def padded(batch: Sequence[Example], key: str, value: float, kind: torch.dtype, device: str) -> torch.Tensor:
    longest = max(len(e["ids"]) for e in batch)
    rows = [list(e[key]) + [value] * (longest - len(e["ids"])) for e in batch]
    return torch.tensor(rows, dtype=kind, device=device)
