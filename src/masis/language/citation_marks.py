"""Finds citations: `[id]`, `[id1, id2]`, `[id1][id2]`, `【id】`, `(id)`, `[Source: id]`, `[id, p. 4]`.

Links, images, footnotes, task boxes, indexes and everything in code are not citations. Parentheses hold too many other
things (accountants write −12 as “(12)”), so they count only if they hold nothing but known ids that are not mere
numbers.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from masis.language.citation_ids import IdLexicon, is_distinctive, is_plain_number
from masis.language.citation_items import Item, Trust, cited_ids, read_items
from masis.language.markdown_blocks import Block, parse_blocks
from masis.language.spans import Span, code_spans

_LONGEST_GROUP = 1000
_GROUP = re.compile(
    rf"\[(?P<square>[^\[\]]{{1,{_LONGEST_GROUP}}})\]|【(?P<lenticular>[^【】]{{1,{_LONGEST_GROUP}}})】"
    rf"|［(?P<wide>[^［］]{{1,{_LONGEST_GROUP}}})］"
    rf"|[(（](?P<round>[^()（）\[\]]{{1,{_LONGEST_GROUP}}})[)）]"
)
_LINK_TARGET = re.compile(r"\((?:<[^<>\n]{0,2000}>|[^()\s]{1,2000})(?:\s+[\"'][^\"'\n]{0,300}[\"'])?\)")
_ADDRESS_TARGET = re.compile(r"\((?:https?:|mailto:|www\.|[/.#])")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[([^\[\]\n]{1,200})\]:[ \t]*(?:<|\w+:|[/.#]|www\.)", re.MULTILINE)
_NUMBERED_NOTE = re.compile(r"\[\^?\d{1,4}(?:[ ]?[,–-][ ]?\d{1,4}){0,20}\]|\[\^\w{1,40}\]")
_BETWEEN_MARKS = re.compile(r"[ \t\u00a0,;&]{0,4}(?:and|und|et|y|e|en)?[ \t\u00a0]{0,2}")
_WRAP_OPEN = re.compile(r"<sup>\s?$|[(\[（]\s?(?:(?:see|cf\.?|sources?|siehe|voir)\b:?\s?)?$", re.IGNORECASE)
_WRAP_CLOSE = re.compile(r"\s?(?:[)\]）]|</sup>)")
_SPACES = " \t\u00a0\u202f"
_CLOSING_PUNCTUATION = ".,;:!?)]…。，；：！？）】»”"


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A whole bracket group, such as “[id1, id2]”."""

    ids: tuple[str, ...]
    """Known ids in their known spelling, others as written."""
    start: int
    end: int


def find_citations(text: str, known_ids: Collection[str]) -> list[CitationMark]:
    return find_marks(text, parse_blocks(text), IdLexicon(known_ids))


def find_marks(text: str, blocks: Sequence[Block], lexicon: IdLexicon) -> list[CitationMark]:
    defined = {match[1].casefold() for match in _DEFINITION.finditer(text)}
    return [
        mark for block in blocks if block.kind != "code" for mark in _BlockReader(text, block, lexicon, defined).marks()
    ]


