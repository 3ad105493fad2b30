"""The several things one sentence claims: “Sales rose 4 %, while costs fell to $3 million” makes two claims.

A sentence is cut only where both sides can be read on their own: each has a verb of its own and says enough to be
looked up. What is left out on the right (its subject, the time the sentence opens with) is lent by the left.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from masis.language.characters import word_set
from masis.language.periods import period_spans
from masis.language.spans import code_spans, paired_spans
from masis.language.words import DOWNWARDS, UPWARDS, content_stems

MOST_PARTS = 8
"""A sentence with more is a list, and is judged as one."""
LONGEST = 2000
"""Characters; what is longer is no sentence, and each break in it is looked at with all that stands before."""
FEWEST_WORDS = 2
"""Content words a part must have besides its verb."""

_AUXILIARIES = word_set(
    "is are was were has have had will would can could may might did does do shall should cannot isn't wasn't didn't"
)
_PAST_FORMS = word_set(
    """became began bought brought built came fell gave grew held kept led left lost made met paid ran rose said saw
    sold sent spent stood took went won wrote shrank"""
)
_PRESENT_FORMS = word_set(
    """becomes begins brings builds comes falls gives grows holds keeps leads loses makes pays runs rises says sees
    sells stands takes goes wins writes remains shows states reports includes contains consists accounts represents
    means reaches exceeds employs operates serves provides produces uses requires allows refers plays stars lies
    lives opens closes plans expects aims offers owns works ends appears features follows occurs"""
)
"""Many are nouns as well: only where a verb must stand, at the very beginning, are they taken for one."""
_TURNS = (UPWARDS | DOWNWARDS) - word_set(
    "up down above below under more less higher lower stronger weaker growth rise fall increase decrease decline drop "
    "cut cuts gain gains raise raises increases decreases declines drops falls rises surge slow lose reduce"
)
_PAST = re.compile(r"[a-z]{2,}ed")
_NOT_PAST = word_set("need indeed red bed speed feed seed breed hundred united limited based related")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SUBORDINATES = word_set("that who which whom whose where when to as if because since after before than")
_ADVERB = re.compile(r"\W*(?:(?:also|then|later|now|still|even|only|\w+ly)\s+)?")
_LONGEST_SUBJECT = 7
"""Words before the verb of a part that brings its own subject."""
_BREAK = re.compile(
    r"(?P<strong>;\s++|,\s++(?:while|whereas|but)\s++|(?<!\s)\s++(?:while|whereas)\s++|,\s++(?P<relative>which|who)\s++)"
    r"|(?P<series>,\s++and\s++)|(?P<bare>(?<!\s)\s++(?:and|but)\s++)"
)
"""White space is read once and from its beginning: citation marks that were blanked leave long runs of it."""
_OPENS_WITH_A_TIME = re.compile(r"\W*(?:in|at|on|as of|during|for|by|since|after|before|between)\b", re.IGNORECASE)
_ANTECEDENT = re.compile(r"(?:[^\W\d_][\w'’&.-]*\s+){0,4}[^\W\d_][\w'’&.-]*\W*$")
_HOLDS_TOGETHER = re.compile(r"\b(?:both|respectively|between|either|neither|not only|whether|if)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    start: int
    """In the sentence."""
    end: int
    reads: str
    """As it is checked: with the subject and the time it takes from the rest of its sentence."""


def split_claim(sentence: str) -> list[Part]:
    """The parts in order; empty where the sentence makes one claim."""
    if len(sentence) > LONGEST or not _BREAK.search(sentence) or _HOLDS_TOGETHER.search(sentence):
        return []
    parts = list(_parts(sentence))
    return parts if 2 <= len(parts) <= MOST_PARTS else []


def _parts(sentence: str) -> Iterator[Part]:
    closed = _closed_spans(sentence)
    start, subject, time = 0, "", _time_it_opens_with(sentence)
    for match in _BREAK.finditer(sentence):
        left, right = sentence[start : match.start()], sentence[match.end() :]
        inside = any(a <= match.start() < b for a, b in closed)
        if inside or not (_stands_alone(left) and _begins_a_claim(right, match)):
            continue
        yield Part(start, match.start(), _read(left, subject, time))
        subject = _subject_for(match, left, subject)
        start = match.end()
    if start:
        yield Part(start, len(sentence), _read(sentence[start:], subject, time))


def _closed_spans(sentence: str) -> list[tuple[int, int]]:
    """Inside brackets, quotations, code and dates nothing is cut."""
    code = code_spans(sentence, 0, len(sentence))
    brackets, quotes = paired_spans(sentence, 0, len(sentence), code)
    return [*code, *brackets, *quotes, *(span for _, span in period_spans(sentence))]


def _begins_a_claim(right: str, match: re.Match[str]) -> bool:
    """“And” joins words far more often than claims: after it the verb must come at once."""
    following = _BREAK.search(right)
    near = right[: following.start()] if following else right
    if not _has_words(near):
        return False
    if _opens_with_a_verb(near):
        return True
    verb = None if match["bare"] or match["relative"] else verb_at(near)
    return verb is not None and len(near[:verb].split()) <= _LONGEST_SUBJECT


def _stands_alone(text: str) -> bool:
    return _has_words(text) and (verb_at(text) is not None or _opens_with_a_verb(text))


def _has_words(text: str) -> bool:
    return len(set(content_stems(text))) >= FEWEST_WORDS


def _opens_with_a_verb(text: str) -> bool:
    adverb = _ADVERB.match(text)
    first = _WORD.match(text, adverb.end() if adverb else 0)
    return first is not None and (is_finite(first.group()) or first.group() in _PRESENT_FORMS)


def verb_at(text: str) -> int | None:
    """Where its first finite verb stands, as far as words alone can tell."""
    before = ""
    for match in _WORD.finditer(text):
        if is_finite(match.group()) and before not in _SUBORDINATES:
            return match.start()
        before = match.group().lower()
    return None


def is_finite(word: str) -> bool:
    is_past = _PAST.fullmatch(word) is not None and word not in _NOT_PAST
    return is_past or word in _AUXILIARIES or word in _PAST_FORMS or word in _TURNS


def _read(piece: str, subject: str, time: str) -> str:
    """A piece that opens with its verb borrows the subject; one without a time, the time."""
    borrowed = subject if _opens_with_a_verb(piece) else ""
    dated = bool(period_spans(piece) or period_spans(borrowed))
    return " ".join(filter(None, ["" if dated else time, borrowed, piece.strip()]))


def _subject_for(match: re.Match[str], left: str, before: str) -> str:
    if match["relative"]:
        antecedent = _ANTECEDENT.search(left)
        nearest = antecedent.group() if antecedent else ""
        verb = verb_at(nearest)
        return nearest[verb:].partition(" ")[2].strip() if verb is not None else nearest.strip()
    verb = verb_at(left)
    own = left[:verb].strip() if verb is not None else ""
    return own if content_stems(own) else before


def _time_it_opens_with(sentence: str) -> str:
    """ "In fiscal 2025, sales rose and costs fell": the time is for both."""
    first = next(iter(period_spans(sentence)), None)
    comma = sentence.find(",", first[1][1]) if first else -1
    if first is None or comma < 0 or comma - first[1][1] > 3 or not _OPENS_WITH_A_TIME.match(sentence):
        return ""
    return sentence[: comma + 1] if first[1][0] <= 30 else ""
