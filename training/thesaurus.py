"""WordNet's nouns, verbs, adjectives and adverbs: words that mean the same, the opposite, or a sister thing."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
MOST_MEMBERS = 40
"""Of a parent: “thing” has thousands of kinds, and any two of them share nothing."""


@dataclass(frozen=True, slots=True)
class Entry:
    words: tuple[str, ...]
    parents: tuple[str, ...]
    opposites: tuple[tuple[str, int, int], ...]
    """The other entry, and which word of ours is the opposite of which of theirs, counted from 1; 0: all."""


class Thesaurus:
    def __init__(self, folder: Path) -> None:
        self._entries: dict[str, Entry] = {}
        self._senses: dict[tuple[str, str], list[str]] = {}
        self._children: dict[str, list[str]] = defaultdict(list)
        for name, kind in FILES.items():
            for key, entry in _entries(folder / f"data.{name}", kind):
                self._entries[key] = entry
                for parent in entry.parents:
                    self._children[parent].append(key)
            for word, keys in _index(folder / f"index.{name}", kind):
                self._senses[word, kind] = keys

    def same(self, word: str, kind: str) -> list[str]:
        """Other words of its first sense."""
        senses = self._senses.get((word, kind), [])
        return [w for w in self._entries[senses[0]].words if w != word] if senses else []

    def others(self, word: str, kind: str) -> list[str]:
        """Words for sister things of its first sense: another kind of the same parent."""
        senses = self._senses.get((word, kind), [])
        if not senses:
            return []
        alike = {w for sense in senses for w in self._entries[sense].words}
        sisters = [
            child
            for parent in self._entries[senses[0]].parents
            for child in self._children[parent]
            if child not in senses and len(self._children[parent]) <= MOST_MEMBERS
        ]
        return sorted({self._entries[s].words[0] for s in sisters} - alike)

    def opposite(self, word: str, kind: str) -> list[str]:
        found: list[str] = []
        for sense in self._senses.get((word, kind), [])[:3]:
            entry = self._entries[sense]
            for key, ours, theirs in entry.opposites:
                if ours == 0 or entry.words[ours - 1] == word:
                    other = self._entries[key].words
                    found += [other[theirs - 1]] if theirs else list(other)
        return found

    def knows(self, word: str, kind: str) -> bool:
        return (word, kind) in self._senses


def _entries(file: Path, kind: str) -> Iterator[tuple[str, Entry]]:
    for line in file.read_text().splitlines():
        if line.startswith("  "):
            continue
        fields = line.split("|")[0].split()
        count = int(fields[3], 16)
        words = tuple(fields[4 + 2 * n].split("(")[0].replace("_", " ").lower() for n in range(count))
        place = 4 + 2 * count
        parents, opposites = [], []
        for n in range(int(fields[place])):
            symbol, offset, other_kind, which = fields[place + 1 + 4 * n : place + 5 + 4 * n]
            key = f"{other_kind.replace('s', 'a')}{offset}"
            if symbol in ("@", "@i"):
                parents.append(key)
            elif symbol == "!":
                opposites.append((key, int(which[:2], 16), int(which[2:], 16)))
        yield f"{kind}{fields[0]}", Entry(words, tuple(parents), tuple(opposites))


def _index(file: Path, kind: str) -> Iterator[tuple[str, list[str]]]:
    for line in file.read_text().splitlines():
        if not line.startswith("  "):
            fields = line.split()
            count = int(fields[2])
            yield fields[0].replace("_", " "), [f"{kind}{offset}" for offset in fields[-count:]]
