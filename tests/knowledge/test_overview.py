"""What a document is at a glance: every line with its place in the text, and questions whose answers stand there."""

from collections.abc import Sequence

import pytest

from masis.knowledge.overview import OF_THE_WHOLE, Overview, overview_of
from masis.knowledge.suggestions import Wording, asked_of_sentence
from masis.language.statements import statements
from masis.reasoning.offline.auditor import answered_offline
from masis.types import PAGE_BREAK, Block, Chunk, Page, ParsedDocument

FIRST = """# Harbour Report 2025

The harbour company of Lindmoor runs the port, the ferry and the fish market.

## Traffic

Cargo revenue in fiscal 2025 was $12.4 million; cargo is shipped to Oslo. It rose by 4%.
This was $3 million more than planned.

## Is the quay safe?

The quay is inspected twice a year."""
SECOND = """## Figures

| | 2024 | 2025 |
|---|---|---|
| Operating expenses | 9.1 | 9.9 |
| Total | 1 | 2 |"""


def document() -> ParsedDocument:
    return ParsedDocument([Page(1, FIRST), Page(2, SECOND)], title="Harbour Report 2025", date="2026-02-01")


def test_each_line_is_a_place_in_the_text() -> None:
    parsed = document()
    found = overview_of(parsed)
    assert (found.title, found.date, found.pages) == ("Harbour Report 2025", "2026-02-01", 2)
    assert found.opening is not None
    assert found.opening.text == "The harbour company of Lindmoor runs the port, the ferry and the fish market."
    for quoted in (found.opening, *found.figures, *found.sections):
        place = " ".join(parsed.text[quoted.start : quoted.end].replace("#", "").split())
        assert quoted.text in place or "|" in place
    row = next(each for each in found.figures if each.text.startswith("Operating"))
    assert row.text == "Operating expenses: 9.1 (2024), 9.9 (2025)", "a row has the names of its columns"
    assert [section.text for section in found.sections] == [
        "Harbour Report 2025", "Traffic", "Is the quay safe?", "Figures",
    ]  # fmt: skip
    assert row.page == 2
    assert row.start > len(FIRST + PAGE_BREAK)


def test_questions_are_of_what_it_says_and_of_its_sections() -> None:
    assert overview_of(document()).questions == [
        "What was cargo revenue in fiscal 2025?",
        "What were operating expenses in 2025?",
        "Is the quay safe?",
        "What is this document about?",
    ]


def test_a_question_that_is_not_answered_with_what_it_was_made_from_is_left_out() -> None:
    parsed = document()
    chunks = [Chunk("c1", "d", "a.md", FIRST, 1, 0, len(FIRST)), Chunk("c2", "d", "a.md", SECOND, 2, 0, len(SECOND))]
    asked = overview_of(parsed, chunks, answered_offline).questions
    assert asked[:2] == ["What was cargo revenue in fiscal 2025?", "What were operating expenses in 2025?"]
    assert overview_of(parsed, chunks, lambda question, given: "I do not know.").questions == list(OF_THE_WHOLE)


MINUTES = """MINUTES of the committee, 11 March 2025

Present: R. Obi (chair), T. Lindqvist (treasurer)

## Rents for 2025/26

The treasurer reported a balance of £3,214.60. It was agreed to raise the rent for a full plot from £42 to £46 a year.

## Waiting list

There are 37 people on the waiting list, up from 29 a year ago.

## Open day

The open day will be on 15 June 2025.

All rights reserved. This message is confidential and intended solely for the addressee of the committee."""


def test_of_minutes_decisions_counts_and_days_are_asked_for() -> None:
    found = overview_of(ParsedDocument([Page(1, MINUTES)]))
    assert set(found.questions) > {
        "What was agreed about rents for 2025/26?",
        "How many people are there on the waiting list?",
        "When will the open day be?",
    }
    assert found.opening is not None
    assert "confidential" not in found.opening.text


