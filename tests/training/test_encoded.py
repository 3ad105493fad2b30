"""Questions with their passages as the selector learns them."""

import gzip
import json
import lzma
import shutil
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from masis.embedded import CROSS_ENCODER, installed
from training import encoded, packed
from training.base import saved
from training.candidates import _is_same
from training.encoded import of_one_document

TEXT = "The bridge opened in 1987. It cost 12 million crowns."
LIST = {
    "question": "When did the bridge open?", "set": "own", "held_out": False,
    "passages": [
        {"text": TEXT, "units": [[0, 26], [27, 53]], "gold": [0], "file": "bridge.md"},
        {"text": "Rain fell.", "units": [[0, 10]], "gold": [], "file": "weather.md"},
    ],
}  # fmt: skip
SINGLE = {
    "question": "What did it cost?", "set": "xquad", "held_out": False, "kind": "real", "passage": TEXT,
    "answerable": 1, "marks": [[27, 53]], "spans": [[35, 52]],
}  # fmt: skip


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(encoded, "FOLDER", tmp_path)
    shutil.copy(installed(CROSS_ENCODER).folder / "tokenizer.json", tmp_path)
    for name, example in (("candidates-a", LIST), ("selections", SINGLE)):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt") as out:
            out.write(f"{json.dumps(example)}\n")
    packed.pack(tmp_path)
    encoded.encode(1)
    return tmp_path


def test_a_passage_is_packed_once_and_every_example_comes_back(tmp_path: Path) -> None:
    examples = [LIST, {**LIST, "question": "How long is it?"}, SINGLE]
    with gzip.open(tmp_path / "lists.jsonl.gz", "wt") as out:
        out.writelines(f"{json.dumps(example)}\n" for example in examples)
    assert packed.pack(tmp_path) == 3
    assert packed.entries(tmp_path) == examples
    with lzma.open(tmp_path / packed.FILE, "rt") as file:
        kept = json.load(file)["passages"]
    assert [passage["text"] for passage in kept if isinstance(passage, dict)] == [TEXT, "Rain fell."]


@pytest.mark.parametrize("times", [1, 60], ids=["short", "cut"])
def test_tokens_are_those_of_the_question_and_the_passage_read_together(written: Path, times: int) -> None:
    question, passage = "When did the bridge open?", " ".join([TEXT] * times)
    (read,) = encoded._encoded([encoded.Read(question, passage, None, None)])
    tokenizer = Tokenizer.from_file(str(written / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(encoded.MAX_TOKENS, strategy="only_second")
    code = tokenizer.encode(question, passage)
    assert read["ids"].tolist() == code.ids
    assert read["types"].tolist() == code.type_ids


def test_a_question_longer_than_a_passage_may_be_leaves_half_the_room(written: Path) -> None:
    (read,) = encoded._encoded([encoded.Read("?!" * 600, " ".join([TEXT] * 60), None, None)])
    assert len(read["ids"]) == encoded.MAX_TOKENS
    assert (read["types"] == 0).sum() == encoded.MAX_TOKENS // 2 + 2


def test_what_was_saved_in_two_parts_is_read_as_it_is_multiplied_with(tmp_path: Path) -> None:
    whole, scale = np.array([[1, -2], [3, 4]], np.int8), np.array([0.5, 2.0], np.float32)
    np.savez(tmp_path / "more.0.npz", **{"a.whole": whole, "bias": scale})
    np.savez(tmp_path / "more.1.npz", **{"a.scale": scale})
    read = saved(tmp_path / "more.npz")
    assert read["a"].tolist() == [[0.5, -4.0], [1.5, 8.0]]
    assert set(read) == {"a", "bias"}


def test_tokens_know_their_sentence_and_whether_it_answers(written: Path) -> None:
    stored = np.load(written / "encoded.npz")
    first = slice(stored["at"][0], stored["at"][1])
    unit, marks = stored["unit"][first], stored["marks"][first]
    assert set(unit.tolist()) == {-1, 0, 1}
    assert set(marks[unit == 0].tolist()) == {1}
    assert set(marks[unit == 1].tolist()) == {0}
    assert set(marks[stored["types"][first] == 0].tolist()) == {-1}


def test_a_short_answer_begins_and_ends_at_tokens_of_the_passage(written: Path) -> None:
    stored = np.load(written / "encoded.npz")
    last = slice(stored["at"][2], stored["at"][3])
    for name in ("starts", "ends"):
        inside = stored[name][last] == 1
        assert inside.any()
        assert set(stored["types"][last][inside].tolist()) == {1}


def test_a_list_is_one_question_with_all_its_passages(written: Path) -> None:
    chosen, single = map(json.loads, (written / "encoded.jsonl").read_text().splitlines())
    assert (chosen["kind"], chosen["reads"], chosen["answers"], chosen["gold"]) == (
        "list", [0, 1], [True, False], [[0], []]
    )  # fmt: skip
    assert (single["kind"], single["reads"], single["answers"], single["has_span"]) == ("real", [2], [True], True)


def test_asked_of_one_document_only_its_passages_remain() -> None:
    example = {
        "kind": "list", "reads": [4, 5, 6], "gold": [[], [1], []], "answers": [False, True, False],
        "documents": ["a.md", "b.md", "b.md"],
    }  # fmt: skip
    kept = of_one_document(example)
    assert (kept["reads"], kept["gold"], kept["answers"]) == ([5, 6], [[1], []], [True, False])


@pytest.mark.parametrize(
    ("statement", "sentence", "same"),
    [
        ("Revenue | 411.8 | 419.6", "| Revenue | 411.8 | 419.6 |", True),
        ("Revenue fell 1.9% to £411.8m.", "Revenue fell 1.9% to £411.8m. Costs fell too.", True),
        ("Revenue fell.", "Profit rose by a tenth.", False),
        ("2023", "Group sales came to £412 million in 2023.", False),
        ("", "Revenue fell.", False),
    ],
)
def test_a_statement_is_a_marked_sentence_however_it_was_cut(statement: str, sentence: str, same: bool) -> None:
    assert _is_same(statement, sentence) == same
