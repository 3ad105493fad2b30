"""Answers from tables: looked up, or reckoned from cells that the sentence shows, so that the audit can follow."""

import pytest

from masis.audit.verdicts import judge_claims
from masis.language.question import parsed
from masis.reasoning.offline.tables.anchors import TableQuery
from masis.reasoning.offline.tables.grid import Table, tables_of
from masis.reasoning.offline.tables.lookup import TableAnswer, answer_from_tables
from masis.reasoning.offline.tables.trials import trials
from masis.reasoning.offline.tables.values import amount, day
from masis.reasoning.ports import Passage, as_passage
from masis.types import EvidenceChunk
from tests.support.engines import chunk

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
        ("What were other operating expenses in 2019?", "Other operating expenses: 27.0 thousand in 2019."),
        ("What were the total other operating expenses in 2019?", "Total other operating expenses: 166"),
        ("What was the gross margin in 2019 and 2017 respectively?", "Gross margin: 41.5% in 2019 and 38.5% in 2017."),
        (
            "What was the change in total revenue between 2018 and 2019?",
            "Total revenue decreased by $6,216 thousand, from $69,549 thousand in 2018 to $63,333 thousand in 2019.",
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
            "changed by 279 thousand, from (719) thousand in 2018",
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


def test_what_rests_on_many_rows_can_also_be_told_row_by_row() -> None:
    answer = asked("Which department has the most beds?", WARDS)
    assert answer is not None
    assert answer.row_by_row[0] == "Department: Cardiology (Beds: 120). [c00000000b2]"
    assert all(c["verdict"] == "supported" for s in answer.row_by_row for c in judge_claims(s, [WARDS]))


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


def test_a_long_run_of_one_character_is_read_in_linear_time() -> None:
    strange = chunk("c3", "| a | b |\n|---|---|\n| " + "x" * 50_000 + " | " + "١" * 50_000 + " |", file_name="x.md")
    assert answer_from_tables("how many " + "a " * 2000, [as_passage(strange)]) is None


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
        ("What were diluted earnings of NVIDIA in Q3 2023?", "$3.71 for the three months"),
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
    assert rows[0] == "| (in million) | Three Months Ended September 30, 2023 |"
    named = [row.split("|")[1].strip() for row in rows[2:]]
    assert named == ["Online stores", "Physical stores", "AWS", "Consolidated"]
    assert all(SALES.chunk_id in row for row in rows[2:])
    chunk = {**EVIDENCE[0], "chunk_id": SALES.chunk_id, "text": SALES.text, "heading": SALES.heading}
    verdicts = [c["verdict"] for c in judge_claims(answer.sentences[0], [chunk]) if c["kind"] != "heading"]  # type: ignore[list-item]
    assert len(verdicts) == 4
    assert set(verdicts) <= {"verbatim", "supported"}
