"""Every figure of Tolmerick Instruments, once. Totals, shares and growth are computed, never typed.

The two deliberate disagreements are `CHURN_*` (a contradiction) and `REVENUE_PRELIMINARY` (revised later).
"""

from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

YEARS = (2024, 2025)
QUARTERS = ("Q1", "Q2", "Q3", "Q4")


class Quarter(NamedTuple):
    """One region in one quarter."""

    revenue: Decimal
    """In million US dollars."""
    sensors: int
    """Shipped, in thousands."""
    customers: int
    """At the end of the quarter."""


Region = tuple[Quarter, Quarter, Quarter, Quarter]


def _region(revenue: str, sensors: str, customers: str) -> Region:
    first, second, third, fourth = (
        Quarter(Decimal(money), int(shipped), int(served))
        for money, shipped, served in zip(revenue.split(), sensors.split(), customers.split(), strict=True)
    )
    return first, second, third, fourth


REGIONS: dict[int, dict[str, Region]] = {
    2024: {
        "North America": _region("18.3 19.2 19.8 21.7", "122 127 131 143", "921 936 951 968"),
        "Europe": _region("13.2 13.8 14.3 15.3", "88 92 95 102", "701 714 727 742"),
        "Asia-Pacific": _region("4.6 4.9 5.3 6.4", "35 37 40 48", "262 275 288 301"),
        "Middle East": _region("1.5 1.6 1.8 2.1", "10 11 12 14", "92 97 102 107"),
    },
    2025: {
        "North America": _region("19.8 20.7 21.6 23.4", "128 133 139 152", "979 991 1004 1021"),
        "Europe": _region("14.6 15.3 15.8 17.1", "95 99 102 111", "755 769 781 798"),
        "Asia-Pacific": _region("5.9 6.4 6.9 8.0", "44 48 52 60", "318 337 358 389"),
        "Middle East": _region("1.9 2.0 2.2 2.5", "13 14 15 17", "112 118 123 132"),
    },
}

Lines = dict[str, dict[int, Decimal]]


def _by_year(**amounts: tuple[str, str]) -> Lines:
    return {name: {2024: Decimal(old), 2025: Decimal(new)} for name, (old, new) in amounts.items()}


LINES = _by_year(sensors=("96.4", "101.6"), monitoring=("53.6", "67.3"), calibration=("13.8", "15.2"))
COSTS = _by_year(
    goods=("100.1", "107.2"),
    research=("19.8", "22.7"),
    sales=("19.9", "21.4"),
    administration=("13.1", "14.2"),
    finance=("1.9", "1.5"),
    tax=("2.2", "4.1"),
)
CASH = _by_year(
    operating=("15.1", "24.3"),
    invested=("9.6", "11.8"),
    repaid=("3.0", "4.5"),
    dividends=("2.0", "2.5"),
    opening=("32.7", "33.2"),
)
BALANCE = _by_year(receivables=("27.1", "29.4"), inventory=("24.6", "21.9"), loan=("32.0", "27.5"))

REVENUE_PRELIMINARY = Decimal("182.4")
"""Of the press release in January; the annual report in March gives the final figure."""
CUSTOMERS_LOST_REPORT = 157
"""Of fiscal 2025, from which the annual report computes churn …"""
CUSTOMERS_LOST_MEMO = 193
"""… and the board memo, which contradicts it."""

EMPLOYEES = {
    "Manufacturing": 238,
    "Research and development": 141,
    "Customer service and support": 127,
    "Sales and marketing": 68,
    "Administration": 38,
}
CONTRACTORS = 72
SHARES_MILLION = 25
DIVIDEND = {2024: Decimal("0.10"), 2025: Decimal("0.16")}

BUDGET_2026: dict[str, tuple[Decimal, Decimal]] = {
    "Singapore calibration laboratory": (Decimal("3.9"), Decimal("2.9")),
    "Brno line automation": (Decimal("2.7"), Decimal("2.2")),
    "Platform resilience": (Decimal("2.3"), Decimal("0.8")),
    "Information technology and facilities": (Decimal("0.7"), Decimal("0.7")),
}
"""In million US dollars, for the first and the second half of 2026."""


def rounded(number: Decimal, places: int = 1) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def share(part: Decimal | int, whole: Decimal | int) -> Decimal:
    """In percent, to one decimal place."""
    return rounded(Decimal(part) * 100 / Decimal(whole))


def growth(old: Decimal | int, new: Decimal | int) -> Decimal:
    return share(new - old, old)


def region_revenue(year: int, region: str) -> Decimal:
    return sum((quarter.revenue for quarter in REGIONS[year][region]), Decimal(0))


def quarter_revenue(year: int, index: int) -> Decimal:
    return sum((quarters[index].revenue for quarters in REGIONS[year].values()), Decimal(0))


def revenue(year: int) -> Decimal:
    return sum((region_revenue(year, region) for region in REGIONS[year]), Decimal(0))


def sensors(year: int) -> int:
    return sum(quarter.sensors for quarters in REGIONS[year].values() for quarter in quarters)


def customers(year: int) -> int:
    """At the end of the year."""
    return sum(quarters[-1].customers for quarters in REGIONS[year].values())


def gross_profit(year: int) -> Decimal:
    return revenue(year) - COSTS["goods"][year]


def operating_income(year: int) -> Decimal:
    return gross_profit(year) - sum(COSTS[kind][year] for kind in ("research", "sales", "administration"))


def income_before_tax(year: int) -> Decimal:
    return operating_income(year) - COSTS["finance"][year]


def net_income(year: int) -> Decimal:
    return income_before_tax(year) - COSTS["tax"][year]


def free_cash_flow(year: int) -> Decimal:
    return CASH["operating"][year] - CASH["invested"][year]


def closing_cash(year: int) -> Decimal:
    spent = CASH["repaid"][year] + CASH["dividends"][year]
    return CASH["opening"][year] + free_cash_flow(year) - spent


def budget_total() -> Decimal:
    return sum((first + second for first, second in BUDGET_2026.values()), Decimal(0))
