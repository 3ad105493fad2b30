"""Who did it to whom, in either voice."""

import pytest

from masis.audit.checks.support import check_support
from tests.support.engines import chunk

ACQUIRED = "Acme acquired Borex in 2021."
WAS_ACQUIRED = "Borex was acquired by Acme in 2021."
SUCCEEDED = "Paul Wexler succeeded Elena Marchetti as chief executive."


def verdict(claim: str, source: str) -> str:
    return check_support(claim, [chunk("c1", source)]).verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (ACQUIRED, "Borex acquired Acme in 2021."),
        (ACQUIRED, "Acme was acquired by Borex in 2021."),
        (WAS_ACQUIRED, "Borex acquired Acme in 2021."),
        (WAS_ACQUIRED, "Acme was acquired by Borex in 2021."),
        (SUCCEEDED, "Elena Marchetti succeeded Paul Wexler as chief executive."),
        (SUCCEEDED, "Paul Wexler was succeeded by Elena Marchetti as chief executive."),
        (SUCCEEDED, "As chief executive, Marchetti succeeded Wexler."),
    ],
)
def test_exchanged_roles_contradict(source: str, claim: str) -> None:
    assert verdict(claim, source) == "contradicted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (ACQUIRED, "Borex was acquired by Acme in 2021."),
        (WAS_ACQUIRED, "Acme acquired Borex in 2021."),
        (WAS_ACQUIRED, "In 2021 Acme acquired Borex."),
        (SUCCEEDED, "Elena Marchetti was succeeded by Paul Wexler as chief executive."),
        (SUCCEEDED, "As chief executive, Wexler succeeded Marchetti."),
        ("Acme sued Borex in May, and Borex sued Acme in June.", "Borex sued Acme in June."),
    ],
)
def test_the_same_roles_in_another_voice_do_not(source: str, claim: str) -> None:
    assert verdict(claim, source) in ("supported", "verbatim")


def test_another_name_beside_the_same_deed_is_still_seen() -> None:
    assert verdict("Acme acquired Borex in Lyon.", "Acme acquired Borex in Brno. Acme has a plant in Lyon.") == (
        "contradicted"
    )
