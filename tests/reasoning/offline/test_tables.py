"""Answers from tables: looked up, or reckoned from cells that the sentence shows, so that the audit can follow."""

from dataclasses import replace

import pytest

from masis.audit.verdicts import judge_claims
from masis.language.question import parsed
from masis.reasoning.offline.likelihood import signs_of
from masis.reasoning.offline.tables.anchors import MarkedRow, TableQuery
from masis.reasoning.offline.tables.calculations import IN_PERCENT
from masis.reasoning.offline.tables.grid import Table, tables_of
from masis.reasoning.offline.tables.lookup import TableAnswer, answer_from_tables
from masis.reasoning.offline.tables.reading import in_words
from masis.reasoning.offline.tables.trials import trials
from masis.reasoning.offline.tables.values import amount, day
from masis.reasoning.offline.writer import written
from masis.reasoning.ports import Passage, WritingBrief, as_passage
from masis.types import EvidenceChunk
from tests.support.engines import chunk
from tests.support.growth import MOST, growth

RESULTS = chunk(
    "c00000000a1",
    "The following table shows our results (in thousands):\n\n"
    "|  |  | Years Ended December 31, |  |\n|---|---|---|---|\n|  | 2019 | 2018 | 2017 |\n"
    "| Total revenue | $63,333 | $69,549 | $60,000 |\n"
    "| Other operating expenses | 27.0 | 33.7 | 11.8 |\n"
    "| Total other operating expenses | 166.3 | 513.3 | 256.0 |\n"
    "| Gross margin | 41.5% | 40.0% | 38.5% |\n"
    "| Interest expense | (998) | (719) | (650) |",
    file_name="results.html",
    document_id="d1",
)
WARDS = chunk(
    "c00000000b2",
    "| Department | Beds | Nurses | Opened |\n|---|---|---|---|\n"
    "| Cardiology | 120 | 80 | 1995 |\n| Oncology | 90 | 95 | 2004 |\n| Surgery | 60 | 70 | 1988 |\n"
    "| Total | 270 | 245 |  |",
    file_name="wards.csv",
    document_id="d2",
)
EVIDENCE = [RESULTS, WARDS]


def asked(question: str, *evidence: EvidenceChunk) -> TableAnswer | None:
    return answer_from_tables(question, [as_passage(c) for c in evidence or EVIDENCE])


def only_table(*evidence: EvidenceChunk) -> Table:
    (table,) = tables_of([as_passage(c) for c in evidence])
    return table


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was total revenue in 2018?", "Total revenue: $69,549 thousand in 2018. [c00000000a1]"),
        ("What were other operating expenses in 2019?", "Other operating expenses: $27.0 thousand in 2019."),
        ("What were the total other operating expenses in 2019?", "Total other operating expenses: $166.3 thousand"),
        ("What was the gross margin in 2019 and 2017 respectively?", "Gross margin: 41.5% in 2019 and 38.5% in 2017."),
        (
            "What was the change in total revenue between 2018 and 2019?",
            "Total revenue decreased by $6,216 thousand (8.94%), from $69,549 thousand in 2018 to $63,333 thousand",
        ),
        ("What was the percentage change in total revenue from 2018 to 2019?", "decreased by 8.94%"),
        ("What was the change in gross margin from 2018 to 2019?", "increased by 1.5 percentage points"),
        ("What is the average total revenue for 2018 and 2019?", "average $66,441"),
        (
            "In which year was total revenue the highest?",
            "was higher in 2018 ($69,549 thousand) than in 2019 ($63,333)",
        ),
        (
            "What was the change in interest expense between 2018 and 2019?",
            "changed by $279 thousand, from $(719) thousand in 2018",
        ),
        ("How many beds does cardiology have?", "Cardiology, Beds: 120."),
        ("Which department has the fewest nurses?", "Surgery: Nurses 70, less than Cardiology (80)"),
        ("Which department has the most beds?", "Cardiology: Beds 120, more than Oncology (90) and Surgery (60)."),
    ],
)
def test_a_question_is_answered_from_cells_that_the_sentence_shows_and_the_audit_agrees(
    question: str, said: str
) -> None:
    answer = asked(question)
    assert answer is not None
    (sentence,) = answer.sentences
    assert said in sentence
    assert [c["verdict"] for c in judge_claims(sentence, EVIDENCE)] in (["supported"], ["verbatim"])
    assert 0.45 <= answer.strength <= 1


@pytest.mark.parametrize(
    "question",
    [
        "What was total revenue in 2012?",
        "What was depreciation in 2019?",
        "How many beds does neurology have?",
        "Why did total revenue decrease in 2019?",
        "What was the change in headcount between 2018 and 2019?",
        "Who is the chief executive?",
        "What does the company say about its strategy?",
    ],
)
def test_what_the_tables_do_not_hold_is_not_answered_from_them(question: str) -> None:
    assert asked(question) is None


QUARTERS = [
    chunk(
        f"c0000000{n}",
        f"Sales (in millions)\n\n|  | Three Months Ended {month} {year} | Three Months Ended {month} {year - 1} "
        f"| Six Months Ended {month} {year} |\n|---|---|---|---|\n"
        f"| Total net sales | ${n},000 | ${n - 10},000 | ${2 * n},000 |\n| Cost of sales | 500 | 400 | 900 |\n"
        "| Research and development | 30 | 20 | 50 |",
        file_name=f"{year} {quarter} ACME.pdf",
        document_id=f"d{n}",
    )
    for n, year, quarter, month in (
        (311, 2022, "Q3", "June 25,"),
        (422, 2023, "Q1", "December 31,"),
        (533, 2023, "Q3", "July 1,"),
    )
]


def test_a_figure_is_followed_through_a_series_of_documents_one_line_for_the_period_of_each() -> None:
    answer = asked("How have total net sales changed over time?", *QUARTERS)
    assert answer is not None
    assert [s.partition(" for ")[0] for s in answer.sentences] == [
        "Total net sales: $311,000 million",
        "Total net sales: $533,000 million",
        "Total net sales: $422,000 million",
    ]
    assert all(c["verdict"] in ("supported", "verbatim") for s in answer.sentences for c in judge_claims(s, QUARTERS))


@pytest.mark.parametrize(
    ("question", "figure", "source"),
    [
        ("What were total net sales in Q3 2023?", "$533,000", "c0000000533"),
        ("What were total net sales in Q3 2022?", "$311,000", "c0000000311"),
        ("What were total net sales in the latest quarter?", "$533,000", "c0000000533"),
        ("What were total net sales for the six months ended July 1, 2023?", "$1066,000", "c0000000533"),
    ],
)
def test_the_quarter_asked_for_is_found_by_the_documents_name_and_the_column(
    question: str, figure: str, source: str
) -> None:
    answer = asked(question, *QUARTERS)
    assert answer is not None
    assert figure in answer.sentences[0]
    assert {cell.chunk_id for cell in answer.cited} == {source}


def test_every_cited_cell_is_found_at_its_characters() -> None:
    answer = asked("What was the change in total revenue between 2018 and 2019?")
    assert answer is not None
    assert [RESULTS["text"][cell.start : cell.end] for cell in answer.cited] == ["$63,333", "$69,549"]


def test_a_header_of_two_lines_names_the_columns_and_the_caption_their_unit() -> None:
    table = only_table(RESULTS)
    assert table.columns[1:] == tuple(f"Years Ended December 31, {year}" for year in (2019, 2018, 2017))
    assert "in thousands" in table.above
    assert table.kinds == ("text", "amount", "amount", "amount")
    assert table.timed == (1, 2, 3)


