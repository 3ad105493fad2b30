from typing import Any

import pytest

from masis.audit.proving.model_findings import settled_by_model

OPEN: Any = {"text": "Demand softened in the south. [c1]", "verdict": "unverified", "reason": "code cannot tell"}


@pytest.mark.parametrize(
    ("objections", "verdict"),
    [
        ([], "supported"),
        (["Prices rose in the north."], "supported"),
        (["Demand softened in the south"], "not_in_source"),
        (["“Demand softened in the south” is not in the evidence."], "not_in_source"),
    ],
)
def test_the_model_settles_what_was_open(objections: list[str], verdict: str) -> None:
    (claim,) = settled_by_model([OPEN], objections)
    assert (claim["verdict"], claim["checked_by"]) == (verdict, "model")


@pytest.mark.parametrize("verdict", ["verbatim", "numbers_differ", "not_in_source", "fabricated_citation", None])
def test_what_code_decided_stands(verdict: str | None) -> None:
    decided: Any = OPEN | {"verdict": verdict}
    assert settled_by_model([decided], []) == [decided]
