"""Sentences that claim several things, and what a second reader may change."""

from collections.abc import Sequence

import pytest

from masis.audit.checks.second_opinion import REFUTED_BY_VERIFIER, SUPPORTED_BY_VERIFIER, Question, SecondOpinion
from masis.audit.checks.signature import NOT_RULED_OUT
from masis.audit.verdicts import judge_claims
from masis.types import Claim
from tests.support.engines import chunk

SALES = chunk("c1", "Revenue in fiscal 2025 was $184.1 million. The board approved the dividend in June.", start=500)
COSTS = chunk("c2", "Operating costs fell to $61.3 million. Tolmerick opened a plant in Brno.", document_id="d2")


def judged(answer: str, *opinions: float | None) -> tuple[Claim, list[Question]]:
    asked: list[Question] = []

    def second_opinion(questions: Sequence[Question]) -> Sequence[float | None]:
        asked.extend(questions)
        # Of the contraries nobody can tell.
        return opinions if len(questions) == len(opinions) else [None] * len(questions)

    (claim,) = judge_claims(answer, [SALES, COSTS], second_opinion if opinions else None)
    return claim, asked


def test_each_citation_quotes_its_own_passage() -> None:
    answer = "Fiscal 2025 revenue was $184.1 million, while operating costs fell to $61.3 million. [c1] [c2]"
    claim, _ = judged(answer, 0.9)
    assert claim["verdict"] == "supported"
    assert [citation["quote"] for citation in claim["citations"]] == [
        "Revenue in fiscal 2025 was $184.1 million.",
        "Operating costs fell to $61.3 million.",
    ]


def test_one_wrong_figure_of_two_decides() -> None:
    claim, _ = judged("Fiscal 2025 revenue was $184.1 million, while operating costs fell to $16.3 million. [c1] [c2]")
    assert claim["verdict"] == "numbers_differ"
    assert "$16.3 million" in claim["reason"]


def test_one_claim_has_no_parts() -> None:
    claim, _ = judged("Tolmerick opened a plant in Brno. [c2]")
    assert "parts" not in claim
    assert (claim["verdict"], claim["checked_by"]) == ("verbatim", "code")


@pytest.mark.parametrize(
    ("answer", "opinion", "verdict", "checked_by"),
    [
        ("Directors gave the payout their blessing. [c1]", SUPPORTED_BY_VERIFIER, "supported", "verifier"),
        ("Directors gave the payout their blessing. [c1]", 0.5, "unverified", "code"),
        ("Directors gave the payout their blessing. [c1]", None, "unverified", "code"),
        ("Directors gave the payout their blessing. [c1]", REFUTED_BY_VERIFIER, "not_in_source", "verifier"),
        ("The board approved the generous dividend. [c1]", 0.01, "unverified", "verifier"),
        ("The board approved the generous dividend. [c1]", REFUTED_BY_VERIFIER, "supported", "code"),
        ("The board did not approve the dividend. [c1]", 0.1, "contradicted", "code"),
        ("The board did not approve the dividend. [c1]", NOT_RULED_OUT, "unverified", "verifier"),
        ("The board approved the generous dividend. [c1]", 0.5, "supported", "code"),
    ],
)  # fmt: skip
def test_where_words_decide_a_second_reader_may_overrule(
    answer: str, opinion: float | None, verdict: str, checked_by: str
) -> None:
    claim, asked = judged(answer, opinion)
    assert (claim["verdict"], claim["checked_by"]) == (verdict, checked_by)
    assert asked[0].chunks[0]["chunk_id"] == "c1"


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("Revenue in fiscal 2025 was $148.1 million. [c1]", "numbers_differ"),
        ("The board approved the dividend in June. [c1]", "verbatim"),
    ],
)
def test_what_code_is_sure_of_is_not_asked(answer: str, verdict: str) -> None:
    claim, asked = judged(answer, 1.0)
    assert (claim["verdict"], asked) == (verdict, [])


