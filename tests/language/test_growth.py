"""No text, in whatever script, takes longer than its length allows."""

import re
from collections.abc import Callable, Iterable

import pytest

from masis.audit.checks.turns import read_turns
from masis.language.instructions import find_instructions
from masis.language.measures import rate_after
from masis.language.quantities import quantities
from masis.language.question import parsed
from masis.language.sentences import split_sentences
from masis.language.statements import statements
from masis.language.words import content_stems
from masis.sources.markup.latex import latex_lines
from masis.sources.markup.readers import asciidoc_lines, caption_lines, org_lines, restructured_lines
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
READERS = [find_instructions, quantities, split_sentences, statements, content_stems, parsed]
CHECKED = ["1", "1.", "٣", "up ", "lower than ", "and ", "but ", "2024 ", "not "]
CHECKS = [read_turns]
READ = {
    latex_lines: ["~", "\\[", "\\(", "\\begin{tabular}", "\\begin{equation}", "\\item ", "\\section{", "\\\\["],
    org_lines: [":A:\n", " \n", ":END:\n"],
    restructured_lines: ["=== ===\n", "=== ===\na\n"],
    asciidoc_lines: ["////\n", "|===\n"],
    caption_lines: ["00:00:01,000 --> 00:00:02,000\nx\n\n", "\n ", "1\n"],
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_time_grows_with_the_length_only(read: Callable[[str], object], unit: str) -> None:
    assert growth(read, unit) < MOST


@pytest.mark.parametrize("unit", CHECKED)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_neither_does_the_check_of_a_sentence(check: Callable[[str], object], unit: str) -> None:
    assert growth(check, unit) < MOST


@pytest.mark.parametrize(
    ("read", "unit"),
    [pytest.param(read, unit, id=f"{read.__name__} {unit!r}") for read, units in READ.items() for unit in units],
)
def test_nor_a_file_full_of_marks(read: Callable[[str], Iterable[str]], unit: str) -> None:
    assert growth(lambda text: list(read(text + "x")), unit) < MOST


def test_nor_what_follows_a_number() -> None:
    assert growth(lambda text: rate_after(f"1{text}", 1), "a") < MOST


def test_what_takes_a_square_of_the_time_is_refused() -> None:
    assert growth(lambda text: re.search("a+b", text), "a") > MOST


def test_a_question_that_asks_over_and_over_asks_a_few_things() -> None:
    assert len(parsed("What is churn? " * 200).parts) == 1
    parts = parsed(" ".join(f"What was the price of item {number}?" for number in range(100))).parts
    assert len(parts) == 12
    assert "item 99" in parts[-1].text


def test_a_square_is_noticed() -> None:
    assert growth(lambda text: [text.count("b", 0, 4 * n) for n in range(len(text))], "a", 4_000) > MOST
