"""Extracts what a text is about: the stems of its content words, its names, its language, and whether it denies
something or gives a direction."""

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any

from masis.language.characters import word_set

_COMMON = {
    "en": word_set(
        "the of and to in is was that for on with as by at from are were has have not this which it be an a no or its"
    ),
    "de": word_set("der die das und ist war von den dem des ein eine mit für auf im nicht zu wurde sich als auch bei"),
    "fr": word_set(
        "le la les de des est et une du dans pour que qui par sur au aux avec pas été ont son sont ne ce il"
    ),
    "es": word_set(
        "el la los las de fueron año es y una del en para que por con no fue se su al han sido son como más lo"
    ),
    "it": word_set("il la gli delle è e una del nel per che con non di si dei della sono stato stata ha al le"),
    "pt": word_set("o a os as de foram ano é e uma do da em para que por com não foi se no na dos das são ao mais um"),
    "nl": word_set("de het een van en is was in op voor met niet dat zijn door aan bij ook werd te om er"),
}
_SCRIPTS = {
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
}
_CLEAR = 1.5
"""How many times as many common words the likeliest language must have as the next."""


@lru_cache(maxsize=256)
def language_of(text: str) -> str | None:
    """The language of a text; None if the text is too short, or too much a list of names and figures, to tell."""
    letters = 0 if text.isascii() else sum(character.isalpha() for character in text)
    for language in ("ja", "zh", "ko", "ru", "el", "ar"):
        if letters and len(_SCRIPTS[language].findall(text)) > 0.2 * letters:
            return language
    said = re.findall(r"[^\W\d_]+", text.lower())
    counts = {language: sum(word in common for word in said) for language, common in _COMMON.items()}
    (first, most), (_, second), *_ = sorted(counts.items(), key=lambda item: -item[1])
    # The “a” and “e” in “A tablet twice a day, i.e. two” do not make it Portuguese.
    are_words = len({word for word in said if word in _COMMON[first] and len(word) > 1}) >= 2
    return first if are_words and most >= _CLEAR * second else None


def differ(one: str, other: str) -> bool:
    """The two texts are certainly in different languages."""
    ours, theirs = language_of(one), language_of(other)
    return ours is not None and theirs is not None and ours != theirs


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
"""“Declined to comment” is a denial; “declined to 3%” is not."""
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
    """One per thread, because a stemmer stores the word it is working on."""
    if not hasattr(_OF_THIS_THREAD, "stemmer"):
        import snowballstemmer

        _OF_THIS_THREAD.stemmer = snowballstemmer.stemmer("english")
    return _OF_THIS_THREAD.stemmer


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    stemmed: str = _stemmer().stemWord(IRREGULAR.get(word, word))
    return stemmed


def plain(text: str) -> str:
    """The text with one spelling for characters that mean the same."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    return text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"').replace("–", "-")


_PARTS = re.compile(r"['\-]s?\b")


A_SENTENCE = 1_000
"""Longest text, in characters, that is cached: a thousand passages would take a hundred megabytes."""


def words(text: str) -> list[str]:
    return list(_words(text) if len(text) <= A_SENTENCE else _words.__wrapped__(text))


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[str, ...]:
    """Cached, because twenty checks read each claim."""
    return tuple(match.group().lower() for match in WORD.finditer(plain(text)))


def content_stems(text: str) -> list[str]:
    """The stems in order, with repetitions. Hyphenated words count as their parts, so that “follow-up” matches “follow
    up”."""
    return list(_content_stems(text) if len(text) <= A_SENTENCE else _content_stems.__wrapped__(text))


@lru_cache(maxsize=1024)
def _content_stems(text: str) -> tuple[str, ...]:
    parts = (part for word in words(text) for part in (_PARTS.split(word) if "-" in word or "'" in word else (word,)))
    return tuple(stem(part) for part in parts if (len(part) > 1 or part.isdigit()) and part not in FUNCTION_WORDS)


NAME = re.compile(r"\b[A-Z][\w&]*(?:[-'’][A-Z]?\w+)*")
NOT_A_NAME = re.compile(
    r"""(?:FY|CY|[QH])['’]?\d*(?:FY|CY)?\d* | \d?[QH]\d* | (?:YoY|QoQ|MoM|HoH|YTD|MTD|QTD|LTM|TTM|CAGR|EoY|FYE)
    | fiscal | quarters? | half | years?
    | jan(?:uary)? | feb(?:ruary)? | mar(?:ch)? | apr(?:il)? | may | june? | july? | aug(?:ust)? | sept?(?:ember)?
    | oct(?:ober)? | nov(?:ember)? | dec(?:ember)?
    | mio | mrd | tsd | million(?:en)? | milliarden? | prozent | USD | EUR | GBP | CHF | JPY""",
    re.VERBOSE | re.IGNORECASE,
)
"""Periods, report shorthand and units, which are compared by their meaning rather than their spelling."""


def names(text: str) -> list[str]:
    """Capitalised words that do not merely open a sentence."""
    return [
        match.group()
        for match in NAME.finditer(text)
        if not _opens_a_sentence(text, match.start()) and could_name(match.group())
    ]


def capitalised(text: str) -> frozenset[str]:
    """Names, and capitalised words that open a sentence; used to decide which of several things a number belongs to."""
    return frozenset(m.group().lower() for m in NAME.finditer(text) if could_name(m.group()))


def could_name(word: str) -> bool:
    return word.lower() not in FUNCTION_WORDS and not NOT_A_NAME.fullmatch(word)


def _opens_a_sentence(text: str, position: int) -> bool:
    before = text[:position].rstrip(" \t\"'“‘(*_#>-•")
    return not before or before[-1] in ".!?:\n|" or text[:position].rstrip(" \t").endswith("\n")


def is_negated(text: str) -> bool:
    """An odd number of negations makes a denial."""
    said = NOT_A_DENIAL.sub(" ", plain(text))
    denials = sum(word in NEGATIONS for word in words(said)) + len(DENYING.findall(said))
    return denials % 2 == 1


LIMITS = re.compile(
    r"\b(?:more|less|fewer|greater) than\b|\bup to\b"
    r"|\b(?:over|under|above|below|exceed(?:s|ed|ing)?)(?=\s+(?:[$€£]?\d|[A-Z]{3}\s))",
    re.IGNORECASE,
)
"""“Over 1,000” sets a limit to a number and gives no direction."""


def directions(text: str) -> frozenset[str]:
    """“up” and “down”, if the text contains such words."""
    found = set(words(LIMITS.sub(" ", DENYING.sub(" ", text))))
    return frozenset(({"up"} if found & UPWARDS else set()) | ({"down"} if found & DOWNWARDS else set()))