def test_a_table_that_was_cut_is_put_together_again() -> None:
    rows = WARDS["text"].split("\n")
    first, rest = "\n".join(rows[:4]), "\n".join(rows[4:])
    one = chunk("c1", first, file_name="wards.csv", document_id="d2")
    other = chunk("c2", rest, file_name="wards.csv", document_id="d2")
    other |= {"heading": "Department | Beds | Nurses | Opened", "start": len(first) + 1}
    whole = only_table(other, one)
    assert [row.cells[0].text for row in whole.rows] == ["Cardiology", "Oncology", "Surgery", "Total"]
    assert [cell.passage.chunk_id for cell in whole.column_cells(1)] == ["c1", "c1", "c2", "c2"]
    assert not whole.part_of_more
    assert only_table(other).part_of_more


def test_rows_that_do_not_follow_each_other_are_two_tables() -> None:
    again = chunk("c9", WARDS["text"], file_name="wards.csv", document_id="d2")
    assert len(tables_of([as_passage(WARDS), as_passage(again)])) == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$ (1,234)", -1234.0),
        ("(7)", -7.0),
        ("−298", -298.0),
        ("12.5 %", 12.5),
        ("—", 0.0),
        ("56 m", 56.0),
        ("1,234[2]", 1234.0),
        ("1:30.5", 90.5),
        ("27 June", None),
        ("3–1", None),
        ("n/a", None),
    ],
)
def test_the_amount_of_a_cell(text: str, value: float | None) -> None:
    assert amount(text) == value


def test_days_are_ordered_however_they_are_written() -> None:
    written = ["3 May 1997", "June 1, 1997", "1997-07-02", "1998"]
    found = [day(text) or 0.0 for text in written]
    assert found == sorted(found)


def test_trials_reckon_what_they_say() -> None:
    table = only_table(WARDS)
    made = {(t.form, t.value) for t in trials(TableQuery("how many more beds has cardiology than surgery"), table)}
    assert {("difference", 60.0), ("sum_of", 180.0), ("average_of", 90.0), ("ratio", 2.0)} <= made


@pytest.mark.parametrize("character", ["x", "1", "١", "."])
def test_a_long_run_of_one_character_is_read_in_linear_time(character: str) -> None:
    def answered(text: str) -> TableAnswer | None:
        strange = chunk("c3", f"| a | b |\n|---|---|\n| {text} | {text} |", file_name="x.md")
        return answer_from_tables("how many a", [as_passage(strange)])

    assert growth(answered, character) < MOST


def test_a_long_question_is_read_in_linear_time() -> None:
    assert growth(lambda text: answer_from_tables(f"how many {text}", [as_passage(WARDS)]), "a ") < MOST


STATEMENTS = (
    "(In millions, except per share amounts)\n"
    "|  | Three Months Ended October 29, 2023 | Three Months Ended October 30, 2022 "
    "| Nine Months Ended October 29, 2023 | Nine Months Ended October 30, 2022 |\n|---|---|---|---|---|\n"
    "| Revenue | $18,120 | $5,931 | $38,819 | $20,923 |\n"
    "| Cost of revenue | 4,720 | 2,754 | 11,309 | 9,400 |\n"
    "| Net income | $9,243 | $680 | $17,475 | $2,954 |\n"
    "| Net income per share: |  |  |  |  |\n"
    "| Diluted | $3.71 | $0.27 | $7.01 | $1.17 |"
)


def filed(name: str, text: str, about: str, heading: str = "Condensed statements of income") -> Passage:
    return Passage(f"c{abs(hash(name)) % 10**10:010}", name, 3, text, heading, about=about)


NVIDIA = filed("2023 Q3 NVDA.pdf", STATEMENTS, "nvidia; quarter ended 2023-10-29")
OTHER = filed(
    "2023 Q3 AMZN.pdf",
    "|  | Three Months Ended September 30, 2022 | Three Months Ended September 30, 2023 |\n|---|---|---|\n"
    "| Net income | $2,872 | $9,879 |\n| Total net sales | 127,101 | 143,083 |",
    "quarter ended 2023-09-30",
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was NVIDIA's net income in Q3 2023?", "Net income: $9,243 million for the three months"),
        (
            "What was NVIDIA's net income in the third quarter of fiscal 2024?",
            "Net income: $9,243 million for the three",
        ),
        (
            "What was NVIDIA's net income in the third quarter of 2022?",
            "$680 million for the three months ended October",
        ),
        ("What was NVIDIA's net income in the nine months ended October 29, 2023?", "Net income: $17,475 million"),
        (
            "What was NVIDIA's revenue as reported in its 10-Q for the third quarter of 2023?",
            "Revenue: $18,120 million",
        ),
        ("What were diluted earnings per share of NVIDIA in Q3 2023?", "$3.71 for the three months"),
    ],
)
def test_whose_and_for_when_is_said_by_the_document_and_not_by_the_cell(question: str, said: str) -> None:
    answer = answer_from_tables(question, [OTHER, NVIDIA])
    assert answer is not None
    assert said in answer.sentences[0]


def test_a_point_in_time_is_not_answered_by_what_happened_until_then() -> None:
    flows = filed(
        "2023 Q1 NVDA.pdf",
        "|  | Three Months Ended April 30, 2023 | Three Months Ended May 1, 2022 |\n|---|---|---|\n"
        "| Inventories | 566 | (560) |\n| Accounts payable | 11 | 255 |",
        "nvidia; quarter ended 2023-04-30",
        "Cash flows",
    )
    held = Passage(
        "c0000000777",
        "2023 Q1 NVDA.pdf",
        5,
        "|  | April 30, 2023 | January 29, 2023 |\n|---|---|---|\n| Inventories | 4,611 | 5,159 |\n"
        "| Total assets | 44,460 | 41,182 |",
        "Balance sheets",
        about="nvidia; quarter ended 2023-04-30",
    )
    answer = answer_from_tables("What were NVIDIA's inventories as of April 30, 2023?", [flows, held])
    assert answer is not None
    assert "4,611" in answer.sentences[0]


def test_the_unit_and_the_rounding_that_were_ordered_are_obeyed_and_borne_out() -> None:
    part = parsed("What was NVIDIA's revenue in Q3 2023? Answer in USD billions and round to one decimal.").parts[0]
    answer = answer_from_tables(part.for_reading, [NVIDIA], orders=part.directives)
    assert answer is not None
    assert "$18,120 million ($18.1 billion)" in answer.sentences[0]
    chunk = {**EVIDENCE[0], "chunk_id": NVIDIA.chunk_id, "text": NVIDIA.text, "heading": NVIDIA.heading}
    assert {c["verdict"] for c in judge_claims(answer.sentences[0], [chunk])} <= {"supported", "verbatim"}  # type: ignore[list-item]


SALES = filed(
    "2023 Q3 AMZN.pdf",
    "Net sales by groups of similar products and services (in millions):\n"
    "|  | Three Months Ended September 30, 2022 | Three Months Ended September 30, 2023 |\n|---|---|---|\n"
    "| Net Sales: |  |  |\n| Online stores | $53,489 | $57,267 |\n| Physical stores | 4,694 | 4,959 |\n"
    "| AWS | 20,538 | 23,059 |\n| Consolidated | $78,721 | $85,285 |\n| Employees | 12 | 14 |",
    "amazon; quarter ended 2023-09-30",
)


def test_a_breakdown_is_a_small_table_of_the_rows_that_add_up_each_cited() -> None:
    question = "In Q3 2023, what was the revenue breakdown across Amazon's various service offerings?"
    answer = answer_from_tables(question, [SALES])
    assert answer is not None
    rows = answer.sentences[0].splitlines()
    assert rows[0] == "|  | Three Months Ended September 30, 2023 |"
    named = [row.split("|")[1].strip() for row in rows[2:]]
    assert named == ["Online stores", "Physical stores", "AWS", "Consolidated"]
    assert all(SALES.chunk_id in row for row in rows[2:])
    chunk = {**EVIDENCE[0], "chunk_id": SALES.chunk_id, "text": SALES.text, "heading": SALES.heading}
    verdicts = [c["verdict"] for c in judge_claims(answer.sentences[0], [chunk]) if c["kind"] != "heading"]  # type: ignore[list-item]
    assert len(verdicts) == 4
    assert set(verdicts) <= {"verbatim", "supported"}


