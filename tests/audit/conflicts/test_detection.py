import time
from typing import Any

import pytest

from masis.audit.conflicts.detection import conflicts_with_answer, find_conflicts, joined
from masis.audit.verdicts import judge_claims
from tests.support.engines import chunk

QUESTION = "What was customer churn in fiscal 2025?"


def pair(first: str, second: str, **changes: Any) -> list[Any]:
    return [
        chunk("c1", first, file_name="report.pdf", document_id="d1", date="2026-03-14"),
        chunk("c2", second, file_name="memo.docx", document_id="d2", date="2026-02-03") | changes,
    ]


def kinds(question: str, evidence: list[Any]) -> list[str]:
    return [conflict["kind"] for conflict in find_conflicts(question, evidence)]


def test_the_same_figure_with_two_values_is_a_contradiction_with_both_sides() -> None:
    evidence = pair("Customer churn in fiscal 2025 was 7.4%.", "For fiscal 2025 we counted a customer churn of 9.1%.")
    (conflict,) = find_conflicts(QUESTION, evidence)
    assert conflict["kind"] == "contradiction"
    assert {(s["file_name"], s["value"]) for s in conflict["sides"]} == {
        ("report.pdf", "7.4%"),
        ("memo.docx", "9.1%"),
    }
    assert {s["date"] for s in conflict["sides"]} == {"2026-03-14", "2026-02-03"}
    assert "churn" in conflict["about"]
    assert conflict["period"] == "2025"
    assert "7.4%" in conflict["explanation"]
    assert "9.1%" in conflict["explanation"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Customer churn in fiscal 2025 was 7.4%.", "Customer churn in fiscal 2025 was 7.4 percent.", []),
        ("Customer churn in fiscal 2025 was 7.4%.", "Gross margin in fiscal 2025 was 41.8%.", []),
        (
            "Customer churn in fiscal 2025 was 7.4%.",
            "The target for customer churn in fiscal 2025 is 6.0%.",
            [],
        ),
        (
            "Customer churn in fiscal 2025 was 7.4%.",
            "Preliminary customer churn for fiscal 2025 was 7.9%.",
            ["revision"],
        ),
        (
            "Net customer churn in fiscal 2025 was 7.4%.",
            "Gross customer churn in fiscal 2025 was 9.1%.",
            ["different_definition"],
        ),
        (
            "Customer churn in fiscal 2025 was 7.4%, down from 8.0% in fiscal 2024.",
            "Customer churn in fiscal 2025 was 7.4%.",
            [],
        ),
    ],
)
def test_kinds_are_told_apart(first: str, second: str, expected: list[str]) -> None:
    assert kinds(QUESTION, pair(first, second)) == expected


def test_another_period_is_no_contradiction() -> None:
    evidence = pair("Gross margin in fiscal 2025 was 41.8%.", "Gross margin in fiscal 2024 was 38.9%.")
    assert "contradiction" not in kinds("How did gross margin develop?", evidence)


def test_one_document_does_not_contradict_itself() -> None:
    evidence = pair(
        "Customer churn in fiscal 2025 was 7.4%.", "Customer churn in fiscal 2025 was 9.1%.", document_id="d1"
    )
    assert kinds(QUESTION, evidence) == []


def test_a_conflict_beside_the_question_is_not_raised() -> None:
    evidence = pair("Customer churn in fiscal 2025 was 7.4%.", "Customer churn in fiscal 2025 was 9.1%.")
    assert kinds("Who audits the financial statements?", evidence) == []


def test_counted_things_must_be_the_same() -> None:
    evidence = pair("The company had 612 employees in 2025.", "The company had 38 sites in 2025.")
    assert kinds("How many employees and sites did the company have in 2025?", evidence) == []


CHURN = ("Customer churn in fiscal 2025 was 7.4%.", "Customer churn in fiscal 2025 was 9.1%.")
SHIPPED = "Figure | 2025\nSensors shipped (thousands) | 1,222"


@pytest.mark.parametrize(
    "question",
    ["How many customers were there at the end of 2025?", "Why do customers leave?", "Where are the customers?"],
)
def test_a_figure_that_is_not_asked_for_raises_nothing(question: str) -> None:
    assert kinds(question, pair(*CHURN)) == []


