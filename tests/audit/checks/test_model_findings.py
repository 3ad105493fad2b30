from typing import Any

import pytest

from masis.audit.checks.weighing import settled_by_model

OPEN: Any = {
    "text": "Demand softened in the south. [c1]", "verdict": "unverified", "reason": "few words", "checked_by": "code",
}  # fmt: skip


@pytest.mark.parametrize(
    ("objections", "vouched", "verdict"),
    [
        ([], True, "supported"),
        ([], False, "unverified"),
        (["Prices rose in the north."], False, "unverified"),
        (["Demand softened in the south"], False, "not_in_source"),
        (["“Demand softened in the south” is not in the evidence."], True, "not_in_source"),
    ],
)
def test_the_model_settles_what_was_open(objections: list[str], vouched: bool, verdict: str) -> None:
    (claim,) = settled_by_model([OPEN], objections, vouched)
    assert claim["verdict"] == verdict
    assert claim["checked_by"] == ("code" if verdict == "unverified" else "model")


@pytest.mark.parametrize("verdict", ["verbatim", "numbers_differ", "not_in_source", "fabricated_citation", None])
def test_what_code_decided_stands(verdict: str | None) -> None:
    decided: Any = OPEN | {"verdict": verdict}
    assert settled_by_model([decided], [], vouched=True) == [decided]


def test_silence_does_not_settle_what_code_and_verifier_dispute() -> None:
    disputed: Any = OPEN | {"checked_by": "verifier"}
    assert settled_by_model([disputed], [], vouched=True) == [disputed]


def test_what_the_verifier_alone_refuted_is_left_open_when_the_model_vouches() -> None:
    doubted: Any = OPEN | {"verdict": "not_in_source", "checked_by": "verifier"}
    assert [c["verdict"] for c in settled_by_model([doubted], [], vouched=True)] == ["unverified"]
    assert settled_by_model([doubted], [], vouched=False) == [doubted]


def test_open_parts_are_settled_with_their_sentence() -> None:
    parts = [{"text": "a", "verdict": "verbatim"}, {"text": "b", "verdict": "unverified"}]
    (claim,) = settled_by_model([OPEN | {"parts": parts}], [], vouched=True)
    assert [part["verdict"] for part in claim["parts"]] == ["verbatim", "supported"]