def test_of_a_table_without_prose_its_head_is_shown_and_who_has_the_most_is_asked() -> None:
    text = "| Department | Headcount 2023 | Headcount 2024 |\n|---|---|---|\n"
    text += "| Sales | 87 | 91 |\n| Engineering | 142 | 168 |\n| Legal | 9 | 9 |"
    found = overview_of(ParsedDocument([Page(1, text)]))
    assert found.opening is not None
    assert found.opening.text == "Department · Headcount 2023 · Headcount 2024"
    assert found.questions[0] == "Which department had the highest headcount in 2024?"


def test_of_a_document_without_text_nothing_is_said() -> None:
    found = overview_of(ParsedDocument([]))
    assert (found.opening, found.sections, found.figures, found.questions) == (None, [], [], [])


def test_every_row_of_a_quarterly_statement_may_be_asked_for() -> None:
    text = """# Statement

Here are gross margin and operating income.

| | Three Months Ended July 1, 2023 | Three Months Ended June 25, 2022 |
|---|---|---|
| Gross margin | 36,413 | 35,885 |
| Operating income | 22,998 | 23,076 |"""
    assert overview_of(ParsedDocument([Page(1, text)])).questions[:2] == [
        "What was gross margin in the three months ended July 1, 2023?",
        "What was operating income in the three months ended July 1, 2023?",
    ]


HEAD = "| Order ID | Order date | Customer | Quantity | Unit price (EUR) | Amount (EUR) |\n|---|---|---|---|---|---|\n"
LINES = [(n, 3 + n * 5 % 17, 2.5 + n % 3) for n in range(14)]
ORDERS = HEAD + "\n".join(
    f"| SO-{4101 + n} | 2024-0{1 + n // 2}-11 | {'Halden' if n % 3 else 'Port Supply'} | {q} | {p:.2f} | {q * p:.2f} |"
    for n, q, p in LINES
)


def in_parts(text: str, most: int, name: str = "orders.csv") -> list[Chunk]:
    """As a table is cut: its header stands over the later parts."""
    *rows, last = text.splitlines(keepends=True)
    parts, at = [""], 0
    for row in [*rows, last]:
        parts = [*parts, ""] if len(parts[-1]) + len(row) > most else parts
        parts[-1] += row
    found = []
    for n, part in enumerate(parts):
        heading = HEAD.splitlines()[0] if n else None
        found.append(Chunk(f"c{n}", "d", name, part.rstrip("\n"), 1, at, at + len(part.rstrip("\n")), heading))
        at += len(part)
    return found


def test_of_a_table_its_columns_are_summed_up_and_every_question_holds_over_all_of_its_rows() -> None:
    found = overview_of(ParsedDocument([Page(1, ORDERS)]), in_parts(ORDERS, 500), answered_offline)
    assert found.kind == "table of 14 rows and 6 columns"
    figures = [each.text for each in found.figures]
    low, high = min(q * p for _, q, p in LINES), max(q * p for _, q, p in LINES)
    assert f"Amount (EUR): {low:.2f} to {high:.2f}, {sum(q * p for _, q, p in LINES):.2f} in total" in figures
    assert "Order date: 2024-01-11 to 2024-07-11" in figures
    assert "Unit price (EUR): 2.50 to 4.50" in figures, "a total of prices says nothing"
    assert all(0 <= each.start < each.end <= len(ORDERS) for each in found.figures)
    assert found.questions[0] == "Which order has the highest amount?"
    assert any(question.startswith("How many orders have the customer") for question in found.questions)
    assert len(found.questions) >= 4


def test_an_answer_over_half_of_a_table_is_none() -> None:
    best = max(LINES, key=lambda each: each[1] * each[2])[0]
    asked: dict[str, int] = {}

    def of_the_first_part(question: str, given: Sequence[Chunk]) -> str:
        asked[question] = len(given)
        return answered_offline(question, given[:1])

    parts = in_parts(ORDERS, 500)
    assert f"SO-{4101 + best}" not in parts[0].text
    found = overview_of(ParsedDocument([Page(1, ORDERS)]), parts, of_the_first_part)
    assert asked["Which order has the highest amount?"] == len(parts), "all parts of the table are read for it"
    assert "Which order has the highest amount?" not in found.questions


