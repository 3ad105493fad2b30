"""Finds sentences in a document that give orders to its reader or to a machine that reads it. They are data and are
never obeyed.

This is plain code that knows how such orders are worded. It reports rather than blocks: what it finds is named in the
trail and supports no claim; what it misses still has to pass the audit.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from masis.language.characters import plain_typography
from masis.language.instruction_patterns import (
    ANYWHERE,
    HAS_AN_OWNER,
    ORDERS,
    OTHER_LANGUAGES,
    POINTS_ELSEWHERE,
    POLITE,
    REQUEST,
    START,
    TASKS_AHEAD,
)
from masis.language.words import content_stems
from masis.types import EvidenceChunk

InstructionKind = Literal["override", "address", "reply", "dictation", "role", "hidden", "request"]
"""`request` is a task or question unrelated to the text around it. It is only a hint; the other kinds are certain."""

_KINDS: tuple[InstructionKind, ...] = ("role", "override", "address", "reply", "dictation")


def _compiled(pattern: str) -> re.Pattern[str]:
    # A space matches any white space, because lines break anywhere. The run is bounded so that a text of nothing but
    # white space takes no longer than any other.
    return re.compile(pattern.replace(" ?", r"\s{0,20}").replace(" ", r"\s{1,20}"))


def _patterns(wordings: dict[str, tuple[str, ...]], before: str = "") -> list[tuple[InstructionKind, re.Pattern[str]]]:
    known = [kind for kind in _KINDS if kind in wordings]
    return [(kind, _compiled(f"{before}(?:{'|'.join(wordings[kind])})")) for kind in known]


_ORDERS = _patterns(ORDERS, POLITE)
_ANYWHERE = [*_patterns(ANYWHERE), *_patterns({"override": OTHER_LANGUAGES})]
_REQUEST = _compiled(REQUEST)
_HIDDEN = re.compile("[\U000e0020-\U000e007e]{4,}|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}|[\u202d\u202e]")
"""Letters that no screen shows, long runs of invisible characters, reversed text."""
_FLAG = "\U0001f3f4"
"""The one genuine use of hidden letters: the flags of Scotland, Wales and England."""
_END = re.compile(r"[.!?。！？]+[\"'”’)\]]*(?=\s|$)|\n\s*\n|\n(?=\s*(?:[A-Z*#>|-]|\d+[.)]))|$")
_LOOKALIKES = str.maketrans("аеорсухіјѕԁһѵԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧον", "aeopcyxijsdhvqwABEZHIKMNOPTYXov")
_WORD = re.compile(r"\w+")
_LATIN, _GREEK_OR_CYRILLIC = re.compile("[A-Za-z]"), re.compile("[\u0370-\u052f]")
_WORDS_AROUND = 12
"""With fewer words around it, nothing can be called foreign to its surroundings."""
_WORDS_ASKED = 2
_LONGEST_LIST = 1200
"""How far above a task, in characters, the title of its list is looked for."""
_BEFORE_A_SENTENCE = ".!?|\n"
_SHARED_AT_MOST = 0.2
"""Most words of a request, as a share, that may also occur around it."""


@dataclass(frozen=True, slots=True)
class Instruction:
    text: str
    """Exactly as in the passage: `passage[start:end]`."""
    start: int
    end: int
    kind: InstructionKind

    @property
    def is_certain(self) -> bool:
        return self.kind != "request"


def readable(chunks: Sequence[EvidenceChunk]) -> list[EvidenceChunk]:
    """The chunks against which claims are checked, without orders, because an order in a document supports nothing."""
    return [_blanked(chunk) for chunk in chunks]


def _blanked(chunk: EvidenceChunk) -> EvidenceChunk:
    text = without_instructions(chunk["text"])
    return chunk if text == chunk["text"] else {**chunk, "text": text}


class Folded:
    """A text in the form that the patterns expect: lower case, plain typography, no invisible characters, no
    look-alikes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded, self._origin = _folded(text)
        self.starts = [found.end() for found in START.finditer(self.folded) if self._begins(found.end())]

    def _begins(self, at: int) -> bool:
        """False in the middle of a sentence that continues from the line before."""
        before = self.folded[max(0, at - 40) : at]
        if "\n" not in before[len(before.rstrip()) :] or before.count("\n") > 1:
            return True
        runs_on = bool(before.strip()) and (before.rstrip()[-1].isalnum() or before.rstrip()[-1] in ",-")
        return not (runs_on and self.text[self._at(at)].islower())

    def _at(self, folded: int) -> int:
        return folded if self._origin is None else self._origin[folded]

    def instruction(self, found: re.Match[str], kind: InstructionKind) -> Instruction:
        """The order, from where the match begins to the end of its sentence."""
        start = found.end() - len(found[0].lstrip())
        first, last = self._at(start), self._at(max(found.end() - 1, start))
        end = _END.search(self.text, last)
        last = end.end() if end else len(self.text)
        last = first + len(self.text[first:last].rstrip())
        return Instruction(self.text[first:last], first, last, kind)


