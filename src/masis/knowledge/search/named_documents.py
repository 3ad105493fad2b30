"""Finds the documents that a question names: by company, title, file name or period.

Among many similar filings, whose and for when is half of the search. A document is known by the words of its file name
and title and by the names on its first page. A word that occurs in most names identifies none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from pathlib import PurePosixPath

from masis.knowledge.search.keywords import folded
from masis.language.periods import Period, periods
from masis.language.question import read_question
from masis.language.words import FUNCTION_WORDS, content_stems, words
from masis.types import ParsedDocument

BY_NAME = 0.4
"""Bonus for being named; the best passage by meaning and words has 1."""
BY_PERIOD = 0.3
_HEAD_CHARS = 2500
_NAME_CHARS = 60
_MOST_NAMES = 60
_SHARE = 0.5
"""A word in the names of more than this share of the documents identifies none."""
_NEAR_BEST = 0.6
_LONG = 4
"""In passages. In a shorter document, the name is never far from the text, so the search finds it by words."""


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """What a document can be called by."""

    document_id: str
    file_name: str
    title: str | None
    date: str | None
    period: str | None
    names: str
    """Words of the names on its first page, separated by spaces."""
    passages: int


@dataclass(frozen=True, slots=True)
class Named:
    """The documents that a question names, with the bonus of each and the words that name it."""

    worth: Mapping[str, float] = field(default_factory=dict[str, float])
    stems: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    meant: tuple[str, ...] = ()
    """The documents to search separately; empty if these are all documents."""
    about: Mapping[str, str] = field(default_factory=dict[str, str])
    """For every document, the words of the question that name it, and its period."""
    titles: Mapping[str, str] = field(default_factory=dict[str, str])

    def known(self, document_id: str) -> frozenset[str]:
        """The words of the question that are part of the document's name."""
        return self.stems.get(document_id, frozenset())


def names_of(parsed: ParsedDocument) -> str:
    """The words of short lines of names near the top: “Apple Inc.”, “AMAZON.COM, INC.”."""
    head = parsed.pages[0].text[:_HEAD_CHARS] if parsed.pages else ""
    lines = [line.strip("#* ") for line in head.split("\n")]
    found = [word for line in lines if _is_name(line) for word in _naming_words(line)]
    return " ".join(dict.fromkeys(found[:_MOST_NAMES]))


def named_documents(question: str, documents: Sequence[NamedDocument]) -> Named:
    long = [each for each in documents if each.passages >= _LONG]
    named_by = _matches(question, long)
    # A year alone selects no document: many report what happened in 2025, including those of other years.
    asked = [period for period in periods(question) if period.year and period.part]
    candidates = [each for each in long if each.document_id in named_by] or long
    of_period = _of_period(question, asked, candidates)
    worth = Counter({name: BY_NAME * weight for name, weight in named_by.items()})
    worth.update(dict.fromkeys(of_period, BY_PERIOD))
    meant = tuple(of_period or named_by)
    stems = {d.document_id: frozenset(content_stems(" ".join(_called(d)))) for d in long if d.document_id in worth}
    spoken = dict.fromkeys(_naming_words(question))
    about = {each.document_id: _about(each, spoken) for each in documents}
    titles = {each.document_id: each.title or _in_words(each.file_name) for each in documents}
    return Named(dict(worth), stems, meant if len(meant) < len(documents) else (), about, titles)


def _in_words(file_name: str) -> str:
    """`board-memo_2026-02.docx` becomes “board memo 2026 02”."""
    return re.sub(r"[-_.\s]+", " ", re.sub(r"\.\w{1,5}$", "", file_name)).strip()


def _about(document: NamedDocument, spoken: Iterable[str]) -> str:
    own = _called(document)
    return "; ".join(part for part in (" ".join(word for word in spoken if word in own), document.period) if part)


