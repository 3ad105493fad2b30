"""The sources of an answer, numbered the same way in the terminal, the exports, the API and the page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from masis.language.citation_marks import CitationMark, find_citations
from masis.language.statements import read_out
from masis.types import Citation, Claim, place


@dataclass(frozen=True, slots=True)
class Source:
    number: int
    claim: Claim
    """The first claim that cites it."""
    citation: Citation

    @property
    def where(self) -> str:
        """The document, and the place in it."""
        if not self.citation["file_name"]:
            return f"{self.citation['chunk_id']}: no such passage"
        return f"{self.citation['file_name']}, {place(self.citation['page'], self.citation.get('label'))}"


class Sources:
    """The sources of an answer, in the order in which it first cites them. The same text of the same passage is one
    source."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._claims = claims
        self._sources: dict[tuple[str, str | None], Source] = {}
        for claim in claims:
            for citation in claim["citations"]:
                key = (citation["chunk_id"], citation["quote"])
                self._sources.setdefault(key, Source(len(self._sources) + 1, claim, citation))

    def __iter__(self) -> Iterator[Source]:
        return iter(self._sources.values())

    def __len__(self) -> int:
        return len(self._sources)

    def of(self, claim: Claim, ids: Sequence[str] | None = None) -> tuple[int, ...]:
        """The numbers of the sources that a claim cites; with `ids`, only of these passages."""
        cited = [each for each in claim["citations"] if ids is None or each["chunk_id"] in ids]
        return tuple(dict.fromkeys(self._number(each) for each in cited))

    def at(self, mark: CitationMark) -> tuple[int, ...]:
        """The sources that the sentence around a citation mark cites there."""
        around = (claim for claim in self._claims if claim["start"] <= mark.start < claim["end"])
        return tuple(dict.fromkeys(number for claim in around for number in self.of(claim, mark.ids)))

    def on_claims(self) -> list[Claim]:
        """The claims, with the source number added to each citation."""
        return [
            {**claim, "citations": [{**each, "number": self._number(each)} for each in claim["citations"]]}
            for claim in self._claims
        ]

    def _number(self, citation: Citation) -> int:
        return self._sources[citation["chunk_id"], citation["quote"]].number

    def marks(self, answer: str) -> list[CitationMark]:
        return find_citations(answer, {source.citation["chunk_id"] for source in self})

    def numbered(self, answer: str) -> str:
        """The answer with [1] for its citations. A mark without a source stays as it is."""
        pieces, at = list[str](), 0
        for mark in self.marks(answer):
            if numbers := self.at(mark):
                pieces += [answer[at : mark.start], "".join(f"[{number}]" for number in numbers)]
                at = mark.end
        return "".join([*pieces, answer[at:]])


def quote_words(quoted: Mapping[str, Any]) -> str:
    """The quote of a citation, a side of a conflict or a near miss, on one line."""
    return str(quoted.get("shown") or read_out(quoted["quote"] or ""))
