"""Sources by number: people read [1], programs read the id of the passage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from masis.language.citation_marks import CitationMark, find_citations
from masis.types import Citation, Claim, place


@dataclass(frozen=True, slots=True)
class Source:
    number: int
    claim: Claim
    """The first that cites it."""
    citation: Citation

    @property
    def where(self) -> str:
        """Which document, and where in it."""
        if not self.citation["file_name"]:
            return f"{self.citation['chunk_id']}: no such passage"
        return f"{self.citation['file_name']}, {place(self.citation['page'], self.citation.get('label'))}"


class Sources:
    """Numbered in the order in which an answer first cites them; the same words of the same passage are one source."""

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
        """The numbers of what a claim cites; `ids`: of these passages only."""
        cited = [each for each in claim["citations"] if ids is None or each["chunk_id"] in ids]
        return tuple(dict.fromkeys(self._sources[each["chunk_id"], each["quote"]].number for each in cited))

    def at(self, mark: CitationMark) -> tuple[int, ...]:
        """Those that the sentence around a citation mark cites there."""
        around = (claim for claim in self._claims if claim["start"] <= mark.start < claim["end"])
        return tuple(dict.fromkeys(number for claim in around for number in self.of(claim, mark.ids)))

    def marks(self, answer: str) -> list[CitationMark]:
        return find_citations(answer, {source.citation["chunk_id"] for source in self})

    def numbered(self, answer: str) -> str:
        """The answer with [1] for its citations; a mark that leads nowhere stays as it is."""
        pieces, at = list[str](), 0
        for mark in self.marks(answer):
            if numbers := self.at(mark):
                pieces += [answer[at : mark.start], "".join(f"[{number}]" for number in numbers)]
                at = mark.end
        return "".join([*pieces, answer[at:]])
