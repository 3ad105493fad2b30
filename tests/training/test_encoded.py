"""Questions with their passages as the selector learns them."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from masis.embedded import CROSS_ENCODER, installed
from training import encoded, packed
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
    assert packed.pack(tmp_path) == 2
    encoded.encode(1)
    return tmp_path


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
