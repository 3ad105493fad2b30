"""The answer with its citations as numbered footnotes."""

import re
from collections.abc import Iterator, Sequence

from masis.export.plain_text import one_line, plain
from masis.export.report import Block, Note, Paragraph, Span
from masis.language.citation_marks import CitationMark, find_citations
from masis.numbering import Source, Sources
from masis.runs.result import RunResult
from masis.types import Claim
from masis.wording import verdict_of

_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")


class Footnotes:
    def __init__(self, result: RunResult) -> None:
        self._sources = Sources(result.claims)
        self._known = {chunk["chunk_id"] for chunk in result.evidence}
        self._known |= {source.citation["chunk_id"] for source in self._sources}

    @property
    def notes(self) -> list[Note]:
        return [_note(source) for source in self._sources]

    def of_claim(self, claim: Claim) -> tuple[int, ...]:
        return self._sources.of(claim)

    def answer(self, text: str) -> Iterator[Block]:
        marks = find_citations(text, self._known)
        start = 0
        for line in text.split("\n"):
            if line.strip():
                yield self._line(text, start, start + len(line), marks)
            start += len(line) + 1

    def _line(self, text: str, start: int, end: int, marks: Sequence[CitationMark]) -> Paragraph:
        head, item = _HEADING.match(text, start, end), _ITEM.match(text, start, end)
        at = found.end() if (found := head or item) else start
        spans = []
        for mark in marks:
            if at <= mark.start and mark.end <= end:
                spans.append(Span(_words(text[at : mark.start]).rstrip(), bool(head), self._sources.at(mark)))
                at = mark.end
        if rest := _words(text[at:end]):
            spans.append(Span(rest, bool(head)))
        return Paragraph(spans, "item" if item else "plain")


def _note(source: Source) -> Note:
    quote = source.citation["quote"]
    return Note(
        source.number, one_line(source.where), one_line(quote) if quote else None, verdict_of(source.claim).word
    )


def without_citations(claim: Claim) -> str:
    text = claim["text"]
    known = [citation["chunk_id"] for citation in claim["citations"]]
    for mark in reversed(find_citations(text, known)):
        text = text[: mark.start].rstrip() + text[mark.end :]
    return _words(text).strip()


def _words(text: str) -> str:
    return plain(_STRONG.sub(r"\1", text))