@pytest.mark.parametrize(
    "question", ["What was the customer churn rate in 2025?", "Why was customer churn so high in 2025?"]
)
def test_a_figure_that_is_asked_for_does(question: str) -> None:
    assert kinds(question, pair(*CHURN)) == ["contradiction"]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How many sensors were shipped in 2025?", SHIPPED, "In 2025 the company shipped 1,222,000 sensors."),
        ("How many sensors were shipped?", "Sensors shipped (thousands) 1,222", "1,222,000 sensors were shipped."),
        (
            "What was revenue in 2025?",
            "year|revenue_million_usd\n---|---\n2025|184.1",
            "Revenue in 2025 was $184,100,000.",
        ),
        (
            "What was revenue in 2025?",
            "Results (in million US dollars)\nItem | 2025\nRevenue | 184.1",
            "Revenue in 2025 was $184,100,000.",
        ),
        ("What was revenue?", "Revenue rose $20 million in 2025.", "Revenue was $184 million in 2025."),
        ("What was revenue?", "Revenue rose by $20 million in 2025.", "Revenue rose to $184 million in 2025."),
        ("How many customers are there?", "There were over 1,000 customers.", "There were 1,212 customers."),
        ("How many customers are there?", "There were nearly 1,000 customers.", "There were 985 customers."),
        ("What is the price?", "The price of product A is $10 per unit.", "The price of product B is $20 per unit."),
        ("How many people are there?", "The office in Lyon has 340 people.", "The office in Brno has 212 people."),
        ("What is the temperature?", "The temperature is 60 °C.", "The temperature is 140 °F."),
        ("What is the distance?", "The distance to the site is 10 km.", "The distance to the site is 6.2 miles."),
        ("How long is the contract?", "The contract runs for 24 months.", "The contract runs for two years."),
        (
            "What was revenue in 2025?",
            "Revenue was $184 million in 2025, up from $171 million.",
            "In 2025 revenue was $184 million.",
        ),
    ],
)
def test_what_only_looks_different_is_no_conflict(question: str, first: str, second: str) -> None:
    assert kinds(question, pair(first, second)) == []


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How many sensors were shipped in 2025?", SHIPPED, "In 2025 the company shipped 1,322,000 sensors."),
        ("What was revenue?", "Revenue rose by $20 million in 2025.", "Revenue rose by $30 million in 2025."),
        ("How many customers are there?", "There were over 1,000 customers.", "There were 912 customers."),
        ("What is the price?", "The price of product A is $10 per unit.", "The price of product A is $20 per unit."),
        ("What is the temperature?", "The temperature is 60 °C.", "The temperature is 80 °C."),
        ("How many customers were there at the end of 2025?", "We had 1,000 customers at the end of 2025.",
         "There were 912 customers in 2025."),
    ],
)  # fmt: skip
def test_what_differs_still_conflicts(question: str, first: str, second: str) -> None:
    assert kinds(question, pair(first, second)) == ["contradiction"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("The warranty is 24 months.", "The product comes with a three-year warranty.", ["contradiction"]),
        ("The pump has a warranty of 24 months.", "The pump comes with a three-year warranty.", ["contradiction"]),
        ("The warranty is 24 months.", "The product comes with a two-year warranty.", []),
        ("The motor has a warranty of 24 months.", "The battery has a three-year warranty.", []),
        ("The warranty is 24 months.", "The three-year lease covers the building.", []),
    ],
)
def test_how_long_is_compared_whatever_it_is_counted_in(first: str, second: str, expected: list[str]) -> None:
    assert kinds("How long is the warranty?", pair(first, second)) == expected


def test_a_value_is_shown_with_its_measure() -> None:
    evidence = pair("The warranty is 24 months.", "The product comes with a three-year warranty.")
    (conflict,) = find_conflicts("How long is the warranty?", evidence)
    assert {side["value"] for side in conflict["sides"]} == {"24 months", "three-year"}


