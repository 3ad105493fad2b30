import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.language.statements import read_out, statements
from tests.support.growth import MOST, growth

PDF_TABLE = """Revenue rose in every region.
Table 2: Revenue by region (in million US dollars)
Region Fiscal 2024 Fiscal 2025 Change
North America 79.0 85.5 8.2%
Europe 56.6 62.8 11.0%
Page 2"""


def test_a_table_in_the_text_of_a_pdf_is_read_by_its_periods() -> None:
    rows = [s for s in statements(PDF_TABLE) if s.is_row]
    assert [s.cells for s in rows] == [
        (("Region", "North America"), ("Fiscal 2024", "79.0"), ("Fiscal 2025", "85.5"), ("Change", "8.2%")),
        (("Region", "Europe"), ("Fiscal 2024", "56.6"), ("Fiscal 2025", "62.8"), ("Change", "11.0%")),
    ]
    assert "Revenue by region (in million US dollars)" in rows[0].above


def test_captions_and_page_numbers_are_no_statements() -> None:
    assert [s.text for s in statements(PDF_TABLE) if not s.is_row] == ["Revenue rose in every region."]


def test_a_piped_table_has_its_header_first_and_no_rule_line() -> None:
    rows = statements("| Risk | Owner |\n| --- | --- |\n| Stronger dollar | Tobias Lindqvar |")
    assert [s.cells for s in rows] == [(("Risk", "Stronger dollar"), ("Owner", "Tobias Lindqvar"))]


@pytest.mark.parametrize(
    "table",
    [
        "| Risk | Owner |\n|---|---|\n| Stronger dollar | Tobias Lindqvar |\n| Fire | Ada |",
        "|Risk|Owner|\n|:--|--:|\n|Stronger dollar|Tobias Lindqvar|\n|Fire|Ada|",
        "|Risk|Owner|\n|Stronger dollar|Tobias Lindqvar|\n|Fire|Ada|",
        "Risk|Owner\n---|---\nStronger dollar|Tobias Lindqvar\nFire|Ada",
    ],
)
def test_a_table_is_one_however_its_pipes_are_spaced(table: str) -> None:
    rows = statements(f"Below are the risks.\n{table}")
    assert [s.cells for s in rows if s.is_row] == [
        (("Risk", "Stronger dollar"), ("Owner", "Tobias Lindqvar")),
        (("Risk", "Fire"), ("Owner", "Ada")),
    ]


def test_a_dash_line_without_pipes_is_no_table() -> None:
    assert not any(s.is_row for s in statements("One thing.\n\n-----\n\nAnother thing."))


def test_a_table_that_was_cut_takes_its_header_from_above() -> None:
    rows = statements("2025 | Q3 | 15.8\n2025 | Q4 | 17.0", "Figures > year | quarter | revenue")
    assert rows[0].cells == (("year", "2025"), ("quarter", "Q3"), ("revenue", "15.8"))
    assert len(rows) == 2


def test_items_stand_under_the_line_that_introduces_them() -> None:
    found = statements("## Plans\n\nThere are two priorities:\n\n- grow the service\n- open a laboratory")
    assert [(s.text, s.above) for s in found][1:] == [
        ("grow the service", "Plans\nThere are two priorities:"),
        ("open a laboratory", "Plans\nThere are two priorities:"),
    ]


def test_headings_nest() -> None:
    found = statements("# Report\n\n## Money\n\nIt is enough.\n\n## People\n\nThere are 612 of them.", "Acme")
    assert [s.above.splitlines()[:2] for s in found] == [
        ["Acme", "Report > Money"],
        ["Acme", "Report > People"],
    ]


def test_a_pronoun_leans_on_the_sentence_before() -> None:
    loan, matures = statements("The term loan is from Lakehead Bank. It matures in 2029.")
    assert matures.above == loan.text


@given(st.text(alphabet=st.sampled_from("ab1 .|\n-#:0%"), max_size=200))
def test_spans_are_exact_for_any_text(text: str) -> None:
    for statement in statements(text):
        assert text[statement.start : statement.end] == statement.text


