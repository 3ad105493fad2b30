"""What a question asks for: its parts, and of each the shape of the answer, its type, its subject, time and names.

Read once (`read_question` keeps what it read) and used by the writer, the auditor and the judge alike.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from masis.language.directives import NO_ORDERS, Directives, split_directives
from masis.language.quantities import Period, periods
from masis.language.words import content_stems, names, stem, words

AnswerKind = Literal["number", "person", "time", "place", "list", "yes_no", "statement"]
Shape = Literal["fact", "list", "explanation", "yes_no", "overview"]
"""What a good answer looks like: a sentence or two; the items of a list; the part of a section that explains; yes or
no and what decides it; what a whole document is about."""

NUMBER = r"""\bhow\ (?:many|much|large|big|high|low|long|often|fast|old|far|tall|deep|wide)\b | \bby\ how\ much\b
    | \bwhat\ (?:share|percentage|percent|number|amount|proportion|fraction)\b
    | \bwhat\ (?:is|was|were|are)\b.*\b(?:rate|revenue|sales|margin|costs?|price|number|amount|total|income|profit|loss
      |headcount|budget|size|churn|expenses?|debt|cash|inventory|salary)\b"""
PERSON = r"\bwho(?:m|se)?\b"
TIME = r"\bwhen\b | \bwhat\ (?:date|year|month|day)\b | \b(?:in|by|on)\ which\ (?:year|month|quarter|date)\b"
PLACE = r"\bwhere\b | \b(?:in|at|to|from)\ (?:which|what)\ (?:city|country|town|place|location|region|state)\b"
_MANY = r"""risks|priorities|reasons|steps|measures|factors|conditions|actions|products|services|goals|drivers|countries
    |regions|sites|requirements|features|types|kinds|objectives|recommendations|benefits|challenges|pillars|initiatives
    |targets|obligations|rights|decisions|advantages|disadvantages|principles|values|commitments|ways|examples"""
LIST = rf"""\blist\b | \b(?:what|which)\ (?:are|were)\b | \bname\ (?:the|all|two|three|four|five)\b
    | \b(?:what|which)\ (?:[\w-]+\ ){{0,3}}(?:{_MANY})\b
    | \b(?:top|main|key|first)\ (?:two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}})\b
    | ^\W*(?:what|which)\ (?:[\w-]+\ ){{0,2}}\w{{3,}}(?<!s)s\ (?:are|were|do|did|have|had|will|can|should|must)\b"""
YES_NO = r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|must)\b"
_PATTERNS: dict[AnswerKind, str] = {
    "number": NUMBER, "person": PERSON, "time": TIME, "place": PLACE, "list": LIST, "yes_no": YES_NO
}  # fmt: skip
KINDS = {kind: re.compile(pattern, re.IGNORECASE | re.VERBOSE) for kind, pattern in _PATTERNS.items()}

EXPLAINS = re.compile(
    r"\bwhy\b|\breasons?\b|\bcaus(?:e[ds]?|ing)\b|\bhow (?:do|does|did|is|are|was|were|will|would|can|should|to)\b"
    r"|\bexplain\b|\bdescribe\b|\bplans?\b|\bstrateg(?:y|ies)\b|\bapproach\b|\bsummari[sz]e\b|\bhappen(?:s|ed)?\b"
    r"|\bdiffer(?:s|ent|ence|ences)?\b|\bcompar\w+|\btell me\b|\bprocess\b|\bimpact\b|\beffects?\b",
    re.IGNORECASE,
)
_WHOLE = (
    r"(?:document|documents|report|article|paper|file|files|text|policy|memo|minutes|page|pdf|deck|filing|contract"
    r"|agreement|letter|book|material|materials|release|strategy|plan|presentation|proposal|brochure)"
)
_ON = r"(?:\s+(?:on|about|of|for|by|from)(?:\s+[\w'’-]+){1,8})?"
OVERVIEW = re.compile(
    rf"\b(?:what\s+(?:is|are)\s+(?:(?:this|the|these|that)\s+{_WHOLE}|it|this|these)\s+(?:all\s+)?about"
    rf"|what\s+(?:does|do)\s+(?:this|the|these)\s+{_WHOLE}\s+(?:cover|say|contain|discuss|describe)"
    rf"|summari[sz]e(?:\s+(?:this|the|these|that|it|all|my|everything))?(?:(?:\s+(?!in\b|of\b|from\b)[\w-]+){{0,3}}\s+{_WHOLE}{_ON})?"
    rf"|what\s+(?:is|are)\s+(?:this|the|these|that)\s+(?:[\w-]+\s+){{1,3}}{_WHOLE}\s+about"
    rf"|(?:overview|summary|gist|synopsis)\s+of\s+(?:this|the|these|that|all|my)\s+(?:[\w-]+\s+){{0,3}}{_WHOLE}{_ON}"
    rf"|(?:main|key)\s+(?:points|topics|themes|messages|takeaways|findings)\s+(?:of|in|from)\s+(?:this|the|these|that)\s+{_WHOLE}"
    rf"|tl;?dr)\b[\s?.!]*$",
    re.IGNORECASE,
)

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
"""What analysts write short and documents spell out."""

NEXT_PART = re.compile(
    r"[,;]?\s+(?:and|as well as)\s+(?:also\s+)?(?=(?:how|what|who|whom|when|where|which|why|whether|by|in which)\b)"
    r"|\?\s+(?=\w)",
    re.IGNORECASE,
)
REFERS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|there|this|that|these|those|he|she|him|her|one)\b", re.IGNORECASE
)

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
"""Words of asking rather than of the subject: their absence from a passage says little."""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    terms: tuple[str, ...]
    """Distinct content stems, in order."""
    named: frozenset[str]
    """Stems of names: what must be in a passage for it to be about the same thing."""
    periods: tuple[Period, ...]
    kinds: frozenset[AnswerKind]
    counted: frozenset[str] = frozenset()
    """Stems of what “how many” counts."""
    context: str = ""
    """The part before, when this one refers back to it."""
    shape: Shape = "fact"
    directives: Directives = NO_ORDERS
    parts: tuple["Question", ...] = ()
    """What it asks one by one, where it asks more than one thing."""

    @property
    def for_reading(self) -> str:
        return f"{self.context} {self.text}".strip()

    @property
    def subject(self) -> frozenset[str]:
        """The words that a passage on the same thing would have."""
        return frozenset(term for term in self.terms if term not in ASKING)

    def weight(self, term: str) -> float:
        if term in ASKING:
            return 0.25
        return 1.5 if term in self.named else 1.0


@lru_cache(maxsize=1_024)
def parsed(text: str) -> Question:
    """The question as it was put: without its orders, with its parts."""
    asked, directives = split_directives(text)
    parts = tuple(replace(part, directives=directives) for part in _parts(asked))
    return replace(read_question(asked), directives=directives, parts=parts)


def parts_of(text: str) -> list[Question]:
    """“When does it open, and how much does it cost?” asks twice; each part can be answered or not."""
    return list(parsed(text).parts)


@lru_cache(maxsize=1_024)
def read_question(text: str, context: str = "") -> Question:
    text = spelled_out(text)
    terms = tuple(dict.fromkeys(t for t in content_stems(text) if not t.isdigit()))
    named = frozenset(stem(part) for name in names(text) for part in words(name))
    kinds = frozenset(kind for kind, pattern in KINDS.items() if pattern.search(text))
    return Question(
        text.strip(),
        terms,
        named & set(terms),
        tuple(periods(text)),
        kinds or frozenset({"statement"}),
        _counted(text),
        context,
        _shape(text, kinds),
    )


def _shape(text: str, kinds: frozenset[AnswerKind]) -> Shape:
    if OVERVIEW.search(text):
        return "overview"
    if "yes_no" in kinds:
        return "yes_no"
    if "list" in kinds and not kinds & {"number", "person", "time"}:
        return "list"
    return "explanation" if EXPLAINS.search(text) and "number" not in kinds else "fact"


COUNTED = re.compile(
    r"\bhow many\s+(.+?)(?=,|\?|$|\s(?:do|does|did|is|are|was|were|will|would|has|have|had|can|should|work|live)\b)",
    re.IGNORECASE,
)


def _counted(text: str) -> frozenset[str]:
    match = COUNTED.search(text)
    return frozenset(content_stems(match[1])) - ASKING if match else frozenset()


def _parts(text: str) -> list[Question]:
    pieces = [piece.strip(" ,;") for piece in NEXT_PART.split(text.strip()) if piece and piece.strip(" ,;")]
    first = read_question(pieces[0]) if pieces else read_question(text)
    rest = [_named_again(first.text, p) for p in pieces[1:]]
    return [first, *(read_question(p, context=_context(first, p)) for p in rest)]


SPOKEN_OF = re.compile(
    r"^\W*(?:who|what|when|where|why|how|which)\b(?:\s+(?:much|many|long|often|\w+))?\s+(?P<verb>is|are|was|were|does|do|did|will)"
    r"\s+(?P<thing>(?:(?!(?:to|in|on|at|by|for|from|with|about|as|due|set|not)\b)[\w&'’-]+\s*){1,7})",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"\b(?:(it|they|them)|(its|their|his|her))\b", re.IGNORECASE)


def _named_again(first: str, part: str) -> str:
    """“And how much does it cost?” with what the first part asks about in place of its only pronoun."""
    spoken, pronouns = SPOKEN_OF.match(first), PRONOUN.findall(part)
    if spoken is None or len(pronouns) != 1:
        return part
    thing = spoken["thing"].split()
    if spoken["verb"].lower() in ("does", "do", "did", "will") or re.search(r"(?:ed|ing)$", thing[-1]):
        thing = thing[:-1]
    if not set(content_stems(" ".join(thing))) - ASKING:
        return part
    name = " ".join(thing)
    return PRONOUN.sub(lambda said: f"{name}’s" if said[2] else name, part)


def spelled_out(text: str) -> str:
    for short, long in ACRONYMS.items():
        text = re.sub(rf"(?<![\w&]){re.escape(short)}(?![\w&])", long, text, flags=re.IGNORECASE)
    return text


def _context(first: Question, part: str) -> str:
    """A later part may lean on the first: by a pronoun, or by saying too little to stand alone."""
    leans = REFERS_BACK.search(part) or len(set(content_stems(part)) - ASKING) < 2
    return first.text if leans else ""
