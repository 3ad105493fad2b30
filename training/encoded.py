"""`python -m training.encoded`: questions with their passages as tokens, made once for all of `training.choose`."""

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import Pool
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from training import packed
from training.packed import FOLDER

MAX_TOKENS = 512
MOST_UNITS = 128
AT_ONCE, RANKED_FIRST = 9, 4
"""Passages of a question in one epoch, and how many of them are the best of the search that do not answer."""
FIELDS = {
    "ids": np.int32, "types": np.int8, "marks": np.int8, "starts": np.int8, "ends": np.int8, "unit": np.int16
}  # fmt: skip
"""Of each token: its number in the vocabulary, whether it is of the passage, whether its sentence answers (-1: not
known), whether a short answer begins or ends with it, and the number of its sentence or row."""
EMPTY = {"marks": -1, "unit": -1}

Numbers = np.ndarray[Any, Any]
Arrays = dict[str, Numbers]


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
    """Each text is cut into tokens once: a passage is read with many questions."""
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = list({text for read in batch for text in (read.question, read.passage)})
    codes = tokenizer.encode_batch(texts, add_special_tokens=False)
    tokens = {
        text: (np.array(code.ids, np.int32), np.array(code.offsets, np.int32).reshape(-1, 2))
        for text, code in zip(texts, codes, strict=True)
    }
    first, last = (tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
    return [_arrays(read, tokens[read.question][0], *tokens[read.passage], first, last) for read in batch]


def _arrays(
    read: Read,
    question: np.ndarray[Any, Any],
    ids: np.ndarray[Any, Any],
    at: np.ndarray[Any, Any],
    first: int,
    last: int,
) -> Arrays:
    """The question and as much of the passage as there is room for, with what each token of the passage says."""
    question = question[: MAX_TOKENS // 2]
    begin = len(question) + 2
    ids, at = ids[: MAX_TOKENS - begin - 1], at[: MAX_TOKENS - begin - 1]
    length = begin + len(ids) + 1
    inside = slice(begin, begin + len(ids))
    made = {name: np.full(length, EMPTY.get(name, 0), kind) for name, kind in FIELDS.items()}
    made["ids"][:] = np.concatenate([[first], question, [last], ids, [last]])
    made["types"][begin:] = 1
    for a, b in read.spans or ():
        made["starts"][inside] |= (a <= at[:, 0]) & (at[:, 0] < b)
        made["ends"][inside] |= (a < at[:, 1]) & (at[:, 1] <= b)
    if read.marks is not None:
        made["marks"][inside] = 0
    for a, b in read.marks or ():
        made["marks"][inside][(at[:, 0] < b) & (at[:, 1] > a)] = 1
    for number, (a, b) in enumerate(read.units[:MOST_UNITS]):
        made["unit"][inside][(a <= at[:, 0]) & (at[:, 0] < b)] = number
    return made


def encode(processes: int, measured: int = 0) -> None:
    entries = packed.entries(FOLDER)
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
        "has_span": not is_list and entry["spans"] is not None,
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
