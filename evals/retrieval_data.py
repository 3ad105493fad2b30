"""The public retrieval sets in one format: documents, questions, and the location of each answer."""

import csv
import gzip
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.tables import shared_data
from masis.types import Page, ParsedDocument

CORPORA = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")
_FIGURE = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Span:
    """Part of a document's text; a whole document is `(0, length)`."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    gold: tuple[Span, ...]
    """Where the answer is; empty if no document has it."""
    figures: tuple[str, ...] = ()
    """Amounts in the reference answer."""


@dataclass(frozen=True, slots=True)
class Collection:
    documents: dict[str, ParsedDocument]
    """By file name."""
    questions: list[Question]


def chunking_evaluation() -> Collection | None:
    """Five corpora, asked together, with answers as exact character spans."""
    if (folder := shared_data("chunking_evaluation")) is None:
        return None
    texts = {name: _read(_existing(folder, f"{name}.md")) for name in CORPORA}
    rows = csv.DictReader(io.StringIO(_read(folder / "questions_df.csv")))
    questions = [
        Question(row["question"], tuple(_spans(row["corpus_id"], json.loads(row["references"])))) for row in rows
    ]
    return Collection({f"{name}.md": _one_page(text) for name, text in texts.items()}, questions)


def _spans(corpus: str, references: Sequence[dict[str, Any]]) -> Iterator[Span]:
    return (Span(f"{corpus}.md", each["start_index"], each["end_index"]) for each in references)


def clapnq(*, titled: bool = True) -> Collection | None:
    """597 passages of encyclopedia articles, each a file that opens with its article's title, or without it.

    300 questions have a passage that answers, 300 have none.
    """
    if (folder := shared_data("clapnq_dev")) is None:
        return None
    documents: dict[str, ParsedDocument] = {}
    named: dict[str, str] = {}
    questions: list[Question] = []
    for kind in ("answerable", "unanswerable"):
        for line in _read(folder / f"clapnq_dev_{kind}.jsonl.gz").splitlines():
            entry = json.loads(line)
            passage = entry["passages"][0]
            title = passage["title"] if titled else None
            text = f"{title}\n\n{passage['text']}" if titled else passage["text"]
            name = named.setdefault(f"{passage['title']}\n{text}", f"passage-{len(named):03}.txt")
            documents[name] = _one_page(text, title)
            gold = (_whole(name, text),) if kind == "answerable" else ()
            questions.append(Question(entry["input"], gold))
    return Collection(documents, questions)


def tatqa() -> Collection | None:
    """Every table and every paragraph of 278 report extracts as a separate document."""
    if (folder := shared_data("tatqa_dev")) is None:
        return None
    documents: dict[str, ParsedDocument] = {}
    questions: list[Question] = []
    for number, extract in enumerate(json.loads(_read(folder / "tatqa_dataset_dev.json.gz"))):
        table = f"report-{number:03}-table.md"
        documents[table] = _one_page(_rows(extract["table"]["table"]))
        blocks = {"table": table}
        for paragraph in extract["paragraphs"]:
            name = f"report-{number:03}-{paragraph['order']:02}.md"
            documents[name] = _one_page(paragraph["text"])
            blocks[str(paragraph["order"])] = name
        questions += (_block_question(asked, blocks, documents) for asked in extract["questions"])
    return Collection(documents, questions)


def _block_question(asked: dict[str, Any], blocks: dict[str, str], documents: dict[str, ParsedDocument]) -> Question:
    names = ["table"] if "table" in asked["answer_from"] else []
    names += asked["rel_paragraphs"] if "text" in asked["answer_from"] else []
    wanted = [blocks[name] for name in names if name in blocks]
    return Question(asked["question"], tuple(_whole(name, documents[name].text) for name in wanted))


def _rows(cells: Sequence[Sequence[str]]) -> str:
    """In the format in which every parser writes a table."""
    from masis.sources.table_grid import table_lines

    return "\n".join(table_lines(cells))


def filings() -> Collection | None:
    """Quarterly filings as PDF; only the questions whose filings are available."""
    if (folder := shared_data("kgrag_sec10q")) is None:
        return None
    from masis.sources import parse

    files = sorted((folder / "docs").glob("*.pdf"))
    documents = {file.name: parse(file.read_bytes(), file.name) for file in files}
    rows = csv.DictReader(io.StringIO(_read(folder / "qna_data.csv").lstrip("\ufeff")))
    questions = []
    for row in rows:
        wanted = row["Source Docs"].strip("*")
        gold = tuple(_whole(name, documents[name].text) for name in documents if wanted in name)
        if gold:
            questions.append(Question(row["Question"], gold, tuple(_FIGURE.findall(row["Answer"]))))
    return Collection(documents, questions)


def articles() -> Collection | None:
    """20 articles, with questions that one or several of their passages answer, and questions that none does."""
    if (folder := shared_data("stici_single_topic_rag")) is None:
        return None
    csv.field_size_limit(10**9)
    rows = list(csv.DictReader(io.StringIO(_read(folder / "documents.csv.gz"))))
    documents = {f"article-{number:02}.txt": _one_page(row["text"]) for number, row in enumerate(rows)}
    questions: list[Question] = []
    for kind in ("single_passage_answer", "multi_passage_answer", "no_answer"):
        for row in csv.DictReader(io.StringIO(_read(folder / f"{kind}_questions.csv"))):
            name = f"article-{int(row['document_index']):02}.txt"
            gold = () if kind == "no_answer" else (_whole(name, documents[name].text),)
            questions.append(Question(row["question"], gold))
    return Collection(documents, questions)


def _whole(name: str, text: str) -> Span:
    return Span(name, 0, len(text))


def _one_page(text: str, title: str | None = None) -> ParsedDocument:
    return ParsedDocument([Page(1, text)], title)


def _existing(folder: Path, name: str) -> Path:
    return folder / name if (folder / name).exists() else folder / f"{name}.gz"


def _read(file: Path) -> str:
    data = file.read_bytes()
    return (gzip.decompress(data) if file.suffix == ".gz" else data).decode()