BILL = """# INVOICE

Kestrel Print Works Ltd

Invoice number: 2025-0417

Invoice date: 4 April 2025

Due date: 4 May 2025

Bill to: Marlowe Theatre Trust, Hull

| Description | Quantity | Unit price | Amount |
|---|---|---|---|
| Season brochure | 6,000 | £0.62 | £3,720.00 |
| Poster A1 | 250 | £4.10 | £1,025.00 |
| Delivery | 1 | £85.00 | £85.00 |
| Subtotal | | | £4,830.00 |
| VAT 20% | | | £966.00 |
| Total due | | | £5,796.00 |

Late payments bear interest of 8% above the base rate."""
LETTER = """From: Petra Lindahl <petra@fjord.example>
To: Mikkel Aas <mikkel@fjord.example>
Date: Tue, 11 Feb 2025 09:14:00 +0100
Subject: RE: Quote for dry dock

Mikkel,

Please ask Vestnes Yard for a revised quote by Friday 21 February 2025, with the polishing as a separate line. The yard
allowance of NOK 14.5 million for the dry dock stands.

-----Original Message-----
From: Mikkel Aas
Sent: Monday, February 10, 2025

Vestnes Yard quotes NOK 15.8 million for the dry dock of MV Solvind. The contract ends on 30 April 2026."""


def own(text: str, name: str, title: str = "", blocks: Sequence[Block] = ()) -> Overview:
    chunk = Chunk("c1", "d", name, text, 1, 0, len(text))
    return overview_of(ParsedDocument([Page(1, text, blocks=blocks)], title=title), [chunk], answered_offline)


def test_of_an_invoice_the_amount_due_and_its_day_come_first() -> None:
    found = own(BILL, "invoice.pdf")
    assert found.kind == "invoice"
    assert found.figures[0].text == "Subtotal: £4,830.00 (Amount)"
    assert found.figures[1].text == "Total due: £5,796.00 (Amount)"
    assert {"What is the total due?", "What is the due date?"} < set(found.questions)
    assert found.opening is not None
    assert "Invoice number: 2025-0417" in found.opening.text


def test_of_a_message_what_is_asked_for_by_when_and_its_amounts() -> None:
    end = LETTER.index("\n\n")
    rest = Block("paragraph", end + 2, len(LETTER))
    found = own(LETTER, "mail.eml", "RE: Quote for dry dock", [Block("note", 0, end), rest])
    assert found.kind == "message from Petra Lindahl to Mikkel Aas"
    assert set(found.questions) > {
        "What has to be done by Friday 21 February 2025?",
        "How much does Vestnes Yard quote for the dry dock of MV Solvind?",
        "When does the contract end?",
    }
    assert any("NOK 15.8 million" in each.text for each in found.figures)
    assert not any(each.text.startswith(("From:", "Date:", "Subject:")) for each in found.figures)


def test_no_two_questions_are_alike_and_each_section_has_its_turn() -> None:
    text = "# Report\n\n## Group\n\nRevenue in 2022 was $4.1 million. Total revenues in 2022 were $4.1 million.\n\n"
    text += "Group debt in 2022 was $3 million. Net group profit in 2022 was $1 million.\n\n"
    text += "## Staff\n\nStaff turnover in 2022 was 7%.\n\n## Ships\n\nShip repairs in 2022 cost $2 million."
    questions = overview_of(ParsedDocument([Page(1, text)])).questions
    assert sum("revenue" in question for question in questions) == 1
    assert {"What was staff turnover in 2022?", "How much did ship repairs in 2022 cost?"} <= set(questions[:3])


def test_a_count_that_comes_back_as_money_is_not_suggested() -> None:
    text = "| Depot | Doors |\n|---|---|\n| Reno | 64 |\n| Laredo | 88 |\n| Tacoma | 58 |\n| Total | 210 |"
    chunk = Chunk("c1", "d", "depots.xlsx", text, 1, 0, len(text))
    parsed = ParsedDocument([Page(1, text)])
    count = overview_of(parsed, [chunk], lambda q, _: "Total, Doors: 210.")
    assert "What is the total number of doors?" in count.questions
    money = overview_of(parsed, [chunk], lambda q, _: "Total, Doors: USD 210 thousand.")
    assert "What is the total number of doors?" not in money.questions


