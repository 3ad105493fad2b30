"""Up or down, whichever word says it, of the same thing at the same time."""

import pytest

from masis.audit.checks.support import check_support
from tests.support.engines import chunk

VALVES = "Product | 2023 | 2024\nValves | 80 | 60\nPumps | 20 | 30\nNet loss | (80) | (60)"


def verdict(claim: str, source: str) -> str:
    return check_support(claim, [chunk("c1", source)]).verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Net revenue was $5.2 million, up 7.4% from 2023.", "Net revenue fell 7.4%."),
        ("Costs were down 3% in 2024.", "Costs rose 3% in 2024."),
        ("Sales were 12% higher than in 2023.", "Sales fell 12%."),
        ("Revenue fell 4% in 2023 but rose 6% in 2024.", "Revenue was down 6% in 2024."),
        ("The gap between the two regions widened in 2024.", "The gap between the two regions narrowed in 2024."),
        ("The treatment prolonged survival in adults.", "The treatment shortened survival in adults."),
        ("The European network expanded in 2024.", "The European network shrank in 2024."),
        ("Acme gained market share in Europe.", "Acme lost market share in Europe."),
    ],
)
def test_the_other_direction_contradicts(source: str, claim: str) -> None:
    assert verdict(claim, source) == "contradicted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Costs fell 3% and revenue rose 7%.", "Revenue was up 7%."),
        ("Costs fell 3% and revenue rose 7%.", "Revenue rose 7%, while costs were 3% lower."),
        ("Revenue was $5.2 million, up 7.4%, although margins fell.", "Revenue rose 7.4%."),
        ("Revenue fell 4% in 2023 but rose 6% in 2024.", "Revenue was up 6% in 2024."),
        ("Revenue in the first quarter rose 4%.", "Revenue in the second quarter was lower."),
        ("Revenue rose 12% in Asia.", "Revenue in Asia was lower than costs."),
        ("Losses fell 12% in 2024.", "Losses were lower in 2024."),
        ("The increase in costs was lower than in 2023.", "Costs increased."),
        ("The house in Lyon was up for sale when prices fell.", "The house in Lyon was up for sale."),
        (VALVES, "Valves fell between 2023 and 2024."),
        (VALVES, "Pumps grew between 2023 and 2024."),
        (VALVES, "Valves did not grow between 2023 and 2024."),
        (VALVES, "The market share of valves grew between 2023 and 2024."),
        (VALVES, "The net loss fell between 2023 and 2024."),
    ],
)
def test_the_same_direction_or_another_thing_does_not(source: str, claim: str) -> None:
    assert verdict(claim, source) != "contradicted"
