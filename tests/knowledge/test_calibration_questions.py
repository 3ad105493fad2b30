import json
import random
from pathlib import Path

import pytest

from masis.errors import InvalidInput
from masis.knowledge.calibration.questions import (
    LEAST,
    MOST_PASSAGES,
    MOST_QUESTIONS,
    Passage,
    labelled_sample,
    off_topic_questions,
    question_from,
    read_labelled,
    synthetic_sample,
)

SENTENCE = "Customer churn in the northern region rose to 7.4 percent because two large contracts ended in March."


def passages(number: int) -> list[Passage]:
    return [Passage(f"{SENTENCE} Note {place}.", f"file-{place % 7}.txt") for place in range(number)]


def test_a_question_is_some_words_of_a_sentence_in_another_order() -> None:
    asked = question_from(f"# Heading\n\n{SENTENCE}", random.Random(1))
    assert asked is not None
    words = asked.split()
    assert 3 <= len(words) <= 8
    assert set(words) < set(SENTENCE.rstrip(".").split())
    assert not {"the", "to", "in"} & set(words)
    assert words != sorted(words, key=SENTENCE.index)


@pytest.mark.parametrize("text", ["", "Yes.", "| 1 | 2 |", "The of and to."])
def test_a_passage_that_says_nothing_gives_no_question(text: str) -> None:
    assert question_from(text, random.Random(1)) is None


def test_the_same_passages_give_the_same_questions() -> None:
    made = synthetic_sample(passages(60))
    assert made == synthetic_sample(passages(60))
    assert sum(bool(question.answered_by) for question in made.questions) == 60
    for question in made.questions:
        for place in question.answered_by:
            assert set(question.text.split()) <= set(made.passages[place].replace(".", " .").split()) | {"7.4"}
    made.check()


def test_a_large_workspace_is_sampled() -> None:
    made = synthetic_sample(passages(3 * MOST_PASSAGES))
    assert len(made.passages) == MOST_PASSAGES
    assert sum(bool(question.answered_by) for question in made.questions) == MOST_QUESTIONS


def test_there_are_enough_off_topic_questions_and_none_twice() -> None:
    assert len(set(off_topic_questions())) == len(off_topic_questions()) >= 2 * LEAST


def test_labels_by_passage_and_by_document() -> None:
    entries = [
        {"question": "who?", "passage": "Somebody did."},
        {"question": "where?", "document": "file-3.txt"},
        {"question": "why?"},
    ]
    made = labelled_sample(entries, passages(20))
    by_text = {question.text: question.answered_by for question in made.questions}
    assert [made.passages[place] for place in by_text["who?"]] == ["Somebody did."]
    assert {made.passages[place] for place in by_text["where?"]} == {
        passage.text for passage in passages(20) if passage.document == "file-3.txt"
    }
    assert by_text["why?"] == ()
    assert len(made.passages) == 21
    assert set(off_topic_questions()) <= set(by_text), "one off-topic question of ones own is not enough"


def test_a_document_that_is_not_there() -> None:
    with pytest.raises(InvalidInput, match=r"lost\.pdf"):
        labelled_sample([{"question": "who?", "document": "lost.pdf"}], passages(3))


def test_reading_labels(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    lines = [{"question": "who? ", "passage": "They.", "more": 1}, {"question": "why?", "document": None}]
    file.write_text("\n\n".join(map(json.dumps, lines)))
    assert read_labelled(file) == [{"question": "who?", "passage": "They."}, {"question": "why?"}]


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"question": 3}', '{"question": " "}'])
def test_a_line_that_is_no_label_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f'{{"question": "who?"}}\n{line}\n')
    with pytest.raises(InvalidInput, match=r"questions\.jsonl, line 2"):
        read_labelled(file)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_labelled(tmp_path / "absent.jsonl")
