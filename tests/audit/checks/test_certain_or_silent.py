"""Claims that are right and were once refuted, each beside what makes it wrong: code refutes what it can prove."""

import pytest

from masis.audit.checks.support import REFUTED, check_support
from masis.audit.verdicts import judge_claims
from tests.support.engines import chunk

RATES = chunk("c1", "Measure | 2021 | 2022 | Change\nRenewal rate | 71% | 74% | +3pp\nChurn | 9.7 | 8.2 | (1.5)")
FLATTENED = chunk(
    "c1",
    "Operating expenses were as follows (dollars in millions):\nThree Months Ended Nine Months Ended\nJuly 1,\n2023\n"
    "June 25,\n2022\nJuly 1,\n2023\nJune 25,\n2022\nResearch and development $ 7,442 $ 6,797 $ 22,608 $ 19,490\n"
    "Percentage of total net sales 9 % 8 % 8 % 6 %\nTotal operating expenses $ 13,415 $ 12,809 $ 41,389 $ 38,144",
    heading="Apple Inc.",
)
TAXES = chunk("c1", "The Company's effective tax rate was 12.5 % for the third quarter of 2023.", heading="Apple Inc.")
RATES_AND_RIVAL = chunk(
    "c1",
    "The renewal rate of new customers was 64% in 2021.\n\nMeasure 2021 2022 Change\nRenewal rate 71% 74% +3pp\n"
    "Gross margin 58% 59% +1pp",
)
VOTES = chunk("c1", "Nominee | For | Against\nA. Moss | 1,204,331 | 40,118\nB. Lind | 1,187,902 | 56,547")
SEGMENTS = chunk("c1", "Segment | Revenue\nCompute | 4,460\nGraphics | 2,732\nTotal | 7,192")
MERGER = chunk("c1", "The plan runs for twelve\nmonths from the closing of the merger on 3 May 2024.")
CASH = chunk("c1", "Cash outflows were $13.1 billion and $10.9 billion in Q2 2022 and Q2 2023.")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The pandemic of COVID-19 slowed sales in Asia.", chunk("c1", "The COVID pandemic slowed sales in Asia.")),
        ("The 8-K filing names the new auditor.", chunk("c1", "The filing names the new auditor.")),
        ("In the 10-Q sales in Asia slowed.", chunk("c1", "Sales in Asia slowed.")),
        (
            "Cash fell by £7.6M (£39.0M − £31.4M).",
            chunk("c1", "Cash was £31.4 million at the end of the year and £39.0 million at its beginning."),
        ),
        ("The renewal rate was 74% in 2022, up 3pp from 71% in 2021.", RATES),
        ("The renewal rate was 74% in 2022, up 3pp from 71% in 2021.", RATES_AND_RIVAL),
        ("The renewal rate was 74%, up 3pp from 71 % in 2021.", RATES_AND_RIVAL),
        ("B. Lind received 1,187,902 votes for and 56,547 against.", VOTES),
        ("Churn was 9.7% in 2021.", RATES),
        ("Churn changed by 1.5 in 2022.", RATES),
        ("Apple's effective tax rate was 12.5% in the third quarter of 2023.", TAXES),
        ("Research and development was $7,442 million, against $6,797 million a year before.", FLATTENED),
        ("Compute brought about 62% of the total (4,460 / 7,192).", SEGMENTS),
        ("Compute brought about 62 % of total revenue.", SEGMENTS),
        ("The plan runs for twelve months from closing.", MERGER),
        ("B. Lind | 1,187,902 | 56,547", VOTES),
        ("Cash outflows were $10.9 billion in Q2 2023.", CASH),
    ],
)
def test_what_is_right_is_not_refuted(claim: str, source: object) -> None:
    assert check_support(claim, [source]).verdict not in REFUTED  # type: ignore[list-item]


def test_a_date_counts_in_whichever_passage_of_the_sentence_it_stands() -> None:
    dated = chunk("c1", "The agreement was signed on 12 June 2023.")
    other = chunk("c2", "The agreement covers three plants in Spain and was extended in 2024.")
    found = check_support("The agreement, signed on 12 June 2023, covers three plants in Spain.", [dated, other])
    assert found.verdict not in REFUTED


