"""Answers in the question's language from documents in another one: they share numbers with their source, not words."""

import pytest

from masis.audit.checks.support import check_support
from tests.support.engines import chunk

SOURCE = chunk(
    "c1",
    "Revenue in fiscal 2025 was $184.1 million, after $163.8 million in fiscal 2024. The board of the company decided"
    " to raise the dividend by 7.4%.",
)


@pytest.mark.parametrize(
    "answer",
    [
        "Der Umsatz im Geschäftsjahr 2025 betrug 184,1 Millionen US-Dollar, nach 163,8 Millionen im Jahr 2024.",
        "Le conseil a décidé de relever le dividende de 7,4 %, et ce pour 2025.",
        "Los ingresos del año fiscal 2025 fueron de 184,1 millones de dólares.",
    ],
)
def test_with_all_its_numbers_in_the_source_nobody_can_tell(answer: str) -> None:
    assert check_support(answer, [SOURCE]).verdict == "unverified"


@pytest.mark.parametrize(
    "answer",
    [
        "Der Umsatz im Geschäftsjahr 2025 betrug 148,1 Millionen US-Dollar, und das war nicht wenig.",
        "Der Umsatz im Geschäftsjahr 2023 betrug 184,1 Millionen US-Dollar, und das war nicht wenig.",
    ],
)
def test_a_number_that_is_not_there_is_wrong_in_any_language(answer: str) -> None:
    assert check_support(answer, [SOURCE]).verdict == "numbers_differ"
