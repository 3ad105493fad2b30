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


def test_what_a_sentence_cites_already_stays_at_its_clause() -> None:
    found = mended("Operating costs were $61.3 million [c1] and revenue $184.1 million [c1].")
    assert found.text == "Operating costs were $61.3 million [c1] and revenue $184.1 million [c1] [c2]."


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


HALF_YEAR = chunk("c3", "| Zone | Sales | Profit |\n|---|---|---|\n| NA | 12,553 | 2,713 |\n| GC | 2,548 | 422 |")
YEAR_BEFORE = chunk("c4", "| Zone | Sales | Profit |\n|---|---|---|\n| NA | 12,138 | 2,284 |\n| GC | 2,677 | 400 |")


def test_the_rows_of_a_table_share_the_citations_of_the_sentence_above_it() -> None:
    answer = (
        "Margins are profit over sales, from the two tables [c3] [c4].\n\n| Zone | Before | Now |\n|---|---|---|\n"
        "| NA | 18.8% (2,284 / 12,138) | 21.6% (2,713 / 12,553) |\n| GC | 14.9% (400 / 2,677) | 16.6% (422 / 2,548) |"
    )
    evidence = [HALF_YEAR, YEAR_BEFORE]
    found = repaired(answer, judge_claims(answer, evidence), evidence, None, is_audited=True)
    assert found is not None
    assert found.text.count("[c3] [c4] |") == 2
    assert not [claim for claim in found.claims if claim["verdict"] == "uncited"]


def test_what_nobody_reads_next_is_not_cited_on_suspicion() -> None:
    answer = "Revenue in fiscal 2025 was $184.1 million [c1]. The outlook for the coming winter is bright."
    claims = judge_claims(answer, EVIDENCE)
    assert repaired(answer, claims, EVIDENCE, None) is None
    audited = repaired(answer, claims, EVIDENCE, None, is_audited=True)
    assert audited is not None
    assert audited.text.endswith("winter is bright [c1].")
    assert audited.claims[1]["verdict"] == "unverified"


def test_a_draft_without_any_citation_is_cited_to_the_closest_passages() -> None:
    answer = "Revenue in fiscal 2025 was $184.1 million, and the board was pleased with that result."
    claims = judge_claims(answer, EVIDENCE)
    plain = repaired(answer, claims, EVIDENCE, None)
    assert plain is not None
    assert [(c["verdict"], c.get("repaired")) for c in plain.claims] == [("unverified", "added")]


def test_figures_that_two_passages_have_the_other_way_round_are_not_cited_to_both() -> None:
    first, second = (
        chunk("c7", "Northwind sold 412 tonnes of flour."),
        chunk("c8", "Eastmere sold 388 tonnes of flour."),
    )
    answer = "Northwind sold 388 tonnes of flour and Eastmere sold 412 tonnes of flour."
    mended = repaired(answer, judge_claims(answer, [first, second]), [first, second], None)
    assert mended is None or mended.claims[0]["verdict"] != "supported"


def test_what_code_refutes_is_not_cited_where_no_chat_model_audits() -> None:
    answer = "The revenue in fiscal 2025 was $999.9 million, as the report on the year says."
    assert repaired(answer, judge_claims(answer, EVIDENCE), EVIDENCE, None) is None


def test_two_words_that_any_passage_has_find_no_citation() -> None:
    evidence = [SALES, chunk("c5", "An analyst disagreed and called the sources of the delay obvious.")]
    answer = "The sources disagree. Revenue in fiscal 2025 was $184.1 million [c1]."
    assert repaired(answer, judge_claims(answer, evidence), evidence, None) is None


def test_a_result_that_code_cannot_compute_is_left_for_the_auditor() -> None:
    head = "| Gross margin | Q3 2023 | Q3 2022 |\n|---|---|---|"
    margins = chunk("c6", f"{head}\n| Products | 35.4% | 34.5% |\n| Services | 70.5% | 71.5% |")
    answer = "The gap is 35.1 points [c6]. It narrowed by 1.9 points from a year earlier [c6]."
    claims = judge_claims(answer, [margins])
    assert (claims[1]["verdict"], claims[1].get("is_reading")) == ("numbers_differ", True)
    alone, audited = (repaired(answer, claims, [margins], None, is_audited=one) for one in (False, True))
    assert alone is not None
    assert "1.9" not in alone.text
    assert audited is None


def test_a_figure_of_the_sentence_before_brings_its_citation_along() -> None:
    costs = chunk("c7", "| Line | FY2023 | FY2024 |\n|---|---|---|\n| Insurance and claims, USD k | 47700 | 58900 |")
    note = chunk("c8", "Insurance FY2024 includes USD 6,200 thousand for the I-35 accident of 14 January 2024.")
    answer = (
        "Insurance and claims grew from $47.7 million in FY2023 to $58.9 million in FY2024 [c7]. More than half of the "
        "$11.2 million increase is one event: FY2024 includes $6.2 million for the I-35 accident [c8]."
    )
    evidence = [costs, note]
    found = repaired(answer, judge_claims(answer, evidence), evidence, None, is_audited=True)
    assert found is None or [repair.kind for repair in found.repairs] != ["cut"]
    text = found.text if found else answer
    assert "$11.2 million" in text


def test_a_draft_that_is_only_a_name_is_not_cited() -> None:
    evidence = [
        chunk("c7", "Anna Berg chairs the risk committee of Tolmerick."),
        chunk("c8", "Ivo Lund chairs the audit committee of Tolmerick."),
    ]
    answer, question = "Anna Berg", "Who chairs the audit committee of Tolmerick?"
    claims = judge_claims(answer, evidence, None, (), question)
    assert repaired(answer, claims, evidence, None, (), question) is None