def test_file_names_and_headings_are_evidence() -> None:
    source = chunk("c1", "Sales rose in all regions.", file_name="2023 Q2 ACME.pdf", heading="Acme Corporation")
    assert check_support("In Q2 2023 sales of Acme rose in all regions.", [source]).verdict not in REFUTED
    assert check_support("In Q4 2023 sales of Acme rose in all regions.", [source]).verdict in REFUTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Cash fell by £8.6M (£39.0M − £31.4M).", chunk("c1", "Cash was £31.4 million, before £39.0 million.")),
        ("The renewal rate was 47% in 2022.", RATES),
        ("The renewal rate was 74% in 2022, up 3pp from 68% in 2021.", RATES_AND_RIVAL),
        ("A. Moss received 1,187,902 votes for.", VOTES),
        ("Research and development was €7,442 million.", FLATTENED),
        ("Research and development was $7,442 billion, against $6,797 million a year before.", FLATTENED),
        ("Compute brought about 72% of the total (4,460 / 7,192).", SEGMENTS),
        ("Cash outflows were $13.1 billion in Q2 2023.", CASH),
        ("The price is 30 cents.", chunk("c1", "The price is 25 cents. Delivery takes 30 minutes.")),
        ("Revenue went from $40,665 million to $39,669 million, a change of 7%.",
         chunk("c1", "Revenue | 40,665 | 39,669 | (2)%\nCosts | 30,100 | 28,000 | 7%")),
    ],
)  # fmt: skip
def test_what_can_be_proved_wrong_is_refuted(claim: str, source: object) -> None:
    assert check_support(claim, [source]).verdict == "numbers_differ"  # type: ignore[list-item]


def test_a_table_does_not_repeat_whose_figures_it_gives() -> None:
    rows = "| Gross margin percentage | July 1, 2023 |\n|---|---|\n| Products | 35.4% |\n| Services | 70.5% |"
    title = (
        "This is a report of Apple Inc. to its owners. Weakness had an impact on the Company’s total net sales, which "
        "decreased 1%."
    )
    evidence = [chunk("c1", rows, document_id="d1"), chunk("c2", title, document_id="d1")]
    for sentence in (
        "Apple's gross margin percentage was 35.4% for Products. [c1]",
        "Weakness had an impact on Apple's total net sales, which decreased 1%. [c2]",
    ):
        (claim,) = judge_claims(sentence, evidence)
        assert claim["verdict"] in ("supported", "verbatim", "unverified"), claim["reason"]
    (foreign,) = judge_claims("For Products, Nokia had a gross margin percentage of 35.4%. [c1]", evidence)
    assert foreign["verdict"] == "not_in_source"


QUARTERS = chunk(
    "c1",
    "Net sales $ 121,234 $ 3,599 $ 124,833 $ 134,383\nOperating expenses 117,917 3,764 121,681 126,702\n"
    "Operating income 3,317 (165) 3,152 7,681",
)


@pytest.mark.parametrize(
    ("claim", "is_wrong"),
    [
        ("Net sales $3,599, operating expenses 3,764, operating income (165).", False),
        ("Net sales $3,599, operating expenses 3,764, operating income 3,317.", True),
        ("Net sales $121,234, operating expenses 3,764, operating income (165).", True),
        ("Net sales 121,234 and 134,383; operating expenses 117,917 and 126,702; income 3,317 and 7,681.", False),
        ("Net sales 121,234 and 134,383; operating expenses 117,917 and 126,702; income 3,152 and 7,681.", True),
        ("Net sales were $121,234, operating expenses 117,917 and, at old rates, 121,681.", False),
    ],
)
def test_the_figures_of_a_list_stand_in_the_same_columns(claim: str, is_wrong: bool) -> None:
    assert (check_support(claim, [QUARTERS]).verdict in REFUTED) is is_wrong


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("For the nine months to September 30, 2022, costs rose.", "At September 30, 2022, costs rose."),
        ("The pump stops at around 50 psi.", "At around 50psi the pump stops."),
        ("Donors are 21-32 years old.", "Donors must be between the ages of 21 and 32."),
        ("Earnings peak for men aged 55-64, at $1,015.", "For men 55 to 64, earnings were highest, at $1,015."),
        ("Dear [Supervisor's Name], I ask for leave.", "A letter opens with Dear and asks for leave."),
        ("Bake it at 400 degrees Fahrenheit.", "Bake it at 400 degrees."),
    ],
)
def test_what_other_words_give_is_not_refuted(claim: str, source: str) -> None:
    assert check_support(claim, [chunk("c1", source)]).verdict not in REFUTED


def test_a_division_whose_result_stands_in_the_sentence_before_is_not_wrong() -> None:
    rows = "| Total revenue, USD k | 1052300 | 1156400 |\n| Loaded miles, million | 241.6 | 251.3 |"
    table = f"| Line | FY2022 | FY2024 |\n|---|---|---|\n{rows}"
    claim = (
        "That is revenue divided by loaded miles: $1,052.3 million / 241.6 million, $1,156.4 million / 251.3 million."
    )
    assert check_support(claim, [chunk("c1", table)]).verdict not in REFUTED