@pytest.mark.parametrize(
    "question",
    [
        "Compare total revenue in 2019 with 2018.",
        "What was total revenue in 2019 compared with 2018?",
        "How did total revenue in 2019 compare with 2018?",
    ],
)
def test_a_comparison_of_two_years_tells_both_and_no_other(question: str) -> None:
    answer = written(WritingBrief(question, [as_passage(c) for c in EVIDENCE]))
    assert [figure for figure in ("63,333", "69,549", "60,000") if figure in answer] == ["63,333", "69,549"]


STAFF = chunk(
    "c00000000c3",
    "| Department | Head | Headcount 2023 | Headcount 2024 | Open positions |\n|---|---|---|---|---|\n"
    "| Engineering | Priya Nair | 142 | 168 | 11 |\n| Sales | Tom Becker | 87 | 91 | 4 |\n"
    "| Finance | Ahmed Saleh | 23 | 24 | 0 |",
    file_name="headcount.csv",
    document_id="d3",
)
SHIPPING = chunk(
    "c00000000d4",
    "Key figures (NOK million)\n\n| | 2023 | 2022 | 2021 |\n|---|---|---|---|\n| Revenue | 6,482 | 5,914 | 5,120 |\n"
    "| EBITDA | 702 | 655 | 640 |\n| EBITDA margin | 10.8% | 11.1% | 12.5% |",
    file_name="report.pdf",
    document_id="d4",
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        (
            "Compare revenue in 2021 and 2023",
            [["", "2021", "2023", "Change"],
             ["Revenue", "NOK 5,120 million", "NOK 6,482 million", "+NOK 1,362 million (+26.6%)"]],
        ),
        (
            "How did the EBITDA margin in 2023 compare with the year before?",
            [["", "2022", "2023", "Change"], ["EBITDA margin", "11.1%", "10.8%", "-0.3 percentage points"]],
        ),
        (
            "Compare Engineering's and Finance's open positions",
            [["", "Open positions"], ["Engineering", "11"], ["Finance", "0"], ["Difference", "11"]],
        ),
        (
            "Compare the headcount of Engineering and Sales in 2024",
            [["", "Headcount 2024"], ["Engineering", "168"], ["Sales", "91"], ["Difference", "77"]],
        ),
        (
            "How do Sales and Finance compare?",
            [["", "Headcount 2023", "Headcount 2024", "Open positions"],
             ["Sales", "87", "91", "4"], ["Finance", "23", "24", "0"]],
        ),
        (
            "Compare revenue and EBITDA in 2022 and 2023",
            [["", "2022", "2023", "Change"],
             ["Revenue", "NOK 5,914 million", "NOK 6,482 million", "+NOK 568 million (+9.60%)"],
             ["EBITDA", "NOK 655 million", "NOK 702 million", "+NOK 47 million (+7.18%)"]],
        ),
    ],
)  # fmt: skip
def test_a_comparison_is_a_small_table_whose_every_figure_is_cited(question: str, rows: list[list[str]]) -> None:
    answer = written(WritingBrief(question, [as_passage(c) for c in (STAFF, SHIPPING)]))
    lines = [line.strip("| ") for line in answer.splitlines() if not line.startswith("|--")]
    told = [[cell.partition("[")[0].strip() for cell in line.split("|")] for line in lines]
    assert told == [rows[0][1:], *rows[1:]]
    figures = [cell for line in lines[1:] for cell in line.split("|")[1:]]
    assert all("[c00000000" in cell for cell in figures)
    assert {c["verdict"] for c in judge_claims(answer, [STAFF, SHIPPING]) if c["kind"] == "claim"} == {"supported"}


ORDERS = chunk(
    "c00000000e5",
    "| Customer | Region | Year | Revenue 2024 (EUR) | Revenue 2025 (EUR) | Staff |\n|---|---|---|---|---|---|\n"
    "| Adler | North | 1990 | 100 | 120 | 5 |\n| Berg | South | 2001 |  | 90 | 7 |\n"
    "| Cole | North | 2010 | 50 | 40 | 2 |",
    file_name="customers.csv",
    document_id="d5",
)
MARGINS = chunk(
    "c00000000f6",
    "| Region | Quarter | Margin % |\n|---|---|---|\n| North | Q1 2025 | 31.5 |\n| North | Q2 2025 | 30.1 |\n"
    "| South | Q1 2025 | 28.0 |\n| South | Q2 2025 | 27.4 |",
    file_name="margins.csv",
    document_id="d6",
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        (
            "Compare revenue of all customers",
            [["Customer", "Revenue 2024 (EUR)", "Revenue 2025 (EUR)", "Change"],
             ["Adler", "EUR 100", "EUR 120", "+EUR 20 (+20.0%)"], ["Berg", "", "EUR 90", ""],
             ["Cole", "EUR 50", "EUR 40", "-EUR 10 (-20.0%)"]],
        ),
        (
            "Compare the customers in North by revenue in 2025",
            [["Customer", "Revenue 2025 (EUR)"], ["Adler", "EUR 120"], ["Cole", "EUR 40"]],
        ),
        ("Compare staff per customer", [["Customer", "Staff"], ["Adler", "5"], ["Berg", "7"], ["Cole", "2"]]),
        (
            "Compare margin across regions",
            [["Region", "Margin %"], ["North, Q1 2025", "31.5"], ["North, Q2 2025", "30.1"],
             ["South, Q1 2025", "28.0"], ["South, Q2 2025", "27.4"]],
        ),
        ("Compare margin across regions in Q2 2025", [["Region", "Margin %"], ["North", "30.1"], ["South", "27.4"]]),
    ],
)  # fmt: skip
def test_a_whole_column_is_compared_row_by_row(question: str, rows: list[list[str]]) -> None:
    found = asked(question, ORDERS, MARGINS)
    assert found
    (text,) = found.sentences
    lines = [line.strip("|").split("|") for line in text.splitlines() if not line.startswith("|--")]
    assert [[cell.partition("[")[0].strip() for cell in line] for line in lines] == rows
    assert all("[c00000000" in cell for line in lines[1:] for cell in line[1:] if cell.strip())
    judged = judge_claims(text, [ORDERS, MARGINS])
    assert {c["verdict"] for c in judged if c["kind"] == "claim"} == {"supported"}


def test_of_a_long_column_the_largest_are_shown_and_the_others_counted() -> None:
    lines = "\n".join(f"| Shop {n} | {n * 7 % 61} |" for n in range(1, 61))
    shops = chunk("c00000000a7", f"| Shop | Sales |\n|---|---|\n{lines}", file_name="shops.csv", document_id="d7")
    found = asked("Compare sales of all shops", shops)
    assert found
    title, _, table = found.sentences[0].partition("\n\n")
    assert title == "**The 50 largest of 60 rows; 10 are left out**"
    assert table.count("\n| Shop ") == 50
    assert "| 60 [" in table
    assert "| 1 [" not in table
    part_of_more: EvidenceChunk = {**shops, "table_rows": 5_000}
    found = asked("Compare sales of all shops", part_of_more)
    assert found
    assert "**The 50 largest of 5,000 rows; 4,950 are left out**" in found.sentences[0]


