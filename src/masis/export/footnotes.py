"""The answer with its citations as numbered footnotes."""

import re
from collections.abc import Iterator, Sequence

from masis.audit.citations.engine import CitationMark, find_citations
from masis.export.plain_text import one_line, plain
from masis.export.report import Block, Note, Paragraph, Span
from masis.export.wording import KINDS, VERDICTS
from masis.runs.result import RunResult
from masis.types import Citation, Claim, place

_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")


class Footnotes:
    """Numbers sources in the order in which they are first cited; the same words of the same passage are one source."""

    def __init__(self, result: RunResult) -> None:
        self._claims = result.claims
        self._known = {chunk["chunk_id"] for chunk in result.evidence}
        self._known |= {citation["chunk_id"] for claim in result.claims for citation in claim["citations"]}
        self._notes: dict[tuple[str, str | None], Note] = {}

    @property
    def notes(self) -> list[Note]:
        return list(self._notes.values())

    def of_claim(self, claim: Claim) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._number(claim, citation) for citation in claim["citations"]))

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
                spans.append(Span(_words(text[at : mark.start]).rstrip(), bool(head), self._at(mark.start, mark.ids)))
                at = mark.end
        if rest := _words(text[at:end]):
            spans.append(Span(rest, bool(head)))
        return Paragraph(spans, "item" if item else "plain")

    def _at(self, position: int, ids: Sequence[str]) -> tuple[int, ...]:
        """The sources that the sentence around this place cites there."""
        around = [claim for claim in self._claims if claim["start"] <= position < claim["end"]]
        cited = [(c, each) for c in around for each in c["citations"] if each["chunk_id"] in ids]
        return tuple(dict.fromkeys(self._number(claim, citation) for claim, citation in cited))

    def _number(self, claim: Claim, citation: Citation) -> int:
        key = (citation["chunk_id"], citation["quote"])
        if key not in self._notes:
            quote = one_line(citation["quote"]) if citation["quote"] else None
            self._notes[key] = Note(len(self._notes) + 1, _source(citation), quote, verdict_of(claim))
        return self._notes[key].number


def verdict_of(claim: Claim) -> str:
    return VERDICTS[claim["verdict"]] if claim["verdict"] else KINDS[claim["kind"]]


def without_citations(claim: Claim) -> str:
    text = claim["text"]
    known = [citation["chunk_id"] for citation in claim["citations"]]
    for mark in reversed(find_citations(text, known)):
        text = text[: mark.start].rstrip() + text[mark.end :]
    return _words(text).strip()


def _source(citation: Citation) -> str:
    if not citation["file_name"]:
        return f"{one_line(citation['chunk_id'])}: there is no such passage"
    return one_line(f"{citation['file_name']}, {place(citation['page'], citation.get('label'))}")


def _words(text: str) -> str:
    return plain(_STRONG.sub(r"\1", text))
