"""What belongs to a statement comes with it."""

from masis.orchestrator.synthesizer import as_passage
from masis.reasoning.offline.selection import candidates_of
from masis.reasoning.offline.siblings import with_antecedents
from tests.support.engines import chunk

NOTES = as_passage(
    chunk(
        "c00000000a1",
        "The Lund shop opened in June. It has twelve seats. Prices did not change.",
        file_name="notes.txt",
        document_id="d1",
    )
)
CANDIDATES = candidates_of([NOTES])


def texts(*starts: str) -> list[str]:
    chosen = [next(c for c in CANDIDATES if c.statement.text.startswith(start)) for start in starts]
    return [c.statement.text for c in with_antecedents(chosen, CANDIDATES)]


def test_a_pronoun_comes_with_the_sentence_that_names_it() -> None:
    assert texts("It has") == ["The Lund shop opened in June.", "It has twelve seats."]


def test_no_sentence_is_told_twice() -> None:
    assert texts("The Lund", "It has") == ["The Lund shop opened in June.", "It has twelve seats."]


def test_a_sentence_that_names_its_subject_stands_alone() -> None:
    assert texts("Prices") == ["Prices did not change."]
