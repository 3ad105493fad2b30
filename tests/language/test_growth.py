"""No text, in whatever script, takes longer than its length allows."""

from collections.abc import Callable

import pytest

from masis.language.instructions import find_instructions
from masis.language.quantities import quantities
from masis.language.sentences import split_sentences
from masis.language.statements import statements
from masis.language.words import content_stems
from tests.support.growth import MOST, growth

UNITS = [
    "中",
    "สวัสดี",
    "٣",
    "٣٤ ",
    "é",
    "a",
    "1 ",
    "1,",
    ". ",
    "A. ",
    "(",
    '"',
    "| a |\n",
    "# a\n",
    "- a\n",
    "\n",
    "[1] ",
]
READERS = [find_instructions, quantities, split_sentences, statements, content_stems]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_time_grows_with_the_length_only(read: Callable[[str], object], unit: str) -> None:
    assert growth(read, unit) < MOST


def test_a_square_is_noticed() -> None:
    assert growth(lambda text: [text.count("b", 0, 4 * n) for n in range(len(text))], "a", 4_000) > MOST
