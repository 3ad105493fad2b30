"""A follow-up question, completed from the turns before it so that it stands for itself: by its subject, period and
measure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from masis.language.periods import MONTHS, Period, period_spans, periods
from masis.language.question import ASKING, named_again, parsed
from masis.language.question_patterns import REFERS_BACK
from masis.language.sentences import split_sentences
from masis.language.words import content_stems, names

_LEAD = re.compile(r"^\W*(?:(?:and|but|so|or|then|ok(?:ay)?)\b[\s,]*)*(?:(?:what|how)\s+about\b\s*)?", re.IGNORECASE)
_PREPOSITION = re.compile(r"^(?:for|in|during|of|at|by|from|to|with|against|versus|vs\.?|than)\s+", re.IGNORECASE)
_AUX = r"(?P<aux>is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|must)"
_ASKS = re.compile(r"^\W*(?:what|which|who|whom|whose|where|when|why|how|list|name|compare|describe|explain)\b", re.I)
_OPENING = re.compile(
    r"^\W*(?:please\s+)?(?:(?:tell me|list|name|give me|show me|compare|describe|explain|summari[sz]e)\s+)?"
    r"(?:by\s+)?(?:what|which|who|whom|whose|where|when|why"
    r"|how(?:\s+(?:much|many|long|often|large|big|high|low|far|fast|old))?)?\b"
    rf"\s*(?:{_AUX}\b\s*)?(?:the\s+)?",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"^(?:which|what)\s+(?:documents?|files?|reports?|sources?|pages?|papers?)\b.{0,40}\b(?:says?|said|states?|from|supports?|this|that|so)\b"
    r"|^where\s+(?:does|do|did|is|was)\s+(?:it|that|this|they)\b|^what(?:’s|'s|\s+is)\s+(?:the|your)\s+source\b|^says\s+who\b"
    r"|^sources?\W*$",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"^(?:why|how\s+come|what\s+(?:is|was|were|are)\s+the\s+reasons?)(?:\s+(?:is|was|were|did|does)\s+(?:that|this|it|so|happen|they)){0,2}"
    r"(?:\s+(?:so|happen|the\s+case))?\W*$",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(rf"^\W*(?:by\s+)?(?:how\s+\w+|when|where|who)\s+{_AUX}\s+(?P<rest>.+)$", re.IGNORECASE)
_YES_NO = re.compile(rf"^\W*{_AUX}\s+(?P<rest>.+)$", re.IGNORECASE)
_DOES = frozenset({"do", "does", "did", "has", "have", "had"})
_COMPARE = re.compile(
    r"^(?:compare(?:\s+(?:it|that|this|them|those))?\s+(?:with|to|against)|(?:how|what)\s+(?:does|do|did|is|are)\s+(?:it|that|this|they)\s+"
    r"(?:compare|different)\s*(?:with|to|from|against)?|versus|vs\.?|compared\s+(?:with|to))\s+(?P<other>.+)$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^(?:(?:tell\s+me|say|give\s+me)\s+)?(?:some\s+)?(?:more|details?|explain|elaborate|go\s+on|continue)"
    r"(?:\s+(?:about\s+)?(?:that|this|it|please|details?))*\W*$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"^(?:in\s+|for\s+)?(?:the\s+)?(?:"
    r"(?:(?P<n>one|two|three|four|five|[1-9])\s+)?(?P<unit>year|quarter|month)s?\s+(?P<way>before|earlier|prior|ago|after|later|thereafter)"
    r"(?:\s+(?:that|this|it))?"
    r"|(?P<way2>previous|prior|preceding|last|earlier|next|following|subsequent)\s+(?:fiscal\s+|financial\s+)?(?P<unit2>year|quarter|month)"
    r"(?:’s|'s)?)\W*$",
    re.IGNORECASE,
)
_FORWARD = frozenset({"after", "later", "thereafter", "next", "following", "subsequent"})
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SHORT_YEAR = re.compile(r"(?<!\d)\d\d(?!\d)")
_CITATIONS = re.compile(r"\s?\[[^\[\]\n]{1,400}\]")
MOST_WORDS = 8
"""What is swapped in is a phrase, not a sentence."""


@dataclass(frozen=True, slots=True)
class Turn:
    question: str
    """As it was completed."""
    answer: str = ""


def completed(text: str, turns: Sequence[Turn]) -> str:
    """As it was put, where it stands for itself or nothing came before it."""
    asked = " ".join(text.split())
    if not asked or not turns:
        return asked
    rest = _LEAD.sub("", asked)
    for rule in _RULES:
        if made := rule(asked, rest, turns[-1]):
            return made[0].upper() + made[1:]
    return asked


def topic(question: str) -> str:
    """What a question asks about, without the words of asking."""
    return _OPENING.sub("", question, count=1).strip(" ?.!") or question.strip(" ?.!")


def _source(_: str, rest: str, before: Turn) -> str | None:
    if not _SOURCE.match(rest):
        return None
    said = next((s.text for s in split_sentences(_CITATIONS.sub("", before.answer)) if len(s.text) > 3), "")
    return f"Which document says: “{(said or before.question).strip()}”"


def _why(_: str, rest: str, before: Turn) -> str | None:
    if not _WHY.match(rest):
        return None
    question = before.question.strip(" ?.!")
    for shape in (_HOW_MUCH, _YES_NO):
        if (found := shape.match(question)) and (shape is _YES_NO or found["aux"].lower() in _DOES):
            return f"Why {found['aux'].lower()} {found['rest']}?"
    return f"What is the reason for {topic(question)}?"


def _compare(_: str, rest: str, before: Turn) -> str | None:
    found = _COMPARE.match(rest)
    if not found:
        return None
    other, about = found["other"].strip(" ?.!"), topic(before.question)
    shift = _shift(other)
    if shift and (base := _latest(before)):
        within = about if period_spans(about) else f"{about} in {base}"
        return f"Compare {within} with {_shifted(base, *shift)}."
    return f"Compare {about} with {other}."


def _more(_: str, rest: str, before: Turn) -> str | None:
    return f"Describe {topic(before.question)} in detail." if _MORE.match(rest) else None


def _other_period(_: str, rest: str, before: Turn) -> str | None:
    question, shift = before.question, _shift(rest)
    if shift:
        if found := period_spans(question):
            return _replaced(question, [(span, _shifted(question[slice(*span)], *shift)) for _, span in found])
        base = _latest(before)
        return f"{question.strip(' ?.!')} in {_shifted(base, *shift)}?" if base else None
    given = _PREPOSITION.sub("", rest).strip(" ?.!")
    spans = period_spans(given)
    if len(spans) != 1 or spans[0][1] != (0, len(given)):
        return None
    found = period_spans(question)
    if not found:
        return f"{question.strip(' ?.!')} in {given}?"
    (old, span), new = found[-1], given
    if spans[0][0].part is None and old.part is None and _YEAR.fullmatch(given):
        new = _YEAR.sub(given, question[slice(*span)])
    return _replaced(question, [(span, new)])


def _other_thing(asked: str, rest: str, before: Turn) -> str | None:
    """“And in Germany?”, “What about operating income?”: the name or the measure that it takes the place of."""
    if rest == asked or _ASKS.match(rest) or len(rest.split()) > MOST_WORDS:
        return None
    question, given = before.question, _PREPOSITION.sub("", rest).strip(" ?.!")
    linked = rest[: len(rest.rstrip(" ?.!")) - len(given)]
    old_names = [name for name in names(question) if not periods(name)]
    if given[:1].isupper():
        if old_names:
            return question.replace(old_names[-1], given)
        return f"{question.strip(' ?.!')} {linked.strip() or 'for'} {given}?"
    about = topic(question)
    end = min((span[0] for _, span in period_spans(about)), default=len(about))
    measure = re.split(r"\s+(?:in|for|of|at|during|by|from|as)\s+", about[:end])[0].strip()
    if linked and not old_names:
        return f"{question.strip(' ?.!')} {linked.strip()} {given}?"
    return question.replace(measure, given.removeprefix("the ")) if measure else None


def _leaning(asked: str, rest: str, before: Turn) -> str | None:
    """A whole question that leans on the one before by a pronoun, by “and”, or by saying too little."""
    named = named_again(before.question, rest)
    if named != rest:
        return named
    says = set(content_stems(rest)) - ASKING
    if rest != asked and says and not periods(rest) and "number" in parsed(rest).kinds:
        when = _latest(before)
        return f"{rest.strip(' ?.!')} in {when}?" if when else rest
    if len(says) < 2 and (REFERS_BACK.search(rest) or not says or len(rest.split()) < 3):
        return f"{rest.strip(' ?.!')} ({topic(before.question)})?"
    return rest if rest != asked else None


_RULES: tuple[Callable[[str, str, Turn], str | None], ...] = (
    _source,
    _why,
    _compare,
    _more,
    _other_period,
    _other_thing,
    _leaning,
)


def _latest(before: Turn) -> str:
    """The words of the period that the turn before speaks of: its question's, else its answer's."""
    for text in (before.question, _CITATIONS.sub("", before.answer)):
        found = [span for period, span in period_spans(text) if period.year]
        if found:
            return text[slice(*found[-1])]
    return ""


def _shift(text: str) -> tuple[str, int] | None:
    """“The two years before”: year, -2."""
    found = _RELATIVE.match(_PREPOSITION.sub("", text.strip()))
    if not found:
        return None
    way, unit = (found["way"] or found["way2"]).lower(), (found["unit"] or found["unit2"]).lower()
    given = (found["n"] or "one").lower()
    steps = _NUMBERS.get(given) or int(given)
    return unit, steps if way in _FORWARD else -steps


def _shifted(words: str, unit: str, steps: int) -> str:
    """The words of a period, some years, quarters or months later."""
    period = next(iter(periods(words)), Period())
    if unit == "quarter" and period.year and period.part and period.part.startswith("Q"):
        years, quarter = divmod(int(period.part[1]) - 1 + steps, 4)
        return f"Q{quarter + 1} {period.year + years}"
    if unit == "month" and period.year and period.part and period.part.isdigit():
        years, month = divmod(int(period.part) - 1 + steps, 12)
        name = next(name for name, number in MONTHS.items() if number == month + 1)
        return f"{name.capitalize()} {period.year + years}"
    if _YEAR.search(words):
        return _YEAR.sub(lambda year: str(int(year[0]) + steps), words)
    return _SHORT_YEAR.sub(lambda year: f"{(int(year[0]) + steps) % 100:02d}", words)


def _replaced(text: str, changes: Sequence[tuple[tuple[int, int], str]]) -> str:
    for (start, end), new in reversed(changes):
        text = text[:start] + new + text[end:]
    return text
