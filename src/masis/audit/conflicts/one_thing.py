"""Whether a question asks for one thing, so that two different answers cannot both be all of it."""

import re

SEVERAL = re.compile(
    r"""\b(?:list|lists|enumerate|examples?|compare|comparison|difference|differ|versus|vs|trend|summari[sz]e
      |describe|explain|overview|discuss|outline|some|various|respectively|each|every|all)\b
    | \b(?:who|what|which)\s+(?:are|were|have|do)\b
    | \bwhy\b | \bhow\s+(?!many\b|much\b|long\b|old\b|far\b|tall\b|high\b|large\b|big\b|deep\b|wide\b|heavy\b|fast\b)
    | \?\s*\S""",
    re.VERBOSE,
)
"""Lists, comparisons and explanations: several documents add to them without contradicting each other."""

ONE = re.compile(
    r"""\bwho(?:m|se)?\b | \bwhen\b | \bwhere\b
    | \bhow\s+(?:many|much|long|old|far|tall|high|large|big|deep|wide|heavy|fast)\b
    | \b(?:what|which)\s+(?:is|was|will\s+be)\s+(?:the|its|his|her|their|(?:\w+\s+){0,3}\w+['’]s)\s+
    | \b(?:what|which)\s+(?P<noun>(?!(?:is|was|were|are|did|does|do|has|have|will|would|can|could|should)\b)\w+)\b
    | \bwhat\s+(?:does|did)\b.*\b(?:refer\s+to|stand\s+for|mean)\b""",
    re.IGNORECASE | re.VERBOSE,
)
NOT_PLURAL = re.compile(r"(?:ss|us|is|ics|series|species|sports|news)$", re.IGNORECASE)
OPEN_ENDED = frozenset(
    "strategy approach view opinion plan outlook rationale reason purpose role impact effect risk challenge concern "
    "benefit relationship significance importance status situation position priority focus process procedure policy "
    "measure measures steps recommendation conclusion finding result".split()
)
"""What a document may speak of in many ways: two descriptions of a strategy are not two strategies."""
SUBJECT = re.compile(
    r"\b(?:what|which)\s+(?:is|was|will\s+be)\s+(?:the|its|his|her|their|(?:\w+\s+){0,3}\w+['’]s)\s+((?:[\w-]+\s+){0,2}?[\w-]+)"
    r"(?=\s+(?:of|for|in|at|by|on|that|which|to|from|with|behind|associated)\b|\s*[?\"“]|$)",
    re.IGNORECASE,
)


QUOTED = re.compile(r"[\"“][^\"”]*[\"”]|(?<!^)\b[A-Z]\S*")
"""Titles and names may hold any word: “Both Sides Now” asks for nothing."""


def asks_for_one(question: str) -> bool:
    question = question.strip()
    if SEVERAL.search(QUOTED.sub(" X ", question[:1].lower() + question[1:])):
        return False
    found = ONE.search(question)
    if found is None:
        return False
    noun = found["noun"]
    if noun and _is_plural(noun):
        return False
    wanted = SUBJECT.search(question)
    return wanted is None or not _is_open(wanted[1])


def _is_plural(noun: str) -> bool:
    return noun.lower().endswith("s") and not NOT_PLURAL.search(noun)


def _is_open(wanted: str) -> bool:
    last = wanted.rsplit(maxsplit=1)[-1].lower()
    return last in OPEN_ENDED or _is_plural(last)
