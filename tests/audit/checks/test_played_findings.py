"""Sentences of a careful chat model, and errors planted in them, that the audit once took for the other."""

import pytest

from masis.audit.checks.support import REFUTED
from masis.audit.verdicts import judge_claims
from masis.types import Claim
from tests.support.engines import chunk

INVESTED = (
    "Investment ($ million)\n\n"
    "| Item | 2025 | 2026 |\n|---|---|---|\n| Monitoring | 4.5 | 6.5 |\n| Total | 22.5 | 27.0 |"
)
OUTLOOK = "The outlook for adjusted earnings per share is now $2.00 – $2.15; in February it was $2.10 – $2.30."
COSTS = (
    "In thousands\n\n| | Q2 2025 | Q2 2024 |\n|---|---|---|\n| Administrative expenses | 52,310 | 50,084 |\n"
    "| Net revenues | 408,546 | 387,327 |"
)
STATES = (
    "| State | Clinics | Change in treatments, % | Nurse vacancy rate, % |\n|---|---|---|---|\n"
    "| Missouri | 58 | -1.1 | 15.2 |\n| Illinois | 41 | -1.9 | 16.3 |"
)
SHARES = (
    "| Country | Population share | Audience share | Weighted share |\n|---|---|---|---|\n| Japan | 1.9 | 4.9 | 9.1 |\n"
    "| Italy | 0.9 | 2.1 | 4.0 |\n| France | 0.9 | 2.0 | 4.0 |\n| Poland | 0.5 | 0.7 | 0.9 |\n"
    "| India | 17.6 | 2.0 | 0.5 |"
)
SERVICES = (
    "| | Three months ended March 30, 2024 | Three months ended April 1, 2023 |\n|---|---|---|\n"
    "| Products | 66,886 | 73,929 |\n| Services | 23,867 | 20,907 |"
)
POOL = (
    "For loads diverted from January 12 through February 9 there is a relief pool of $420,000. "
    "By February 9 the plant had paid $95,000 for extra freight."
)
NOTE = "The additional $1,100 has been recorded in regulatory charges for the quarter."
HEAD = "Notes to the statements (dollars in thousands)\n\nThe Company runs 247 clinics."


def judged(sentence: str, *texts: str) -> Claim:
    (claim,) = judge_claims(f"{sentence} [c1]", [chunk(f"c{n}", text) for n, text in enumerate(texts, 1)])
    return claim


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        ("That is about 24% of the total 2026 investment of $27.0 million, up from $4.5 million in 2025.", (INVESTED,)),
        ("The midpoint falls by about $0.13, from $2.20 to roughly $2.08.", (OUTLOOK,)),
        ("An additional $1.1 million was recorded in regulatory charges.", (NOTE, HEAD)),
        (
            "Services were 23,867 in the three months ended March 30, 2024, against 20,907 in the three months ended "
            "April 1, 2023 (23,867 − 20,907 = 2,960).",
            (SERVICES,),
        ),
        ("For loads diverted between January 12 and February 9 the board set up a pool of $420,000.", (POOL,)),
        ("India: population share 17.6, audience share 2.0, weighted share 0.5.", (SHARES,)),
    ],
)
def test_what_is_right_is_not_refuted(sentence: str, texts: tuple[str, ...]) -> None:
    assert judged(sentence, *texts)["verdict"] not in REFUTED


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        ("Overall, administrative expenses were $52,310 million in Q2 2025.", (COSTS,)),
        ("Illinois has by far the most severe shortage of trained staff: its vacancy rate was 15.2%.", (STATES,)),
        ("An additional $1.1 billion was recorded in regulatory charges.", (NOTE, HEAD)),
    ],
)
def test_no_auditor_can_vouch_for_what_is_proved_wrong(sentence: str, texts: tuple[str, ...]) -> None:
    claim = judged(sentence, *texts)
    assert claim["verdict"] == "numbers_differ"
    assert not claim.get("is_reading")


def test_a_row_is_held_against_its_own_column() -> None:
    assert "16.3 for Illinois" in judged("The vacancy rate in Illinois was 15.2%.", STATES)["reason"]
