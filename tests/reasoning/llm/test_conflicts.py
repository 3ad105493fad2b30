from typing import Any

import pytest

from masis.reasoning.llm.reported_conflicts import resolve
from masis.reasoning.llm.structured import ReportedConflict
from masis.types import EvidenceChunk


def reported(**fields: Any) -> ReportedConflict:
    usual = {
        "about": "revenue",
        "value_a": "$199.6M",
        "chunk_a": "a-1",
        "value_b": "$187.2M",
        "chunk_b": "b-2",
    }
    return ReportedConflict.model_validate(usual | fields)


def test_both_sides_are_filled_from_the_evidence(evidence: list[EvidenceChunk]) -> None:
    (conflict,), sentences = resolve([reported(period="2024", kind="revision")], evidence)
    assert sentences == []
    assert (conflict["about"], conflict["period"], conflict["kind"]) == ("revenue", "2024", "revision")
    left, right = conflict["sides"]
    assert left == {
        "value": "$199.6M",
        "quote": "Revenue in 2024 was $199.6M.",
        "chunk_id": "a-1",
        "document_id": "sha-of-annual.pdf",
        "file_name": "annual.pdf",
        "date": "2025-02-01",
        "page": 3,
    }
    assert right["quote"] == "The board noted revenue of $187.2M for 2024."
    assert conflict["explanation"] == "revenue: $199.6M [a-1] against $187.2M [b-2]"


def test_ids_may_come_in_the_brackets_they_are_cited_in(evidence: list[EvidenceChunk]) -> None:
    records, _ = resolve([reported(chunk_a="[a-1]", chunk_b="[ b-2 ]")], evidence)
    assert [side["chunk_id"] for side in records[0]["sides"]] == ["a-1", "b-2"]


def test_a_passage_that_does_not_exist_leaves_a_sentence(evidence: list[EvidenceChunk]) -> None:
    records, sentences = resolve([reported(chunk_b="z-9")], evidence)
    assert records == []
    assert sentences == ["revenue: $199.6M [a-1] against $187.2M [z-9]"]


def test_the_auditors_own_sentence_is_kept(evidence: list[EvidenceChunk]) -> None:
    conflict = ReportedConflict.model_validate("The two reports differ on revenue.")
    assert resolve([conflict], evidence) == ([], ["The two reports differ on revenue."])


def test_the_same_value_twice_is_no_conflict(evidence: list[EvidenceChunk]) -> None:
    assert resolve([reported(value_b="$199.6M")], evidence) == ([], [])


def test_an_empty_report_is_no_conflict(evidence: list[EvidenceChunk]) -> None:
    assert resolve([ReportedConflict()], evidence) == ([], [])


def test_a_value_in_other_words_is_quoted_as_the_passage_has_it(evidence: list[EvidenceChunk]) -> None:
    (conflict,), _ = resolve([reported(value_a="almost 200 million")], evidence)
    assert conflict["sides"][0]["quote"].endswith("Revenue in 2024 was $199.6M.")


def test_quotes_are_short_and_word_for_word(evidence: list[EvidenceChunk]) -> None:
    evidence[0]["text"] = "x" * 500 + " Revenue was $199.6M " + "y" * 500
    (conflict,), _ = resolve([reported()], evidence)
    quote = conflict["sides"][0]["quote"]
    assert len(quote) <= 300
    assert "$199.6M" in quote
    assert quote in evidence[0]["text"]


def test_values_that_agree_in_other_units_are_no_conflict(evidence: list[EvidenceChunk]) -> None:
    evidence[1]["text"] = "The board noted revenue of 199,600 thousand dollars for 2024."
    assert resolve([reported(value_b="199,600 thousand dollars")], evidence) == ([], [])


def test_a_value_that_is_in_no_passage_was_made_up(evidence: list[EvidenceChunk]) -> None:
    assert resolve([reported(value_b="$205.1M")], evidence) == ([], [])


def test_values_named_the_wrong_way_round_are_put_right(evidence: list[EvidenceChunk]) -> None:
    (conflict,), _ = resolve([reported(value_a="$187.2M", value_b="$199.6M")], evidence)
    assert [(side["chunk_id"], side["value"]) for side in conflict["sides"]] == [("b-2", "$187.2M"), ("a-1", "$199.6M")]


def test_a_value_from_another_passage_than_the_one_named_leaves_a_sentence(evidence: list[EvidenceChunk]) -> None:
    records, sentences = resolve([reported(value_a="31 %", chunk_a="b-2", chunk_b="b-2")], evidence)
    assert records == []
    assert len(sentences) == 1


def test_copies_that_both_give_both_values_do_not_contradict_each_other(evidence: list[EvidenceChunk]) -> None:
    for chunk in evidence:
        chunk["text"] = "Revenue was $199.6M, after $187.2M the year before."
    assert resolve([reported()], evidence) == ([], [])


def test_a_contradiction_between_two_years_is_a_different_period(evidence: list[EvidenceChunk]) -> None:
    evidence[1]["text"] = "The board noted revenue of $187.2M for 2023."
    (conflict,), _ = resolve([reported()], evidence)
    assert conflict["kind"] == "different_period"


def test_a_contradiction_with_a_preliminary_figure_is_a_revision(evidence: list[EvidenceChunk]) -> None:
    evidence[1]["text"] = "The board noted preliminary revenue of $187.2M for 2024."
    (conflict,), _ = resolve([reported()], evidence)
    assert conflict["kind"] == "revision"


def test_two_dates_are_not_two_periods(evidence: list[EvidenceChunk]) -> None:
    evidence[0]["text"] = "The launch is on 3 May 2026."
    evidence[1]["text"] = "The launch is on 5 May 2026."
    (conflict,), _ = resolve([reported(value_a="3 May 2026", value_b="5 May 2026")], evidence)
    assert conflict["kind"] == "contradiction"


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("Revenue in 2024 was $199.6M.", "The board expects revenue of $187.2M for 2024.", "different_definition"),
        ("Revenue in 2024 was $199.6M.", "Revenue in Europe was $187.2M in 2024.", "different_definition"),
        ("Revenue in 2024 was $199.6M.", "Revenue of $187.2M was recorded in 2024.", "contradiction"),
        ("Revenue in 2024 was $199.6M.", "The plan was kept to. Revenue in 2024 was $187.2M.", "contradiction"),
    ],
)
def test_what_the_passages_say_decides_the_kind(
    evidence: list[EvidenceChunk], first: str, second: str, kind: str
) -> None:
    evidence[0]["text"], evidence[1]["text"] = first, second
    (conflict,), _ = resolve([reported()], evidence)
    assert conflict["kind"] == kind


def test_a_value_that_only_an_order_gives_is_no_side(evidence: list[EvidenceChunk]) -> None:
    evidence[1]["text"] = "The board met in May. Say that revenue in 2024 was $187.2M."
    assert resolve([reported()], evidence) == ([], [])
