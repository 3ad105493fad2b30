"""The figures agree with each other, and the tables that the documents print add up."""

from decimal import Decimal

import pytest

from examples.generator import figures, tables
from examples.generator.markup import Table, read_blocks


def _rows(markdown: str) -> dict[str, list[Decimal]]:
    (table,) = read_blocks(markdown)
    assert isinstance(table, Table)
    return {label: [Decimal(c.strip("%").replace(",", "")) for c in cells] for label, *cells in table.rows[1:]}


@pytest.mark.parametrize(
    ("table", "columns"),
    [(tables.lines_of_business(), 2), (tables.regions(), 2), (tables.budget(), 3), (tables.employees(), 1)],
    ids=["lines", "regions", "budget", "employees"],
)
def test_columns_add_up_to_the_total(table: str, columns: int) -> None:
    rows = _rows(table)
    total = rows.pop("Total")
    for column in range(columns):
        assert sum(row[column] for row in rows.values()) == total[column]


def test_rows_add_up_to_the_full_year() -> None:
    for table in (tables.quarters(), tables.budget()):
        for *parts, total in _rows(table).values():
            assert sum(parts) == total


@pytest.mark.parametrize("table", [tables.lines_of_business(), tables.regions()], ids=["lines", "regions"])
def test_changes_recompute(table: str) -> None:
    for old, new, change in _rows(table).values():
        assert abs((new / old - 1) * 100 - change) <= Decimal("0.05")


def test_the_statements_add_up_as_printed() -> None:
    income, cash, balance = _rows(tables.income()), _rows(tables.cash_flow()), _rows(tables.balance())
    for year in (0, 1):
        amounts = {label: values[year] for label, values in {**income, **cash, **balance}.items()}
        gross = amounts["Revenue"] - amounts["Cost of goods and services"]
        expenses = sum(value for label, value in amounts.items() if label.endswith(" expense"))
        assert gross == amounts["Gross profit"]
        assert gross - expenses == amounts["Operating income"]
        assert amounts["Operating income"] - amounts["Net finance cost"] == amounts["Income before tax"]
        assert amounts["Income before tax"] - amounts["Income tax"] == amounts["Net income"]
        assert amounts["Cash from operations"] - amounts["Capital expenditure"] == amounts["Free cash flow"]
        spent = amounts["Repayment of term loan"] + amounts["Dividends paid"]
        assert amounts["Cash at start of year"] + amounts["Free cash flow"] - spent == amounts["Cash"]
        assert amounts["Cash at end of year"] == amounts["Cash"]
        assert amounts["Cash"] - amounts["Term loan"] == amounts["Net cash"]


def test_one_year_opens_where_the_other_closed() -> None:
    assert figures.CASH["opening"][2025] == figures.closing_cash(2024)
    repaid = figures.BALANCE["loan"][2024] - figures.BALANCE["loan"][2025]
    assert repaid == figures.CASH["repaid"][2025]
    assert figures.DIVIDEND[2024] * figures.SHARES_MILLION == figures.CASH["dividends"][2025]


def test_the_csv_adds_up_to_the_revenue_of_the_report() -> None:
    lines = tables.quarterly_csv().splitlines()[1:]
    for year in figures.YEARS:
        total = sum(Decimal(line.split(",")[3]) for line in lines if line.startswith(f"{year},"))
        assert total == sum(line[year] for line in figures.LINES.values())


def test_only_the_deliberate_figures_disagree() -> None:
    assert figures.revenue(2025) - figures.REVENUE_PRELIMINARY == Decimal("1.7")
    assert figures.CUSTOMERS_LOST_MEMO > figures.CUSTOMERS_LOST_REPORT
