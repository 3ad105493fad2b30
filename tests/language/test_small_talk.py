"""A greeting does not run the pipeline; a question with a greeting before it does."""

import pytest

from masis.language.directives import is_small_talk

SMALL_TALK = """hi|Hello there!|good morning|Thanks a lot!|ok thanks|Thanks, bye!|who are you?|What can you do?
Who made you?|what is your name?|Are you a robot?|hello masis, how are you?|well done|help|👋|...
Vielen Dank|Wer bist du?|Wie geht's?
Grüß Gott|Auf Wiedersehen|Bonjour à tous|Merci beaucoup !|Qui es-tu ?|Comment ça va ?|¿Quién eres?|¿Cómo estás?|Buenas
Ciao|Come stai?|Olá, tudo bem?|Quem é você?|Goedemorgen|Dank u wel|Hej|Tack|Kiitos|Cześć|Dziękuję|Привет|Спасибо
こんにちは|ありがとう|你好|谢谢|안녕하세요|مرحبا|merhaba|teşekkürler"""

QUESTIONS = """Hi, what was revenue in 2025?|hello, who is the CEO?|Thanks. And what about 2024?|Who are the suppliers?
What are you going to charge for the rye loaf?|help desk opening hours|Guten Tag, wie hoch war der Umsatz 2025?
Bonjour, quel est le chiffre d'affaires ?|Hola, ¿cuánto fueron los ingresos?|revenue|churn 2025
What is the name of the CEO?|Nice office: who works there?|Test results of the pump?
What can you do with a permit?|Good day rates at the hotel?
你好，2025年的收入是多少？|No smoking policy|Dag rates|Are you there in the Lund shop on Sundays?"""


def entries(text: str) -> list[str]:
    return [entry for line in text.splitlines() for entry in line.split("|")]


@pytest.mark.parametrize("text", entries(SMALL_TALK))
def test_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", entries(QUESTIONS))
def test_questions(text: str) -> None:
    assert not is_small_talk(text)
