"""Numbers as people write them: 1,200 · 1 200 000 · 1.412,9 · 412,6 · twenty-five."""

import re

_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS = (
    {word: value for value, word in enumerate(_ONES, start=1)}
    | {word: value for value, word in enumerate(_TEENS, start=10)}
    | dict(zip(_TENS, range(20, 100, 10), strict=True))
)

_SMALL = rf"(?:(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(_ONES)}))?|{'|'.join(_TEENS)}|{'|'.join(_ONES)})"
IN_WORDS = rf"\b(?:(?:{_SMALL}\s)?hundred(?:\s(?:and\s)?{_SMALL})?|{_SMALL})\b"

# “1,200” is English; a comma before one or two digits, or after a zero, is a decimal comma.
IN_DIGITS = r"""(?:
      \d{1,3}(?:\.\d{3})+,\d+ | \d{1,3}(?:\.\d{3}){2,}(?![\d.])
    | \d{1,3}(?:[\u202f\u00a0\u2009'’]\d{3})+(?:[.,]\d+)?(?!\d) | \d{1,3}(?:\ \d{3}){2,}(?:[.,]\d+)?(?!\d)
    | [1-9]\d{0,2}\ \d{3}(?=\s[a-z€$£%])
    | 0,\d+(?![\d,]) | \d+,\d{1,2}(?![\d.]|,\d) | \d{4,},\d+(?![\d,])
    | \d{1,3}(?:,\d{3})+(?:\.\d+)?
    | \d+(?:\.\d+)?
)"""


def read_numeral(raw: str) -> tuple[float, int]:
    """The value, and how many decimals it is given with."""
    if raw[0].isalpha():
        return float(_in_words(raw.lower())), 0
    digits = _with_a_point(raw)
    return float(digits), len(digits.partition(".")[2])


def _in_words(spelled: str) -> int:
    before, hundred, after = spelled.partition("hundred")
    small = sum(NUMBER_WORDS.get(word, 0) for word in re.findall(r"[a-z]+", after if hundred else before))
    return small + (100 * (NUMBER_WORDS.get(before.strip(), 0) or _in_words(before) or 1) if hundred else 0)


def _with_a_point(raw: str) -> str:
    joined = re.sub(r"[\s\u202f\u00a0\u2009'’]", "", raw)
    if "," in joined and "." in joined:
        group, point = (",", ".") if joined.rindex(".") > joined.rindex(",") else (".", ",")
        return joined.replace(group, "").replace(point, ".")
    if joined.count(".") > 1:
        return joined.replace(".", "")
    is_english = joined == raw and re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+", joined)
    return joined.replace(",", "" if is_english else ".")