@pytest.mark.parametrize("question", ["Compare debt of all customers", "Compare the customer Adler", "All customers?"])
def test_a_column_that_a_table_does_not_have_is_not_compared(question: str) -> None:
    found = asked(question, ORDERS)
    assert found is None or found.kind != "comparison"


def test_what_a_table_does_not_have_is_not_compared() -> None:
    for question in ("Compare revenue in 2019 and 2023", "Compare the headcount of Engineering and Legal in 2024"):
        assert "| Change |" not in written(WritingBrief(question, [as_passage(c) for c in (STAFF, SHIPPING)]))
        assert "Difference" not in written(WritingBrief(question, [as_passage(c) for c in (STAFF, SHIPPING)]))


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ("| Revenue | NOK 5,120 million [c00000000d4] | NOK 6,482 million [c00000000d4] |", "supported"),
        ("| Revenue | NOK 5,120 million [c00000000d4] | NOK 6,842 million [c00000000d4] |", "numbers_differ"),
        ("| Revenue | NOK 6,482 million [c00000000d4] | NOK 5,120 million [c00000000d4] |", "numbers_differ"),
        ("| Revenue | NOK 5,120 million [c00000000c3] | NOK 6,482 million [c00000000d4] |", "numbers_differ"),
    ],
    ids=["right", "wrong figure", "years exchanged", "another passage"],
)
def test_the_audit_reads_a_table_cell_by_cell(row: str, verdict: str) -> None:
    answer = f"|  | 2021 | 2023 |\n|---|---|---|\n{row}"
    (claim,) = [c for c in judge_claims(answer, [STAFF, SHIPPING]) if c["kind"] == "claim"]
    assert claim["verdict"] == verdict
    assert [part["text"].partition(" [")[0].strip("| ") for part in claim["parts"]] == [
        cell.partition(" [")[0].strip() for cell in row.strip("|").split("|")[1:]
    ]


@pytest.mark.parametrize(
    ("caption", "told"),
    [
        ("£ million", "£1,742 million"),
        ("Results (£m)", "£1,742 million"),
        ("In EUR million", "EUR 1,742 million"),
        ("(in thousands of euros)", "1,742 thousand euros"),
        ("£'000", "£1,742 thousand"),
        ("Amounts in USD", "1,742"),
    ],
)
def test_the_currency_of_the_unit_line_goes_with_the_figure(caption: str, told: str) -> None:
    passage = Passage("c1", "a.pdf", 1, f"{caption}\n\n| | 2024 | 2023 |\n|---|---|---|\n| Revenue | 1,742 | 1,650 |")
    answer = answer_from_tables("What was revenue in 2024?", [passage])
    assert answer is not None
    assert answer.sentences[0].startswith(f"Revenue: {told} in 2024.")


STATEMENT = chunk(
    "c00000000c3",
    "EUR million\n\n| | 2024 | 2023 | 2022 |\n|---|---|---|---|\n| Net sales | 412.6 | 371.2 | 340.9 |\n"
    "| Gross profit | 165.5 | 144.7 | 129.9 |\n| Operating profit | 55.9 | 44.8 | 37.8 |\n"
    "| Income tax | (11.6) | (9.3) | (8.0) |",
    file_name="norvik-2024.md",
    document_id="d3",
)
SEGMENTS = chunk(
    "c00000000d4",
    "| Line | Unit | 2024 | 2023 |\n|---|---|---|---|\n| Revenue, cross-border | USD k | 183900 | 158600 |\n"
    "| Total revenue | USD k | 1156400 | 1068000 |\n| Operating income | USD k | 94500 | 81300 |\n"
    "| Tractors | units | 2310 | 2250 |\n| of which electric | units | 57 | 21 |",
    file_name="tessaly.csv",
    document_id="d4",
)


@pytest.mark.parametrize(
    ("question", "said", "evidence"),
    [
        (
            "How fast did net sales grow in 2024?",
            "Net sales increased by 11.2%, from EUR 371.2 million in 2023",
            STATEMENT,
        ),
        ("What was sales growth in 2023?", "Net sales increased by 8.89%, from EUR 340.9 million in 2022", STATEMENT),
        ("By what percentage did operating profit rise in 2024?", "Operating profit increased by 24.8%", STATEMENT),
        (
            "What was the operating margin in 2024?",
            "Operating profit to Net sales: 13.5% in 2024 (EUR 55.9 million",
            STATEMENT,
        ),
        ("What was the gross margin in 2022?", "Gross profit to Net sales: 38.1% in 2022", STATEMENT),
        ("What was the operating margin in 2024?", "Operating income to Total revenue: 8.17% in 2024", SEGMENTS),
        ("How fast did cross-border revenue grow in 2024 compared with 2023?", "increased by 16.0%", SEGMENTS),
        ("What share of tractors was electric in 2024?", "2.47% in 2024 (57 to 2310)", SEGMENTS),
        ("What percentage of tractors ran on electric drive in 2024?", "2.47% in 2024 (57 to 2310)", SEGMENTS),
        ("What was the gross margin in 2018?", "Gross margin: 40.0% in 2018", RESULTS),
    ],
)
def test_growth_margins_and_shares_are_worked_out_where_no_row_gives_them(
    question: str, said: str, evidence: EvidenceChunk
) -> None:
    found = answer_from_tables(question, [as_passage(evidence)], 0.3)
    assert found is not None
    assert said in found.sentences[0]


def test_a_margin_in_money_is_no_percentage() -> None:
    report = chunk(
        "c00000000f6",
        "(in millions)\n\n| | 2022 | 2021 |\n|---|---|---|\n| Total net sales | $82,959 | $81,434 |\n"
        "| Gross margin | 35,885 | 35,255 |",
        file_name="quarter.html",
        document_id="d6",
    )
    in_money, in_percent = (asked(f"What was the gross margin{said} in 2022?", report) for said in ("", " percentage"))
    assert in_money is not None
    assert "35,885 million" in in_money.sentences[0]
    assert in_percent is not None
    assert "43.3%" in in_percent.sentences[0]


@pytest.mark.parametrize(
    "question", ["How fast did headcount grow in 2024?", "What was the effective tax rate in 2024?"]
)
def test_a_figure_that_cannot_be_worked_out_is_not_answered_with_another(question: str) -> None:
    assert asked(question, STATEMENT) is None


REGIONS = chunk(
    "c00000000e5",
    "## Sales by region\n\nEUR million\n\n| Region | 2024 | 2023 |\n|---|---|---|\n| North | 201.3 | 168.4 |\n"
    "| South | 118.9 | 121.6 |\n| East | 92.4 | 61.2 |\n| Total | 412.6 | 351.2 |",
    file_name="regions.md",
    document_id="d5",
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which regions shrank in 2024?", ["South decreased by EUR 2.7 million"]),
        ("Which regions grew in 2024?", ["North increased", "East increased"]),
        (
            "Which region grew most in 2024?",
            ["East increased by EUR 31.2 million (51.0%), from EUR 61.2 million in 2023"],
        ),
    ],
)
def test_rows_that_rose_or_fell_are_found_by_their_figures(question: str, said: list[str]) -> None:
    found = asked(question, REGIONS)
    assert found is not None
    assert len(found.sentences) == len(said)
    assert all(part in sentence for part, sentence in zip(said, found.sentences, strict=True))


def test_a_column_keeps_the_bracket_that_it_closes_with() -> None:
    stays = chunk(
        "c00000000f1",
        "| Ward | Beds | Average stay (days) |\n|---|---|---|\n| Oncology | 26 | 7.8 |\n| Surgery | 34 | 5.4 |",
    )
    found = asked("What is the average stay in Oncology?", stays)
    assert found is not None
    assert found.sentences[0].startswith("Oncology, Average stay (days): 7.8")


