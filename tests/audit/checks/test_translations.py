import pytest

from masis.audit.checks.translations import is_translated
from masis.audit.verdicts import judge_claims
from tests.support.engines import chunk

SOURCE = (
    "Revenue in fiscal 2025 was $184.1 million, after $163.8 million in fiscal 2024. The board of the company decided"
    " to raise the dividend by 7.4%."
)
GERMAN = "Wie hoch war der Umsatz im Geschäftsjahr 2025, und was war es im Jahr davor?"


def translated(question: str, answer: str) -> bool:
    (claim,) = judge_claims(f"{answer} [c1]", [chunk("c1", SOURCE)])
    return is_translated(claim, question, {"c1": SOURCE})


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            GERMAN,
            "Der Umsatz im Geschäftsjahr 2025 betrug 184,1 Millionen US-Dollar, nach 163,8 Millionen im Jahr 2024.",
        ),
        (
            "Que dit la direction de la société ?",
            "Le conseil a décidé de relever le dividende de 7,4 %, et ce pour 2025.",
        ),
        ("¿Cuáles fueron los ingresos?", "Los ingresos del año fiscal 2025 fueron de 184,1 millones de dólares."),
    ],
)
def test_with_all_its_numbers_in_the_source_it_is_one(question: str, answer: str) -> None:
    assert translated(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (GERMAN, "Der Umsatz im Geschäftsjahr 2025 betrug 148,1 Millionen US-Dollar, und das war nicht wenig."),
        (GERMAN, "Der Umsatz im Geschäftsjahr 2023 betrug 184,1 Millionen US-Dollar, und das war nicht wenig."),
        (
            "What was revenue in the year 2025, and why was it so?",
            "Der Umsatz war im Jahr 2025 höher als der von 2024.",
        ),
        ("What was revenue in the year 2025?", "The moon is made of cheese and that was known to the board."),
    ],
)
def test_a_changed_number_or_another_language_than_the_questions_is_none(question: str, answer: str) -> None:
    assert not translated(question, answer)
