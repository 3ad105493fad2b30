"""The questions to calibrate with: labelled ones, or ones generated from the passages."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from masis.errors import InvalidInput
from masis.language.sentences import split_sentences
from masis.language.words import FUNCTION_WORDS, WORD

Item = TypeVar("Item")

SEED = 20
MOST_PASSAGES = 400
MOST_QUESTIONS = 200
LEAST = 40
"""Least number of passages, of answered and of off-topic questions: with fewer, a share of 3 % cannot be measured at
all."""
_LEAST_WORDS = 5
_MOST_WORDS = 8
_KEPT_WORDS = 0.6
"""Share of a sentence's content words: a question has fewer than the sentence that answers it."""


@dataclass(frozen=True, slots=True)
class Passage:
    text: str
    document: str = ""
    """The name of its file."""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    answered_by: tuple[int, ...] = ()
    """Indices of the passages that answer it; empty if none does."""


@dataclass(frozen=True, slots=True)
class Sample:
    passages: tuple[str, ...]
    questions: tuple[Question, ...]
    method: str

    def check(self) -> None:
        """Raises InvalidInput, saying what is missing, if a share of a few per cent could not be measured."""
        answered = sum(bool(question.answered_by) for question in self.questions)
        counts = {
            "passages": len(self.passages),
            "questions with an answer": answered,
            "off-topic questions": len(self.questions) - answered,
        }
        if missing := [f"{count} {what}" for what, count in counts.items() if count < LEAST]:
            raise InvalidInput(
                f"There is too little to calibrate on: {', '.join(missing)}, and {LEAST} of each are needed.",
                advice="Ingest more documents into the workspace, or give more questions with --questions.",
            )


def synthetic_sample(passages: Sequence[Passage]) -> Sample:
    """Generates questions from the passages alone; the same passages always give the same questions."""
    chance = random.Random(SEED)
    chosen = _some(passages, MOST_PASSAGES, chance)
    made = [(place, question_from(passage.text, chance)) for place, passage in enumerate(chosen)]
    questions = [Question(text, (place,)) for place, text in made if text is not None]
    off_topic = [Question(text) for text in off_topic_questions()]
    texts = tuple(passage.text for passage in chosen)
    return Sample(texts, (*_some(questions, MOST_QUESTIONS, chance), *off_topic), "synthetic questions")


def labelled_sample(entries: Sequence[dict[str, str]], passages: Sequence[Passage]) -> Sample:
    """Each entry has a question and the passage or document that answers it, or neither if nothing does."""
    chance = random.Random(SEED)
    wanted = {entry["document"] for entry in entries if "document" in entry}
    if unknown := sorted(wanted - {passage.document for passage in passages}):
        raise InvalidInput(f"There is no document {unknown[0][:80]!r} with passages in this workspace.")
    own = dict.fromkeys(entry["passage"] for entry in entries if "passage" in entry)
    needed = [passage for passage in passages if passage.document in wanted and passage.text not in own]
    others = [passage for passage in passages if passage.document not in wanted and passage.text not in own]
    pool = [*map(Passage, own), *needed, *_some(others, max(0, MOST_PASSAGES - len(own) - len(needed)), chance)]
    questions = [Question(entry["question"], _answering(entry, pool)) for entry in entries]
    if sum(not question.answered_by for question in questions) < LEAST:
        questions += [Question(text) for text in off_topic_questions()]
    return Sample(tuple(passage.text for passage in pool), tuple(questions), "labelled questions")


def read_labelled(path: Path) -> list[dict[str, str]]:
    """JSON lines: {"question", "passage"} or {"question", "document"}, or the question alone if nothing answers it."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.") from error
    return [_entry(line, f"{path.name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def question_from(passage: str, chance: random.Random) -> str | None:
    """Some content words of one sentence, shuffled; None if no sentence has enough."""
    sentences = [_content_words(sentence.text) for sentence in split_sentences(passage)]
    telling = [words for words in sentences if len(words) >= _LEAST_WORDS]
    if not telling:
        return None
    words = chance.choice(telling)
    return " ".join(chance.sample(words, min(_MOST_WORDS, max(3, round(_KEPT_WORDS * len(words))))))


@lru_cache(maxsize=1)
def off_topic_questions() -> tuple[str, ...]:
    """Everyday questions on many subjects that few workspaces are about."""
    listed = (files("masis.knowledge.calibration") / "data" / "off_topic.txt").read_text(encoding="utf-8")
    return tuple(line.strip() for line in listed.splitlines() if line.strip())


def _answering(entry: dict[str, str], pool: Sequence[Passage]) -> tuple[int, ...]:
    if "passage" in entry:
        return tuple(place for place, passage in enumerate(pool) if passage.text == entry["passage"])
    document = entry.get("document")
    return tuple(place for place, passage in enumerate(pool) if document and passage.document == document)


def _entry(line: str, where: str) -> dict[str, str]:
    try:
        entry: Any = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"{where} is not valid JSON: {error}.") from error
    fields = {name: entry.get(name) for name in ("question", "passage", "document")} if isinstance(entry, dict) else {}
    given = {name: value.strip() for name, value in fields.items() if isinstance(value, str) and value.strip()}
    if "question" not in given:
        raise InvalidInput(f'{where} has no "question".')
    return given


def _content_words(sentence: str) -> list[str]:
    return list(dict.fromkeys(word for word in WORD.findall(sentence) if word.lower() not in FUNCTION_WORDS))


def _some(items: Sequence[Item], most: int, chance: random.Random) -> list[Item]:
    return list(items) if len(items) <= most else chance.sample(list(items), most)
