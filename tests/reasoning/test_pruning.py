import pytest

from masis.language.statements import Statement
from masis.reasoning import pruning
from masis.reasoning.ports import Passage
from masis.reasoning.pruning import pruned

TABLE = """Item 2. Results

Quarterly sales (in millions)

| Region | 2024 | 2025 |
| --- | --- | --- |
| Americas | 10 | 12 |
| Europe | 20 | 21 |
| Japan | 30 | 33 |

The board met in May. It approved the plan.
"""


@pytest.fixture(autouse=True)
def scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words shared with the question, so that the test says what bears on it."""

    def shared(question: str, passages: list[Passage], read: list[list[Statement]]) -> list[float]:
        asked = set(question.lower().split())
        return [len(asked & set(one.text.lower().replace("|", " ").split())) for found in read for one in found]

    monkeypatch.setattr(pruning, "_bearing", shared)


def test_a_row_keeps_its_heading_header_and_unit_line() -> None:
    (left,) = pruned("europe", [Passage("c1", "a.pdf", 1, TABLE)], 130)
    for kept in ("Item 2. Results", "(in millions)", "| Region | 2024 | 2025 |", "| Europe | 20 | 21 |"):
        assert kept in left.text
    assert "Japan" not in left.text
    assert left.shortened == "shortened"
    assert "…" in left.text


def test_a_sentence_that_leans_on_another_keeps_it() -> None:
    (left,) = pruned(
        "it approved plan", [Passage("c1", "a.pdf", 1, "Sales fell. The board met. It approved the plan.")], 45
    )
    assert left.text == "… The board met. It approved the plan."


def test_passages_without_a_word_on_the_question_go_first() -> None:
    passages = [Passage("c1", "a.pdf", 1, "Tulips bloomed in spring."), Passage("c2", "a.pdf", 1, "Europe sold 21.")]
    assert [p.chunk_id for p in pruned("europe", passages, 20)] == ["c2"]


def test_what_fits_stays_as_it_is() -> None:
    passages = [Passage("c1", "a.pdf", 1, TABLE)]
    assert pruned("europe", passages, len(TABLE)) == passages
