import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.knowledge.search.reranking import without_near_duplicates
from masis.types import EvidenceChunk


def passage(text: str, number: int = 0, heading: str | None = None, date: str | None = None) -> EvidenceChunk:
    return EvidenceChunk(
        chunk_id=f"c{number}",
        file_name=f"{number}.md",
        text=text,
        score=0.9 - number / 100,
        document_id=str(number),
        page=1,
        start=0,
        end=len(text),
        heading=heading,
        date=date,
    )


SAID = "Revenue rose to $5.2 million in March 2024, as the Board of Tolmerick had expected."


@pytest.mark.parametrize(
    "again",
    [
        SAID,
        SAID.upper(),
        f"  {SAID}\n",
        SAID.replace(" ", "\n"),
        SAID.replace("as the Board", "as Board"),
        "Revenue rose to $5.2 million in March 2024",
    ],
)
def test_the_same_words_again_are_dropped(again: str) -> None:
    first, second = passage(SAID), passage(again, 1)
    assert without_near_duplicates([first, second]) == [first]


@pytest.mark.parametrize(
    "other",
    [
        SAID.replace("5.2", "5.3"),
        SAID.replace("$5.2", "-$5.2"),
        SAID.replace("$", "€"),
        SAID.replace("million", "billion"),
        SAID.replace("2024", "2023"),
        SAID.replace("March", "May"),
        SAID.replace("Tolmerick", "Oskarn"),
        SAID.replace("had expected", "had not expected"),
        SAID.replace("rose to", "fell to"),
        SAID.replace("rose to", "rose by more than"),
        f"{SAID} Costs rose too.",
    ],
)
def test_one_meaningful_difference_keeps_both(other: str) -> None:
    both = [passage(SAID), passage(other, 1)]
    assert without_near_duplicates(both) == both


def test_the_same_row_of_two_periods_is_two_facts() -> None:
    row = "Europe | 5 | 7"
    by_heading = [passage(row, 0, "Sales > 2023"), passage(row, 1, "Sales > 2024")]
    by_date = [passage(row, 0, date="2023-03-31"), passage(row, 1, date="2023-06-30")]
    assert without_near_duplicates(by_heading) == by_heading
    assert without_near_duplicates(by_date) == by_date


def test_a_part_of_a_better_passage_goes_and_a_larger_passage_stays() -> None:
    part, whole = passage("Revenue rose.", 0), passage("Revenue rose. Costs fell.", 1)
    assert without_near_duplicates([whole, part]) == [whole]
    assert without_near_duplicates([part, whole]) == [part, whole]


def test_words_are_compared_whole() -> None:
    both = [passage("The price is 15 now, plus fees."), passage("Price is 1", 1)]
    assert without_near_duplicates(both) == both


@given(st.lists(st.text("ab1 .", min_size=1, max_size=12), max_size=8))
def test_keeps_order_the_best_and_every_different_word(texts: list[str]) -> None:
    hits = [passage(text, number) for number, text in enumerate(texts)]
    kept = without_near_duplicates(hits)
    assert kept == [hit for hit in hits if hit in kept]
    assert kept[:1] == hits[:1]
    assert without_near_duplicates(kept) == kept
