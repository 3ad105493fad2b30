"""Completes a follow-up question from the turns before it: with their subject, period or measure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from masis.language.characters import BRACKETED
from masis.language.measures import states_a_figure
from masis.language.periods import MONTHS, Period, period_spans, periods
from masis.language.question import ASKING, named_again, parsed
from masis.language.question_patterns import OVERVIEW, REFERS_BACK
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
_HOW_MUCH = re.compile(rf"^\W*(?:by\s+)?(?:how(?:\s+\w+)?|what|when|where|who)\s+{_AUX}\s+(?P<rest>.+)$", re.IGNORECASE)
_OF_A_MEASURE = re.compile(r"^\W*(?:what|how)\b|^\W*compare\b", re.IGNORECASE)
"""The topic of such a question can be named. “Which region grew fastest?” and “Who is the chair?” ask for the name
itself."""
_COMPARED = re.compile(
    r"\b(?:from|than|against|versus|vs\.?|since|until|(?:compared|relative)\s+(?:with|to))\b[^.;]{0,30}$", re.I
)
"""Words before a period that another one is compared with."""
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
_SUMMARY = re.compile(
    r"^(?:(?:please|can\s+you|could\s+you|would\s+you)\s+){0,2}(?:summari[sz]e\b"
    r"|(?:(?:give|show|write|provide|make)\s+(?:(?:me|us)\s+)?)?"
    r"(?:(?:an?|the)\s+(?:[\w-]+\s+){0,2}|(?:short|brief|quick)\s+)?(?:summary|overview)\b)",
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
_TRAILING = re.compile(r"\s+(?:(?:in|for|during|of|at|as of|on)\s+)?(?:the\s+)?$", re.IGNORECASE)
_QUOTED = re.compile(r"“[^”]*”?|\"[^\"]*\"")
_QUOTES_AN_ANSWER = re.compile(r"^(?:which document says|why(?:, [^“]{1,80})?): “", re.IGNORECASE)
MOST_WORDS = 8
"""Most words of a replacement: it is a phrase, not a sentence."""


@dataclass(frozen=True, slots=True)
class Turn:
    question: str
    """The question in its completed form."""
    answer: str = ""


def completed(text: str, turns: Sequence[Turn]) -> str:
    """The completed question; unchanged if it is complete already or nothing came before it."""
    asked = " ".join(text.split())
    if not asked or not turns:
        return asked
    rest = _LEAD.sub("", asked)
    # An answer that finds nothing cites nothing, so the question is about the last answer with a citation.
    said = next((turn for turn in reversed(turns) if BRACKETED.search(turn.answer)), turns[-1])
    made = _source(rest, said) or _why(rest, turns[-1])
    before = _spoken_of(turns)
    if not made and before and not _asks_for_a_summary(rest, before):
        made = next(filter(None, (rule(asked, rest, before) for rule in _RULES)), None)
    return made[0].upper() + made[1:] if made else asked


def _spoken_of(turns: Sequence[Turn]) -> Turn | None:
    """The last turn with its own subject: “Why?” and “Which document says so?” ask about the answer before."""
    for at in range(len(turns) - 1, -1, -1):
        if not _is_about_an_answer(turns[at].question, turns[at - 1] if at else None):
            return turns[at]
    return None


def _is_about_an_answer(question: str, before: Turn | None) -> bool:
    """Whether the question asks about the preceding answer. The first question never does."""
    rest = _LEAD.sub("", question)
    is_short = before and (_SOURCE.match(rest) or _WHY.match(rest) or question == _why("why", before))
    return bool(is_short or _QUOTES_AN_ANSWER.match(question))


def _asks_for_a_summary(rest: str, before: Turn) -> bool:
    """A request for a summary is complete, but “What is it about?” may refer to the subject of the turn before."""
    is_of_all = OVERVIEW.search(rest) and named_again(before.question, rest) == rest
    return bool(_SUMMARY.match(rest) or is_of_all)


def topic(question: str) -> str:
    """What a question asks about, without the words of asking."""
    return _OPENING.sub("", question, count=1).strip(" ?.!") or question.strip(" ?.!")


def _source(rest: str, before: Turn) -> str | None:
    if not _SOURCE.match(rest):
        return None
    return f"Which document says: “{(_first_said(before) or before.question).strip()}”"


def _first_said(before: Turn) -> str:
    """The first sentence of the answer that is not just a lead-in such as “The documents do not agree on this:”."""
    said = (sentence.text for sentence in split_sentences(BRACKETED.sub("", before.answer)))
    return next((text for text in said if len(text) > 3 and not text.rstrip(" *_").endswith((":", "："))), "")


def _why(rest: str, before: Turn) -> str | None:
    if not _WHY.match(rest):
        return None
    question = before.question.strip(" ?.!")
    for shape in (_HOW_MUCH, _YES_NO):
        if (found := shape.match(question)) and (shape is _YES_NO or found["aux"].lower() in _DOES):
            return f"Why {found['aux'].lower()} {found['rest']}?"
    if not _OF_A_MEASURE.match(question):
        said, asked = _first_said(before), _asked_periods(question)
        is_dated = not asked or asked[-1][0] in periods(said)
        when = "" if is_dated else f", {_from_preposition(question, asked[-1][1])}"
        return f"Why{when}: “{said}”" if said else f"Why ({question})?"
    about = topic(question)
    if len(spans := _asked_periods(about)) == 2 and question[:7].lower() == "compare":
        thing = _TRAILING.sub("", about[: spans[0][1][0]])
        later, earlier = (about[slice(*span)] for _, span in spans)
        return f"Why did {thing} change between {earlier} and {later}?"
    if spans:
        thing, when = _TRAILING.sub("", about[: spans[0][1][0]]), _from_preposition(about, spans[0][1])
    else:
        thing, when = about, f"in {_latest(before)}" if _latest(before) else ""
    # Someone who asks why about a figure wants to know what changed it.
    form = "Why did {} change" if states_a_figure(_first_said(before)) else "What is the reason for {}"
    return f"{form.format(thing)} {when}".strip() + f"{about[spans[0][1][1] :] if spans else ''}?"


def _compare(_: str, rest: str, before: Turn) -> str | None:
    found = _COMPARE.match(rest)
    if not found:
        return None
    other, about = found["other"].strip(" ?.!"), topic(before.question)
    if shift := _shift(other):
        base = _latest(before)
        other = _shifted(base, *shift) if base else other
        about = about if _asked_periods(about) or not base else f"{about} in {base}"
    if not _OF_A_MEASURE.match(before.question):
        return f"{before.question.strip(' ?.!')}, and how does that compare with {other}?"
    return f"Compare {about} with {other}."


def _more(_: str, rest: str, before: Turn) -> str | None:
    return f"Describe {topic(before.question)} in detail." if _MORE.match(rest) else None


def _other_period(_: str, rest: str, before: Turn) -> str | None:
    question, shift = before.question, _shift(rest)
    if shift:
        if found := _asked_periods(question):
            return _replaced(question, [(span, _shifted(question[slice(*span)], *shift)) for _, span in found])
        base = _latest(before)
        when = f"in {_shifted(base, *shift)}" if base else rest.strip(" ?.!")
        return f"{question.strip(' ?.!')} {when}?"
    given = _PREPOSITION.sub("", rest).strip(" ?.!")
    spans = period_spans(given)
    if len(spans) != 1 or spans[0][1] != (0, len(given)):
        return None
    found = _asked_periods(question)
    if not found:
        return f"{question.strip(' ?.!')} in {given}?"
    (old, span), new = found[-1], given
    if spans[0][0].part is None and old.part is None and _YEAR.fullmatch(given):
        new = _YEAR.sub(given, question[slice(*span)])
    return _replaced(question, [(span, new)])


def _other_thing(asked: str, rest: str, before: Turn) -> str | None:
    """“And in Germany?”, “What about operating income?”: the new name or measure replaces the one before."""
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
    end = min((span[0] for _, span in _asked_periods(about)), default=len(about))
    measure = re.split(r"\s+(?:in|for|of|at|during|by|from|as)\s+", about[:end])[0].strip()
    if linked and not old_names:
        return f"{question.strip(' ?.!')} {linked.strip()} {given}?"
    return question.replace(measure, given.removeprefix("the ")) if measure else None


def _leaning(asked: str, rest: str, before: Turn) -> str | None:
    """A whole question that depends on the one before: through a pronoun, through “and”, or because it says too
    little."""
    named = named_again(before.question, rest)
    if named != rest:
        found = _asked_periods(before.question)
        is_undated_why = found and rest[:3].lower() == "why" and not periods(named)
        return f"{named.strip(' ?.!')} {_from_preposition(before.question, found[-1][1])}?" if is_undated_why else named
    says = set(content_stems(rest)) - ASKING
    if rest != asked and says and not periods(rest) and "number" in parsed(rest).kinds:
        when = _latest(before)
        return f"{rest.strip(' ?.!')} in {when}?" if when else rest
    if len(says) < 2 and (REFERS_BACK.search(rest) or not says or len(rest.split()) < 3):
        return f"{rest.strip(' ?.!')} ({topic(before.question)})?"
    return rest if rest != asked else None


_RULES: tuple[Callable[[str, str, Turn], str | None], ...] = (
    _compare,
    _more,
    _other_period,
    _other_thing,
    _leaning,
)


def _latest(before: Turn) -> str:
    """The period of the turn before, in its own words: that of the question, else of the answer's first sentence, but
    never one it is compared with (“12 in 2025, up from 10 in 2024”)."""
    said = _first_said(before)
    for text, spans in ((before.question, _asked_periods(before.question)), (said, period_spans(said))):
        dated = [(period.year, span) for period, span in spans if period.year]
        own = [each for each in dated if not _COMPARED.search(text[: each[1][0]])]
        if found := own or dated:
            return text[slice(*max(found)[1])] if text is before.question else text[slice(*found[0][1])]
    return ""


def _asked_periods(question: str) -> list[tuple[Period, tuple[int, int]]]:
    """The periods in the question's own words; text that it quotes stays unchanged."""
    return period_spans(_QUOTED.sub(lambda quoted: "_" * len(quoted[0]), question))


def _from_preposition(text: str, span: tuple[int, int]) -> str:
    """The words of a period with its preposition: “in the third quarter of 2022”."""
    lead = _TRAILING.search(text[: span[0]])
    return f"{(lead and lead[0].strip()) or 'in'} {text[slice(*span)]}"


def _shift(text: str) -> tuple[str, int] | None:
    """“The two years before” is (year, -2)."""
    found = _RELATIVE.match(_PREPOSITION.sub("", text.strip()))
    if not found:
        return None
    way, unit = (found["way"] or found["way2"]).lower(), (found["unit"] or found["unit2"]).lower()
    given = (found["n"] or "one").lower()
    steps = _NUMBERS.get(given) or int(given)
    return unit, steps if way in _FORWARD else -steps


def _shifted(words: str, unit: str, steps: int) -> str:
    """The words of a period moved by some years, quarters or months."""
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
