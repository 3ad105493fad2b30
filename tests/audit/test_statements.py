from hypothesis import given
from hypothesis import strategies as st

from masis.audit.statements import statements

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