GROUP_RESULTS = chunk(
    "c00000000h1",
    "Profit of the group was held back by Harbour Towage.\n\nGroup results, EUR million\n\n"
    "| | 2024 | 2023 |\n|---|---|---|\n| Sales | 517.3 | 487.1 |\n| Operating profit | 39.8 | 34.2 |",
    file_name="report.md",
    document_id="d8",
    heading="Marlow Shipping plc\nFinancial review",
    start=9000,
)
SEGMENT_RESULTS = chunk(
    "c00000000h2",
    "Segment operating profit, EUR million\n\n| Segment | 2024 | 2023 |\n|---|---|---|\n"
    "| Harbour Towage | 5.1 | 9.7 |\n| Dry Bulk | 34.7 | 24.5 |",
    file_name="report.md",
    document_id="d8",
    heading="Marlow Shipping plc\nSegments",
)
STORES = chunk(
    "c00000000h3",
    "| Store | Country | Opened | Pallets | Staff |\n|---|---|---|---|---|\n"
    "| Hull | United Kingdom | 1988 | 41000 | 214 |\n| Wisbech | United Kingdom | 1999 | 52000 | 260 |\n"
    "| Dublin | Ireland | 2011 | 33000 | 171 |\n"
    "| Cork | Ireland | 2018 | 19000 | 97 |\n| Sligo | Ireland | 2024 | 8000 | 44 |",
    file_name="stores.csv",
    document_id="d9",
)
MARKET = chunk(
    "c00000000h4",
    "| Country | Pallets (million) |\n|---|---|\n| Ireland | 0.7 |\n| France | 7.1 |",
    file_name="market.md",
    document_id="d10",
    heading="Cold storage in Ireland and France",
)


def test_the_figure_of_the_group_is_not_that_of_a_segment() -> None:
    question = "What was the operating profit of Harbour Towage in 2024?"
    assert asked(question, GROUP_RESULTS) is None
    assert "39.8" not in written(WritingBrief(question, [as_passage(GROUP_RESULTS)]))
    found = asked(question, GROUP_RESULTS, SEGMENT_RESULTS)
    assert found is not None
    assert "Harbour Towage" in found.sentences[0]
    assert "5.1 million" in found.sentences[0]


@pytest.mark.parametrize("whose", ["Marlow Shipping's operating profit", "the operating profit of Marlow"])
def test_a_document_s_own_name_need_not_stand_at_the_cell(whose: str) -> None:
    found = asked(f"What was {whose} in 2024?", GROUP_RESULTS, SEGMENT_RESULTS)
    assert found is not None
    assert "39.8 million" in found.sentences[0]


def test_a_row_that_lacks_the_name_asked_for_counts_against_the_answer() -> None:
    quoted = judge_claims("Operating profit | 39.8 | 34.2 [c00000000h1]", [GROUP_RESULTS])
    of_group, of_segment = (
        signs_of(f"What was the operating profit {whose} in 2024?", quoted, [GROUP_RESULTS])[0]
        for whose in ("of the group", "of Harbour Towage")
    )
    assert of_segment.shortfall == of_group.shortfall + 1


def test_a_table_and_a_sentence_that_say_the_same_bear_each_other_out() -> None:
    report = chunk("c00000000h5", "The newest of our stores, at {}, opened its doors in spring.", file_name="news.md")
    agreeing, other = ({**report, "text": report["text"].format(name)} for name in ("Sligo", "Derry"))
    question = "Which of our stores opened most recently?"
    told = [
        signs_of(question, judge_claims(f"{e['text']} [c00000000h5]", [e, STORES]), [e, STORES])[0].table
        for e in (agreeing, other)
    ]
    assert told[0] > 0 >= told[1]


def test_what_stands_out_of_a_column_is_told_in_one_sentence_that_the_audit_can_follow() -> None:
    answer = written(WritingBrief("Which store has the most pallets?", [as_passage(STORES)]))
    assert answer.startswith("Wisbech: Pallets 52000, more than Hull (41000), Dublin (33000)")
    (claim,) = judge_claims(answer, [STORES])
    assert claim["verdict"] == "supported"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the average staff of the stores in Ireland?", "Dublin 171, Cork 97 and Sligo 44, average 104"),
        ("How many pallets do we have in Ireland in total?", "Dublin 33000, Cork 19000 and Sligo 8000, total 60,000"),
    ],
)
def test_rows_that_match_are_added_up_with_the_sum_shown_and_borne_out(question: str, said: str) -> None:
    evidence = [MARKET, STORES]
    answer = written(WritingBrief(question, [as_passage(c) for c in evidence]))
    assert [c["verdict"] for c in judge_claims(answer, evidence) if said in c["text"]] == ["supported"]


def test_rows_are_not_added_up_where_some_of_the_table_are_missing() -> None:
    cut = replace(as_passage(STORES), table_rows=400)
    found = answer_from_tables("How many pallets do we have in Ireland in total?", [cut])
    assert found is None or found.kind != "sum"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "By how much did sales grow between 2023 and 2024?",
            "Sales increased by EUR 30.2 million (6.20%), from EUR 487.1",
        ),
        ("How much did operating profit rise in 2024?", "Operating profit increased by EUR 5.6 million"),
        ("By how much has operating profit changed since 2023, in percent?", "Operating profit increased by 16.4%"),
    ],
)
def test_by_how_much_a_figure_moved_is_worked_out(question: str, said: str) -> None:
    found = asked(question, GROUP_RESULTS)
    assert found is not None
    assert said in found.sentences[0]


def test_a_rate_is_a_percentage() -> None:
    assert IN_PERCENT.search("Vacancy rate")
    assert not IN_PERCENT.search("Corporate")


LIMITS = chunk(
    "c00000000t1",
    "Hotel limits per night\n\n| City | Limit until 30 June 2025 (€) | Limit from 1 July 2025 (€) |\n|---|---|---|\n"
    "| Leeds | 120 | 130 |\n| London | 190 | 215 |\n| Vitoria | 95 | 105 |",
    file_name="travel.html",
)


def test_a_row_beside_a_name_is_told_only_where_that_is_asked_for() -> None:
    before = asked("Which city is listed before London?", LIMITS)
    assert before is not None
    assert "Leeds" in before.sentences[0]
    other = asked("Hotel limit for London: what was it before the summer?", LIMITS)
    assert other is None or "Leeds" not in other.sentences[0]


def test_two_times_of_a_row_come_with_their_difference() -> None:
    plants = chunk(
        "c00000000t2", "Output\n\n| Units | 2024 | 2028 |\n|---|---|---|\n| Brno | 212 | 342 |\n| Leeds | 90 | 95 |"
    )
    found = asked("In which year is the output of Brno higher, 2024 or 2028?", plants)
    assert found is not None
    assert "a difference of 130" in found.sentences[0]


def test_two_parts_with_one_answer_get_it_once() -> None:
    passages = [as_passage(REGIONS)]
    answer = written(WritingBrief("Which region grew most in 2024 and by how much?", passages))
    assert answer.count("East increased") == 1
    assert "51.0%" in answer


def test_a_table_of_a_passage_that_is_not_read_as_an_answer_is_not_asked() -> None:
    quotes = chunk(
        "c00000000t3",
        "Quotes:\n\n| Foundry | Country | EUR/kg | First samples |\n|---|---|---|---|\n"
        "| Brzezina | Poland | 2.24 | 10 |\n| Valdarsa | Italy | 2.31 | 8 |\n| Tannhof | Germany | 2.18 | 3 |",
        file_name="mail.eml",
    )
    question = "How many hospitals are in Poland?"
    assert asked(question, quotes) is not None
    assert "do not answer" in written(WritingBrief(question, [as_passage(quotes)]))


