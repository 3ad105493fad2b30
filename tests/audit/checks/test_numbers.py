"""Scale, sign, bounds, measures, rates, points and kinds of year: what must be refuted, and what must not."""

import pytest

from masis.audit.checks.support import check_support
from tests.support.engines import chunk

GOOD = ("supported", "verbatim")


def verdict(source: str, claim: str) -> str:
    return check_support(claim, [chunk("c1", source)]).verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The application fee is $30.", "The application fee is $30 million."),
        ("The grant budget is $50 million for the year.", "The grant budget for the year is $50."),
        ("The licence costs €1,200 a year.", "The licence costs €1.2 million a year."),
        ("The company had 1,240 employees in June.", "In June the company had 1,240 million employees."),
        ("Net income was -$5 million in 2025.", "Net income was $5 million in 2025."),
        ("Net income was $-5 million in 2025.", "In 2025 net income was $5 million."),
        ("Item (in $ millions) | 2025\nNet income | (5)\nCost of sales | (120)", "Net income in 2025 was $5 million."),
        ("The store room is kept at -5 °C all year.", "The store room is kept all year at 5 °C."),
        ("Revenue in 2025 was $4.2 billion.", "Revenue in 2025 was less than $4 billion."),
        ("The project cost $50 million.", "The project cost below $50 million."),
        ("The plant employs 1,240 people.", "The plant employs more than 1,240 people."),
        ("The usual dose is 5 mg for adults.", "The usual dose for adults is 5 g."),
        ("The usual dose is 400 mg for adults.", "The usual dose for adults is 0.1 g."),
        ("The gap is 5 mm wide.", "The gap is 5 cm wide."),
        ("The wall is 5 m high.", "The wall is 5 km high."),
        ("Each bottle holds 250 ml of water.", "Each bottle holds 250 l of water."),
        ("The test takes 30 seconds to run.", "The test takes 30 minutes to run."),
        ("The line makes 400 units a day.", "The line makes 400 units an hour."),
        ("The licence costs €1,200 a year.", "The licence costs €1,200 a month."),
        ("The unemployment rate fell from 3.2% to 2.1% in 2025.", "The unemployment rate fell by 1.1% in 2025."),
        (
            "The project is expected to cost $60 million.",
            "The project is expected to cost between $45 and $55 million.",
        ),
        ("The rate is expected to be between 4 and 8%.", "The rate is expected to be between 4 and 6%."),
        ("Costs were about $50 million.", "Costs were less than $40 million."),
        ("Operating margin was -3.5% in 2025.", "In 2025 the operating margin was 3.5%."),
        ("The mix is heated for 20 minutes.", "The mix is heated for 20 seconds."),
        ("At the end of December 2025 cash was $30 million.", "Cash was $30 million at 30 November 2025."),
        ("Demand will peak in late 2025.", "Demand will peak in mid-2027."),
        ("All amounts are in millions of euros. Revenue in 2025 was 184.1.", "Revenue in 2025 was €18.4 million."),
        ("Sales rose $10 million to $50 million.", "Sales were around $30 million."),
        ("Cook the salmon for 4 minutes.", "Cook the salmon for 3-5 minutes."),
    ],
)
def test_a_figure_of_another_size_or_kind_differs(source: str, claim: str) -> None:
    assert verdict(source, claim) == "numbers_differ"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "Revenue and costs (unaudited)\nItem | 2025 | 2024\nRevenue | 184.1 | 171.7",
            "Revenue in 2025 was $184.1 million.",
        ),
        ("Revenue 184.1 171.7", "Revenue was $184.1 million."),
        ("Revenue for the year (in millions) was $184.1.", "Revenue for the year was $184.1 million."),
        ("The grant budget was $50 million.", "The grant had a budget of $50,000,000."),
        (
            "Item (in $ millions) | 2025\nNet income | (5)\nCost of sales | (120)",
            "Cost of sales in 2025 was $120 million.",
        ),
        ("Net income was -$5 million in 2025.", "In 2025 net income was a loss of $5 million."),
        ("Revenue in 2025 was $4.2 billion.", "Revenue in 2025 was about $4 billion."),
        ("Revenue in 2025 was $4.2 billion.", "Revenue in 2025 was over $4 billion."),
        ("The plant employs 1,240 people.", "The plant employs more than 1,200 people."),
        ("The plant employs 1,240 people.", "The plant employs at least 1,240 people."),
        ("Inflation was 4.0% in May, up from 3.2% in April.", "Inflation was 4.0% in May, above 3.2% in April."),
        ("The project cost more than $50 million.", "The project cost over $50 million."),
        ("Costs fell 5.4% in 2025.", "Costs fell by more than 5% in 2025."),
        ("The usual dose is 1,500 mg for adults.", "The usual dose for adults is 1.5 g."),
        ("The app has 5m users worldwide.", "The app has 5 million users worldwide."),
        ("The licence costs €1,200 a year.", "The licence costs €1,200 per year."),
        ("The line makes 400 units a day.", "The line makes 400 units daily."),
        ("The margin was 17.0% a year earlier.", "A year earlier the margin was 17.0%."),
        ("Take the tablet once daily with food.", "With food take the tablet once a day."),
        ("Take the tablet twice a day with food.", "Take the tablet two times per day with food."),
        (
            "The unemployment rate fell from 3.2% to 2.1% in 2025.",
            "The unemployment rate fell by 1.1 percentage points in 2025.",
        ),
        (
            "The unemployment rate fell from 3.2% to 2.1% in 2025.",
            "The unemployment rate fell by 110 basis points in 2025.",
        ),
        ("Line A makes 400 units and line B makes 250 units.", "Line A makes 150 units more than line B."),
        ("Line A makes 400 units and line B makes 250 units.", "Line B makes 150 fewer units than line A."),
        ("The plant opens in the middle of 2025.", "The plant opens in mid-2025."),
        ("The company had 1,240 employees in June.", "In June the company had roughly 1.2 thousand employees."),
        (
            "Capital spending is expected to be $110 million to $130 million.",
            "Capital spending is expected to be around $120 million.",
        ),
        (
            "The project is expected to cost $50 million.",
            "The project is expected to cost between $45 and $55 million.",
        ),
        (
            "The operating margin was 18.5% in 2025, widened by 150 basis points from a year earlier.",
            "The operating margin was 17.0% a year earlier.",
        ),
        ("Orders by line\nLine | 2025\nPumps | 120\nValves | 90\nTotal | 210", "Pumps and valves together were 210."),
        ("Orders by line\nLine | 2025\nPumps | 120\nValves | 90", "Pumps and valves together were 210."),
        ("Revenue in fiscal 2025 was $4.2 billion.", "Revenue in 2025 was $4.2 billion."),
        (
            "Revenue for the trailing twelve months ended 30 June 2025 was $4.2 billion.",
            "For the trailing twelve months ended 30 June 2025 revenue came to $4.2 billion.",
        ),
        ("The firm sold pumps for 120 and valves for 90, a total of 210.", "Pumps and valves together were 210."),
        ("Orders for pumps were 120 and for valves 90.", "Orders for pumps and valves together were 210."),
        ("The building is 12 m tall and 30 m wide.", "The building is 30 metres wide and 12 metres tall."),
        ("The bolt has a diameter of 10 mm.", "The bolt's diameter is 1 cm."),
        ("The fund holds $10mm in cash.", "The fund holds $10 million in cash."),
        ("The 5G network reached 80% of homes.", "The 5G network reached 80% of homes by then."),
        ("Take 500 mg twice a day.", "Take 500 mg twice daily."),
        ("Sales were 400 units a year after launch.", "A year after launch sales were 400 units."),
        ("The plant runs 24 hours a day.", "The plant runs 24 hours per day."),
        ("The fee is €1,200 a year, paid in twelve parts.", "The yearly fee is €1,200."),
        ("The pay was $20 an hour.", "The hourly pay was $20."),
        ("Revenue rose to $184.1 million from $171.7 million.", "Revenue rose from $171.7 to $184.1 million."),
        ("The deal was worth $1.2 billion.", "The deal was worth $1,200 million."),
        ("The deal was worth $1,200,000.", "The deal was worth $1.2 million."),
        ("Costs were about $50 million.", "Costs were less than $60 million."),
        ("Net loss of $5 million was reported for 2025.", "For 2025 a net loss of $5 million was reported."),
        ("Item | 2025\nNet loss | (5)\nCapital expenditure | -30", "Net loss in 2025 was 5."),
        ("Item | 2025\nNet loss | (5)\nCapital expenditure | -30", "Capital expenditure in 2025 was 30."),
        ("Operating margin was -3.5% in 2025.", "The operating margin was negative at 3.5% in 2025."),
        ("Sales changed by -3.5% in 2025.", "Sales fell by 3.5% in 2025."),
        ("Guidance is for $4 – $6 million of costs.", "Guidance is for costs of $4 to $6 million."),
        ("The plant employs at least 1,240 people.", "The plant employs 1,240 people or more."),
        ("Loans exceed $4 billion.", "Loans were above $4 billion."),
        ("Employees must be over 18 years old.", "Employees must be more than 18 years old."),
        ("The second quarter of 2025 brought 5 orders.", "In the second quarter of 2025 it brought 5 orders."),
        ("Heat for 90 seconds.", "Heat for 1.5 minutes."),
        (
            "The rate was 5% in 2024 and 6% in 2025.",
            "The difference between the rate in 2024 and 2025 was 1 percentage point.",
        ),
        ("Sales at Alpha were 400 and sales at Beta were 250.", "Sales at Alpha were 150 higher than at Beta."),
        ("Site | Output\nAlpha | 400\nBeta | 250", "Alpha's output was 150 more than Beta's."),
        ("At the end of December 2025 cash was $30 million.", "Cash was $30 million at 31 December 2025."),
        ("Demand will peak in late-2025.", "Demand will peak in late 2025."),
        ("Revenue, in $ thousands, was 4,200 in 2025.", "Revenue was $4.2 million in 2025."),
        ("Revenue: 184.1", "Revenue was $184.1 million."),
        ("Water use was 1.5 l per kg.", "Water use was 1.5 litres per kg."),
        ("It takes 2 h 30 min.", "It takes 2 hours and 30 minutes."),
        ("It weighs 2.5 kg.", "It weighs 2,500 g."),
        (
            "Its assets grew to €12 million, over three times the €4 million of 2020.",
            "Its assets grew to €12 million from €4 million in 2020.",
        ),
        ("The survey of 1,240 people found 62% in favour.", "Over 60% of 1,240 people in the survey were in favour."),
        ("It has 1,012 customers.", "It has over 1 thousand customers."),
        ("It has 1,012 customers.", "It has over a thousand customers."),
        ("He ran 5 km.", "He ran 5,000 m."),
        ("All amounts are in millions of euros. Revenue in 2025 was 184.1.", "Revenue in 2025 was €184.1 million."),
        ("Revenue was €3.5 billion, a rise of 12%.", "Revenue rose by 12% to €3.5 billion."),
        ("The fee is around 12 euros.", "The fee is about €12."),
        ("Knee bends – 3 sets of 10 repetitions.", "Knee bends are done in 3 sets of 10 repetitions."),
        ("Employees may save in a traditional 401(k) plan.", "Employees may save in a traditional 401k plan."),
        ("The project may lose 5 mln dollars.", "The project may lose 5 million dollars."),
    ],
)
def test_a_figure_said_in_another_way_is_supported(source: str, claim: str) -> None:
    assert verdict(source, claim) in GOOD


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Revenue in fiscal 2025 was $4.2 billion.", "Revenue in calendar 2025 was $4.2 billion."),
        (
            "Revenue for the trailing twelve months ended 30 June 2025 was $4.2 billion.",
            "Revenue in fiscal 2025 was $4.2 billion.",
        ),
    ],
)
def test_a_figure_for_another_kind_of_year_is_not_supported(source: str, claim: str) -> None:
    assert verdict(source, claim) not in GOOD


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Net income was -$5 million in 2025.", "The company made a net loss of $5 million in 2025."),
        ("Net loss was $5 million in 2025.", "Net income was -$5 million in 2025."),
        (
            "The operating margin was 18.5%, widened 150 bp.",
            "The operating margin was 18.5%, against 17.0% a year earlier.",
        ),
        ("Der Umsatz stieg um 12 % auf 3,5 Mrd. Euro.", "Der Umsatz stieg um 12% auf €3.5 billion."),
        ("Der Umsatz stieg um 12 % auf 3,5 Mrd. Euro.", "Revenue rose by 12% to €3.5 billion."),
        ("Revenue rose by 12% to €3.5 billion.", "Der Umsatz stieg um 12 % auf 3,5 Mrd. Euro."),
        (
            "Brenta makes pumps, and it employed 1,240 people at 30 June 2025.",
            "The company had 1,240 employees at the end of June 2025.",
        ),
    ],
)
def test_a_figure_in_words_code_cannot_compare_is_not_called_wrong(source: str, claim: str) -> None:
    assert verdict(source, claim) != "numbers_differ"
