"""Questions we wrote ourselves, for passages of the public sets and for passages of our own (training/questions).

For each passage some questions that it answers, with the sentences that do, and some that it only seems to answer. The
public passages are not kept here: they are picked again from the data by the same seed.
"""

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from masis.language.words import content_stems
from training import sets
from training.selections import LONGEST_PASSAGE, SelectionExample, Span, held_out_here, markdown_rows, real, units

FOLDER = Path(__file__).parent / "questions"
SEED = 11
PICKED = {
    "tatqa-text": 110, "tatqa-table": 50, "finance": 70, "pubmed": 40, "state_of_the_union": 20, "chatlogs": 20,
    "wikitexts": 30, "ragtruth": 60, "summedits": 50, "clapnq": 50,
}  # fmt: skip
"""How many passages of each kind; none that is held out."""
NEXT_SEED = 12
NEXT_PICKED = {
    "xquad": 170, "squad2": 20, "qed": 160, "clapnq": 110, "ragtruth": 70, "mtrag": 70, "tatqa": 110, "finance": 60,
    "wikitexts": 20, "pubmed": 10,
}  # fmt: skip
"""The same for a second round, of passages that the first did not pick."""
THIRD_SEED = 13
THIRD_PICKED = {
    "qed": 690, "ramdocs": 400, "tatqa": 480, "ragtruth": 390, "clapnq": 290, "finance": 290, "pubmed": 200, "wtq": 150,
    "squad2": 85,
}  # fmt: skip
"""And for a third, of what neither of them picked."""
FOURTH_SEED = 14
FOURTH_PICKED = {"ramdocs": 700, "wtq": 300}
LONGEST = 1_300
ABOVE = 2
"""Lines over a section's own: the document's title and the heading."""
SILENT = 2
"""Sections that do not answer, taught beside each that does; twice as many where none does."""


def written(data: Path) -> Iterator[SelectionExample]:
    yield from on_public_passages(data)
    yield from own_questions()