def _matches(question: str, documents: Sequence[NamedDocument]) -> dict[str, float]:
    """Each named document with its weight relative to the best one that shares a word with it: a question may name
    two."""
    spoken, proper = words(folded(question)), _proper(question)
    found_in = Counter(word for each in documents for word in _called(each).intersection(_naming_words(question)))
    rare = {word: log(len(documents) / count) for word, count in found_in.items() if count <= _SHARE * len(documents)}
    said: dict[str, frozenset[str]] = {}
    for each in documents:
        own = _called(each).intersection(rare)
        if own and (own & proper or len(own) > 1 or _is_called_in(spoken, each.file_name)):
            said[each.document_id] = own
    weights = {name: sum(rare[word] for word in own) for name, own in said.items()}
    best: dict[str, float] = {}
    for name, own in said.items():
        best |= {word: max(weights[name], best.get(word, 0.0)) for word in own}
    relative = {name: weights[name] / max(best[word] for word in own) for name, own in said.items()}
    return {name: weight for name, weight in relative.items() if weight >= _NEAR_BEST}


def _is_called_in(spoken: Sequence[str], file_name: str) -> bool:
    """“The annual report” means annual-report-2025.pdf, although many documents are reports."""
    own = [word for word in words(folded(_in_words(file_name))) if word.isalpha()]
    return len(own) > 1 and set(own) <= set(spoken)


def _proper(question: str) -> frozenset[str]:
    """Capitalised words, or all words if the question has no capitals."""
    written = re.findall(r"[^\W_]+(?:['’.&-][^\W_]+)*", folded(question))
    capitals = [word for word in written[1:] if word[0].isupper()]
    if len(written) > 1 and written[0][0].isupper() and not capitals:
        capitals = written[:1]
    return frozenset(_naming_words(" ".join(capitals or written)))


def _of_period(question: str, asked: Sequence[Period], documents: Sequence[NamedDocument]) -> list[str]:
    if not asked and read_question(question).is_for_the_latest_document:
        newest = max((_last_day(each) for each in documents), default="")
        return [each.document_id for each in documents if newest and _last_day(each) == newest]
    found = [each.document_id for each in documents if any(_covers(each, period) for period in asked)]
    return found if len(found) < len(documents) else []


def _last_day(document: NamedDocument) -> str:
    ended = (document.period or "").rpartition(" ended ")[2] if " ended " in (document.period or "") else ""
    return ended or document.date or ""


def _covers(document: NamedDocument, asked: Period) -> bool:
    return any(
        own.year == asked.year and (asked.part is None or own.part in (asked.part, asked.part[:2]))
        for own in _periods(document.file_name, document.period)
    )


@lru_cache(maxsize=4096)
def _periods(file_name: str, period: str | None) -> tuple[Period, ...]:
    name = PurePosixPath(file_name).stem.replace("_", " ").replace("-", " ")
    turned = re.sub(r"\b((?:19|20)\d\d) ?([QH][1-4])\b", r"\2 \1", name)
    found = [one for one in periods(f"{turned}. {period or ''}") if one.year]
    return tuple(found + [Period(one.year, one.part[:2]) for one in found if one.is_day and one.part])


@lru_cache(maxsize=4096)
def _called(document: NamedDocument) -> frozenset[str]:
    name = PurePosixPath(document.file_name).stem.replace("_", " ").replace("-", " ")
    return frozenset(_naming_words(f"{name} {document.title or ''} {document.names}"))


def _is_name(line: str) -> bool:
    """“Apple Inc.” and “Annual Report” are names; “We sell phones” is not."""
    spoken = re.findall(r"[^\W\d_][\w&.'’-]*", line)
    if not spoken or len(line) > _NAME_CHARS or line.startswith("("):
        return False
    written = [word for word in spoken if word.lower() not in FUNCTION_WORDS]
    return bool(written) and all(word[0].isupper() for word in written)


def _naming_words(text: str) -> list[str]:
    """Words without endings such as that of “Apple's”. Numbers name nothing."""
    parts = (part for word in words(folded(text)) for part in re.split(r"['\-]s?\b", word))
    return [part for part in parts if len(part) > 1 and part not in FUNCTION_WORDS and not part[0].isdigit()]