DEPOTS = chunk(
    "c00000000d9",
    "Depot register, revenue in thousand euros\n\n"
    "| Depot | Country | Depot manager | Revenue 2024 | Revenue 2023 | Staff |\n|---|---|---|---|---|---|\n"
    "| Linz | Austria | Petra Hofer | 8,120 | 8,960 | 41 |\n"
    "| Brescia | Italy | Dario Conti | 6,440 | 6,010 | 35 |\n"
    "| Gdynia | Poland | Ewa Nowak | 9,730 | 9,105 | 52 |\n"
    "| Total |  |  | 24,290 | 24,075 | 128 |",
    file_name="depots.xlsx",
    document_id="d9",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who runs the Brescia site?", "Dario Conti"),
        ("How much turnover did Linz lose between 2023 and 2024?", "840"),
        ("How many people are on the payroll in Gdynia?", "52"),
        ("Which depot is the smallest by headcount?", "Brescia"),
    ],
)
def test_other_words_than_the_tables_are_understood(question: str, told: str) -> None:
    answer = asked(question, DEPOTS)
    assert answer is not None
    assert told in answer.sentences[0]


@pytest.mark.parametrize(
    "question", ["What rent do we pay in Brescia?", "Who audits the Linz depot?", "How old is the manager in Gdynia?"]
)
def test_what_no_cell_says_is_not_read_into_one(question: str) -> None:
    assert asked(question, DEPOTS) is None


def branches(*rows: str, head: str = "Branch | Staff | Opened") -> EvidenceChunk:
    lines = [head, "|".join("---" for _ in head.split("|")), *rows]
    return chunk("c00000000f1", "\n".join(f"| {line} |" for line in lines), file_name="branches.md")


OPENED = branches("Bergen | 120 | 1995", "Oslo | 45 | 2004", "Tromsø | 60 | 1988", "Stavanger | 40 | 1999")
OPENED_AND_CLOSED = branches(
    "Bergen | 12 March 2001 | 3 May 2019",
    "Oslo | 4 June 1998 | 9 July 2021",
    "Tromsø | 8 August 2005 | 2 February 2015",
    head="Branch | Opened | Closed",
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which branch opened first?", "Branch: Tromsø (Opened: 1988). [c00000000f1]"),
        ("What was the first branch opened after 1990?", "Branch: Bergen (Opened: 1995). [c00000000f1]"),
        ("Which branch with fewer than 50 staff opened first?", "Branch: Stavanger (Staff: 40; Opened: 1999)."),
        ("Which branch is listed first?", "Branch: Bergen. [c00000000f1]"),
        ("Which branch is first in the table?", "Branch: Bergen. [c00000000f1]"),
    ],
)
def test_the_first_is_first_in_time_unless_the_list_itself_is_asked_about(question: str, said: str) -> None:
    answer = asked(question, OPENED)
    assert answer is not None
    assert said in answer.sentences[0]
    assert [c["verdict"] for c in judge_claims(answer.sentences[0], [OPENED])] in (["supported"], ["verbatim"])


RANKED = branches("Norway | 30 | 1955", "Sweden | 20 | 1931", "Finland | 9 | 1948", head="Team | Points | Founded")


@pytest.mark.parametrize(
    ("question", "place"),
    [("Which team came first?", ("first", "Norway")), ("Which team was last?", ("last", "Finland"))],
)
def test_a_place_in_a_ranking_is_not_one_in_time(question: str, place: tuple[str, str]) -> None:
    tried = {
        t.form: t.answer for t in trials(TableQuery(question), only_table(RANKED)) if t.column == 0 and not t.filters
    }
    assert tried[place[0]] == (place[1],)


def test_a_column_called_date_orders_without_being_named() -> None:
    held = branches("Leeds | 2004-05-01", "Derby | 1999-03-02", "York | 2001-01-09", head="Venue | Date")
    assert ends("Which venue was first?", held) == ({"Derby"}, {"Leeds"})


def test_years_among_days_are_not_put_in_order() -> None:
    mixed = branches("Leeds | 2 January 1988", "Derby | 1988", "York | March 1988", head="Venue | Opened")
    assert ends("Which venue opened first?", mixed) == ({"Leeds"}, {"York"})


def test_more_rows_of_the_same_date_than_can_be_named_are_mentioned() -> None:
    rows = [f"{name} | 1988" for name in ("Bergen", "Oslo", "Hamar", "Bodø", "Molde", "Narvik")]
    answer = asked("Which branch opened first?", branches(*rows, "Alta | 2001", head="Branch | Opened"))
    assert answer is not None
    assert "and others" in answer.sentences[0]


def test_a_column_called_listed_is_one_of_dates_as_well() -> None:
    answer = asked(
        "Which company was listed first?", branches("Aker | 2004", "Bonheur | 1998", head="Company | Listed")
    )
    assert answer is not None
    assert answer.sentences == ("Company: Bonheur (Listed: 1998). [c00000000f1]",)


def test_days_without_a_year_remain_as_they_are_listed() -> None:
    season = branches("Opening | 3 September", "Derby | 9 November", "Final | 12 January", head="Match | Date")
    answer = asked("Which match was the last?", season)
    assert answer is not None
    assert answer.sentences == ("Match: Final. [c00000000f1]",)


def ends(question: str, evidence: EvidenceChunk) -> tuple[set[str], set[str]]:
    """The branches that are tried as the first and as the last of all."""
    tried = [t for t in trials(TableQuery(question), only_table(evidence)) if t.column == 0 and not t.filters]
    first, last = ({text for t in tried if t.form == form for text in t.answer} for form in ("first", "last"))
    return first, last


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Which branch opened first?", "Oslo", "Tromsø"),
        ("Which branch closed first?", "Tromsø", "Oslo"),
        ("Which branch was first?", "Bergen", "Tromsø"),
        ("Which branch is listed first?", "Bergen", "Tromsø"),
    ],
)
def test_of_two_columns_of_dates_the_one_that_is_named_gives_the_order(question: str, first: str, last: str) -> None:
    assert ends(question, OPENED_AND_CLOSED) == ({first}, {last})


def test_the_word_last_does_not_name_the_column_last_elected() -> None:
    members = branches("Rossi | 1994 | 2009", "Kiss | 2001 | 2005", head="Name | Born | Last elected")
    assert ends("Who is the last?", members) == ({"Rossi"}, {"Kiss"})


def test_dates_with_gaps_give_an_order_only_if_they_are_asked_about() -> None:
    sparse = branches("Bergen | 120 |", "Oslo | 90 | 2004", "Tromsø | 60 | 1988")
    assert ends("Which branch opened first?", sparse) == ({"Tromsø"}, {"Oslo"})
    assert ends("Which branch was first?", sparse) == ({"Bergen"}, {"Tromsø"})


def test_who_is_as_early_as_the_first_is_named_too() -> None:
    evidence = branches("Bergen | 9 | 1995", "Oslo | 8 | 1988", "Tromsø | 7 | 1988")
    answer = asked("Which branch opened first?", evidence)
    assert answer is not None
    assert answer.sentences == ("Branch: Oslo (Opened: 1988), as early as Tromsø (1988). [c00000000f1]",)
    assert [c["verdict"] for c in judge_claims(answer.sentences[0], [evidence])] in (["supported"], ["verbatim"])


def test_a_row_that_the_selector_marks_is_tried_without_a_word_in_common() -> None:
    table = only_table(DEPOTS)
    row = table.rows[1]
    marked = (MarkedRow(DEPOTS["chunk_id"], row.statement.start, 0.9),)
    query = TableQuery("How many people work at the Lombardy branch?", marked=marked)
    assert "35" in {a for t in trials(query, table) for a in t.answer}
    assert "35" not in {a for t in trials(replace(query, marked=()), table) if t.form == "cell" for a in t.answer}


