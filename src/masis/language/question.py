"""Reads what a question asks for: its parts and, for each, the shape of the answer, its kind, subject, period and
names.

A question is parsed once (`read_question` is cached) and used by the search, the writer, the auditor and the judge.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from masis.language import question_patterns as patterns
from masis.language.directives import NO_ORDERS, Directives, split_directives, unframed
from masis.language.quantities import Period, Unit, periods
from masis.language.question_patterns import AnswerKind, Disputable, Sought
from masis.language.words import FUNCTION_WORDS, content_stems, names, stem, words

Shape = Literal["fact", "list", "explanation", "yes_no", "overview"]
"""What a good answer looks like: a sentence or two; the items of a list; the part of a section that explains; yes or no
with the deciding fact; what a whole document is about."""
_LONGEST_SPAN = 20
"""Most years that “from … to …” may span."""
_MOST_PARTS = 12
"""Most parts that are answered one by one; the remaining ones are read as a single part."""

ACRONYMS = {
    "CEO": "chief executive officer",
    "CFO": "chief financial officer",
    "COO": "chief operating officer",
    "CTO": "chief technology officer",
    "CIO": "chief information officer",
    "HQ": "headquarters",
    "R&D": "research and development",
    "HR": "human resources",
    "KPI": "key performance indicator",
    "EPS": "earnings per share",
    "capex": "capital expenditure",
    "opex": "operating expense",
}
"""Terms that analysts abbreviate and documents spell out."""

ASKING = frozenset(
    stem(word)
    for word in """figure figures number amount value rate level much many total overall approximately roughly
    summarize summarise compare difference main key company firm organisation organization business fiscal year
    quarter current latest long today money end start beginning january
    february march april june july august september october november december percentage percent respective
    respectively disclosed disclose identified identify mentioned significant significantly major notable potential
    potentially recent recently previous prior period periods reporting section filing filings discuss discussed
    discussion analyze analyse detail details detailed provide provided highlighted qs overall specific specifically
    implications insights indicate suggest
    need needs needed agree agreed wrote write written kind kinds type types thing things way ways happen happens use
    used using mean means meaning want wants work works set found find talk talks speak refer refers call called
    involve involves relate related include includes included example examples top first article page text file
    paper author authors proposed propose proposal different like called official officially cause causes reason
    reasons affect affects role part plan plans planned place places""".split()
)
"""Words of asking rather than of the subject; their absence from a passage says little."""


@dataclass(frozen=True)
class Question:
    text: str
    """The question with acronyms spelled out; `asked` is the text as written."""
    terms: tuple[str, ...]
    """Distinct content stems, in order."""
    named: frozenset[str]
    """Stems of names, which a passage must contain to be about the same thing."""
    periods: tuple[Period, ...]
    kinds: frozenset[AnswerKind]
    counted: frozenset[str] = frozenset()
    """Stems of what “how many” counts."""
    context: str = ""
    """The first part of the question, if this part refers back to it."""
    shape: Shape = "fact"
    directives: Directives = NO_ORDERS
    parts: tuple["Question", ...] = ()
    """Its parts, if it asks more than one thing."""
    asked: str = ""

    @property
    def for_reading(self) -> str:
        return f"{self.context} {self.text}".strip()

    @property
    def subject(self) -> frozenset[str]:
        """The words that a passage on the same subject would contain."""
        return frozenset(term for term in self.terms if term not in ASKING)

    @cached_property
    def seeks(self) -> Sought:
        return next((kind for kind, pattern in patterns.SEEKS.items() if pattern.search(self.asked)), "anything")

    @cached_property
    def disputable(self) -> Disputable | None:
        return next((kind for kind, pattern in patterns.DISPUTABLE.items() if pattern.search(self.asked)), None)

    @cached_property
    def is_for_one_thing(self) -> bool:
        """The question asks for one thing, so two documents that name different things contradict each other."""
        asked = self.asked.strip()
        if patterns.SEVERAL.search(patterns.TITLES_AND_NAMES.sub(" X ", asked[:1].lower() + asked[1:])):
            return False
        found, wanted = patterns.ONE.search(asked), patterns.SUBJECT.search(asked)
        if found is None or (found["noun"] and _is_plural(found["noun"])):
            return False
        return wanted is None or not _is_open_ended(wanted[1])

    @cached_property
    def is_count(self) -> bool:
        return bool(patterns.COUNTS.search(self.asked))

    @cached_property
    def units(self) -> frozenset[Unit]:
        """Possible units of the figure asked for; empty if the question leaves the unit open."""
        found: set[Unit] = {"number"} if self.is_count else set()
        return frozenset(found | ({"percent", "points"} if patterns.SHARES.search(self.asked) else set()))

    @cached_property
    def is_for_no_figure(self) -> bool:
        """Why, who, where, when: no figure answers it, unless the question is about that very figure."""
        return bool(patterns.NO_FIGURE.match(self.asked))

    @cached_property
    def is_for_a_whole_year(self) -> bool:
        return bool(patterns.A_WHOLE_YEAR.search(self.asked))

    @cached_property
    def is_at_a_point(self) -> bool:
        """“As of June 30”: the question asks for a balance rather than what was earned over some months."""
        return bool(patterns.POINT.search(self.asked))

    @cached_property
    def years_spanned(self) -> tuple[int, ...]:
        """“From 2017 to 2019” covers three years."""
        found = patterns.SPAN.search(self.asked)
        first, last = sorted(int(year) for year in found.groups() if year) if found else (0, 0)
        return tuple(range(first, last + 1)) if 0 < last - first < _LONGEST_SPAN else ()

    @cached_property
    def called(self) -> tuple[str, ...]:
        """The names in the question: its quoted titles or, if there are none, its capitalised words."""
        small = patterns.ASKING_WORDS | FUNCTION_WORDS
        names = (name for name in patterns.NAME.findall(self.asked) if not set(words(name)) <= small)
        return tuple(patterns.TITLE.findall(self.asked) or names)

    @cached_property
    def stated(self) -> str:
        """What a yes-or-no question asks to confirm: “the plant open” for “Is the plant open?”."""
        return patterns.AUXILIARY.sub("", self.text).rstrip(" ?")

    @cached_property
    def is_in_percent(self) -> bool:
        return bool(patterns.PERCENT.search(self.asked))

    @cached_property
    def is_for_the_latest_document(self) -> bool:
        return bool(patterns.LATEST_DOCUMENT.search(self.asked))

    @cached_property
    def is_for_the_newest(self) -> bool:
        return bool(patterns.NEWEST.search(self.asked))

    @cached_property
    def followed(self) -> str | None:
        """The question without its words for change over time, such as “How have sales changed over time?”; None if it
        has none."""
        return _without(self.asked, patterns.ACROSS, patterns.TURNED)

    @cached_property
    def broken_down(self) -> str | None:
        """The question without its words for a breakdown, such as “by segment” in “revenue by segment”; None if it has
        none."""
        return _without(self.asked, patterns.PARTS)

    def weight(self, term: str) -> float:
        if term in ASKING:
            return 0.25
        return 1.5 if term in self.named else 1.0


@lru_cache(maxsize=1_024)
def parsed(text: str) -> Question:
    """The question without its instructions, and with its parts: “When does it open, and how much does it cost?” asks
    two things, and each may or may not have an answer."""
    asked, directives = split_directives(text)
    parts = tuple(replace(part, directives=directives) for part in _parts(asked))
    return replace(read_question(asked), directives=directives, parts=parts)


@lru_cache(maxsize=1_024)
def read_question(asked: str, context: str = "") -> Question:
    asked = unframed(asked)
    text = spelled_out(asked)
    terms = tuple(dict.fromkeys(t for t in content_stems(text) if not t.isdigit()))
    named = frozenset(stem(part) for name in names(text) for part in words(name))
    asking = _asking(text)
    kinds = frozenset(kind for kind, pattern in patterns.KINDS.items() if pattern.search(asking))
    return Question(
        text.strip(),
        terms,
        named & set(terms),
        tuple(periods(text)),
        kinds or frozenset({"statement"}),
        _counted(text),
        context,
        _shape(asking, kinds),
        asked=asked,
    )


def _asking(text: str) -> str:
    """The sentence that asks, without the scene before it: “I fly for 13 hours. May I book business class?”"""
    last = patterns.NEXT_SENTENCE.split(text.strip())[-1]
    return last if patterns.ASKS.match(last) else text


def _shape(text: str, kinds: frozenset[AnswerKind]) -> Shape:
    if patterns.OVERVIEW.search(text):
        return "overview"
    if "yes_no" in kinds:
        return "yes_no"
    if "list" in kinds and not kinds & {"number", "person", "time"}:
        return "list"
    return "explanation" if patterns.EXPLAINS.search(text) and "number" not in kinds else "fact"


def _counted(text: str) -> frozenset[str]:
    match = patterns.COUNTED.search(text)
    return frozenset(content_stems(match[1])) - ASKING if match else frozenset()


def _parts(text: str) -> list[Question]:
    found = [piece.strip(" ,;") for piece in patterns.NEXT_PART.split(text.strip()) if piece and piece.strip(" ,;")]
    pieces = list({piece.rstrip(" ?"): piece for piece in found}.values())
    pieces = pieces[:1] + [piece for piece in pieces[1:] if not patterns.REMARK.match(piece)]
    if len(pieces) > 1 and patterns.SCENE.match(pieces[0]) and patterns.GOES_ON.match(text.strip(), len(pieces[0])):
        pieces[:2] = [f"{pieces[0]}, {pieces[1]}"]
    if len(pieces) > _MOST_PARTS:
        pieces[_MOST_PARTS - 1 :] = [" ".join(pieces[_MOST_PARTS - 1 :])]
    first = read_question(pieces[0]) if pieces else read_question(text)
    rest = [named_again(first.text, p) for p in pieces[1:]]
    return [first, *(read_question(p, context=_context(first, p)) for p in rest)]


def named_again(first: str, part: str) -> str:
    """“And how much does it cost?” with its only pronoun replaced by what the first part asks about: what that part
    counts, what follows its verb, or its only name."""
    spoken, pronouns = patterns.SPOKEN_OF.match(first), patterns.PRONOUN.findall(part)
    if len(pronouns) != 1:
        return part
    if (counted := patterns.COUNTED.search(first)) and patterns.SEVERAL_THINGS.search(part):
        return patterns.SEVERAL_THINGS.sub(f"the {counted[1]}", part)
    thing = spoken["thing"].split() if spoken else []
    if spoken and (spoken["verb"].lower() in ("does", "do", "did", "will") or re.search(r"(?:ed|ing)$", thing[-1])):
        thing = thing[:-1]
    named = [name for name in dict.fromkeys(names(first)) if not periods(name)]
    if not set(content_stems(" ".join(thing))) - ASKING:
        thing = named if len(named) == 1 else []
    name = " ".join(thing)
    return patterns.PRONOUN.sub(lambda said: f"{name}’s" if said[2] else name, part) if name else part


def spelled_out(text: str) -> str:
    for short, long in ACRONYMS.items():
        text = re.sub(rf"(?<![\w&]){re.escape(short)}(?![\w&])", long, text, flags=re.IGNORECASE)
    return text


def _context(first: Question, part: str) -> str:
    """The first part, if this one depends on it through a pronoun or says too little to be understood alone."""
    leans = patterns.REFERS_BACK.search(part) or len(set(content_stems(part)) - ASKING) < 2
    return first.text if leans else ""


def as_subject(text: str) -> str:
    """Removes “how long” and the like, which name a measure rather than a subject."""
    return patterns.HOW_MUCH.sub(" ", text)


def without_documents(text: str) -> str:
    """“Net sales in the quarterly filings” are net sales."""
    return patterns.OF_A_DOCUMENT.sub(" ", text)


def quoted_in(text: str) -> list[str]:
    return [match[1] for match in patterns.QUOTED.finditer(text)]


def _without(text: str, *patterns: re.Pattern[str]) -> str | None:
    """The text without the patterns; None if none of them occurs."""
    bare = text
    for pattern in patterns:
        bare = pattern.sub(" ", bare)
    return bare if bare != text else None


def _is_plural(noun: str) -> bool:
    return noun.lower().endswith("s") and not patterns.NOT_PLURAL.search(noun)


def _is_open_ended(wanted: str) -> bool:
    last = wanted.rsplit(maxsplit=1)[-1].lower()
    return last in patterns.OPEN_ENDED or _is_plural(last)
