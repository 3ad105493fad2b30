"""Quotation marks promise the source's own words; a count promises as many things."""

import pytest

from masis.audit.checks.counts import miscounted
from masis.audit.checks.quotations import misquoted
from masis.audit.checks.support import check_support
from masis.language.statements import statements
from tests.support.engines import chunk

SPEECH = "Maren Oakhurst said: “We will open the laboratory in Lyon, if demand holds, before the end of the year.”"


@pytest.mark.parametrize(
    "claim",
    [
        'She said "we will open the laboratory in Lyon".',
        "She said “We will open the laboratory in Lyon … before the end of the year”.",
        'She said "[the company] will open the laboratory in Lyon".',
        'The "Lyon laboratory" is planned.',
    ],
)
def test_true_quotations(claim: str) -> None:
    assert misquoted(claim, [SPEECH]) is None


@pytest.mark.parametrize(
    "claim",
    [
        'She said "we will close the laboratory in Lyon".',
        "She said “the laboratory will open before the end of the year”.",
        "She said “before the end of the year … we will open the laboratory”.",
    ],
)
def test_false_quotations(claim: str) -> None:
    assert misquoted(claim, [SPEECH])
    assert check_support(claim, [chunk("c1", SPEECH)]).verdict in ("not_in_source", "contradicted")


LISTED = "The plants are:\n- Brno\n- Lyon\n- Porto\n\nAll of them were audited in 2025."


@pytest.mark.parametrize(
    ("claim", "is_wrong"),
    [
        ("There are three plants: Brno, Lyon and Porto.", False),
        ("There are four plants: Brno, Lyon and Porto.", True),
        ("The company runs three plants.", False),
        ("The company runs five plants.", True),
        ("The plan has two aims: research and development, and sales.", False),
    ],
)
def test_a_count_beside_what_it_counts(claim: str, is_wrong: bool) -> None:
    assert bool(miscounted(claim, statements(LISTED))) is is_wrong
