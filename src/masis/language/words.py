"""The words a text is about: stems of its content words, its names, and whether it denies or turns."""

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any

WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*|\d+(?:[.,]\d+)*", re.UNICODE)

FUNCTION_WORDS = frozenset(
    """a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down during each
    either else ever every few for from further get gets got give gives given had hadn't has hasn't have haven't having
    he her here hers herself him himself his how i if in into is isn't it its it's itself just let like made make makes
    many may me might more most much must my myself no nor not now of off on once one only onto or other our ours out
    over own per please said same say says she should shouldn't so some such tell than that that's the their theirs
    them themselves then there these they this those through to too under until up upon us very via was wasn't we were
    weren't what what's when where whether which while who whom whose why will with within without won't would
    wouldn't yes yet you your yours describe explain list name show state according document documents evidence
    report reports reported source sources information exactly currently summarize summarise summary overview""".split()
)

NEGATIONS = frozenset(
    """no not never none neither nor nobody nothing without cannot n't can't didn't doesn't don't isn't wasn't weren't
    hasn't haven't hadn't won't wouldn't shouldn't couldn't aren't fails failed lacks lacked unable
    nicht kein keine ne pas aucun jamais nunca ningún não nessun non""".split()
)

DENYING_VERBS = frozenset("decline declines declined declining refuse refuses refused refusing".split())
DENYING = re.compile(
    rf"\b(?:{'|'.join(DENYING_VERBS)}) to (?!(?:an?|the|its|about|around|below|under|nearly|almost|just|only|zero|less|"
    r"roughly|approximately|one|two|three|four|five|six|seven|eight|nine|ten)\b)[a-z]"
)
"""“Declined to comment” denies, “declined to 3%” does not."""
NOT_A_DENIAL = re.compile(r"\bnot (?:only|just|merely|least)\b|\b(?:may|whether) or (?:may )?not\b", re.IGNORECASE)

UPWARDS = frozenset(
    "rise rises rose risen rising increase increases increased increasing grow grows grew grown growing growth "
    "improve improves improved improving gain gains gained up higher climb climbed climbs expand expanded expands "
    "above exceed exceeds exceeded more accelerate accelerated raise raised raises stronger surged surge added".split()
)
DOWNWARDS = frozenset(
    "fall falls fell fallen falling decrease decreases decreased decreasing decline declines declined declining drop "
    "drops dropped dropping shrink shrank shrunk worsen worsened lose loses lost down lower reduce reduces reduced "
    "reducing contract contracted contracts below under less slow slowed cut cuts weaker plunged missed".split()
)


IRREGULAR = {
    form: base
    for base, forms in {
        "become": "became", "begin": "began begun", "bring": "brought", "build": "built", "buy": "bought",
        "choose": "chose chosen", "cost": "costs", "drive": "drove driven", "fall": "fell fallen", "find": "found",
        "forecast": "forecasted", "grow": "grew grown growth", "hold": "held", "keep": "kept", "lead": "led",
        "leave": "left", "lose": "lost loss", "meet": "met", "pay": "paid", "rise": "rose risen", "run": "ran",
        "sell": "sold sale sales", "send": "sent", "spend": "spent", "take": "took taken", "win": "won",
        "write": "wrote written", "founder": "founded", "produce": "production", "acquire": "acquisition",
    }.items()
    for form in forms.split()
}  # fmt: skip
"""Forms that no stemmer brings together, of verbs that analysts use."""


_OF_THIS_THREAD = threading.local()


def _stemmer() -> Any:
    """One a thread: a stemmer keeps the word it works on in itself."""
    if not hasattr(_OF_THIS_THREAD, "stemmer"):
        import snowballstemmer

        _OF_THIS_THREAD.stemmer = snowballstemmer.stemmer("english")
    return _OF_THIS_THREAD.stemmer


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    stemmed: str = _stemmer().stemWord(IRREGULAR.get(word, word))
    return stemmed


def plain(text: str) -> str:
    """One form for typography that means the same."""
    text = unicodedata.normalize("NFKC", text)
    return text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"').replace("–", "-")


def words(text: str) -> list[str]:
    return [match.group().lower() for match in WORD.finditer(plain(text))]


def content_stems(text: str) -> list[str]:
    """In order, with repetitions; hyphenated words count as their parts, so that “follow-up” meets “follow up”."""
    parts = (part for word in words(text) for part in re.split(r"['\-]s?\b", word) if part)
    return [stem(part) for part in parts if part not in FUNCTION_WORDS and (len(part) > 1 or part.isdigit())]


NAME = re.compile(r"\b[A-Z][\w&]*(?:[-'’][A-Z]?\w+)*")
NOT_A_NAME = re.compile(
    r"""(?:FY|CY|[QH])['’]?\d*(?:FY|CY)?\d* | \d?[QH]\d* | (?:YoY|QoQ|MoM|HoH|YTD|MTD|QTD|LTM|TTM|CAGR|EoY|FYE)
    | fiscal | quarters? | half | years?
    | jan(?:uary)? | feb(?:ruary)? | mar(?:ch)? | apr(?:il)? | may | june? | july? | aug(?:ust)? | sept?(?:ember)?
    | oct(?:ober)? | nov(?:ember)? | dec(?:ember)?
    | mio | mrd | tsd | million(?:en)? | milliarden? | prozent | USD | EUR | GBP | CHF | JPY""",
    re.VERBOSE | re.IGNORECASE,
)
"""Periods, shorthand of reports and units: compared by what they mean, not by spelling."""


def names(text: str) -> list[str]:
    """Capitalised words that do not merely open a sentence."""
    return [
        match.group()
        for match in NAME.finditer(text)
        if not _opens_a_sentence(text, match.start()) and could_name(match.group())
    ]


def capitalised(text: str) -> frozenset[str]:
    """Names, and whatever else opens a sentence: for comparing which of several a number stands with."""
    return frozenset(m.group().lower() for m in NAME.finditer(text) if could_name(m.group()))


def could_name(word: str) -> bool:
    return word.lower() not in FUNCTION_WORDS and not NOT_A_NAME.fullmatch(word)


def _opens_a_sentence(text: str, position: int) -> bool:
    before = text[:position].rstrip(" \t\"'“‘(*_#>-•")
    return not before or before[-1] in ".!?:\n|" or text[:position].rstrip(" \t").endswith("\n")


def is_negated(text: str) -> bool:
    """An odd number of negations denies."""
    said = NOT_A_DENIAL.sub(" ", plain(text))
    denials = sum(word in NEGATIONS for word in words(said)) + len(DENYING.findall(said))
    return denials % 2 == 1


LIMITS = re.compile(
    r"\b(?:more|less|fewer|greater) than\b|\bup to\b"
    r"|\b(?:over|under|above|below|exceed(?:s|ed|ing)?)(?=\s+(?:[$€£]?\d|[A-Z]{3}\s))",
    re.IGNORECASE,
)
"""“Over 1,000” limits a number and points nowhere."""


def directions(text: str) -> frozenset[str]:
    """“up” and “down”, as the text has them."""
    found = set(words(LIMITS.sub(" ", DENYING.sub(" ", text))))
    return frozenset(({"up"} if found & UPWARDS else set()) | ({"down"} if found & DOWNWARDS else set()))
