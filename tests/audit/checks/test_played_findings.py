"""Sentences of a careful chat model, all of them right, that the audit once refuted."""

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
    ],
)
def test_what_is_right_is_not_refuted(sentence: str, texts: tuple[str, ...]) -> None:
    assert judged(sentence, *texts)["verdict"] not in REFUTED