class _BlockReader:
    def __init__(self, text: str, block: Block, lexicon: IdLexicon, defined: Collection[str]) -> None:
        self.text, self.block, self.lexicon, self.defined = text, block, lexicon, defined
        self.code = code_spans(text, block.start, block.end)

    def marks(self) -> Iterator[CitationMark]:
        at, link_text_end = self.block.start, -1
        while group := _GROUP.search(self.text, at, self.block.end):
            at = group.end()
            if group.start() in self.code:
                continue
            if group["square"] and (target_end := self._link_end(group)):
                at = target_end
            elif ids := self._ids(group, is_reference=group.start() == link_text_end):
                yield CitationMark(ids, group.start(), group.end())
            elif group["square"]:
                link_text_end = group.end()

    def _ids(self, group: re.Match[str], is_reference: bool) -> tuple[str, ...]:
        content: str = group[group.lastgroup or 0]
        items = read_items(content, self.lexicon)
        if group["round"]:
            return _ids_in_parentheses(content, items, self.lexicon)
        ids = cited_ids(items, self.lexicon, self._trust(group.start(), content, is_reference))
        # “[^1]” is a footnote even if “1” is an id.
        return ids if not content.startswith("^") else tuple(one for one in ids if is_distinctive(one))

    def _trust(self, start: int, content: str, is_reference: bool) -> Trust:
        before = self.text[max(self.block.start, start - 2) : start]
        if content.startswith("^") or before.endswith("\\") or content.strip().casefold() in self.defined:
            return "known"
        is_variable = before[-1:].isalpha() and not before[:-1].isalnum()
        is_key = before[-1:].isalnum() and content[0] in "'\""
        return "shape" if is_reference or is_variable or is_key else "looks"

    def _link_end(self, group: re.Match[str]) -> int | None:
        """The end of `[text](target)`; None if the target is a known id, or if the text is one and the target leads
        nowhere."""
        target = _LINK_TARGET.match(self.text, group.end(), self.block.end)
        if target is None:
            is_address = _ADDRESS_TARGET.match(self.text, group.end(), self.block.end)
            return is_address.end() if is_address else None
        inside = target.group()[1:-1]
        leads_nowhere = inside.startswith("#") or not set("/.:") & set(inside)
        cites = self.lexicon.resolve(inside) or (leads_nowhere and self.lexicon.resolve(group["square"]))
        return None if cites else target.end()


def _ids_in_parentheses(content: str, items: Sequence[Item], lexicon: IdLexicon) -> tuple[str, ...]:
    kinds = {item.kind for item in items}
    if "known" not in kinds or "words" in kinds or is_plain_number(content):
        return ()
    return cited_ids(items, lexicon, "known")


def attached_groups(text: str, block: Block, marks: Sequence[CitationMark]) -> list[Span]:
    """What may follow a sentence of the block: groups of adjacent citations, and numbered notes."""
    notes = [match.span() for match in _NUMBERED_NOTE.finditer(text, block.start, block.end)]
    spans = sorted({*notes, *((mark.start, mark.end) for mark in marks)})
    return [_wrapped(text, span, block.start, block.end) for span in _joined(text, spans)]


def citation_groups(text: str, marks: Sequence[CitationMark], start: int, end: int) -> list[Span]:
    """The citations between `start` and `end`, with the commas and brackets that belong only to them."""
    spans = [(mark.start, mark.end) for mark in marks]
    return [_wrapped(text, span, start, end) for span in _joined(text, spans)]


def _joined(text: str, spans: Sequence[Span]) -> list[Span]:
    """“[c1], [c2] and [c3]” is one group."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and start - joined[-1][1] <= 8 and _BETWEEN_MARKS.fullmatch(text, joined[-1][1], start):
            joined[-1] = (joined[-1][0], end)
        elif not joined or start >= joined[-1][1]:
            joined.append((start, end))
    return joined


def _wrapped(text: str, span: Span, first: int, last: int) -> Span:
    """“([c1])” and “[[c1]]” include their outer brackets."""
    start, end = span
    opening = _WRAP_OPEN.search(text[max(first, start - 14) : start])
    closing = _WRAP_CLOSE.match(text, end, last)
    if opening is None or closing is None:
        return span
    return start - len(opening.group()), closing.end()


def without_groups(text: str, groups: Iterable[Span]) -> str:
    """The text without these spans and without the space before them."""
    kept: list[str] = []
    at = 0
    for start, end in groups:
        before = text[at:start]
        at = end
        if end == len(text) or text[end].isspace() or text[end] in _CLOSING_PUNCTUATION:
            before = before.rstrip(_SPACES)
        kept.append(before)
        while (start == 0 or text[start - 1] in "\r\n") and text[at : at + 1] in _SPACES and at < len(text):
            at += 1
    return "".join([*kept, text[at:]])
