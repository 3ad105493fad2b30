"""What the templates may name in braces: figures as they are written in prose, and whole tables."""

from datetime import datetime
from decimal import Decimal

from examples.generator import figures, tables

OUTAGE_DATE = "9 September 2025"
OUTAGE_START, OUTAGE_END = "02:10", "08:50"

PEOPLE = (
    ("Maren Oakhurst", "Chief Executive Officer", "2019"),
    ("Tobias Lindqvar", "Chief Financial Officer", "2021"),
    ("Adaeze Brightwell", "Chief Operating Officer", "2020"),
    ("Rafael Quintero", "Chief Technology Officer", "2023"),
    ("Hanneke Vos", "Head of Customer Success", "2024"),
)

RISKS = (
    ("R1", "Single supplier of temperature chips", "high", "high", "Adaeze Brightwell"),
    ("R2", "Another interruption of the monitoring service", "medium", "high", "Rafael Quintero"),
    ("R3", "Stronger dollar reduces revenue earned in euros", "high", "medium", "Tobias Lindqvar"),
    ("R4", "Delay of the Singapore laboratory", "medium", "medium", "Kenji Moriyama"),
    ("R5", "New rules for temperature records", "medium", "low", "Beatriz Almgren"),
    ("R6", "Forged sensors sold under our name", "low", "medium", "Sunniva Kerr"),
)

TIMELINE = (
    (OUTAGE_START, "The certificate of the message broker expires; gateways are refused"),
    ("02:25", "The number of connected gateways falls below its limit; the engineer on call is paged"),
    ("03:05", "The engineer suspects a network fault and calls the hosting provider"),
    ("04:30", "Lena Draxler takes over as incident commander"),
    ("05:15", "The expired certificate is found"),
    ("06:50", "A first replacement fails because the runbook describes the old cluster"),
    ("08:20", "A new certificate is installed"),
    (OUTAGE_END, "All gateways are connected again"),
)

ACTIONS = (
    ("A1", "Watch the dates of all certificates, in every cluster", "Lena Draxler", "done"),
    ("A2", "Rewrite the runbook for replacing certificates", "Omar Velasco", "31 October 2025"),
    ("A3", "Run the message broker in a second region", "Yvette Marchand", "30 June 2026"),
    (
        "A4",
        "Tell customers within 30 minutes when warnings cannot be sent",
        "Hanneke Vos",
        "28 November 2025",
    ),
)


def millions(amount: Decimal) -> str:
    return f"${amount} million"


def percent(amount: Decimal | int) -> str:
    return f"{amount}%"


def _duration(start: str, end: str) -> str:
    seconds = (datetime.strptime(end, "%H:%M") - datetime.strptime(start, "%H:%M")).seconds
    return f"{seconds // 3600} hours and {seconds % 3600 // 60} minutes"


def vocabulary() -> dict[str, str]:
    return {**_results(), **_customers(), **_plans(), **_outage(), **_tables()}


def _results() -> dict[str, str]:
    f, lines = figures, figures.LINES
    old, new = f.revenue(2024), f.revenue(2025)
    asia = [f.region_revenue(year, "Asia-Pacific") for year in f.YEARS]
    return {
        "revenue_2024": millions(old),
        "revenue_2025": millions(new),
        "revenue_preliminary": millions(f.REVENUE_PRELIMINARY),
        "revenue_revision": millions(new - f.REVENUE_PRELIMINARY),
        "revenue_growth": percent(f.growth(old, new)),
        "monitoring_growth": percent(f.growth(lines["monitoring"][2024], lines["monitoring"][2025])),
        "monitoring_share_2024": percent(f.share(lines["monitoring"][2024], old)),
        "monitoring_share_2025": percent(f.share(lines["monitoring"][2025], new)),
        "asia_growth": percent(f.growth(*asia)),
        "asia_2025": millions(asia[1]),
        "europe_2024": millions(f.region_revenue(2024, "Europe")),
        "europe_share_2025": percent(f.share(f.region_revenue(2025, "Europe"), new)),
        "gross_margin_2024": percent(f.share(f.gross_profit(2024), old)),
        "gross_margin_2025": percent(f.share(f.gross_profit(2025), new)),
        "operating_income_2025": millions(f.operating_income(2025)),
        "operating_margin_2025": percent(f.share(f.operating_income(2025), new)),
        "free_cash_flow_2025": millions(f.free_cash_flow(2025)),
        "loan_repaid": millions(f.CASH["repaid"][2025]),
        "shares": str(f.SHARES_MILLION),
        "dividend_2024": f"${f.DIVIDEND[2024]}",
        "dividend_2025": f"${f.DIVIDEND[2025]}",
        "dividend_total": millions(figures.rounded(f.DIVIDEND[2025] * f.SHARES_MILLION)),
        "sensors_2025": f"{f.sensors(2025) * 1000:,}",
        "sensors_growth": percent(f.growth(f.sensors(2024), f.sensors(2025))),
    }


