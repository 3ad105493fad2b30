"""The index of questions is valid, and each expectation is true of the documents."""

import json
import re
from collections import Counter
from typing import Any, get_args

import pytest

from examples.generator.workspace import WORKSPACE
from masis.types import Outcome

Question = dict[str, Any]

LEAST = {
    "fact": 7,
    "table": 7,
    "list": 2,
    "yes_no": 2,
    "multi_document": 2,
    "comparison": 2,
    "conflict": 3,
    "revision": 2,
    "unanswerable": 5,
    "partly_answerable": 2,
    "out_of_scope": 2,
}
OUTCOMES = {
    "conflict": "conflict",
    "revision": "answered_with_caveat",
    "unanswerable": "insufficient_evidence",
    "partly_answerable": "answered_with_caveat",
    "out_of_scope": "out_of_scope",
}
FIELDS = {"id", "type", "question", "expected_outcome", "facts", "documents"}

QUESTIONS: list[Question] = [
    json.loads(line) for line in (WORKSPACE.parent / "questions.jsonl").read_text("utf-8").splitlines()
]

OVER_TWO_DOCUMENTS = [
    question for question in QUESTIONS if question["type"] in ("multi_document", "conflict", "revision")
]

each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])


def _choices(entries: list[str | list[str]]) -> list[list[str]]:
    return [[entry] if isinstance(entry, str) else entry for entry in entries]


def _says(text: str, wordings: list[str]) -> bool:
    """One of the wordings stands in the text, as whole words: 48 is not in 4,800."""
    return any(re.search(rf"(?<!\w){re.escape(wording)}(?!\w)", text, re.IGNORECASE) for wording in wordings)


def test_ids_and_questions_are_unique_and_each_type_is_there() -> None:
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS) >= 32
    assert len({question["question"] for question in QUESTIONS}) == len(QUESTIONS)
    counts = Counter(question["type"] for question in QUESTIONS)
    assert counts.keys() == LEAST.keys()
    assert all(counts[kind] >= least for kind, least in LEAST.items())


def test_the_demo_has_one_question_of_each_kind() -> None:
    demo = {question["demo"]: question["expected_outcome"] for question in QUESTIONS if "demo" in question}
    assert demo == {"supported": "answered", "conflict": "conflict", "not_covered": "insufficient_evidence"}
    assert sum("demo" in question for question in QUESTIONS) == 3


@each_question
def test_fields_are_complete_and_the_outcome_fits_the_type(question: Question) -> None:
    assert FIELDS <= question.keys() <= FIELDS | {"absent", "demo"}
    assert question["expected_outcome"] in get_args(Outcome)
    assert question["expected_outcome"] == OUTCOMES.get(question["type"], "answered")
    has_answer = question["type"] not in ("unanswerable", "out_of_scope")
    assert bool(question["facts"]) == bool(question["documents"]) == has_answer
    assert bool(question.get("absent")) == (question["type"] in ("unanswerable", "partly_answerable"))


@each_question
def test_every_fact_is_in_a_named_document_and_every_document_has_one(
    question: Question, texts: dict[str, str]
) -> None:
    facts, documents = _choices(question["facts"]), _choices(question["documents"])
    named = [name for choice in documents for name in choice]

    for fact in facts:
        assert any(_says(texts[name], fact) for name in named), fact
    for name in named:
        assert any(_says(texts[name], fact) for fact in facts), name


@pytest.mark.parametrize("question", OVER_TWO_DOCUMENTS, ids=lambda question: question["id"])
def test_questions_over_two_documents_need_both(question: Question, texts: dict[str, str]) -> None:
    facts = _choices(question["facts"])
    for name, text in texts.items():
        assert not all(_says(text, fact) for fact in facts), name


def test_absent_words_are_in_no_document(texts: dict[str, str]) -> None:
    absent = {word for question in QUESTIONS for word in question.get("absent", [])}
    assert [(name, word) for name, text in texts.items() for word in absent if word in text.lower()] == []


def test_a_question_is_not_a_sentence_of_the_documents(texts: dict[str, str]) -> None:
    asked = {question["question"] for question in QUESTIONS if question["type"] != "out_of_scope"}
    everything = "\n".join(texts.values()).lower()
    assert [question for question in asked if question.rstrip("?.!").lower() in everything] == []