def test_a_trial_is_told_with_its_cells_its_conditions_and_its_caption() -> None:
    table = only_table(DEPOTS)
    query = TableQuery("What did the depot in Poland make in 2024?")
    told = [in_words(t, query) for t in trials(query, table) if t.form == "cell" and t.answer == ("9,730",)]
    assert any("Gdynia, Revenue 2024: 9,730" in one and "where Country Poland" in one for one in told)
    assert all(one.endswith("Depot register, revenue in thousand euros") for one in told)


@pytest.mark.parametrize(
    "table",
    [
        "|  | Quarter | Sales |\n|---|---|---|\n|  | Q1 2021 | 20 |\n|  | Q2 2021 | 24 |",
        "| Region | 2021 | 2022 |\n|---|---|---|\n|  | 10 | 12 |\n|  | 11 | 15 |",
        "|  | 2021 | 2022 |\n|---|---|---|\n|  |  | 12 |\n|  | 11 |  |",
    ],
)
def test_rows_without_a_name_are_read_all_the_same(table: str) -> None:
    evidence = chunk("c00000000e7", f"Sales\n\n{table}", file_name="bare.md", document_id="d7")
    asked("What were sales in 2021?", evidence)
    query = TableQuery("Which regions are listed, and what were sales in 2021?")
    assert all(in_words(t, query) for t in trials(query, only_table(evidence)))


@pytest.mark.parametrize(
    "question", ["Who runs the Graz depot?", "What was revenue in Spain in 2024?", "How many staff has the Lyon depot?"]
)
def test_a_row_that_is_marked_is_not_taken_for_another_name(question: str) -> None:
    table = only_table(DEPOTS)
    rows = tuple(MarkedRow(DEPOTS["chunk_id"], row.statement.start, 0.5) for row in table.rows[:3])
    assert answer_from_tables(question, [as_passage(DEPOTS)], rows=rows) is None


FERRIES = chunk(
    "c00000000j1",
    "| £ million | 2023 | 2024 |\n|---|---|---|\n| Passenger revenue | 41.2 | 40.1 |\n"
    "| Freight revenue | 18.7 | 21.3 |\n| Charter revenue | 6.4 | 7.9 |\n| Total revenue | 66.3 | 69.3 |\n"
    "| Operating profit | 5.1 | 4.4 |",
    file_name="board.md",
    document_id="d9",
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which revenue lines grew in 2024?", ["Freight revenue increased", "Charter revenue increased"]),
        ("Which revenue line grew most in 2024?", ["Charter revenue increased by £1.5 million (23.4%)"]),
    ],
)
def test_the_rows_that_share_a_word_of_the_question_are_those_it_asks_about(question: str, said: list[str]) -> None:
    found = asked(question, FERRIES)
    assert found is not None
    assert [s.startswith(part) for s, part in zip(found.sentences, said, strict=True)] == [True] * len(said)


def test_of_parts_and_their_total_the_total_is_compared() -> None:
    found = asked("Compare revenue in 2023 and 2024", FERRIES)
    assert found is not None
    assert "| Total revenue | £66.3 million" in found.sentences[0]


SHARES = chunk(
    "c00000000j2",
    "Depreciation\n\n| | 2024 |\n|---|---|\n| Food Starch | 4,020 |\n| Total | 4,264 |",
    file_name="report.md",
    document_id="d9",
)


def test_a_share_of_sales_is_not_taken_from_a_table_of_something_else() -> None:
    assert asked("What share of sales in 2024 came from Food Starch?", SHARES) is None


def test_a_document_may_be_called_by_the_first_letters_of_a_name() -> None:
    jobs = chunk(
        "c00000000j3",
        "| year | employed | unemployed |\n|---|---|---|\n| 2023 | 900 | 50 |\n| 2024 | 880 | 70 |",
        file_name="us-employment.csv",
    )
    found = asked("How many people were unemployed in the United States in 2024?", jobs)
    assert found is not None
    assert "70" in found.sentences[0]
    assert asked("How many people were unemployed in Northern Ireland in 2024?", jobs) is None


def test_a_row_that_the_selector_quotes_is_told_by_the_column_that_the_question_names() -> None:
    requests = chunk(
        "c00000000j4",
        "Requests received by Northgate in 2024\n\n| Type of request | Requests received | Identifiers in requests | "
        "Number of affected user accounts |\n|---|---|---|---|\n| Court order | 3 | 24 | 6 |\n"
        "| Subpoena | 10 | 64 | 8 |",
        file_name="transparency-2024.md",
    )
    answer = written(WritingBrief("How many user accounts were touched by subpoenas in 2024?", [as_passage(requests)]))
    assert "8" in answer
    assert "64" not in answer


HAULAGE = (
    "Freight revenue grew strongly.\n\n| £ million | 2023 | 2024 |\n|---|---|---|\n"
    "| Passenger revenue | 41.2 | 40.1 |\n"
)


def test_a_sentence_above_the_table_does_not_make_its_total_what_was_asked_for() -> None:
    freight = chunk("c00000000j5", f"{HAULAGE}| Freight revenue | 18.7 | 21.3 |\n| Total revenue | 66.3 | 69.3 |")
    found = asked("Compare freight revenue in 2023 and 2024", freight)
    assert found is not None
    assert "| Freight revenue | £18.7 million" in found.sentences[0]


SEGMENTS_OF_SALES = chunk(
    "c00000000j6",
    "| Segment | 2023 | 2024 |\n|---|---|---|\n| Cloud segment | 10 | 12 |\n| Devices segment | 10 | 12 |\n"
    "| Gaming | 10 | 15 |",
)


def test_where_the_header_says_what_the_rows_are_all_of_them_count() -> None:
    found = asked("Which segment grew most in 2024?", SEGMENTS_OF_SALES)
    assert found is not None
    assert found.sentences[0].startswith("Gaming increased")


@pytest.mark.parametrize("whole", ["revenue", "the company's revenue", "net revenue"])
def test_a_share_is_of_what_the_table_is_of_whoever_it_belongs_to(whole: str) -> None:
    regions = chunk(
        "c00000000j7",
        "Revenue by region\n\n| | 2024 |\n|---|---|\n| Europe | 40 |\n| Asia | 60 |\n| Total | 100 |",
    )
    found = asked(f"What share of {whole} came from Europe in 2024?", regions)
    assert found is not None
    assert "40" in found.sentences[0]


def test_initials_alone_do_not_make_a_name() -> None:
    jobs = chunk(
        "c00000000j8",
        "| year | employed | unemployed |\n|---|---|---|\n| 2023 | 900 | 50 |\n| 2024 | 880 | 70 |",
        file_name="us-employment.csv",
    )
    assert asked("How many people were unemployed in Upper Silesia in 2024?", jobs) is None


def test_no_change_is_worked_out_where_a_period_has_no_column_of_its_own() -> None:
    plan = chunk(
        "c00000000j9",
        "| Department | Budget 2022 | Actual 2022 | Actual 2021 |\n|---|---|---|---|\n| Sales | 10 | 12 | 9 |\n"
        "| Finance | 5 | 6 | 4 |",
    )
    found = asked("How do Sales and Finance compare in 2022 and 2023?", plan)
    assert found is None or "Change" not in found.sentences[0]


