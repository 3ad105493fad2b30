"""Finished answers to plant errors in: MASIS's own, and gold answers written by people, each with its evidence."""

import csv
import gzip
import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.answer_data import WORKSPACE, Posed, all_asked
from evals.articles import write_articles
from evals.evidence import as_evidence
from evals.sample import SAMPLE, questions
from evals.tables import shared_data
from masis import Masis, Settings
from masis.language.sentences import split_sentences
from masis.types import EvidenceChunk
from training.sets import held_out

TEST_PART = "tatqa_dataset_test_gold.json.gz"


@dataclass(frozen=True, slots=True)
class Finished:
    question: str
    answer: str
    evidence: Sequence[EvidenceChunk]
    looked_at: bool = False
    """Inspected while the checks were built, and therefore not reported."""


def sample_answers() -> list[Finished]:
    asked = [q.question for q in questions() if q.expected_outcome == "answered"]
    return _own_answers(SAMPLE, asked)


def article_answers() -> list[Finished]:
    """Answers of the offline engine about documents it was not tuned on."""
    data = shared_data("stici_single_topic_rag")
    if data is None:
        return []
    asked = []
    for name in ("single_passage_answer_questions.csv", "multi_passage_answer_questions.csv"):
        with (data / name).open() as file:
            asked += [entry["question"] for entry in csv.DictReader(file)]
    with tempfile.TemporaryDirectory() as folder:
        write_articles(data, Path(folder))
        return _own_answers(Path(folder), asked)


def _own_answers(documents: Path, asked: Sequence[str]) -> list[Finished]:
    with tempfile.TemporaryDirectory() as home, Masis(Settings(home=Path(home))) as masis:
        masis.ingest([documents], WORKSPACE)
        posed = [Posed("", question, "") for question in asked]
        results = list(zip(asked, all_asked(masis, posed, documents.name), strict=True))
    answered = [(q, r) for q, r in results if r.outcome in ("answered", "answered_with_caveat")]
    return [Finished(q, r.answer, r.evidence, number % 2 == 0) for number, (q, r) in enumerate(answered)]


def human_answers() -> list[Finished]:
    """CLAPnq: gold answers in people's own words, cited to their own passage, with two other passages as evidence.
    Every second one was inspected; of the others, those that the verifier was not trained on."""
    data = shared_data("clapnq_dev")
    if data is None:
        return []
    lines = gzip.decompress((data / "clapnq_dev_answerable.jsonl.gz").read_bytes()).splitlines()
    entries = [json.loads(line) for line in lines]
    chunks = [_chunk(e["passages"][0]["title"], _prose(e["passages"][0]["text"])) for e in entries]
    return [
        Finished(
            e["input"], _cited(_prose(e["output"][0]["answer"]), own), _with_others(number, chunks), number % 2 == 0
        )
        for number, (e, own) in enumerate(zip(entries, chunks, strict=True))
        if number % 2 == 0 or held_out(f"clapnq-{e['id']}")
    ]


def table_answers() -> list[Finished]:
    """TAT-QA: questions for a figure in the table or text, turned into a sentence with the gold figure."""
    return _figure_answers("span")


def computed_answers() -> list[Finished]:
    """TAT-QA: the same for a figure that has to be computed."""
    return _figure_answers("arithmetic")


def _figure_answers(kind: str) -> list[Finished]:
    """The development part was inspected; of the test part, what the verifier was not trained on."""
    data = shared_data("tatqa_dev")
    if data is None:
        return []
    return [*_figures_of(data / "tatqa_dataset_dev.json.gz", kind), *_figures_of(data / TEST_PART, kind)]


def _figures_of(file: Path, kind: str) -> list[Finished]:
    entries = json.loads(gzip.decompress(file.read_bytes()))
    chunks = [_chunk("report", _table_and_text(entry)) for entry in entries]
    looked_at = file.name != TEST_PART
    return [
        Finished(question, _cited(sentence, chunks[number]), _with_others(number, chunks), looked_at)
        for number, entry in enumerate(entries)
        if looked_at or held_out(f"tatqa-{entry['table']['uid']}")
        for question, sentence in _figure_sentences(entry, kind)
    ]


def _chunk(title: str, text: str) -> EvidenceChunk:
    name = hashlib.sha256(text.encode()).hexdigest()[:10]
    return {**as_evidence(text, f"c{name}", name, f"{title}.txt"), "heading": title}


def _with_others(number: int, chunks: Sequence[EvidenceChunk]) -> list[EvidenceChunk]:
    around = [chunks[(number + step) % len(chunks)] for step in (0, 1, 2)]
    return list({chunk["chunk_id"]: chunk for chunk in around}.values())


def _cited(answer: str, chunk: EvidenceChunk) -> str:
    return " ".join(f"{sentence.text} [{chunk['chunk_id']}]" for sentence in split_sentences(" ".join(answer.split())))


def _prose(tokenised: str) -> str:
    """The data set's text is split into words; documents are not."""
    text = tokenised.replace("``", '"').replace("''", '"')
    text = re.sub(r"\s+([.,;:?!%)\]]|'s\b|n't\b)", r"\1", text)
    text = re.sub(r"([($\[])\s+", r"\1", text)
    text = re.sub(r'" ([^"]*?) "', r'"\1"', text)
    return re.sub(r"(\w) - (\w)", r"\1-\2", text).strip()


def _table_and_text(entry: dict[str, Any]) -> str:
    rows = "\n".join(" | ".join(cell.replace("\n", " ") for cell in row) for row in entry["table"]["table"])
    paragraphs = [p["text"] for p in sorted(entry["paragraphs"], key=lambda p: int(p["order"]))]
    return "\n\n".join([*paragraphs, rows])


_ASKED = re.compile(r"What (?P<verb>is|was|were|are) (?P<thing>the [^?]+)\?", re.IGNORECASE)
_FIGURE = re.compile(r"[$€£]?\s?-?[\d,.]+\s?%?")


def _figure_sentences(entry: dict[str, Any], kind: str) -> Iterator[tuple[str, str]]:
    for asked in entry["questions"]:
        match = _ASKED.fullmatch(asked["question"].strip())
        answer = asked["answer"][0] if isinstance(asked["answer"], list) else str(asked["answer"])
        if match and asked["answer_type"] == kind and _FIGURE.fullmatch(answer):
            unit = {"percent": "%", "": ""}.get(asked["scale"], f" {asked['scale']}")
            figure = answer if answer.endswith("%") else f"{answer}{unit}"
            yield asked["question"], f"{match['thing'][0].upper()}{match['thing'][1:]} {match['verb']} {figure}."