def under(title: str, output: str) -> str:
    return f"# {title}\n\n| Item | 2024 |\n|---|---|\n| Output (tonnes) | {output} |\n| Scrap (tonnes) | 14 |"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (under("Brno plant", "1,200"), under("Lyon plant", "900"), []),
        (under("Brno plant", "1,200"), under("Brno plant, as audited", "900"), ["contradiction"]),
        (under("Production", "1,200"), under("Figures", "900"), ["contradiction"]),
    ],
)
def test_tables_of_two_plants_are_told_apart_by_their_titles(first: str, second: str, expected: list[str]) -> None:
    assert kinds("What was the output in 2024?", pair(first, second)) == expected


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Revenue in 2024 was $84 million.", "Revenue for the trailing twelve months was $88 million."),
        ("Revenue in fiscal 2024 was $84 million.", "Revenue in calendar 2024 was $88 million."),
        ("Revenue in 2024 was $50m.", "Revenue in 2024 was €46m."),
        ("Revenue in 2024 was $84 million.", "Revenue in Europe was $31 million in 2024."),
    ],
)
def test_figures_of_another_span_currency_or_region_do_not_contradict(first: str, second: str) -> None:
    assert "contradiction" not in kinds("What was the revenue in 2024?", pair(first, second))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("In 2012 the CEO of Halvard was Anna Ruiz.", "The CEO of Halvard is Peter Holm.", ["different_period"]),
        ("The CEO of Halvard is Anna Ruiz.", "The CEO of Halvard is Peter Holm.", ["contradiction"]),
    ],
)
def test_who_it_was_leaves_open_who_it_is(first: str, second: str, expected: list[str]) -> None:
    assert kinds("Who is the CEO of Halvard?", pair(first, second)) == expected