def by_words(known: dict[str, float]) -> SecondOpinion:
    return lambda questions: [known.get(question.claim) for question in questions]


def test_a_name_that_is_not_there_stands_unless_the_reader_knows_better() -> None:
    answer = "Directors of Ferrowell gave the payout their blessing. [c1]"
    bare = answer.removesuffix(" [c1]")
    (doubted,) = judge_claims(answer, [SALES], by_words({bare: 0.1}))
    (believed,) = judge_claims(answer, [SALES], by_words({bare: 0.8}))
    assert (doubted["verdict"], believed["verdict"]) == ("not_in_source", "unverified")


@pytest.mark.parametrize(
    ("answer", "contrary"),
    [
        ("Shareholders may not expect a payout.", "Shareholders may expect a payout."),
        ("The outlay for running the firm went up.", "The outlay for running the firm went down."),
    ],
)
def test_a_contrary_that_is_much_better_borne_out_contradicts(answer: str, contrary: str) -> None:
    cited = f"{answer} [c1] [c2]"
    (refuted,) = judge_claims(cited, [SALES, COSTS], by_words({answer: 0.2, contrary: 0.7}))
    (open_,) = judge_claims(cited, [SALES, COSTS], by_words({answer: 0.2, contrary: 0.25}))
    assert (refuted["verdict"], refuted["checked_by"]) == ("contradicted", "verifier")
    assert open_["verdict"] == "unverified"


def test_the_sentence_before_says_who_it_is() -> None:
    asked: list[Question] = []

    def second_opinion(questions: Sequence[Question]) -> list[float]:
        asked.extend(questions)
        return [1.0] * len(questions)

    judge_claims("The directors met in June. [c1] They blessed the payout. [c1]", [SALES], second_opinion)
    assert [question.before for question in asked if question.claim == "They blessed the payout."] == [
        "The directors met in June."
    ]


def test_one_question_for_the_whole_answer() -> None:
    calls = []

    def second_opinion(questions: Sequence[Question]) -> Sequence[float | None]:
        calls.append(len(questions))
        return [1.0] * len(questions)

    answer = "Directors blessed the payout to shareholders. [c1] A factory began its work in the town. [c2]"
    claims = judge_claims(answer, [SALES, COSTS], second_opinion)
    assert calls == [2]
    assert {claim["checked_by"] for claim in claims} == {"verifier"}


def test_a_sentence_is_read_with_the_one_before_it_where_both_cite_the_same() -> None:
    evidence = [chunk("c1", "The plant opened. Output doubled."), chunk("c2", "Sales fell in Asia.")]
    asked: list[Question] = []

    def remember(questions: Sequence[Question]) -> list[float]:
        asked.extend(questions)
        return [0.5] * len(questions)

    judge_claims(
        "A new works started up [c1]. It made twice as much [c1]. Fewer goods went east [c2].", evidence, remember
    )
    assert [question.before for question in asked[:3]] == ["", "A new works started up.", ""]


def test_what_leans_on_a_sentence_that_was_not_read_is_not_refuted_by_the_verifier() -> None:
    evidence = [chunk("c1", "Inventories are valued at cost.")]
    (claim,) = judge_claims(
        "A later filing describes the same method [c1].", evidence, lambda asked: [0.01] * len(asked)
    )
    assert claim["verdict"] == "unverified"


def test_what_a_document_says_of_itself_is_a_quotation_and_no_limit_of_the_evidence() -> None:
    text = "This report does not contain information on the pension fund."
    (claim,) = judge_claims(f"{text} [c1]", [chunk("c1", f"{text} It covers the year 2024.")])
    assert (claim["kind"], claim["verdict"]) == ("claim", "verbatim")
    (other,) = judge_claims("The documents do not contain information on wages. [c1]", [chunk("c1", text)])
    assert other["kind"] == "limit"
