"""The systems compared: BM25 alone, dense alone, and MASIS's own chunks and ranking, all exact and in memory.

The ranking is the product's own code on the product's chunks: the fusion of vectors and BM25 and, if requested, the
second reading of the best candidates.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from math import inf, log

import numpy as np

from evals.retrieval_cache import CachedEmbedder, CachedReranker, Matrix
from evals.retrieval_data import Collection, Span
from masis.knowledge.ingestion.chunking import chunk_document
from masis.knowledge.search.keywords import QueryWords
from masis.knowledge.search.named_documents import Named, NamedDocument, named_documents, names_of
from masis.knowledge.search.reranking import CLEARLY_WEAKER, Hit, fuse, narrowed, reranked, with_places
from masis.knowledge.search.searching import SPARE, worth
from masis.knowledge.store.points import search_depth
from masis.knowledge.store.port import Answer, Found
from masis.settings import Settings
from masis.sources.dates import dated
from masis.types import Chunk, EvidenceChunk

DEPTH = 30
READ_TOGETHER = 2
"""Adjacent passages count as one, up to the length of this many."""
READ_AGAIN = 10
_TIE_DIGITS = 5


class Keywords:
    """BM25 with Qdrant's tokenizer and inverse document frequencies, as the store computes it."""

    def __init__(self, texts: Sequence[str]) -> None:
        from qdrant_edge import Bm25

        self._bm25 = Bm25()
        self._count = len(texts)
        postings: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for number, text in enumerate(texts):
            vector = self._bm25.embed_document(text)
            for term, weight in zip(vector.indices, vector.values, strict=True):
                postings[term].append((number, weight))
        self._postings = dict(postings)

    def best(self, question: str, depth: int) -> list[int]:
        return list(self.scored(question, depth))

    def scored(self, question: str, depth: int, among: AbstractSet[int] | None = None) -> dict[int, float]:
        """Best first; with `among`, of these texts only."""
        scores: dict[int, float] = defaultdict(float)
        for term in self._bm25.embed_query(question).indices:
            found = self._postings.get(term, [])
            rarity = log(1 + (self._count - len(found) + 0.5) / (len(found) + 0.5))
            for number, weight in found:
                if among is None or number in among:
                    scores[number] += rarity * weight
        best = sorted(scores, key=lambda number: (-round(scores[number], _TIE_DIGITS), number))[:depth]
        return {number: scores[number] for number in best}


