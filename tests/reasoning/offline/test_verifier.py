"""The trained verifier on text of ours: what a passage bears out in other words scores above what it does not."""

from typing import Any

import pytest

from masis.audit.checks.second_opinion import REFUTED_BY_VERIFIER, SUPPORTED_BY_VERIFIER
from masis.audit.checks.support import REFUTED
from masis.audit.verdicts import judge_claims
from masis.language.question import read_question
from masis.language.statements import statements
from masis.reasoning.offline.verifier import second_opinion, stand_on, support_logit, support_scores
from tests.support.engines import chunk

PASSAGE = (
    "The cooperative runs 38 stores in the north of the country. In spring the board approved a loyalty card, which is "
    "free for members. Managers of the smaller shops complained that the new tills arrived late and without training."
)
EVIDENCE: Any = [
    {
        "chunk_id": "c1", "file_name": "minutes.txt", "text": PASSAGE, "score": 0.9, "document_id": "d1", "page": 1,
        "start": 0, "end": len(PASSAGE),
    }
]  # fmt: skip


@pytest.mark.parametrize(
    ("borne_out", "not_borne_out"),
    [
        ("Members do not pay for the loyalty card.", "Members pay a yearly fee for the loyalty card."),
        ("Some shop managers were unhappy about late tills.", "Some shop managers were pleased with the tills."),
        ("The board agreed to a loyalty card in spring.", "The board agreed to close twelve stores in spring."),
    ],
)
def test_what_is_said_in_other_words_scores_above_what_is_not_said(borne_out: str, not_borne_out: str) -> None:
    good, bad = support_scores([(borne_out, PASSAGE), (not_borne_out, PASSAGE)])
    assert good > bad


def test_scores_are_probabilities_and_repeatable() -> None:
    scores = support_scores([("The cooperative runs 38 stores.", PASSAGE), ("It rains.", PASSAGE), ("", "")])
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] > SUPPORTED_BY_VERIFIER
    assert scores[1] < REFUTED_BY_VERIFIER


def test_the_sentence_before_is_not_judged() -> None:
    alone = support_logit("It is free for members.", PASSAGE)
    after_nonsense = support_logit("It is free for members.", PASSAGE, "The moon is made of cheese.")
    assert after_nonsense > support_logit("The moon is made of cheese.", PASSAGE)
    assert alone > 0


def test_a_paraphrase_that_code_leaves_open_is_settled() -> None:
    answer = "Those who belong to it get the card at no cost. [c1]"
    (by_code,) = judge_claims(answer, EVIDENCE)
    assert by_code["verdict"] in ("unverified", "not_in_source")
    (claim,) = judge_claims(answer, EVIDENCE, second_opinion)
    assert (claim["verdict"], claim.get("checked_by")) != (by_code["verdict"], "code")


def test_a_wrong_number_stands_whatever_the_verifier_says() -> None:
    (claim,) = judge_claims(
        "The cooperative runs 83 stores in the north. [c1]", EVIDENCE, lambda asked: [1.0] * len(asked)
    )
    assert claim["verdict"] == "numbers_differ"


def test_a_figure_of_another_sentence_is_seen_by_where_the_answer_stands() -> None:
    report = chunk(
        "c1",
        "The pumping station was rebuilt after the flood, which took 14 months of work by two crews. "
        "Repairs to the canteen roof were finished in 3 months.",
    )
    right, wrong = (f"Rebuilding the pumping station took {n} months. [c1]" for n in (14, 3))
    assert judge_claims(right, [report], second_opinion)[0]["verdict"] not in REFUTED
    (claim,) = judge_claims(wrong, [report], second_opinion)
    assert (claim["verdict"], claim.get("checked_by")) == ("numbers_differ", "verifier")
    assert "14 months" in claim["reason"]


GYM = "There is a cycle-to-work scheme and a discount on gym membership; there is no private medical insurance."


@pytest.mark.parametrize(
    ("question", "said", "stand"),
    [
        ("Is there private medical insurance?", GYM, "no"),
        ("Is there a discount on gym membership?", GYM, "yes"),
        ("May leave be carried over?", "Carry-over of leave is no longer permitted: nobody may carry days over.", "no"),
        ("Can drivers work from home?", "Warehouse staff and drivers cannot work remotely.", "no"),
        ("Is the plant open?", "The plant was closed in March.", "no"),
        ("Is the plant open?", "The plant employs 240 people.", None),
    ],
)
def test_a_denial_counts_where_it_denies_what_was_asked(question: str, said: str, stand: str | None) -> None:
    (statement,) = statements(said)
    assert stand_on(read_question(question), statement) == stand