def on_public_passages(data: Path) -> Iterator[SelectionExample]:
    rounds = {
        "public": picked(data),
        "next": picked_next(data),
        "third": picked_third(data),
        "fourth": picked_fourth(data),
    }
    for name, public in rounds.items():
        for file in sorted(FOLDER.glob(f"{name}-*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                _, group, text = public[entry["p"]]
                yield _example("written", group, text, entry)


def own_questions() -> Iterator[SelectionExample]:
    for file in sorted(FOLDER.glob("own-*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            passage = json.loads(line)
            text, places = _text_of(passage["lines"])
            for entry in passage["questions"]:
                marks = [places[n] for n in entry["s"]]
                numbers = [n for n, (a, b) in enumerate(units(text)) if any(a < y and b > x for x, y in marks)]
                yield _example("own", f"own-{file.stem}-{number}", text, entry | {"s": numbers})


def own_documents(files: int) -> Iterator[SelectionExample]:
    """Whole documents: a question with each section that answers it, and with those that only have its words."""
    for file in sorted(FOLDER.glob("documents-*.jsonl"))[:files]:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            document = json.loads(line)
            sections = [_text_of([[document["title"]], [s["heading"]], *s["lines"]]) for s in document["sections"]]
            for entry in document["questions"]:
                answering = {int(section): numbers for section, numbers in entry["s"].items() if numbers}
                group = f"documents-{file.stem}-{number}"
                for section, numbers in answering.items():
                    text, places = sections[section]
                    marked = [places[n + ABOVE] for n in numbers]
                    found = [n for n, (a, b) in enumerate(units(text)) if any(a < y and b > x for x, y in marked)]
                    yield _example("own", group, text, entry | {"s": found})
                others = [text for n, (text, _) in enumerate(sections) if n not in answering]
                for text in _closest(entry["q"], others)[: SILENT if answering else 2 * SILENT]:
                    yield replace(_example("own", group, text, entry | {"s": []}), kind="other section")


def _closest(question: str, texts: list[str]) -> list[str]:
    asked = set(content_stems(question))
    return sorted(texts, key=lambda text: -len(asked & set(content_stems(text))))


def _text_of(lines: list[list[str]]) -> tuple[str, list[Span]]:
    """The passage, and where each of its numbered sentences stands."""
    text, places = "", []
    for line in lines:
        for sentence in line:
            places.append((len(text), len(text) + len(sentence)))
            text += f"{sentence} "
        text = f"{text[:-1]}\n" if line else text
    return text.rstrip("\n"), places


def _example(name: str, group: str, text: str, entry: dict[str, object]) -> SelectionExample:
    parts = units(text)
    numbers: list[int] = entry["s"]  # type: ignore[assignment]
    marks = tuple(parts[n] for n in numbers if n < len(parts))
    spans = _within(str(entry.get("a", "")), text, marks)
    known = spans if spans or not marks else None
    return SelectionExample(name, group, str(entry["q"]), text, int(bool(marks)), marks, known)


def _within(answer: str, text: str, marks: tuple[Span, ...]) -> tuple[Span, ...]:
    if not answer:
        return ()
    starts = [text.find(answer, start, end) for start, end in marks]
    return tuple((start, start + len(answer)) for start in starts if start >= 0)


def picked(data: Path) -> list[tuple[str, str, str]]:
    rng = random.Random(SEED)
    pool = _pool(data, rng)
    chosen = [
        (kind, group, text)
        for kind, count in PICKED.items()
        for group, text in rng.sample(pool[kind], min(count, len(pool[kind])))
    ]
    rng.shuffle(chosen)
    return chosen


def picked_next(data: Path) -> list[tuple[str, str, str]]:
    return _picked_again(data, NEXT_SEED, NEXT_PICKED, picked(data))


def picked_third(data: Path) -> list[tuple[str, str, str]]:
    return _picked_again(data, THIRD_SEED, THIRD_PICKED, [*picked(data), *picked_next(data)])


def picked_fourth(data: Path) -> list[tuple[str, str, str]]:
    earlier = [*picked(data), *picked_next(data), *picked_third(data)]
    return _picked_again(data, FOURTH_SEED, FOURTH_PICKED, earlier)


def _picked_again(
    data: Path, seed: int, counts: Mapping[str, int], earlier: Sequence[tuple[str, str, str]]
) -> list[tuple[str, str, str]]:
    """Passages that were not picked earlier, so many of each kind; none that is held out."""
    before = {text for _, _, text in earlier}
    pool: dict[str, dict[str, str]] = defaultdict(dict)
    for e in real(data):
        if e.set in counts and not held_out_here(e.group):
            pool["squad2" if e.group.startswith("squad2") else e.set].setdefault(e.passage.strip(), e.group)
    for name, group, text in sets.passages(data):
        if name == "corpora" and group.split("-")[1] in counts and not sets.held_out(group):
            pool[group.split("-")[1]].setdefault(_whole_sentences(text.strip()), group)
    rng = random.Random(seed)
    chosen = []
    for kind, count in counts.items():
        new = [text for text in pool[kind] if 300 < len(text) <= LONGEST_PASSAGE and text not in before]
        chosen += [(kind, pool[kind][text], text) for text in rng.sample(new, min(count, len(new)))]
    rng.shuffle(chosen)
    return chosen


def _pool(data: Path, rng: random.Random) -> dict[str, list[tuple[str, str]]]:
    pool: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, group, text in sets.passages(data):
        text = text.strip()
        if name in ("ragtruth", "summedits", "corpora", "clapnq") and len(text) > 350 and not sets.held_out(group):
            pool[group.split("-")[1] if name == "corpora" else name].append((group, _whole_sentences(text)))
    for part in ("dev", "test_gold"):
        for entry in json.loads(gzip.decompress((data / f"tatqa_dev/tatqa_dataset_{part}.json.gz").read_bytes())):
            group = f"tatqa-{entry['table']['uid']}"
            if sets.held_out(group):
                continue
            texts = [p["text"] for p in entry["paragraphs"] if len(p["text"]) > 250]
            if texts:
                pool["tatqa-text"].append((group, rng.choice(texts)[:LONGEST]))
            table = "\n".join(markdown_rows(entry["table"]["table"]))
            if 300 < len(table) < LONGEST:
                pool["tatqa-table"].append((group, f"{entry['paragraphs'][0]['text'][:200]}\n{table}"))
    return pool


def _whole_sentences(text: str) -> str:
    cut = text[:LONGEST]
    return cut[: max(cut.rfind(". ") + 1, cut.rfind(".\n") + 1, 400)]
