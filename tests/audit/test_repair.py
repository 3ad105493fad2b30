"""Citations added and corrected, refuted sentences cut; what is left is judged like any answer."""

import pytest

from masis.audit.checks.signature import Claim as Checked
from masis.audit.checks.signature import Finding, Sources
from masis.audit.repair import RepairedAnswer, repaired
from masis.audit.verdicts import judge_claims
from tests.support.engines import chunk

SALES = chunk("c1", "Revenue in fiscal 2025 was $184.1 million. The board approved the dividend in June.")
COSTS = chunk("c2", "Operating costs fell to $61.3 million. Tolmerick opened a plant in Brno.", document_id="d2")
EVIDENCE = [SALES, COSTS]


def mended(answer: str) -> RepairedAnswer:
    found = repaired(answer, judge_claims(answer, EVIDENCE), EVIDENCE, None)
    assert found is not None
    return found


def test_an_uncited_sentence_gets_the_passage_that_bears_it_out() -> None:
    found = mended("Revenue in fiscal 2025 was $184.1 million. Operating costs fell to $61.3 million.")
    assert found.text == "Revenue in fiscal 2025 was $184.1 million [c1]. Operating costs fell to $61.3 million [c2]."
    assert [(c["verdict"], c["repaired"]) for c in found.claims] == [("verbatim", "added")] * 2
    assert [found.text[c["start"] : c["end"]] for c in found.claims] == [c["text"] for c in found.claims]
    assert found.still_answers


def test_a_wrong_citation_is_corrected() -> None:
    found = mended("Operating costs fell to $61.3 million. [c1]")
    assert found.text == "Operating costs fell to $61.3 million [c2]."
    assert found.claims[0]["repaired"] == "corrected"


def test_a_made_up_id_beside_a_good_one_goes() -> None:
    assert mended("Tolmerick opened a plant in Brno [c2] [c99].").text == "Tolmerick opened a plant in Brno [c2]."


def test_a_refuted_sentence_is_cut_and_named() -> None:
    found = mended("Revenue in fiscal 2025 was $184.1 million [c1]. Operating costs fell to $16.3 million [c2].")
    assert found.text == "Revenue in fiscal 2025 was $184.1 million [c1]."
    (cut,) = found.repairs
    assert (cut.kind, cut.sentence) == ("cut", "Operating costs fell to $16.3 million [c2].")
    assert "$16.3 million" in cut.reason
    assert found.still_answers


def test_a_list_item_is_cut_with_its_mark() -> None:
    found = mended(
        "- Revenue in fiscal 2025 was $184.1 million [c1].\n- Operating costs fell to $16.3 million [c2].\n"
        "- Tolmerick opened a plant in Brno [c2]."
    )
    assert found.text == (
        "- Revenue in fiscal 2025 was $184.1 million [c1].\n\n- Tolmerick opened a plant in Brno [c2]."
    )


def test_an_answer_that_loses_what_it_says_is_none() -> None:
    assert not mended("Operating costs fell to $16.3 million [c2].").still_answers


@pytest.mark.parametrize(
    "answer",
    [
        "Revenue in fiscal 2025 was $184.1 million [c1].",
        "The documents do not mention patents.",
        "Customers praised the new mobile application.",
    ],
)
def test_what_is_right_or_borne_out_by_nothing_is_left_alone(answer: str) -> None:
    assert repaired(answer, judge_claims(answer, EVIDENCE), EVIDENCE, None) is None


def test_a_name_alone_cuts_nothing() -> None:
    answer = "Revenue in fiscal 2025 was $184.1 million [c1]. Tolmerick opened a plant in Zlin [c2]."
    claims = judge_claims(answer, EVIDENCE)
    assert claims[1]["verdict"] in ("contradicted", "not_in_source")
    assert repaired(answer, claims, EVIDENCE, None) is None


def test_an_answer_without_its_first_sentence_is_none() -> None:
    found = mended(
        "Operating costs fell to $16.3 million [c2]. Revenue in fiscal 2025 was $184.1 million [c1]. "
        "Tolmerick opened a plant in Brno [c2]."
    )
    assert [repair.kind for repair in found.repairs] == ["cut"]
    assert not found.still_answers


def test_a_check_of_ones_own_refutes_what_is_word_for_word_in_a_source() -> None:
    def no_dividends(claim: Checked, sources: Sources) -> Finding | None:
        return Finding("not_in_source", "we do not speak of dividends") if "dividend" in claim.text else None

    answer = "Revenue in fiscal 2025 was $184.1 million [c1]. The board approved the dividend in June [c1]."
    claims = judge_claims(answer, EVIDENCE, None, [no_dividends])
    assert [claim["verdict"] for claim in claims] == ["verbatim", "not_in_source"]
    found = repaired(answer, claims, EVIDENCE, None, [no_dividends])
    assert found is not None
    assert found.text == "Revenue in fiscal 2025 was $184.1 million [c1]."
