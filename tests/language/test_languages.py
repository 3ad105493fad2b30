import pytest

from masis.language.words import differ, language_of

TEXTS = {
    "en": "Revenue was higher than in the year before, and margins have not changed.",
    "de": "Der Umsatz war höher als im Jahr davor, und die Marge ist nicht gestiegen.",
    "fr": "Le chiffre d'affaires est plus élevé que dans les années passées et la marge ne change pas.",
    "es": "Los ingresos fueron más altos que en el año anterior y la deuda no se redujo.",
    "it": "Il fatturato è stato più alto che nel 2024 e la marge non si è ridotta per gli azionisti.",
    "nl": "De omzet was hoger dan het jaar ervoor en de marge is niet gestegen door de kosten.",
    "ru": "Выручка выросла по сравнению с прошлым годом.",
    "zh": "收入比去年增长了百分之五。",
    "ja": "売上は前年より増えました。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_enough(language: str) -> None:
    assert language_of(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "184.1", "Tolmerick Gateway Havenmoor", "Revenue: 12"])
def test_what_cannot_be_told_is_not_guessed(text: str) -> None:
    assert language_of(text) is None


def test_texts_differ_only_for_certain() -> None:
    assert differ(TEXTS["en"], TEXTS["de"])
    assert not differ(TEXTS["en"], TEXTS["en"])
    assert not differ(TEXTS["en"], "Havenmoor 184.1")


def test_a_short_english_sentence_is_no_portuguese_for_its_no_and_as() -> None:
    assert not differ("No misstatement was found as a result.", TEXTS["en"])