class Index:
    """A collection as MASIS splits and embeds it."""

    def __init__(self, collection: Collection, embedder: CachedEmbedder, settings: Settings | None = None) -> None:
        from masis.knowledge.ingestion.ingest import embedded_text, meaning_text

        self.chunks: list[Chunk] = []
        texts: list[str] = []
        meanings: list[str] = []
        self._settings = settings or Settings()
        self._texts = {name: parsed.text for name, parsed in collection.documents.items()}
        self._known: list[NamedDocument] = []
        self._of_document: dict[str, set[int]] = {}
        for name, undated in collection.documents.items():
            parsed = dated(undated, name)
            chunks = chunk_document(parsed, name, name, self._settings)
            called = (parsed.title, parsed.date, parsed.period, names_of(parsed))
            self._known.append(NamedDocument(name, name, *called, len(chunks)))
            self._of_document[name] = set(range(len(self.chunks), len(self.chunks) + len(chunks)))
            self.chunks += chunks
            texts += (embedded_text(chunk, parsed.title) for chunk in chunks)
            meanings += (meaning_text(chunk, parsed.title) for chunk in chunks)
        self.questions = [question.text for question in collection.questions]
        self.similarity: Matrix = embedder.queries(self.questions) @ embedder.passages(meanings).T
        self._keywords = Keywords(texts)
        self._numbers = {chunk.chunk_id: number for number, chunk in enumerate(self.chunks)}

    def by_meaning(self, question: int, depth: int = DEPTH) -> list[int]:
        scores = np.round(self.similarity[question], _TIE_DIGITS)
        return [int(number) for number in np.argsort(-scores, kind="stable")[:depth]]

    def by_words(self, question: int, depth: int = DEPTH) -> list[int]:
        return self._keywords.best(self.questions[question], depth)

    def named(self, question: int) -> Named:
        return named_documents(self.questions[question], self._known)

    def fused(self, question: int, depth: int = DEPTH) -> list[int]:
        return [self._numbers[hit.chunk.chunk_id] for hit in self._hits(question, depth)]

    def _hits(self, question: int, depth: int) -> list[Hit]:
        named = self.named(question)
        meant = self._answer(question, depth, named.meant) if named.meant else Answer()
        beyond = partial(worth, QueryWords(self.questions[question]), named)
        return fuse(self._answer(question, depth), depth, meant, beyond)

    def _answer(self, question: int, depth: int, documents: Sequence[str] = ()) -> Answer:
        asked = search_depth(depth)
        among = set().union(*(self._of_document[name] for name in documents)) if documents else None
        cosines = self.similarity[question]
        near = self.by_meaning(question, len(self.chunks) if among else asked)
        by_meaning = [n for n in near if among is None or n in among][:asked]
        words = self._keywords.scored(self.questions[question], asked, among)
        return Answer(
            [self._found(number, float(cosines[number]), question) for number in by_meaning],
            [self._found(number, score, question) for number, score in words.items()],
        )

    def _found(self, number: int, score: float, question: int) -> Found:
        return Found(self.chunks[number], score, float(self.similarity[question][number]))

    def spans(self, numbers: Sequence[int]) -> list[Span]:
        chunks = [self.chunks[number] for number in numbers]
        return [Span(chunk.file_name, chunk.start, chunk.end) for chunk in chunks]

    def _candidates(self, question: int) -> list[EvidenceChunk]:
        """Includes near-duplicates, which a search leaves out, because the sets count one of two places with the same
        words."""
        hits = self._hits(question, READ_AGAIN + SPARE)
        names = [hit.chunk.chunk_id for hit in hits]
        first = with_places(names, READ_AGAIN, {hit.chunk.chunk_id for hit in hits if hit.is_sure})
        return [_evidence(self.chunks[self._numbers[name]]) for name in first]

    def searched(self, question: int, *, focus: bool = False) -> list[Span]:
        """What the Researcher gets, with adjacent passages counted as one; or only the part of each that concerns the
        question."""
        found = self._candidates(question)
        spans = _spans(narrowed(self.questions[question], found) if focus else found)
        return read_together(spans, self._texts, READ_TOGETHER * self._settings.chunk_chars)

    def read_again(self, question: int, reranker: CachedReranker, *, shortest: bool = False) -> list[Span]:
        """The best candidates in the order of the second reading.

        With `shortest`, without those clearly weaker than the best, and only the part of each that concerns the
        question.
        """
        asked = self.questions[question]
        candidates = self._candidates(question)
        distance = CLEARLY_WEAKER if shortest else inf
        found = asyncio.run(reranked(asked, candidates, reranker, drop_below_best=distance))
        if shortest:
            shown = {one["chunk_id"]: cut for one, cut in zip(candidates, narrowed(asked, candidates), strict=True)}
            found = [shown[each["chunk_id"]] for each in found]
        return _spans(found)


def _spans(passages: Sequence[EvidenceChunk]) -> list[Span]:
    return [Span(each["file_name"], each["start"], each["end"]) for each in passages]


def read_together(found: Sequence[Span], texts: Mapping[str, str], limit: int) -> list[Span]:
    """Joins passages that touch, in the place of the best one, up to the length limit."""
    places: list[Span] = []
    for span in found:
        one = span
        for place in list(places):
            first, second = sorted((one, place), key=lambda each: each.start)
            is_near = one.document == place.document and second.end - first.start <= limit
            if is_near and not texts[one.document][first.end : second.start].strip():
                one = Span(one.document, first.start, second.end)
                places[places.index(place)] = one
        if one not in places:
            places.append(one)
    return list(dict.fromkeys(places))


def _evidence(chunk: Chunk) -> EvidenceChunk:
    return EvidenceChunk(
        chunk_id=chunk.chunk_id,
        file_name=chunk.file_name,
        text=chunk.text,
        score=0.0,
        document_id=chunk.document_id,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        heading=chunk.heading,
    )


def bm25_alone(collection: Collection, window: int) -> list[list[Span]]:
    """The simplest system: windows of a fixed number of characters, found by their words."""
    spans = [
        Span(name, start, min(start + window, len(parsed.text)))
        for name, parsed in collection.documents.items()
        for start in range(0, len(parsed.text), window)
    ]
    texts = [collection.documents[span.document].text[span.start : span.end] for span in spans]
    keywords = Keywords(texts)
    return [[spans[number] for number in keywords.best(asked.text, DEPTH)] for asked in collection.questions]
