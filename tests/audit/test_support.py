"""Good claims pass, planted errors do not: swapped numbers, periods, names, negations, directions, subjects."""

from typing import Any

import pytest

from masis.audit.support import check_support
from masis.audit.verdicts import judge_claims
from tests.support.engines import chunk

REPORT = chunk(
    "c1",
    "Revenue in fiscal 2025 was $184.1 million, up 7.2% from $171.7 million in fiscal 2024. Costs in Europe fell "
    "to $61.3 million. The board did not approve the acquisition of Ferrowell Loggers. Maren Oakhurst, the chief "
    "executive, opened the plant in Brno on 14 March 2025.",
    start=1000,
    page=3,
)
TABLE = chunk(
    "c2",
    "Operating expenses (in $ millions)\nExpense | 2025 | 2024\nResearch and development | 22.7 | 20.4\n"
    "Sales and marketing | 31.0 | 29.8",
    heading="Annual report > Income statement",
)


def verdict(claim: str, *sources: Any) -> str:
    return check_support(claim, sources or [REPORT]).verdict


@pytest.mark.parametrize(
    "claim",
    [
        "Revenue in fiscal 2025 was $184.1 million, up 7.2% from $171.7 million in fiscal 2024.",
        "Costs in Europe fell to $61.3 million",
        "The board did not approve the acquisition of Ferrowell Loggers.",
    ],
)
def test_the_sources_own_words_are_verbatim(claim: str) -> None:
    assert verdict(claim) == "verbatim"


@pytest.mark.parametrize(
    "claim",
    [
        "Fiscal 2025 revenue was 184.1 million dollars.",
        "In fiscal 2025 revenue was $184 million.",
        "In Europe costs fell to $61.3M.",
        "Chief executive Maren Oakhurst opened the Brno plant on 14 March 2025.",
    ],
)
def test_a_paraphrase_with_the_same_facts_is_supported(claim: str) -> None:
    assert verdict(claim) == "supported"


@pytest.mark.parametrize(
    "claim",
    [
        "Revenue in fiscal 2025 was $148.1 million.",
        "Revenue in fiscal 2025 was $184.1 billion.",
        "Costs in Europe fell to $184.1 million.",
        "Revenue in fiscal 2023 was $184.1 million.",
        "Maren Oakhurst opened the plant in Brno on 15 April 2025.",
        "Revenue in fiscal 2025 was up 8.2%.",
    ],
)
def test_a_planted_number_or_date_differs(claim: str) -> None:
    assert verdict(claim) == "numbers_differ"


@pytest.mark.parametrize(
    "claim",
    [
        "The board approved the acquisition of Ferrowell Loggers.",
        "Costs in Europe rose to $61.3 million.",
        "Maren Oakhurst, the chief executive, did not open the plant in Brno.",
    ],
)
def test_a_planted_negation_or_turn_contradicts(claim: str) -> None:
    assert verdict(claim) == "contradicted"


@pytest.mark.parametrize(
    "claim",
    [
        "Tobias Lindqvar, the chief executive, opened the plant in Brno.",
        "The laboratory in Singapore will employ technicians for calibration.",
        "Customers praised the new mobile application.",
    ],
)
def test_what_the_source_does_not_speak_of_is_not_in_it(claim: str) -> None:
    assert verdict(claim) == "not_in_source"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Research and development: 2025 22.7, 2024 20.4.", "supported"),
        ("Research and development expense was $22.7 million in 2025.", "supported"),
        ("Research and development expense was $31.0 million in 2025.", "numbers_differ"),
        ("Research and development expense was $22.7 million in 2021.", "numbers_differ"),
    ],
)
def test_a_table_row_is_read_with_its_header(claim: str, expected: str) -> None:
    assert verdict(claim, TABLE) == expected


def test_a_claim_record_leads_to_the_exact_characters() -> None:
    answer = "Costs in Europe fell to $61.3 million. [c1]"
    (claim,) = judge_claims(answer, [REPORT])
    (citation,) = claim["citations"]
    start, end = citation["start"] - REPORT["start"], citation["end"] - REPORT["start"]
    assert REPORT["text"][start:end] == citation["quote"] == "Costs in Europe fell to $61.3 million"
    assert (citation["page"], citation["file_name"]) == (3, "report.pdf")
    assert answer[claim["start"] : claim["end"]].startswith("Costs in Europe")


def test_every_verdict_of_an_answer() -> None:
    answer = (
        "# Findings\n\nCosts in Europe fell to $61.3 million. [c1] Costs in Europe fell to $99.9 million. [c1] "
        "Sales were strong in every region. Margins doubled last year. [c404] "
        "The documents do not mention patents."
    )
    found = [(c["kind"], c["verdict"]) for c in judge_claims(answer, [REPORT])]
    assert found == [
        ("heading", None),
        ("claim", "verbatim"),
        ("claim", "numbers_differ"),
        ("claim", "uncited"),
        ("claim", "fabricated_citation"),
        ("limit", None),
    ]


def test_a_bad_citation_is_shown_with_its_reason_and_never_dropped() -> None:
    (claim,) = judge_claims("Margins doubled last year. [c404]", [REPORT])
    assert claim["citations"][0]["chunk_id"] == "c404"
    assert claim["citations"][0]["document_id"] is None
    assert "c404" in claim["reason"]
