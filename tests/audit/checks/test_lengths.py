"""A sentence that nobody would write is not compared word by word, and holds nobody up."""

import pytest

from masis.audit.verdicts import judge_claims
from tests.support.engines import chunk

SOURCE = [chunk("c1", "Revenue rose 4% to $3 million in 2024. Costs in Europe fell to $2 million.")]


@pytest.mark.parametrize(
    "answer",
    [
        "revenue and costs rose, " * 9000 + "[c1].",
        "revenue rose " * 4000 + "[c1]",
        f"Revenue was {', '.join(map(str, range(1600)))} [c1].",
    ],
    ids=["200 kB", "no full stop", "1,600 numbers"],
)
def test_what_is_too_long_is_left_unverified(answer: str) -> None:
    (claim,) = judge_claims(answer, SOURCE)
    assert claim["verdict"] == "unverified"
    assert "too long" in claim["reason"]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (f"Revenue rose 4% to $3 million {'[c1]' * 10_000}.", "verbatim"),
        (f"Revenue rose 4% to $3 million {'[c1] ' * 10_000}, while costs in Europe fell to $2 million.", "supported"),
        (
            f"Revenue rose 4% to $3 million {'[c1] ' * 10_000}, while costs in Europe rose to $2 million.",
            "contradicted",
        ),
    ],
)
def test_citations_do_not_make_a_sentence_long(answer: str, verdict: str) -> None:
    (claim,) = judge_claims(answer, SOURCE)
    assert claim["verdict"] == verdict
