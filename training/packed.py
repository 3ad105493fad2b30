"""`python -m training.packed`: all examples of the selector in one small file, which travels to a lent machine.

A passage stands in the lists of many questions, and is kept once.
"""

import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(".cache/training")
FILE = "examples.json.xz"
MADE_BY = ("candidates", "lists", "selections")


def pack(folder: Path) -> int:
    """How many examples there are."""
    passages: dict[str, int] = {}
    packed = [_packed(entry, passages) for name in MADE_BY for entry in _lines(folder, name)]
    with lzma.open(folder / FILE, "wt") as out:
        json.dump({"passages": [json.loads(passage) for passage in passages], "entries": packed}, out)
    return len(packed)


def entries(folder: Path) -> list[dict[str, Any]]:
    with lzma.open(folder / FILE, "rt") as file:
        stored = json.load(file)
    return [_unpacked(entry, stored["passages"]) for entry in stored["entries"]]


def _packed(entry: dict[str, Any], passages: dict[str, int]) -> dict[str, Any]:
    if "passages" in entry:
        found = [
            (_number({name: p[name] for name in ("text", "units", "file")}, passages), p["gold"])
            for p in entry["passages"]
        ]
        return entry | {"passages": found}
    return entry | {"passage": _number(entry["passage"], passages)}


def _number(passage: Any, passages: dict[str, int]) -> int:
    return passages.setdefault(json.dumps(passage), len(passages))


def _unpacked(entry: dict[str, Any], passages: list[Any]) -> dict[str, Any]:
    if "passages" in entry:
        return entry | {"passages": [passages[number] | {"gold": gold} for number, gold in entry["passages"]]}
    return entry | {"passage": passages[entry["passage"]]}


def _lines(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob(f"{name}*.jsonl.gz")):
        with gzip.open(file, "rt") as text:
            yield from map(json.loads, text)


def main() -> None:
    print(f"{pack(FOLDER):,} examples, {(FOLDER / FILE).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