def test_columns_without_a_name_for_what_they_count_are_not_asked_for() -> None:
    head = "| Country | On order | Awarded | Budget Dec 2024 | Ferries |\n|---|---|---|---|---|\n"
    text = f"{head}| Norway | 9 | 4 | 1 | 7 |\n| Denmark | 5 | 6 | 2 | 3 |\n| Finland | 2 | 8 | 3 | 4 |"
    asked = overview_of(ParsedDocument([Page(1, text)])).questions
    assert asked[:2] == ["Which country has the most ferries?", "How many ferries does Denmark have?"]
    assert not any(word in " ".join(asked) for word in ("order", "awarded", "Dec"))


@pytest.mark.parametrize(
    ("values", "fact"),
    [
        ((30, 50, 20), "Sales: 20 to 50, 100 in total"),
        ((30, 50, 20, 100), "Sales: 20 to 100"),
        ((30, 50, -10), "Sales: -10 to 50"),
        ((10, 20, 31, 44, 105, 91), "Sales: 10 to 105"),
        ((30, 50, 80, 20, 15, 35, 11), "Sales: 11 to 80"),
    ],
)
def test_a_column_that_has_its_totals_already_or_losses_is_not_summed_up(values: Sequence[int], fact: str) -> None:
    rows = "\n".join(f"| Unit {chr(65 + n)} | {value} |" for n, value in enumerate(values))
    found = overview_of(ParsedDocument([Page(1, f"| Segment | Sales |\n|---|---|\n{rows}")]))
    assert [each.text for each in found.figures] == [fact]


def test_what_is_read_to_check_the_questions_is_bounded() -> None:
    rows = "\n".join(f"| Station {n} | {n * 7 % 1009} | {n * 13 % 997} |" for n in range(3000))
    text = f"| Station | Cyclists | Walkers |\n|---|---|---|\n{rows}"
    read: list[int] = []

    def ask(question: str, given: Sequence[Chunk]) -> str:
        read.append(sum(len(chunk.text) for chunk in given))
        return ""

    overview_of(ParsedDocument([Page(1, text)]), in_parts(text, 1000, "stations.csv"), ask)
    assert len(read) <= 12
    assert sum(read) <= 20_000


ARTICLE = """# Coral cover at a record low

Published 22 August 2025 by Dana Iwu

Coral cover on the Tamar Bank fell to 14.6 per cent in 2025, the lowest value since the surveys began there.

Divers counted 3,120 colonies at 48 sites. Private boats are paid at $40 a day. It sets aside a contingency of $8,000.

Lost anchors must be reported to the harbour office within 4 hours.

The discount rate of the reef fund was 5.05 per cent (2022: 5.30 per cent)."""


def test_of_an_article_what_fell_what_was_counted_and_what_is_due() -> None:
    given = list(statements(ARTICLE))
    page = Page(1, ARTICLE)
    wording = Wording(ARTICLE)
    asked = [c.question for one in given if (c := asked_of_sentence((page, 0, one), wording))]
    assert asked == [
        "What was coral cover on the Tamar Bank in 2025?",
        "How many colonies were counted?",
        "How much is the contingency?",
        "When must lost anchors be reported?",
        "What was the discount rate of the reef fund?",
    ]
    of_all = overview_of(ParsedDocument([page])).questions
    assert not any("Dana" in question for question in of_all), "a byline heads nothing"


def test_what_was_decided_is_answered_by_the_decision_only() -> None:
    told = "The chair wrote of a good year for all. The board approved a second plant at a cost of $46 million."
    text = f"# Report\n\n## Second plant\n\n{told}"
    chunk = Chunk("c1", "d", "report.md", text, 1, 0, len(text))
    parsed = ParsedDocument([Page(1, text)])
    for answer, is_offered in ((told, True), ("The chair wrote of a good year for all.", False)):
        questions = overview_of(parsed, [chunk], lambda q, _, answer=answer: answer).questions
        assert ("What was decided about second plant?" in questions) is is_offered