def tables(row: str) -> list[Any]:
    """20 documents with 40 rows each; no two give the same values."""
    texts = (
        "Item | Revenue\n"
        + "\n".join(row.format(chr(97 + r % 26) * (r // 26 + 3), 1000 + 41 * d + r) for r in range(40))
        for d in range(20)
    )
    return [chunk(f"c{n}", text, document_id=f"d{n}", file_name=f"{n}.csv") for n, text in enumerate(texts)]


@pytest.mark.parametrize("row", ["Widget{0} revenue | {1}", "Revenue | {1}"])
def test_many_tables_are_compared_quickly_and_told_in_a_few_records(row: str) -> None:
    started = time.process_time()
    found = find_conflicts("What was revenue?", tables(row))
    assert time.process_time() - started < 6
    assert len(found) <= 5


def test_rows_that_only_an_unread_number_tells_apart_are_set_against_nothing() -> None:
    assert kinds("What was revenue?", tables("Revenue | {1}")) == []


def test_three_documents_with_two_values_make_one_record() -> None:
    texts = ("Revenue in 2024 was $12.4 million.", "In 2024 revenue was $12.9 million.", "2024 revenue: $12.9 million.")
    evidence: list[Any] = [
        chunk(f"c{n}", text, document_id=f"d{n}", file_name=f"{n}.txt") for n, text in enumerate(texts)
    ]
    assert kinds("What was revenue in 2024?", evidence) == ["contradiction"]


def test_a_table_can_contradict_a_sentence() -> None:
    table = "Key figures (%)\nFigure | 2025 | 2024\nCustomer churn | 9.1% | 8.0%\nGross margin | 41.8% | 38.9%"
    evidence = pair("Customer churn in fiscal 2025 was 7.4%.", table)
    assert kinds(QUESTION, evidence) == ["contradiction"]


def test_a_question_about_one_region_is_not_stopped_by_the_figures_of_the_whole() -> None:
    evidence = pair(
        "Final audited revenue in fiscal 2025 was $184.1 million. Revenue in Europe was $62.8 million in fiscal 2025.",
        "Preliminary revenue in fiscal 2025 was $182.4 million.",
    )
    assert kinds("What was revenue in Europe in fiscal 2025?", evidence) == []
    assert kinds("What was revenue in fiscal 2025?", evidence) == ["revision"]


def test_its_revenue_is_the_revenue_of_what_the_sentence_opens_with() -> None:
    evidence = pair(
        "Asia-Pacific was the fastest-growing region in fiscal 2025: its revenue rose to $27.2 million.",
        "Revenue in fiscal 2025 was $182.4 million.",
    )
    assert kinds("What was revenue in fiscal 2025?", evidence) == []


@pytest.mark.parametrize(
    ("question", "first", "second", "kind"),
    [
        (
            "What were earnings per diluted share in the fourth quarter of fiscal 2024?",
            "GAAP earnings per diluted share for the fourth quarter of fiscal 2024 were $4.93, up 765%.",
            "Non-GAAP earnings per diluted share for the fourth quarter of fiscal 2024 were $5.16.",
            "different_definition",
        ),
        (
            "What were earnings per share in fiscal 2023?",
            "Diluted earnings per share in fiscal 2023 were $6.13.",
            "Basic earnings per share in fiscal 2023 were $6.16.",
            "different_definition",
        ),
        (
            "By how much did net sales grow in 2023?",
            "Net sales growth in 2023 was 12%.",
            "Net sales growth in 2023 was 11% at constant currency.",
            "different_definition",
        ),
        (
            "How many employees were there in 2025?",
            "There were 412 employees in 2025, excluding contractors.",
            "There were 466 employees in 2025.",
            "different_definition",
        ),
        (
            "How many employees were there in 2025?",
            "There were 412 employees in 2025.",
            "There were 391 full-time equivalent employees in 2025.",
            "different_definition",
        ),
        (
            "What was revenue in 2024?",
            "Consolidated revenue in 2024 was $12.4 million.",
            "Segment revenue in 2024 was $3.9 million.",
            "different_definition",
        ),
        (
            "What was revenue in 2024?",
            "Revenue in 2024, as previously reported, was $12.9 million.",
            "Revenue in 2024 was $12.4 million.",
            "revision",
        ),
        (
            "What was revenue in 2024?",
            "Revenue in 2024 was $12.9 million.",
            "Restated revenue in 2024 was $12.4 million.",
            "revision",
        ),
        (
            "By how much did GDP grow in the second quarter of 2023?",
            "According to the advance estimate, GDP growth in the second quarter of 2023 was 2.4 percent.",
            "GDP growth in the second quarter of 2023 was 2.1 percent.",
            "revision",
        ),
        (
            "What was revenue in 2024?",
            "Net income rose to $2 million, and revenue in 2024 was $12.4 million.",
            "Revenue in 2024 was $12.9 million.",
            "contradiction",
        ),
        (
            "What was the gross margin in 2025?",
            "Gross margin in 2025 was 10% to 12%.",
            "Gross margin in 2025 was 14%.",
            "contradiction",
        ),
        (
            "What was net revenue in 2024?",
            "(in thousands)\nItem | 2024 | 2023\nNet revenue | 12,400 | 11,100\nCost of sales | 7,100 | 6,800",
            "Net revenue in 2024 was $12.9 million.",
            "contradiction",
        ),
    ],
)
def test_kinds_in_the_words_of_reports(question: str, first: str, second: str, kind: str) -> None:
    assert kinds(question, pair(first, second)) == [kind]


def test_the_explanation_says_which_definitions_part_them() -> None:
    evidence = pair("Diluted earnings per share in 2023 were $6.13.", "Basic earnings per share in 2023 were $6.16.")
    (conflict,) = find_conflicts("What were earnings per share in 2023?", evidence)
    assert "basic" in conflict["explanation"]
    assert "diluted" in conflict["explanation"]


@pytest.mark.parametrize("range_", ["10 to 12%", "10% to 12%", "between 10% and 12%", "10–12%"])
def test_a_range_holds_what_lies_in_it(range_: str) -> None:
    evidence = pair(f"Gross margin in 2025 was {range_}.", "Gross margin in 2025 was 11%.")
    assert kinds("What was gross margin in 2025?", evidence) == []


COPY = "Revenue in 2024 was $12.4 million. All figures are audited, and the board looks forward to a good year."


def test_copies_are_one_voice_and_the_record_names_the_others() -> None:
    evidence: list[Any] = [
        chunk("c1", COPY, document_id="d1", file_name="a.txt"),
        chunk("c2", "In 2024 the company had revenue of $12.9 million.", document_id="d2", file_name="b.txt"),
        chunk("c3", f"{COPY} So they say.", document_id="d3", file_name="c.txt"),
    ]
    (conflict,) = find_conflicts("What was revenue in 2024?", evidence)
    assert [side["file_name"] for side in conflict["sides"]] == ["a.txt", "b.txt"]
    assert "c.txt" in conflict["explanation"]


def test_a_copy_with_another_figure_is_a_conflict() -> None:
    evidence = pair(COPY, COPY.replace("12.4", "12.9"))
    assert kinds("What was revenue in 2024?", evidence) == ["contradiction"]


def test_an_answer_is_held_against_the_documents_it_does_not_cite() -> None:
    evidence = pair("Revenue in 2024 was $12.4 million.", "Revenue in 2024 was $12.9 million.")
    (conflict,) = conflicts_with_answer(
        "What was revenue in 2024?", judge_claims("In 2024 revenue was $12.4 million. [c1]", evidence), evidence
    )
    assert [side["chunk_id"] for side in conflict["sides"]] == ["c1", "c2"]
    assert conflict["sides"][0]["quote"] == "Revenue in 2024 was $12.4 million."


@pytest.mark.parametrize(
    ("answer", "second"),
    [
        ("Revenue in 2024 was $12.4 million. [c1]", "Revenue in 2023 was $11.1 million."),
        ("Revenue in 2024 was $12.4 million. [c1]", "Revenue in 2024 was 12,400 thousand dollars."),
        ("Revenue in 2024 was $12.4 million. [c1][c2]", "Revenue in 2024 was $12.9 million."),
        ("Revenue in 2024 was $12.4 million.", "Revenue in 2024 was $12.9 million."),
        ("Revenue in 2024 was $12.4 million. [c1]", "The cost of sales in 2024 was $7.9 million."),
    ],
)
def test_an_answer_that_nothing_uncited_contradicts(answer: str, second: str) -> None:
    evidence = pair("Revenue in 2024 was $12.4 million.", second)
    assert conflicts_with_answer("What was revenue in 2024?", judge_claims(answer, evidence), evidence) == []


def test_joining_keeps_each_conflict_once() -> None:
    found = find_conflicts(QUESTION, pair(*CHURN))
    assert joined(found, find_conflicts(QUESTION, pair(*CHURN)[::-1])) == found


def test_two_filings_of_a_series_are_for_different_times() -> None:
    texts = ("Total operating expenses 2,508 3,563", "Total operating expenses 2,983 2,576")
    evidence: list[Any] = [
        chunk(f"c{n}", text, document_id=f"d{n}", file_name=f"2023 Q{n} NVDA.pdf")
        for n, text in enumerate(texts, start=1)
    ]
    assert kinds("What were total operating expenses?", evidence) == ["different_period"]


def test_the_months_a_figure_is_for_are_no_figure() -> None:
    evidence = pair(
        "The effective tax rate for the first six months of 2023 was lower.",
        "The effective tax rate for the nine months ended July 1, 2023 was lower.",
    )
    assert kinds("What was the effective tax rate in 2023?", evidence) == []


def test_a_table_that_leaves_its_scale_to_the_reader_agrees_with_the_text() -> None:
    rows = "| | 2024 | 2023 |\n| --- | --- | --- |\n| Revenue | 517.3 | 487.1 |"
    evidence = [
        chunk("c1", rows, document_id="d1", file_name="accounts.md"),
        chunk("c2", "Revenue in 2024 was £517.3 million.", document_id="d2", file_name="minutes.md"),
    ]
    assert find_conflicts("What was revenue in 2024?", evidence) == []


def test_a_final_figure_that_is_set_against_an_estimate_is_not_preliminary_itself() -> None:
    evidence = [
        chunk("c1", "Preliminary operating profit is £41.2 million.", document_id="d1", file_name="mail.md"),
        chunk(
            "c2",
            "Operating profit was £39.8 million, which was £1.4 million below the flash estimate.",
            document_id="d2",
            file_name="minutes.md",
        ),
    ]
    (conflict,) = find_conflicts("What was operating profit?", evidence)
    assert conflict["kind"] == "revision"