CROSSINGS = chunk(
    "c00000000e7",
    "| year | passengers | crew | vehicles |\n|---|---|---|---|\n"
    "| 2019 | 48210 | 310 | 9120 |\n| 2020 | 17350 | 288 | 6040 |\n| 2021 | 25900 | 291 | 7710 |\n"
    "| 2022 | 41080 | 305 | 8830 |",
    file_name="ferries.csv",
    document_id="d7",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "By how much did passengers rise between 2020 and 2022?",
            "passengers increased by 23,730 (136.8%), from 17350 in 2020 to 41080 in 2022",
        ),
        ("By how much did passengers fall from 2019 to 2020?", "passengers decreased by 30,860"),
        (
            "By what percentage did passengers grow between 2020 and 2022?",
            "passengers increased by 136.8%, from 17350 in 2020 to 41080 in 2022",
        ),
        ("How much did the number of vehicles change from 2019 to 2021?", "vehicles decreased by 1,410"),
    ],
)
def test_a_change_between_two_rows_that_are_years_is_worked_out(question: str, told: str) -> None:
    found = asked(question, CROSSINGS)
    assert found is not None
    assert told in found.sentences[0]
    assert {c["verdict"] for c in judge_claims(found.sentences[0], [CROSSINGS])} == {"supported"}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What was the average number of passengers between 2019 and 2022?", "41080 in 2022, average 33,135"),
        ("How many passengers were there in total from 2019 to 2021?", "25900 in 2021, total 91,460"),
        ("What was the average number of passengers in 2019 and 2022?", "41080 in 2022, average 44,645"),
    ],
)
def test_from_one_year_to_another_are_the_years_between_as_well(question: str, told: str) -> None:
    found = asked(question, CROSSINGS)
    assert found is not None
    assert told in found.sentences[0]
    assert {c["verdict"] for c in judge_claims(found.sentences[0], [CROSSINGS])} == {"supported"}


@pytest.mark.parametrize(
    ("question", "evidence", "verdict"),
    [
        ("Did total revenue increase in 2019?", RESULTS, "No"),
        ("Did total revenue fall in 2019?", RESULTS, "Yes"),
        ("Did passengers rise in 2021?", CROSSINGS, "Yes"),
        ("Was total revenue above $65 million in 2019?", RESULTS, "No"),
        ("Was total revenue above $60 million in 2019?", RESULTS, "Yes"),
    ],
)
def test_figures_in_a_table_decide_a_question_for_yes_or_no(
    question: str, evidence: EvidenceChunk, verdict: str
) -> None:
    answer = written(WritingBrief(question, [as_passage(evidence)]))
    assert answer.startswith(f"**{verdict}**\n\n")
    assert {c["verdict"] for c in judge_claims(answer, [evidence]) if c["kind"] == "claim"} == {"supported"}


BUDGETS = chunk(
    "c00000000f8",
    "| year | revenue | revenue budget | net debt |\n|---|---|---|---|\n| 2022 | 41 | 40 | 30 |\n"
    "| 2023 | 45 | 50 | 25 |\n| 2024 | 48 | 60 | 20 |",
    file_name="budgets.csv",
    document_id="d8",
)


@pytest.mark.parametrize(
    "question",
    [
        "Did revenue grow by more than 10% in 2024?",
        "Did revenue rise above 50 in 2024?",
        "Did net debt fall below 10 in 2024?",
        "Did revenue grow faster than net debt in 2024?",
        "Did net debt improve in 2024?",
        "Did revenue exceed the revenue budget in 2024?",
        "Did revenue not increase in 2024?",
        "Has revenue increased since the contract was cut?",
    ],
)
def test_a_question_for_more_than_rose_or_fell_gets_no_verdict(question: str) -> None:
    answer = written(WritingBrief(question, [as_passage(BUDGETS)]))
    assert not answer.startswith("**")


def test_a_change_up_to_another_year_decides_nothing() -> None:
    two_years = replace_rows(BUDGETS, "| 2023 | 45 | 50 | 25 |\n| 2024 | 48 | 60 | 20 |")
    assert not written(WritingBrief("Did revenue increase in 2023?", [as_passage(two_years)])).startswith("**")


def test_a_table_that_may_be_in_thousands_decides_nothing_about_millions() -> None:
    answer = written(WritingBrief("Were there more than 17 million passengers in 2020?", [as_passage(CROSSINGS)]))
    assert "17350" in answer
    assert not answer.startswith("**")


BY_REGION = chunk(
    "c00000000h9",
    "| year | region | passengers |\n|---|---|---|\n| 2019 | North | 100 |\n| 2019 | South | 900 |\n"
    "| 2020 | North | 150 |\n| 2020 | South | 700 |\n| 2021 | North | 130 |\n| 2021 | South | 880 |",
    file_name="regions.csv",
    document_id="d9",
)
BY_QUARTER = chunk(
    "c00000000k1",
    "| quarter | revenue |\n|---|---|\n| Q3 2023 | 36 |\n| Q4 2023 | 45 |\n| Q1 2024 | 42 |",
    file_name="quarters.csv",
    document_id="d10",
)


@pytest.mark.parametrize(
    ("question", "evidence", "wrong"),
    [
        ("What was the average of North passengers from 2019 to 2021?", BY_REGION, ("476", "115")),
        ("How many passengers did the South have in total between 2019 and 2021?", BY_REGION, ("2,860", "1,780")),
        ("What was the average revenue from Q3 2023 to Q1 2024?", BY_QUARTER, ("average 39",)),
    ],
)
def test_a_range_is_averaged_whole_or_not_at_all(
    question: str, evidence: EvidenceChunk, wrong: tuple[str, ...]
) -> None:
    told = " ".join(found.sentences) if (found := asked(question, evidence)) else ""
    assert not any(figure in told for figure in wrong)


def test_a_range_of_years_leaves_out_the_quarters_between() -> None:
    mixed = chunk(
        "c00000000k2",
        "| period | revenue |\n|---|---|\n| Q3 2022 | 24 |\n| Q4 2022 | 23 |\n| 2022 | 47 |\n| Q1 2023 | 26 |\n"
        "| 2023 | 53 |",
        file_name="mixed.csv",
    )
    told = (
        " ".join(found.sentences) if (found := asked("What was the average revenue from 2022 to 2023?", mixed)) else ""
    )
    assert not told or "average 50" in told


def test_rows_of_two_regions_are_no_change_of_one() -> None:
    answer = written(WritingBrief("Did passengers rise between 2019 and 2021?", [as_passage(BY_REGION)]))
    assert not answer.startswith("**")


@pytest.mark.parametrize(
    ("question", "evidence", "said"),
    [
        ("How many years had more than 40,000 passengers?", CROSSINGS, "Two, year: 2019 (passengers 48210) and 2022"),
        ("What share of the beds are in Oncology?", WARDS, "Beds: 90 (Oncology) to 270 (Total), a share of 33.3%"),
        ("Which departments have more than 80 beds?", WARDS, "Department: Cardiology and Oncology."),
        ("How many nurses work in Oncology and Surgery together?", WARDS, "(Oncology) and 70 (Surgery), total 165"),
        ("How have passenger numbers changed since 2019?", CROSSINGS, "passengers decreased by 7,130 (14.8%)"),
        ("Have vehicles increased since 2020?", CROSSINGS, "**Yes**\n\nvehicles increased by 2,790 (46.2%)"),
    ],
)
def test_what_cells_answer_is_not_lost_to_our_own_audit(question: str, evidence: EvidenceChunk, said: str) -> None:
    answer = written(WritingBrief(question, [as_passage(evidence)]))
    assert said in answer
    assert {c["verdict"] for c in judge_claims(answer, [evidence]) if c["kind"] == "claim"} == {"supported"}


def test_nothing_changes_from_one_column_to_another_thing() -> None:
    found = asked("How have passengers changed?", replace_rows(CROSSINGS, "| 2019 | 48210 | 310 | 9120 |"))
    assert found is None or found.kind not in ("change", "percent_change")


def replace_rows(evidence: EvidenceChunk, row: str) -> EvidenceChunk:
    head = "\n".join(evidence["text"].splitlines()[:2])
    return {**evidence, "text": f"{head}\n{row}"}
