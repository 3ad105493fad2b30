from typing import Any

import pytest

from masis.audit.conflicts.facts import find_disputed_facts
from tests.support.engines import chunk


def kinds(question: str, *texts: str) -> list[str]:
    evidence: list[Any] = [
        chunk(f"c{n}", text, document_id=f"d{n}", file_name=f"file{n}.txt") for n, text in enumerate(texts, start=1)
    ]
    return [conflict["kind"] for conflict in find_disputed_facts(question, evidence)]


LAUNCH = "When does the Brno line launch?"
CHIEF = "Who is the chief executive officer of Acme?"
HEDGES = "Does the company hedge its currency exposure?"
RUIZ = "Anna Ruiz is chief executive officer of Acme."


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (LAUNCH, "The Brno line will launch on 3 May 2026.", "The launch of the Brno line is on 5 May 2026."),
        (CHIEF, RUIZ, "Acme's chief executive officer Mark Hall opened the meeting."),
        ("Who founded Acme?", "Acme was founded by Anna Ruiz.", "Mark Hall founded Acme in a garage."),
        (HEDGES, "The company does not hedge its currency exposure.", "The company hedges its currency exposure."),
        (
            "Did the board approve the acquisition of Ferro?",
            "The board approved the acquisition of Ferro.",
            "The board rejected the acquisition of Ferro.",
        ),
    ],
)
def test_dates_names_and_denials_that_cannot_both_stand(question: str, first: str, second: str) -> None:
    assert kinds(question, first, second) == ["contradiction"]


@pytest.mark.parametrize(
    ("question", "first", "second", "kind"),
    [
        (LAUNCH, "The Brno line launches in May 2026.", "The Brno line launch was postponed to June 2026.", "revision"),
        (CHIEF, RUIZ, "Acme's former chief executive officer Mark Hall opened the meeting.", "different_period"),
        (
            HEDGES,
            "The company did not hedge its currency exposure in 2024.",
            "The company hedged its currency exposure in 2025.",
            "different_period",
        ),
    ],
)  # fmt: skip
def test_what_explains_the_difference(question: str, first: str, second: str, kind: str) -> None:
    assert kinds(question, first, second) == [kind]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (LAUNCH, "The Brno line will launch on 3 May 2026.", "The Brno line will launch in May 2026."),
        (LAUNCH, "The Brno line will launch on 3 May 2026.", "The Lyon line will launch on 5 May 2026."),
        (CHIEF, RUIZ, "A. Ruiz is chief executive officer of Acme."),
        (CHIEF, RUIZ, "The chief executive officer of Acme met Mark Hall."),
        (CHIEF, RUIZ, "Mark Hall audits the accounts of Acme."),
        (HEDGES, "The company does not hedge its currency exposure.", "The currency exposure is not hedged."),
        (HEDGES, "The company does not hedge its currency exposure.", "The company hedges fuel prices."),
        ("How large is Acme?", RUIZ, "Acme's chief executive officer Mark Hall opened the meeting."),
    ],
)
def test_what_is_no_dispute(question: str, first: str, second: str) -> None:
    assert kinds(question, first, second) == []