def _customers() -> dict[str, str]:
    before, after = figures.customers(2024), figures.customers(2025)
    employees = sum(figures.EMPLOYEES.values())
    return {
        "customers_2024": f"{before:,}",
        "customers_2025": f"{after:,}",
        "customers_won": str(after - before + figures.CUSTOMERS_LOST_REPORT),
        "churn_report": percent(figures.share(figures.CUSTOMERS_LOST_REPORT, before)),
        "churn_memo": percent(figures.share(figures.CUSTOMERS_LOST_MEMO, before)),
        "churn_target": percent(Decimal("6.5")),
        "largest_customer": percent(4),
        "recurring_share": percent(71),
        "employees": str(employees),
        "contractors": str(figures.CONTRACTORS),
        "people_total": str(employees + figures.CONTRACTORS),
        "havenmoor_sensors": "4,800",
        "havenmoor_value": millions(Decimal("1.3")),
        "havenmoor_credit": "$38,000",
        "availability": percent(Decimal("99.9")),
    }


def _plans() -> dict[str, str]:
    fx_move = 10
    fx_effect = figures.region_revenue(2024, "Europe") * fx_move / 100
    return {
        "press_release_date": "22 January 2026",
        "memo_date": "24 February 2026",
        "guidance_low": millions(Decimal(198)),
        "guidance_high": millions(Decimal(204)),
        "budget_total": millions(figures.budget_total()),
        "budget_singapore": millions(sum(figures.BUDGET_2026["Singapore calibration laboratory"], Decimal(0))),
        "ferrowell_price": millions(Decimal(31)),
        "monitoring_target": percent(45),
        "margin_target": percent(46),
        "chip_share": percent(82),
        "chip_target": percent(60),
        "fx_move": percent(fx_move),
        "fx_effect": millions(figures.rounded(fx_effect)),
    }


def _outage() -> dict[str, str]:
    return {
        "outage_date": OUTAGE_DATE,
        "outage_start": OUTAGE_START,
        "outage_end": OUTAGE_END,
        "outage_duration": _duration(OUTAGE_START, OUTAGE_END),
        "outage_customers": "318",
        "outage_credits": "$420,000",
    }


def _tables() -> dict[str, str]:
    return {
        "table_people": tables.markdown_table(["Name", "Role", "Since"], PEOPLE),
        "table_lines": tables.lines_of_business(),
        "table_regions": tables.regions(),
        "table_quarters": tables.quarters(),
        "table_income": tables.income(),
        "table_cash_flow": tables.cash_flow(),
        "table_balance": tables.balance(),
        "table_preliminary": tables.preliminary(),
        "table_budget": tables.budget(),
        "table_employees": tables.employees(),
        "table_risks": tables.markdown_table(["ID", "Risk", "Likelihood", "Impact", "Owner"], RISKS),
        "table_timeline": tables.markdown_table(["Time (UTC)", "Event"], TIMELINE),
        "table_actions": tables.markdown_table(["ID", "Action", "Owner", "Due"], ACTIONS),
    }
