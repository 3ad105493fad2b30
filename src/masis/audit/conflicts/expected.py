"""Whether some words could be the answer to a question, by their kind: a date for when, a number for how many."""

import re

from masis.language.periods import periods
from masis.language.quantities import quantities

WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:\w+\s+)?(?:date|year|month|day|century|decade)\b|\bdate of\b", re.IGNORECASE
)
HOW_MANY = re.compile(
    r"\bhow\s+(?:many|much|long|old|far|tall|high|large|big|deep|wide|heavy|fast)\b"
    r"|\b(?:population|number|amount|percentage|share|total|median age|price|cost|revenue|headcount)\s+(?:of|in|for)\b",
    re.IGNORECASE,
)
WHO_OR_WHERE = re.compile(
    r"\bwho(?:m|se)?\b|\bwhere\b|\b(?:what|which)\s+(?:city|country|state|county|company|firm|bank|person|team|club|town)\b",
    re.IGNORECASE,
)
YEAR = re.compile(r"\b[12]\d{3}s?\b|\b\d{1,2}(?:st|nd|rd|th) century\b")


def could_answer(question: str, words: str) -> bool:
    if WHEN.search(question):
        return bool(periods(words) or YEAR.search(words))
    if HOW_MANY.search(question):
        return bool(quantities(words) or re.search(r"\d", words))
    if WHO_OR_WHERE.search(question):
        return bool(re.search(r"[^\W\d_]", words)) and words != words.lower()
    return bool(re.search(r"\w", words))