def test_the_columns_of_an_answer_may_be_split_years() -> None:
    minutes = chunk("c1", "23/146 FINANCE REPORT\nThe year-to-date deficit was GBP 14.8m. Cash was GBP 22.6m.")
    paper = chunk("c2", "At the end of October 2024 the deficit was £9.4m. Cash was £13.7m.")
    answer = "| Month 7 | 2023/24 | 2024/25 |\n|---|---|---|\n| Deficit | £14.8m [c1] | £9.4m [c2] |"
    (_, row) = judge_claims(answer, [minutes, paper])
    assert row["verdict"] in ("supported", "verbatim")


@pytest.mark.parametrize(("day", "is_wrong"), [("30 September 2024", False), ("30 June 2024", True)])
def test_a_report_on_a_quarter_speaks_of_its_last_day(day: str, is_wrong: bool) -> None:
    report = chunk("c1", "NIBD rose to NOK 1,689 million. The dividend was paid on 8 May 2024.")
    report["heading"] = "Interim report – third quarter 2024"
    verdict = check_support(f"NIBD rose to NOK 1,689 million by {day}.", [report]).verdict
    assert (verdict in REFUTED) is is_wrong


def test_a_month_that_the_source_names_without_its_year_is_no_other_time() -> None:
    paper = "Directors approved Phase 2 in February 2024. The sale of the site fell through in August."
    assert (
        check_support("The sale of the site fell through in August 2024.", [chunk("c1", paper)]).verdict not in REFUTED
    )
    assert check_support("The sale of the site fell through in May 2024.", [chunk("c1", paper)]).verdict in REFUTED


def test_a_change_of_two_computed_shares_follows_from_them() -> None:
    tables = [
        chunk("c1", "| Zone | Sales 2023 | Profit 2023 |\n|---|---|---|\n| GC | 2,548 | 422 |"),
        chunk("c2", "| Zone | Sales 2022 | Profit 2022 |\n|---|---|---|\n| GC | 2,677 | 400 |"),
    ]
    row = "GC | 14.9% (400 / 2,677) | 16.6% (422 / 2,548) | {} pp"
    assert check_support(row.format("+1.6"), tables).verdict not in REFUTED
    assert check_support(row.format("+2.6"), tables).verdict in REFUTED


@pytest.mark.parametrize(
    ("claim", "is_for_a_model"),
    [
        ("The EBITDA margin was 12.7% before and 9.4% after restructuring, against 13.0% a year earlier.", True),
        ("The allowance comes to CHF 646.", True),
        ("Net income was 15,960 in Q3 2024.", False),
    ],
)
def test_what_may_be_computed_is_for_a_model_to_decide(claim: str, is_for_a_model: bool) -> None:
    rows = "| Revenue | 1,742 | 1,566 |\n| EBITDA before restructuring | 221 | 204 |\n| Net income | 43 | 58 |"
    table = f"| | Q3 2024 | Q3 2023 |\n|---|---|---|\n{rows}"
    (found,) = judge_claims(f"{claim[:-1]} [c1].", [chunk("c1", table)])
    assert (found["verdict"] in REFUTED, found.get("is_reading", False)) == (True, is_for_a_model)


def test_a_count_of_the_items_that_follow_is_not_a_figure_of_the_source() -> None:
    films = chunk(
        "c1",
        "| Film | Year |\n|---|---|\n| Iron Man 3 | 2013 |\n| Man of Steel | 2013 |\n| R.I.P.D. | 2013 |\n"
        "| Kick-Ass 2 | 2013 |",
    )
    listed = "12, Film (Year: 2013): Iron Man 3, Man of Steel, R.I.P.D. and Kick-Ass 2 [c1]."
    assert judge_claims(listed, [films])[0]["verdict"] in REFUTED
    right = listed.replace("12,", "Four,")
    assert judge_claims(right, [films])[0]["verdict"] not in REFUTED


def test_a_cell_that_only_its_caption_calls_a_percentage_is_the_bare_number_too() -> None:
    survey = chunk(
        "c1",
        "| Offence | 2021 | 2023 |\n|---|---|---|\n| Homicide | 58 | 52 |\n\n"
        "Feel safe after dark (% of respondents)\n\n| Group | 2021 | 2023 |\n|---|---|---|\n| Women | 64 | 58 |",
    )
    assert judge_claims("Women: 58 in 2023 [c1].", [survey])[0]["verdict"] == "supported"
    assert judge_claims("Women: 52 in 2023 [c1].", [survey])[0]["verdict"] in REFUTED
