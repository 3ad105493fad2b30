"""Figures from tables: looked up, or reckoned from cells that the sentence shows, so that the audit can follow."""

import pytest

from masis.audit.verdicts import judge_claims
from masis.orchestrator.synthesizer import as_passage
from masis.reasoning.offline.calculation import calculated, operation_of
from masis.reasoning.offline.lookup import looked_up
from masis.reasoning.offline.question import parts_of
from masis.reasoning.offline.selection import candidates_of
from masis.types import EvidenceChunk
from tests.support.engines import chunk

RESULTS = chunk(
    "c00000000a1",
    "The following table shows our results (in thousands):\n\n"
    " |  | Years Ended December 31, |\n | 2019 | 2018 | 2017\n"
    "Total revenue | $63,333 | $69,549 | $60,000\n"
    "Other operating expenses | 27.0 | 33.7 | 11.8\n"
    "Total other operating expenses | 166.3 | 513.3 | 256.0\n"
    "Gross margin | 41.5% | 40.0% | 38.5%\n"
    "Interest expense | (998) | (719) | (650)",
    file_name="results.html",
    document_id="d1",
)
WARDS = chunk(
    "c00000000b2",
    "Department | Beds | Nurses\nCardiology | 120 | 80\nOncology | 90 | 95\nSurgery | 60 | 70\nTotal | 270 | 245",
    file_name="wards.csv",
    document_id="d2",
)
EVIDENCE = [RESULTS, WARDS]


def reckoned(question: str, evidence: list[EvidenceChunk] = EVIDENCE) -> str | None:
    return calculated(parts_of(question)[0], candidates_of([as_passage(c) for c in evidence]))


def found(question: str, evidence: list[EvidenceChunk] = EVIDENCE) -> list[str]:
    return looked_up(parts_of(question)[0], candidates_of([as_passage(c) for c in evidence]))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "What was the change in total revenue between 2018 and 2019?",
            "Total revenue (in thousands) decreased by $6,216, from $69,549 in 2018 to $63,333 in 2019.",
        ),
        ("What was the percentage change in total revenue from 2018 to 2019?", "decreased by 8.94%"),
        ("What was the change in gross margin from 2018 to 2019?", "increased by 1.5 percentage points"),
        ("What is the average total revenue for 2018 and 2019?", "average $66,441"),
        ("What was the sum of total revenue from 2017 to 2019?", "total $192,882"),
        (
            "In which year was total revenue the highest?",
            "was higher in 2018 ($69,549) than in 2019 ($63,333) and in 2017 ($60,000)",
        ),
        ("In which years was total revenue above 62,000?", "was above $62,000 in 2019 ($63,333) and in 2018 ($69,549)"),
        ("What was the change in interest expense between 2018 and 2019?", "changed by 279, from (719) in 2018"),
        ("Which department has the most beds?", "Cardiology: Beds 120, more than Oncology (90) and Surgery (60)."),
        ("Which department has the fewest nurses?", "Surgery: Nurses 70, less than Cardiology (80)"),
    ],
)
def test_a_figure_is_reckoned_from_the_cells_it_shows_and_the_audit_agrees(question: str, said: str) -> None:
    answer = reckoned(question)
    assert answer is not None
    assert said in answer
    assert [c["verdict"] for c in judge_claims(answer, EVIDENCE)] == ["supported"]


@pytest.mark.parametrize(
    "question",
    [
        "What was the change in headcount between 2018 and 2019?",
        "What was the change in total revenue between 2014 and 2015?",
        "Why did total revenue decrease in 2019?",
        "What was total revenue in 2019?",
    ],
)
def test_nothing_is_reckoned_where_the_cells_are_not_there_or_not_asked_for(question: str) -> None:
    assert reckoned(question) is None


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was total revenue in 2018?", ["Total revenue (in thousands): $69,549 in 2018. [c00000000a1]"]),
        ("What were other operating expenses in 2019?", ["Other operating expenses (in thousands): 27.0 in 2019."]),
        ("What were total other operating expenses in 2019?", ["Total other operating expenses"]),
        (
            "What was the gross margin in 2019 and 2017 respectively?",
            ["Gross margin: 41.5% in 2019 and 38.5% in 2017."],
        ),
        ("What was total revenue from 2017 to 2019?", ["$60,000 in 2017, $69,549 in 2018 and $63,333 in 2019"]),
        ("How many beds does cardiology have?", ["Cardiology, Beds: 120."]),
    ],
)
def test_a_figure_is_found_by_row_column_and_time(question: str, said: list[str]) -> None:
    answers = found(question)
    assert [part in answer for part, answer in zip(said, answers, strict=True)] == [True]
    assert all(c["verdict"] in ("verbatim", "supported") for a in answers for c in judge_claims(a, EVIDENCE))


@pytest.mark.parametrize(
    "question",
    ["What was total revenue in 2012?", "What was depreciation in 2019?", "How many beds does neurology have?"],
)
def test_another_row_or_year_is_not_taken_for_it(question: str) -> None:
    assert found(question) == []


def test_a_series_of_documents_gives_one_line_each_for_its_own_period() -> None:
    series = [
        chunk(
            f"c0000000{n}",
            f"(in millions)\nThree Months Ended\nMarch 31,\n{year} {year - 1}\n"
            f"Total net sales $ {year - 1000} $ {year - 1010}\nCost of sales 500 400\nOther income 3 2",
            file_name=f"{year}.pdf",
            document_id=f"d{n}",
        )
        for n, year in ((111, 2022), (222, 2023))
    ]
    answers = found("How have total net sales changed over time?", series)
    assert [a.partition(" for ")[0] for a in answers] == [
        "Total net sales (in millions): $1022",
        "Total net sales (in millions): $1023",
    ]


def test_what_is_asked_is_told_from_what_a_row_is_called() -> None:
    assert operation_of(parts_of("What were total sales in 2019?")[0]) is None
    assert operation_of(parts_of("What are total sales in 2019 and 2018 respectively?")[0]) is None
    assert operation_of(parts_of("What caused the increase in total sales between 2018 and 2019?")[0]) is None
    assert operation_of(parts_of("What is the total of sales in 2019 and 2018?")[0]) == "sum"
