"""`python -m training.encoded`: questions with their passages as tokens, made once for all of `training.choose`."""

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

FOLDER = Path(".cache/training")
MAX_TOKENS = 512
MOST_UNITS = 128
AT_ONCE, RANKED_FIRST = 9, 4
"""Passages of a question in one epoch, and how many of them are the best of the search that do not answer."""
FIELDS = ("ids", "types", "marks", "starts", "ends", "unit")

Arrays = dict[str, np.ndarray[Any, Any]]


@dataclass(frozen=True, slots=True)
class Read:
    """One question with one passage."""

    question: str
    passage: str
    marks: Sequence[Sequence[int]] | None
    spans: Sequence[Sequence[int]] | None
    units: Sequence[Sequence[int]] = ()
    gold: Sequence[int] = ()


def reads_of(entry: Mapping[str, Any]) -> list[Read]:
    if "passages" not in entry:
        return [Read(entry["question"], entry["passage"], entry["marks"], entry["spans"])]
    return [
        Read(entry["question"], p["text"], [p["units"][n] for n in p["gold"]], None, p["units"], p["gold"])
        for p in entry["passages"]
    ]


def _encoded(batch: Sequence[Read]) -> list[Arrays]:
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
    codes = tokenizer.encode_batch([(r.question[:600], r.passage) for r in batch])
    return [_arrays(read, code) for read, code in zip(batch, codes, strict=True)]


def _arrays(read: Read, code: Any) -> Arrays:
    at = np.array(code.offsets)
    inside = np.array([s == 1 for s in code.sequence_ids])
    starts, ends = np.zeros(len(at), np.int8), np.zeros(len(at), np.int8)
    for a, b in read.spans or ():
        starts |= (inside & (a <= at[:, 0]) & (at[:, 0] < b)).astype(np.int8)
        ends |= (inside & (a < at[:, 1]) & (at[:, 1] <= b)).astype(np.int8)
    marks = np.where(inside, 0, -1).astype(np.int8)
    if read.marks is None:
        marks[:] = -1
    for a, b in read.marks or ():
        marks[inside & (at[:, 0] < b) & (at[:, 1] > a)] = 1
    unit = np.full(len(at), -1, np.int16)
    for number, (a, b) in enumerate(read.units[:MOST_UNITS]):
        unit[inside & (a <= at[:, 0]) & (at[:, 0] < b)] = number
    return {
        "ids": np.array(code.ids, np.int32), "types": np.array(code.type_ids, np.int8), "marks": marks,
        "starts": starts, "ends": ends, "unit": unit,
    }  # fmt: skip


def encode(processes: int, measured: int = 0) -> None:
    entries = [json.loads(line) for name in ("candidates", "lists", "selections") for line in _lines(name)]
    for entry in entries:
        if measured and entry["set"] == "written":
            entry["held_out"] |= int(sha256(entry["group"].encode()).hexdigest()[:8], 16) % measured == 0
    entries = [e for e in entries if _is_used(e)]
    reads = [reads_of(entry) for entry in entries]
    flat = [read for own in reads for read in own]
    with Pool(processes) as pool:
        blocks = pool.map(_encoded, [flat[n : n + 2_000] for n in range(0, len(flat), 2_000)])
    arrays = [one for block in blocks for one in block]
    sizes = np.cumsum([0, *(len(one["ids"]) for one in arrays)])
    np.savez(FOLDER / "encoded.npz", at=sizes, **{f: np.concatenate([one[f] for one in arrays]) for f in FIELDS})
    first = 0
    with (FOLDER / "encoded.jsonl").open("w") as out:
        for entry, own in zip(entries, reads, strict=True):
            out.write(json.dumps(_summary(entry, own, first)) + "\n")
            first += len(own)
    print(f"{len(entries):,} questions, {len(arrays):,} passages, {sizes[-1]:,} tokens", flush=True)


def _lines(name: str) -> Iterator[str]:
    for file in sorted(FOLDER.glob(f"{name}*.jsonl.gz")):
        with gzip.open(file, "rt") as text:
            yield from text


def _is_used(entry: Mapping[str, Any]) -> bool:
    """A sister word in the question teaches that a paraphrase asks for something else: only measured with."""
    return bool(entry["held_out"]) or entry.get("kind") != "sister"


def _summary(entry: Mapping[str, Any], own: Sequence[Read], first: int) -> dict[str, Any]:
    is_list = "passages" in entry
    return {
        "set": entry["set"], "kind": "list" if is_list else entry["kind"], "held_out": entry["held_out"],
        "reads": list(range(first, first + len(own))), "gold": [list(read.gold) for read in own],
        "answers": [bool(r.gold) if is_list else bool(entry["answerable"]) for r in own],
        "documents": [p["file"] for p in entry["passages"]] if is_list else [],
        "has_span": not is_list and entry["spans"] is not None, "has_marks": is_list or entry["marks"] is not None,
    }  # fmt: skip


def of_one_document(example: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the passages of one document only: that of the best answer, or the first that was found."""
    if example["kind"] != "list":
        return example
    best = next((n for n, answers in enumerate(example["answers"]) if answers), 0)
    kept = [n for n, name in enumerate(example["documents"]) if name == example["documents"][best]]
    return {**example, **{key: [example[key][n] for n in kept] for key in ("reads", "gold", "answers")}}


def of_a_few(example: Mapping[str, Any], rng: random.Random) -> Mapping[str, Any]:
    """With those that answer, those the search ranks first, and some of the others: other ones in each epoch."""
    ranks = range(len(example["reads"]))
    if example["kind"] != "list" or len(ranks) <= AT_ONCE:
        return example
    answering = [n for n in ranks if example["answers"][n]]
    others = [n for n in ranks if not example["answers"][n]]
    first, rest = others[:RANKED_FIRST], others[RANKED_FIRST:]
    left = max(0, AT_ONCE - len(answering) - len(first))
    kept = sorted([*answering, *first, *rng.sample(rest, min(left, len(rest)))])
    return {**example, **{key: [example[key][n] for n in kept] for key in ("reads", "gold", "answers")}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--measure", type=int, default=0, help="hold out every Nth group of our public passages too")
    given = parser.parse_args()
    encode(given.processes, given.measure)


if __name__ == "__main__":
    main()
