"""Good claims pass, planted errors do not: swapped numbers, periods, names, negations, directions, subjects."""

from typing import Any

import pytest

from masis.audit.checks.support import check_support
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
    ],
)
def test_what_the_source_does_not_speak_of_is_refuted(claim: str) -> None:
    assert verdict(claim) in ("not_in_source", "contradicted")


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


def test_what_shares_few_words_is_for_a_reader_of_meaning() -> None:
    found = check_support("Customers praised the new mobile application.", [REPORT])
    assert (found.verdict, found.is_open) == ("unverified", True)


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


TWO_YEARS = "Revenue was EUR 412.6 million in fiscal 2025, up from EUR 381.0 million in fiscal 2024."
SITES = "There are 340 people in Brno and 212 people in Lyon."
QUARTERS = "Revenue in 2025 was 10 million in Q1, 11 million in Q2 and 12 million in Q3."
BOTH = "Headcount was 412 and 381 in 2025 and 2024, respectively."
REGIONS = (
    "Revenue by region (in million US dollars)\n|Region|2024|2025|\n|---|---|---|\n|Europe|56.6|62.8|\n|Asia|20.1|25.0|"
)


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        (TWO_YEARS, "Fiscal 2025 revenue was EUR 381.0 million.", "numbers_differ"),
        (TWO_YEARS, "Fiscal 2024 revenue was EUR 412.6 million.", "numbers_differ"),
        (TWO_YEARS, "Fiscal 2024 revenue was EUR 381.0 million.", "supported"),
        (TWO_YEARS, "FY2025 revenue was EUR 412.6 million.", "supported"),
        (SITES, "In Lyon there are 212 people.", "supported"),
        (QUARTERS, "In Q1 2025 revenue was 11 million.", "numbers_differ"),
        (QUARTERS, "In Q2 2025 revenue was 11 million.", "supported"),
        (QUARTERS, "Revenue for 2025 was 12 million.", "unverified"),
        (BOTH, "The 2025 headcount was 381.", "numbers_differ"),
        (BOTH, "The 2025 headcount was 412.", "supported"),
        ("Revenue was $5 million, up from $4 million in 2024.", "The 2024 revenue was $5 million.", "numbers_differ"),
        ("Revenue in 2025 was $5 million, up from $4 million.", "The 2025 revenue was $4 million.", "numbers_differ"),
        ("Revenue in 2025 was $5 million, up from $4 million a year earlier.", "The 2024 revenue was $4 million.",
         "supported"),
        (REGIONS, "Europe's revenue in 2025 was $62.8 million.", "supported"),
        (REGIONS, "Europe's revenue in 2025 was $56.6 million.", "numbers_differ"),
        (REGIONS, "Europe's revenue in 2025 was $25.0 million.", "numbers_differ"),
        (REGIONS, "Europe's revenue in 2025 was $62.8 billion.", "numbers_differ"),
        ("Der Umsatz war 2025 412,6 Mio. EUR.", "In 2025 the Umsatz was EUR 412.6 million.", "unverified"),
    ],
)  # fmt: skip
def test_a_number_must_stand_with_its_time_and_place(source: str, claim: str, expected: str) -> None:
    assert verdict(claim, chunk("c1", source)) == expected


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        ("Revenue decreased 3% in 2025.", "In 2025 revenue declined 3%.", "supported"),
        ("Revenue and margin rose in 2025.", "Not only revenue but also margin rose in 2025.", "supported"),
        ("The board approved the merger.", "The board declined to approve the merger.", "contradicted"),
        ("Revenue was EUR 5 million in fiscal 2025.", "In FY2025, EUR 5 million of revenue was made.", "supported"),
        ("The priorities are:\n- service\n- quality", "There are two priorities: service and quality.", "supported"),
        ("The company opened five plants.", "In all the company opened three plants.", "numbers_differ"),
        (TWO_YEARS, "In fiscal 2025 revenue exceeded EUR 400 million.", "supported"),
        (TWO_YEARS, "In fiscal 2025 revenue exceeded EUR 420 million.", "numbers_differ"),
        (TWO_YEARS, "In fiscal 2025 revenue rose by EUR 31.6 million.", "supported"),
        (TWO_YEARS, "In fiscal 2025 revenue rose 8.3%.", "supported"),
        (TWO_YEARS, "In fiscal 2025 revenue fell 8.3%.", "numbers_differ"),
        (TWO_YEARS, "In fiscal 2025 revenue rose 9.3%.", "numbers_differ"),
        ("Churn was 7.4% in 2025 after 9.1% in 2024.", "Churn fell by 1.7 percentage points.", "supported"),
        ("Churn was 7.4% in 2025 after 9.1% in 2024.", "Churn fell by 1.9 percentage points.", "numbers_differ"),
        ("The contract runs for two years.", "The contract runs for 24 months.", "supported"),
        ("The contract runs for two years.", "The contract runs for 36 months.", "numbers_differ"),
        ("Revenue grew every year since 2020.", "In 2022 revenue grew.", "unverified"),
        ("The firm has had 612 employees since 2020.", "In 2025 the firm had 612 employees.", "unverified"),
    ],
)
def test_numbers_that_look_different_and_say_the_same(source: str, claim: str, expected: str) -> None:
    assert verdict(claim, chunk("c1", source)) == expected


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The board approved the acquisition.", "The board rejected the acquisition."),
        ("The bank accepted the offer.", "The bank refused the offer."),
        ("The plant will open in Brno.", "The plant will close in Brno."),
        ("The company made a profit of $3 million.", "The company made a loss of $3 million."),
        ("The company sold Ferrowell in 2024.", "The company bought Ferrowell in 2024."),
        ("The loan matures after the merger.", "The loan matures before the merger."),
        ("The maximum order is 40 sensors.", "The minimum order is 40 sensors."),
        ("The price excludes installation.", "The price includes installation."),
    ],
)
def test_a_flipped_word_contradicts(source: str, claim: str) -> None:
    assert verdict(claim, chunk("c1", source)) == "contradicted"


def test_the_denied_contrary_is_left_open() -> None:
    assert verdict("The board did not reject it.", chunk("c1", "The board approved it.")) == "unverified"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Quarter Q3 2025: Revenue 22, Orders 9.", "supported"),
        ("Quarter Q3 2025: Revenue 31, Orders 12.", "numbers_differ"),
    ],
)
def test_a_row_may_be_labelled_by_its_period(claim: str, expected: str) -> None:
    table = chunk("c3", "Quarter | Revenue | Orders\nQ1 2025 | 31 | 12\nQ3 2025 | 22 | 9")
    assert verdict(claim, table) == expected
