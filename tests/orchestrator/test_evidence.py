"""Of what a search found, the passages that answer are used: by their relevance, and as the selector reads them."""

import pytest

from masis.orchestrator.evidence import select_evidence, with_cited_before
from tests.support.engines import asked, chunk

ASKED = "What is the capital of France?"
SAID = "Paris has been the capital of France for centuries."
BESIDE = "The kitchen opens at noon and closes at ten."


def chosen(
    *found: dict[str, object], threshold: float = 0.60, limit: int = 10, over: tuple[str, ...] = ()
) -> list[str]:
    return [c["chunk_id"] for c in select_evidence(ASKED, found, threshold, limit, over)]  # type: ignore[arg-type]


@pytest.mark.parametrize(("score", "kept"), [(0.5999, 0), (0.60, 1), (1.0, 1)])
def test_the_threshold_keeps_what_reaches_it(score: float, kept: int) -> None:
    assert len(chosen(chunk(text=BESIDE, score=score))) == kept


def test_the_same_id_and_the_same_words_appear_once_with_the_best_score() -> None:
    found = [
        chunk("c1", "Revenue rose.", score=0.7),
        chunk("c1", "Revenue rose.", score=0.7),
        chunk("c2", "Revenue  rose.\n", score=0.9),
        chunk("c3", "Costs fell.", score=0.8),
    ]
    assert sorted(chosen(*found)) == ["c2", "c3"]


def test_files_a_person_decided_against_are_left_out() -> None:
    assert chosen(chunk("c1"), chunk("c2", "Other words.", file_name="memo.md"), over=("memo.md",)) == ["c1"]


def test_what_is_read_as_an_answer_is_near_enough_and_comes_first() -> None:
    far, near = chunk("c1", SAID, score=0.3), chunk("c2", BESIDE, score=0.9)
    evidence = select_evidence(ASKED, [near, far], 0.60, 10)
    assert [(c["chunk_id"], c["score"]) for c in evidence] == [("c1", 0.60), ("c2", 0.9)]
    assert chosen(near, far, limit=1) == ["c1"]
    assert chosen(chunk("c2", BESIDE, score=0.3)) == []


def test_each_part_of_a_question_has_its_passages() -> None:
    opened = chunk("c2", "The museum was opened in 1958 by the mayor.", score=0.3)
    both = f"{ASKED} And when was the museum opened?"
    found = select_evidence(both, [chunk("c1", SAID, score=0.3), opened, chunk("c3", BESIDE, score=0.3)], 0.60, 10)
    assert sorted(c["chunk_id"] for c in found) == ["c1", "c2"]


def test_a_retry_keeps_what_supported_claims_cite() -> None:
    cited, other = chunk("c1", SAID), chunk("c2", BESIDE)
    claim = {"verdict": "supported", "citations": [{"chunk_id": "c1"}]}
    before = asked() | {"evidence": [cited, other], "claims": [claim]}
    assert with_cited_before([other], before) == [other]  # type: ignore[arg-type]
    again = before | {"retry_count": 1}
    assert with_cited_before([other], again) == [other, cited]  # type: ignore[arg-type]
    refuted = again | {"claims": [claim | {"verdict": "contradicted"}]}
    assert with_cited_before([other], refuted) == [other]  # type: ignore[arg-type]
