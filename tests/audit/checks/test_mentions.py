"""Quotation marks promise the source's own words; a count promises as many things."""

import pytest

from masis.audit.checks.mentions import misquoted
from masis.audit.checks.signature import Claim, Sources
from masis.audit.checks.support import check_support
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
    assert misquoted(Claim(claim), Sources([chunk("c1", SPEECH)])) is None


@pytest.mark.parametrize(
    "claim",
    [
        'She said "we will close the laboratory in Lyon".',
        "She said “the laboratory will open before the end of the year”.",
        "She said “before the end of the year … we will open the laboratory”.",
    ],
)
def test_false_quotations(claim: str) -> None:
    assert misquoted(Claim(claim), Sources([chunk("c1", SPEECH)]))
    assert check_support(claim, [chunk("c1", SPEECH)]).verdict in ("not_in_source", "contradicted")