def test_three_short_lines_with_a_number_each_are_rows() -> None:
    people = (
        "Name Role Since\nMaren Oakhurst Chief Executive Officer 2019\nTobias Lindqvar Chief Financial Officer 2021\n"
    )
    found = statements(people + "Hanneke Vos Head of Customer Success 2024\nEdmund Carrow chairs the board.")
    assert [s.cells[0][1] for s in found if s.is_row] == [
        "Maren Oakhurst Chief Executive Officer",
        "Tobias Lindqvar Chief Financial Officer",
        "Hanneke Vos Head of Customer Success",
    ]
    assert found[-1].text == "Edmund Carrow chairs the board."


def test_a_question_on_its_own_line_heads_what_is_below_it() -> None:
    text = "It is a law.\n\nWhy is 10^25 FLOPs the threshold?\nThe largest models are above it."
    assert [(s.text, s.above) for s in statements(text)][1:] == [
        ("The largest models are above it.", "Why is 10^25 FLOPs the threshold?")
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ["Use in critical infrastructure;", "Education, e.g. to evaluate results; and", "Access to services."],
        ["Why impact matters", "How to measure it", "What to do next"],
        [
            "Promotions: These are tied to what you achieve.",
            "Offers: People around you notice the results.",
            "Health: Work that moves nothing frustrates people.",
        ],
    ],
)
def test_lines_without_marks_are_items_by_what_holds_them_together(lines: list[str]) -> None:
    found = statements("\n".join(["The article covers the following:", *lines, "", "A paragraph follows here."]))
    assert [s.text for s in found if s.is_item] == lines
    assert all(s.above.endswith("following:") for s in found if s.is_item)


def test_a_wrapped_paragraph_is_no_list() -> None:
    text = "The group does this:\nThe board of the company has met in March and\nagreed; it will meet again\nin June."
    assert not any(s.is_item for s in statements(text))


NET_SALES = """| (in millions) | 2022 | 2021 |
|---|---|---|
| Americas: | | |
| Net sales | 82,959 | 81,434 |
| Cost | (47,074) | — |
"""


@pytest.mark.parametrize(
    ("quote", "said", "words"),
    [
        ("Net sales | 82,959 | 81,434", "Net sales: 82,959 million in 2022.", "Americas, Net sales: 82,959 (2022)"),
        ("Net sales | 82,959 | 81,434", "", "Americas, Net sales: 82,959 (2022), 81,434 (2021)"),
        ("Cost | (47,074) | —", "Cost was 2,959.", "Americas, Cost: (47,074) (2022)"),
        (
            "Net sales | 82,959 | 81,434 |\n| Cost | (47,074) | —",
            "From 81,434",
            "Americas, Net sales: 81,434 (2021); Americas, Cost: (47,074) (2022)",
        ),
        ("## Leave\nSixteen weeks.", "", "Leave Sixteen weeks."),
        ("Of another table | 1 | 2", "", "Of another table · 1 · 2"),
    ],
)
def test_a_quote_is_read_out_without_bars(quote: str, said: str, words: str) -> None:
    assert read_out(quote, NET_SALES, None, said) == words


@pytest.mark.parametrize("sign", ["| ", "|", "a|", "#", "| 1 |\n", " "])
def test_reading_out_takes_linear_time(sign: str) -> None:
    assert growth(lambda text: read_out(text, text, None, text), sign) < MOST


def test_a_table_right_below_another_has_its_own_header() -> None:
    text = "| CHF | 2023 |\n|---|---|\n| Sales | 46 |\n\n| CHF | 2022 |\n|---|---|\n| Sales | 45 |"
    assert [row.cells for row in statements(text)] == [
        (("CHF", "Sales"), ("2023", "46")),
        (("CHF", "Sales"), ("2022", "45")),
    ]


def test_an_indented_line_continues_its_item() -> None:
    text = "- Dates of travel\n  What if I extend the trip for personal reasons?\n- A description of the work"
    assert [(s.is_item, s.text.split("\n")[0]) for s in statements(text)] == [
        (True, "Dates of travel"),
        (True, "A description of the work"),
    ]
