import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.language.sentences import Sentence, split_sentences

# What may lie between sentences besides space: markers of lists, quotes, headings; rules, fences, borders.
MARKUP_LINE = re.compile(
    r"[\s>\u200b\ufeff]*(?:[-*•+–—·→◦▪#]+|\(?\d{1,3}[.)、]|\(?[A-Za-z]\)|\(?[ivxIVX]{2,5}\)|[a-z]\.|[①-⑳])?"
    r"(?:\s+\d{1,3}[.)]|\s+[A-Za-z]\))?(?:\s*\[[ xX✓]\])?[\s|]*|[\s>]*(?:`{3,}|~{3,})[^`]*|[\s>|:=+_*-]*"
)
PIECES = [
    "Revenue rose 7.2% to $199.6M.", "Costs fell!", "Why?", "# Results", "## 2. Outlook", "- ", "1. ", "a) ",
    "> ", "| Region | 2024 |", "|---|---|", "| EMEA | 61.3 |", "```\n", "```python\n", "x = y[0]", "The",
    "**Key findings**", "Key findings:", "[c7k2m9x4qt1]", "(see Fig. 2)", "“Quoted. Twice.”", "e.g.", "U.S.",
    "J. P. Morgan", "…", "---", "収入は増えた。", "هل انخفضت؟", "राजस्व बढ़ा।", "\n", "\n\n", "\r\n",
    "\u200b", "\t", "`a. b`", "* * *", "[ ]", "- [x] Done", "and so on", ":", ";", ",", " ",
    "  \n", "\u00a0",
]  # fmt: skip
ANALYST_TEXT = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
ANY_TEXT = st.one_of(ANALYST_TEXT, st.text(max_size=200))


@given(ANY_TEXT)
def test_spans_are_exact_ordered_and_trimmed(text: str) -> None:
    end = 0
    for sentence in split_sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip() != ""
        assert end <= sentence.start < sentence.end
        end = sentence.end


@given(ANY_TEXT)
def test_everything_but_markup_is_covered(text: str) -> None:
    at = 0
    for sentence in [*split_sentences(text), Sentence("", len(text), len(text), "prose")]:
        for line in re.split(r"[\n\r\x0b\x0c\x85\u2028\u2029]", text[at : sentence.start]):
            assert MARKUP_LINE.fullmatch(line), (line, text)
        at = sentence.end


@given(ANY_TEXT)
def test_a_blank_line_always_ends_a_sentence(text: str) -> None:
    for sentence in split_sentences(text):
        if sentence.block != "code":
            assert not re.search(r"\n[ \t]*\n", sentence.text)


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("Revenue rose.", ["prose"]),
        ("# Results", ["heading"]),
        ("**Results**", ["heading"]),
        ("Results:", ["heading"]),
        ("- Revenue rose. Costs fell.", ["bullet", "bullet"]),
        ("1) Revenue rose", ["bullet"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["table", "table"]),
        ("Text.\n\n```\ncode. More\n```\n", ["prose", "code"]),
        ("> Revenue rose.", ["prose"]),
    ],
)
def test_blocks(text: str, blocks: list[str]) -> None:
    assert [sentence.block for sentence in split_sentences(text)] == blocks


def test_without_known_ids_citations_are_told_by_their_looks() -> None:
    text = "Revenue rose. [c7k2m9x4qt1] Costs fell. [3] Cash was flat."
    assert [sentence.text for sentence in split_sentences(text)] == [
        "Revenue rose. [c7k2m9x4qt1]",
        "Costs fell. [3]",
        "Cash was flat.",
    ]


def test_known_ids_that_look_like_words_stay_with_their_sentence() -> None:
    text = "Revenue rose. [alpha] Costs fell. [beta]"
    assert [s.text for s in split_sentences(text, ["alpha", "beta"])] == [
        "Revenue rose. [alpha]",
        "Costs fell. [beta]",
    ]


def test_a_no_break_space_at_the_end_of_a_line_is_trimmed() -> None:
    assert [s.text for s in split_sentences("It cost $199.6M.# Results\xa0  \nRevenue rose.")] == [
        "It cost $199.6M.# Results",
        "Revenue rose.",
    ]
