"""`python -m training.lists`: questions of the public sets, and ours on their passages, with passages to choose from.

One answers, or only looks right; the others are of the same set and have most of the question's words.
"""

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from masis.language.words import content_stems
from training.selections import LONGEST_PASSAGE, SelectionExample, held_out_here, real, units
from training.written import on_public_passages

SETS = ("xquad", "squad2", "qed", "clapnq", "chunking", "tatqa")
WRITTEN_FOR = ("xquad", "squad2", "qed", "clapnq", "ragtruth")
"""Whose other passages are about other subjects, so that they do not answer a question written for one of them."""
OTHERS = 5
LIKELIEST_ANSWER = 4
"""Characters from which on a passage with the words of the answer may answer too, and is left out."""


def public_lists(data: Path, rng: random.Random) -> Iterator[dict[str, Any]]:
    theirs = [e for e in real(data) if e.set in SETS]
    ours = [e for e in on_public_passages(data) if e.group.split("-")[0] in WRITTEN_FOR]
    examples = [e for e in [*theirs, *ours] if len(e.passage) <= LONGEST_PASSAGE]
    by_question: dict[tuple[str, str, str], list[SelectionExample]] = defaultdict(list)
    pools: dict[str, dict[str, SelectionExample]] = defaultdict(dict)
    for example in examples:
        by_question[example.set, example.group, example.question].append(example)
        pools[_pool_of(example)].setdefault(example.passage, example)
    stems = {text: frozenset(content_stems(text)) for pool in pools.values() for text in pool}
    for (name, group, question), own in by_question.items():
        said = [e.passage[a:b].lower() for e in own for a, b in e.spans or ()]
        shown = {e.passage for e in own}
        others = [
            text
            for text, other in pools[_pool_of(own[0])].items()
            if text not in shown
            and held_out_here(other.group) == held_out_here(group)
            and (name == "tatqa" or (other.group != group and _title(text) != _title(own[0].passage)))
            and not any(len(answer) >= LIKELIEST_ANSWER and answer in text.lower() for answer in said)
        ]
        asked = frozenset(content_stems(question))
        closest = sorted(others, key=lambda text: -len(asked & stems[text]) / (20 + len(stems[text])) ** 0.3)[:OTHERS]
        passages = [_read(e.passage, e.marks or ()) for e in own] + [_read(text, ()) for text in closest]
        rng.shuffle(passages)
        yield {
            "set": name, "group": group, "question": question, "passages": passages, "held_out": held_out_here(group)
        }  # fmt: skip


def _title(text: str) -> str:
    """The first line, which names the article if there is one."""
    return text.partition("\n")[0]


def _pool_of(example: SelectionExample) -> str:
    if example.set == "written":
        kind = example.group.split("-")[0]
        return "xquad" if kind == "squad2" else kind
    return example.group if example.set == "tatqa" else example.set


def _read(text: str, marks: Sequence[tuple[int, int]]) -> dict[str, Any]:
    parts = units(text)
    gold = [n for n, (a, b) in enumerate(parts) if any(a < y and b > x for x, y in marks)]
    return {"text": text, "lead": 0, "units": parts, "gold": gold, "file": ""}


def main() -> None:
    with gzip.open(".cache/training/lists.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(entry) + "\n" for entry in public_lists(Path("../shared/data"), random.Random(3)))


if __name__ == "__main__":
    main()