def _folded(text: str) -> tuple[str, list[int] | None]:
    """The folded text, and the original position of each character; None if all positions are unchanged."""
    if text.isascii():
        return text.lower(), None
    bare = _WORD.sub(_without_lookalikes, text)
    pieces = [(_fold_one(character), at) for at, character in enumerate(bare)]
    origin = [at for piece, at in pieces for _ in piece]
    return "".join(piece for piece, _ in pieces), [*origin, len(text)]


def _without_lookalikes(word: re.Match[str]) -> str:
    is_mixed = _LATIN.search(word[0]) and _GREEK_OR_CYRILLIC.search(word[0])
    return word[0].translate(_LOOKALIKES) if is_mixed else word[0]


@lru_cache(maxsize=4096)
def _fold_one(character: str) -> str:
    return plain_typography(character).lower()


@lru_cache(maxsize=2048)
def find_instructions(text: str) -> tuple[Instruction, ...]:
    """In order of position, with overlapping ones merged. Cached, because a run reads each text several times."""
    folded = Folded(text)
    certain = [*_hidden(text), *_worded(folded)]
    hints = [hint for hint in _requests(folded) if not any(_overlap(hint, one) for one in certain)]
    return tuple(_merged(text, sorted([*certain, *hints], key=lambda one: (one.start, one.end))))


def is_instruction(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether at least half of `text[start:end]` is certainly an order."""
    end = len(text) if end is None else end
    ordered = sum(
        max(0, min(end, one.end) - max(start, one.start)) for one in find_instructions(text) if one.is_certain
    )
    return end > start and ordered * 2 >= end - start


@lru_cache(maxsize=2048)
def without_instructions(text: str) -> str:
    """The text with its certain instructions blanked out; every other character keeps its place."""
    for one in find_instructions(text):
        if one.is_certain:
            text = text[: one.start] + re.sub(r"[^\n]", " ", one.text) + text[one.end :]
    return text


def _hidden(text: str) -> Iterator[Instruction]:
    if text.isascii():
        return
    for found in _HIDDEN.finditer(text):
        if text[max(0, found.start() - 1) : found.start()] != _FLAG:
            yield Instruction(found[0], *found.span(), "hidden")


def _worded(text: Folded) -> Iterator[Instruction]:
    for kind, pattern in _ANYWHERE:
        for found in pattern.finditer(text.folded):
            yield text.instruction(found, kind)
    for start in text.starts:
        for kind, pattern in _ORDERS:
            if ordered := pattern.match(text.folded, start):
                yield text.instruction(ordered, kind)
                break


def _requests(text: Folded) -> Iterator[Instruction]:
    for start in text.starts:
        if text.folded[:start].rstrip(" \t")[-1:] not in _BEFORE_A_SENTENCE:
            continue
        asked = _REQUEST.match(text.folded, start)
        if asked and not _is_an_action_item(text.folded, asked) and _is_foreign(text.folded, asked):
            yield text.instruction(asked, "request")


def _is_an_action_item(folded: str, found: re.Match[str]) -> bool:
    before = folded[max(0, found.start() - _LONGEST_LIST) : found.start()]
    line = folded[found.start() :].split("\n", 1)[0]
    return bool(found["task"]) and bool(HAS_AN_OWNER.search(line) or TASKS_AHEAD.search(before))


def _is_foreign(folded: str, found: re.Match[str]) -> bool:
    """Nothing around it is about what is asked. A genuine question is answered and a genuine task explained nearby."""
    if found["question"] and POINTS_ELSEWHERE.search(found["question"]):
        return False
    asked = set(content_stems(found["task"] or found["question"]))
    around = content_stems(f"{folded[: found.start()]}\n{folded[found.end() :]}")
    if len(asked) < _WORDS_ASKED or len(around) < _WORDS_AROUND:
        return False
    return len(asked & set(around)) <= _SHARED_AT_MOST * len(asked)


def _overlap(one: Instruction, other: Instruction) -> bool:
    return one.start < other.end and other.start < one.end


def _merged(text: str, found: list[Instruction]) -> Iterator[Instruction]:
    current: Instruction | None = None
    for one in found:
        if current is not None and one.start <= current.end:
            end = max(current.end, one.end)
            current = Instruction(text[current.start : end], current.start, end, current.kind)
            continue
        if current is not None:
            yield current
        current = one
    if current is not None:
        yield current
