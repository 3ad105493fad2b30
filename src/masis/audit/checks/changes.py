"""Where a text says that something changed over time: “rose 3%”, “up 3%”, “was lower” all do, “the lower floor” not.

A verb and a degree may then be held against each other: “costs were down 3%” denies “costs rose 3%”.
"""

import re

from masis.language.patterns import word_set

CHANGING = word_set(
    "rise rises rose risen rising increase increases increased increasing grow grows grew grown growing climb climbs "
    "climbed surge surged fall falls fell fallen falling decrease decreases decreased decreasing decline declines "
    "declined declining drop drops dropped dropping shrink shrank shrunk plunged"
)
"""Only verbs that say which way a figure went: churn that “improved” became lower."""
_DEGREE = r"(?P<{}>up|down|higher|lower)\b"
_SHARE = r"\d[\d.,]*\s?(?:%|percent|per cent|percentage points|points)"
_SAID_OF_A_CHANGE = re.compile(
    rf"\b(?:was|were|came in)\s+(?:\w+ly\s+)?(?:{_SHARE}\s+)?{_DEGREE.format('state')}"
    rf"|{_SHARE}\s+{_DEGREE.format('by')}"
    rf"|(?P<step>up|down)\s+(?:(?:by|from|about|nearly|some|roughly|almost|approximately)\s+)*[$€£]?\d",
    re.IGNORECASE,
)
_THAN_ANOTHER = re.compile(
    r"[^.;]{0,30}?\bthan\s+(?!in\b|(?:19|20)\d\d|(?:the|a|last)\s+(?:\w+\s+)?(?:year|quarter|month))"
)
"""“Lower than costs” compares two things; “lower than in 2023” tells a change."""
_OPEN = re.compile(r"\s+(?:for|on|with|and running|against)\b")
"""“Was up for sale” went nowhere."""


def change_degrees(clause: str) -> frozenset[int]:
    """Where in the clause a degree stands that tells a change."""
    found = ((match, match.lastgroup or "") for match in _SAID_OF_A_CHANGE.finditer(clause))
    places = [(match.start(group), match.end(group)) for match, group in found]
    return frozenset(
        start for start, end in places if not _THAN_ANOTHER.match(clause, end) and not _OPEN.match(clause, end)
    )
