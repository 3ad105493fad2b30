"""The public data sets as examples: claims with a passage. Each knows its group and part."""

import difflib
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from masis.language.sentences import split_sentences

HELD_OUT_SHARE = 4
"""One group in four is never trained on: what `make eval` reports is measured on those alone."""


@dataclass(frozen=True, slots=True)
class ClaimExample:
    set: str
    group: str
    claim: str
    passage: str
    label: int
    """1: the passage bears the claim out."""
    wrong: tuple[tuple[int, int], ...] = ()
    """Characters of the claim that it does not."""
    kind: str = "real"
    answer: str = ""
    """Which answer the sentence belongs to."""
    context: int = 0
    """So many of its characters are the sentence before."""
    sentence_label: int = -1
    """Of the last sentence alone, where it has one before it."""

    def as_json(self) -> dict[str, Any]:
        own = self.label if self.sentence_label < 0 else self.sentence_label
        return asdict(self) | {"held_out": held_out(self.group), "sentence_label": own}


def held_out(group: str) -> bool:
    return int(sha256(group.encode()).hexdigest(), 16) % HELD_OUT_SHARE == 0


def lines(file: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
    return [json.loads(line) for line in text.splitlines()]


def ragtruth(data: Path) -> Iterator[ClaimExample]:
    sources = {entry["source_id"]: entry for entry in lines(data / "ragtruth_qa/sources_train.jsonl.gz")}
    for entry in lines(data / "ragtruth_qa/responses_train.jsonl.gz"):
        passages = re.sub(r"passage \d:", "", sources[entry["source_id"]]["source_info"]["passages"])
        wrong = [(label["start"], label["end"]) for label in entry["labels"]]
        group = f"ragtruth-{entry['source_id']}"
        yield from windows("ragtruth", group, entry["response"], passages, wrong, entry["id"])


def summedits(data: Path) -> Iterator[ClaimExample]:
    for file in sorted((data / "summedits").glob("*.json.gz")):
        domain = file.name.removeprefix("summedits_").removesuffix(".json.gz")
        for entry in json.loads(gzip.decompress(file.read_bytes())):
            group = f"summedits-{sha256(entry['doc'].encode()).hexdigest()[:12]}"
            changed = [] if entry["label"] else changes(entry["original_summary"], entry["summary"])
            yield from windows(f"summedits-{domain}", group, entry["summary"], entry["doc"], changed, entry["id"])


def windows(
    name: str, group: str, answer: str, passage: str, wrong: list[tuple[int, int]], answer_id: str
) -> Iterator[ClaimExample]:
    """Each sentence of an answer, with the one before it."""
    sentences = split_sentences(answer)
    for number, sentence in enumerate(sentences):
        first = sentences[max(0, number - 1)].start
        touched = [(a, b) for a, b in wrong if a < sentence.end and b > first]
        yield ClaimExample(
            name,
            group,
            answer[first : sentence.end],
            passage,
            int(not touched),
            tuple((max(0, a - first), min(sentence.end, b) - first) for a, b in touched),
            "real",
            answer_id,
            sentence.start - first,
            int(not any(b > sentence.start for _, b in touched)),
        )


def changes(before: str, after: str) -> list[tuple[int, int]]:
    """The characters of `after` that an edit touched; what it left out touches its neighbours."""
    old, new = (list(re.finditer(r"\w+|[^\w\s]", text)) for text in (before, after))
    found = []
    matcher = difflib.SequenceMatcher(None, [m.group() for m in old], [m.group() for m in new], autojunk=False)
    for what, _, _, first, last in matcher.get_opcodes():
        if what == "equal" or not new:
            continue
        last = max(last, first + 1)
        first, last = min(first, len(new) - 1), min(last, len(new))
        found.append((new[first].start(), new[max(first, last - 1)].end()))
    return found


def clapnq_answers(data: Path) -> Iterator[ClaimExample]:
    """Answers that people wrote from a passage: borne out by it, and not in its words."""
    for entry in lines(data / "clapnq_dev/clapnq_dev_answerable.jsonl.gz"):
        passage = entry["passages"][0]
        answer = entry["output"][0]["answer"]
        for sentence in split_sentences(answer):
            text = answer[sentence.start : sentence.end]
            yield ClaimExample("clapnq", f"clapnq-{entry['id']}", text, f"{passage['title']}\n{passage['text']}", 1)


def passages(data: Path) -> Iterator[tuple[str, str, str]]:
    """Set, group and text of everything that sentences can be taken from."""
    for entry in lines(data / "ragtruth_qa/sources_train.jsonl.gz"):
        yield "ragtruth", f"ragtruth-{entry['source_id']}", re.sub(r"passage \d:", "", entry["source_info"]["passages"])
    for part in ("answerable", "unanswerable"):
        for entry in lines(data / f"clapnq_dev/clapnq_dev_{part}.jsonl.gz"):
            passage = entry["passages"][0]
            yield "clapnq", f"clapnq-{entry['id']}", f"{passage['title']}\n{passage['text']}"
    for entry in lines(data / "ramdocs/RAMDocs_test.jsonl.gz"):
        for document in entry["documents"]:
            yield "ramdocs", f"ramdocs-{entry['question']}", document["text"]
    for part in ("dev", "test_gold"):
        for entry in json.loads(gzip.decompress((data / f"tatqa_dev/tatqa_dataset_{part}.json.gz").read_bytes())):
            yield "tatqa", f"tatqa-{entry['table']['uid']}", "\n".join(p["text"] for p in entry["paragraphs"])
    seen: set[str] = set()
    for file in sorted((data / "summedits").glob("*.json.gz")):
        for entry in json.loads(gzip.decompress(file.read_bytes())):
            group = f"summedits-{sha256(entry['doc'].encode()).hexdigest()[:12]}"
            if group not in seen:
                seen.add(group)
                yield "summedits", group, entry["doc"]
    for name, text in corpora(data).items():
        for number, start in enumerate(range(0, len(text), 1_500)):
            yield "corpora", f"corpora-{name}-{number // 20}", text[start : start + 1_500]


def corpora(data: Path) -> dict[str, str]:
    folder = data / "chunking_evaluation"
    return {
        file.name.split(".")[0]: (
            gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
        )
        for file in sorted(folder.glob("*.md*"))
    }


def occurrences(answer: str, text: str) -> tuple[tuple[int, int], ...]:
    pattern = r"(?<!\w)" + r"\W+".join(map(re.escape, re.findall(r"\w+", answer))) + r"(?!\w)"
    if pattern == r"(?<!\w)(?!\w)":
        return ()
    return tuple(m.span() for m in re.finditer(pattern, text, re.IGNORECASE))


def wice(data: Path) -> Iterator[ClaimExample]:
    """Measured, never trained on."""
    for number, entry in enumerate(lines(data / "wice/claim_dev.jsonl.gz")):
        supported = int(entry["label"] == "supported")
        yield ClaimExample(
            "wice", f"wice-{number}", entry["claim"], "\n".join(entry["evidence"]), supported, (), "real", str(number)
        )
