"""What a question asks for: its parts, the terms of each, and the kind of answer that would satisfy it."""

import re
from dataclasses import dataclass
from typing import Literal

from masis.language.quantities import Period, periods
from masis.language.words import content_stems, names, stem, words

AnswerKind = Literal["number", "person", "time", "list", "yes_no", "statement"]

NUMBER = r"""\bhow\ (?:many|much|large|big|high|low|long|often|fast|old|far)\b | \bby\ how\ much\b
    | \bwhat\ (?:share|percentage|percent|number|amount|proportion|fraction)\b
    | \bwhat\ (?:is|was|were|are)\b.*\b(?:rate|revenue|sales|margin|costs?|price|number|amount|total|income|profit|loss
      |headcount|budget|size|value|churn|growth|expenses?|debt|cash|inventory|salary|share)\b"""
PERSON = r"\bwho(?:m|se)?\b"
TIME = r"\bwhen\b | \bwhat\ (?:date|year|month|day)\b | \b(?:in|by|on)\ which\ (?:year|month|quarter|date)\b"
LIST = r"""\blist\b | \b(?:what|which)\ (?:are|were)\b | \bname\ (?:the|all|two|three|four|five)\b
    | \b(?:what|which)\ (?:\w+\ ){0,2}(?:risks|priorities|reasons|steps|measures|factors|conditions|actions|products
      |services|goals|drivers|countries|regions|sites|requirements|features|types|kinds)\b"""
YES_NO = r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b"
KINDS: dict[AnswerKind, re.Pattern[str]] = {
    "number": re.compile(NUMBER, re.IGNORECASE | re.VERBOSE),
    "person": re.compile(PERSON, re.IGNORECASE | re.VERBOSE),
    "time": re.compile(TIME, re.IGNORECASE | re.VERBOSE),
    "list": re.compile(LIST, re.IGNORECASE | re.VERBOSE),
    "yes_no": re.compile(YES_NO, re.IGNORECASE | re.VERBOSE),
}

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
REFERS_BACK = re.compile(r"\b(?:it|they|them|there|this|that|these|those|he|she|him|her|one)\b", re.IGNORECASE)

ASKING = frozenset(
    stem(word)
    for word in """figure figures number amount value rate level much many total overall approximately roughly
    summarize summarise compare difference main key company firm organisation organization business fiscal year
    quarter current latest long today money end start beginning january
    february march april june july august september october november december percentage percent respective
    respectively disclosed disclose identified identify mentioned significant significantly major notable potential
    potentially recent recently previous prior period periods reporting section filing filings discuss discussed
    discussion analyze analyse detail details detailed provide provided highlighted qs overall specific specifically
    implications insights indicate suggest""".split()
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

    @property
    def for_reading(self) -> str:
        return f"{self.context} {self.text}".strip()

    def weight(self, term: str) -> float:
        if term in ASKING:
            return 0.25
        return 1.5 if term in self.named else 1.0


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
    )


COUNTED = re.compile(
    r"\bhow many\s+(.+?)(?=,|\?|$|\s(?:do|does|did|is|are|was|were|will|would|has|have|had|can|should|work|live)\b)",
    re.IGNORECASE,
)


def _counted(text: str) -> frozenset[str]:
    match = COUNTED.search(text)
    return frozenset(content_stems(match[1])) - ASKING if match else frozenset()


def parts_of(text: str) -> list[Question]:
    """“When does it open, and how much does it cost?” asks twice; each part can be answered or not."""
    pieces = [piece.strip(" ,;") for piece in NEXT_PART.split(text.strip()) if piece and piece.strip(" ,;")]
    first = read_question(pieces[0]) if pieces else read_question(text)
    rest = [read_question(p, context=_context(first, p)) for p in pieces[1:]]
    return [first, *rest]


def spelled_out(text: str) -> str:
    for short, long in ACRONYMS.items():
        text = re.sub(rf"(?<![\w&]){re.escape(short)}(?![\w&])", long, text, flags=re.IGNORECASE)
    return text


def _context(first: Question, part: str) -> str:
    """A later part may lean on the first: by a pronoun, or by saying too little to stand alone."""
    leans = REFERS_BACK.search(part) or len(set(content_stems(part)) - ASKING) < 2
    return first.text if leans else ""
