"""The tables of the documents, as Markdown text made from the figures."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from examples.generator import figures

Cell = Decimal | int | str


def markdown_table(header: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int | Decimal) else cell


def _two_years(label: str, amount: Callable[[int], Decimal]) -> list[Cell]:
    return [label, *(amount(year) for year in figures.YEARS)]


def _statement(heading: str, rows: Iterable[tuple[str, Callable[[int], Decimal]]]) -> str:
    years = [f"Fiscal {year}" for year in figures.YEARS]
    return markdown_table([heading, *years], [_two_years(label, amount) for label, amount in rows])


def _with_change(label: str, amount: Callable[[int], Decimal]) -> list[Cell]:
    old, new = (amount(year) for year in figures.YEARS)
    return [label, old, new, f"{figures.growth(old, new)}%"]


def lines_of_business() -> str:
    names = {
        "Sensors": "sensors",
        "Monitoring service": "monitoring",
        "Calibration and installation": "calibration",
    }
    rows = [_with_change(label, figures.LINES[name].__getitem__) for label, name in names.items()]
    header = ["Line of business", "Fiscal 2024", "Fiscal 2025", "Change"]
    return markdown_table(header, [*rows, _with_change("Total", figures.revenue)])


def regions() -> str:
    def row(region: str) -> list[Cell]:
        return _with_change(region, lambda year: figures.region_revenue(year, region))

    header = ["Region", "Fiscal 2024", "Fiscal 2025", "Change"]
    rows = [row(region) for region in figures.REGIONS[2025]]
    return markdown_table(header, [*rows, _with_change("Total", figures.revenue)])


def quarters() -> str:
    def row(year: int) -> list[Cell]:
        parts = [figures.quarter_revenue(year, index) for index in range(4)]
        return [f"Fiscal {year}", *parts, figures.revenue(year)]

    return markdown_table(
        ["Year", *figures.QUARTERS, "Full year"],
        [row(year) for year in figures.YEARS],
    )


def income() -> str:
    costs = figures.COSTS
    return _statement(
        "Item",
        [
            ("Revenue", figures.revenue),
            ("Cost of goods and services", costs["goods"].__getitem__),
            ("Gross profit", figures.gross_profit),
            ("Research and development expense", costs["research"].__getitem__),
            ("Sales and marketing expense", costs["sales"].__getitem__),
            ("General and administrative expense", costs["administration"].__getitem__),
            ("Operating income", figures.operating_income),
            ("Net finance cost", costs["finance"].__getitem__),
            ("Income before tax", figures.income_before_tax),
            ("Income tax", costs["tax"].__getitem__),
            ("Net income", figures.net_income),
        ],
    )


def cash_flow() -> str:
    cash = figures.CASH
    return _statement(
        "Item",
        [
            ("Cash from operations", cash["operating"].__getitem__),
            ("Capital expenditure", cash["invested"].__getitem__),
            ("Free cash flow", figures.free_cash_flow),
            ("Repayment of term loan", cash["repaid"].__getitem__),
            ("Dividends paid", cash["dividends"].__getitem__),
            ("Cash at start of year", cash["opening"].__getitem__),
            ("Cash at end of year", figures.closing_cash),
        ],
    )


def balance() -> str:
    parts = figures.BALANCE
    return _statement(
        "Item",
        [
            ("Cash", figures.closing_cash),
            ("Trade receivables", parts["receivables"].__getitem__),
            ("Inventory", parts["inventory"].__getitem__),
            ("Term loan", parts["loan"].__getitem__),
            ("Net cash", lambda year: figures.closing_cash(year) - parts["loan"][year]),
        ],
    )


def preliminary() -> str:
    rows: list[list[Cell]] = [
        ["Revenue, preliminary (million US dollars)", figures.revenue(2024), figures.REVENUE_PRELIMINARY],
        ["Sensors shipped (thousands)", figures.sensors(2024), figures.sensors(2025)],
        ["Customers at the end of the year", figures.customers(2024), figures.customers(2025)],
    ]
    return markdown_table(["Key figure", "Fiscal 2024", "Fiscal 2025"], rows)


def budget() -> str:
    halves = [sum(amounts[half] for amounts in figures.BUDGET_2026.values()) for half in (0, 1)]
    rows: list[list[Cell]] = [
        [item, first, second, first + second] for item, (first, second) in figures.BUDGET_2026.items()
    ]
    header = ["Item", "First half", "Second half", "Full year"]
    return markdown_table(header, [*rows, ["Total", *halves, figures.budget_total()]])


def employees() -> str:
    rows: list[list[Cell]] = [[function, count] for function, count in figures.EMPLOYEES.items()]
    total = sum(figures.EMPLOYEES.values())
    return markdown_table(["Function", "Employees, 31 December 2025"], [*rows, ["Total", total]])


def quarterly_csv() -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    amounts = ("revenue_million_usd", "sensors_shipped_thousand", "customers_at_quarter_end")
    writer.writerow(("fiscal_year", "quarter", "region", *amounts))
    for year, by_region in figures.REGIONS.items():
        for index, quarter in enumerate(figures.QUARTERS):
            writer.writerows((year, quarter, region, *parts[index]) for region, parts in by_region.items())
    return out.getvalue()
