"""A question in, the passages that may answer it out: by meaning and by keyword, each with its relevance."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from masis.errors import InvalidInput, MASISError
from masis.knowledge.calibration.profiles import Calibration, calibration_for
from masis.knowledge.catalog import Catalog
from masis.knowledge.embedding.port import Embedder, Vector
from masis.knowledge.ingestion.ingest import embedded_text
from masis.knowledge.ingestion.vectors import Unembedded, Vectorizer
from masis.knowledge.search.diversity import without_near_duplicates
from masis.knowledge.search.fusion import Hit, best_by_words, fuse, with_places
from masis.knowledge.search.keywords import keyword_relevance
from masis.knowledge.search.narrowing import narrowed, windows
from masis.knowledge.search.neighbours import joined
from masis.knowledge.search.reranking import CLEARLY_WEAKER, Reranker, reranked
from masis.knowledge.store.port import (
    Answer,
    Found,
    IndexedChunk,
    SparseVector,
    StoreFilters,
    VectorStore,
    cosine,
    days_of,
)
from masis.knowledge.store.sparse import sparse_passage, sparse_query
from masis.language.words import content_stems
from masis.settings import Settings
from masis.types import EVERYWHERE, EvidenceChunk, Mentions, SearchFilters, SearchResult

SPARE = 10
"""Fetched beyond the limit, to take the places of near-duplicates."""
_MAX_TURNS = 5
JOINED = 2
"""So many passages' worth of text may become one."""


class Searcher:
    def __init__(
        self,
        settings: Settings,
        store: VectorStore,
        embedder: Embedder,
        catalog: Catalog,
        vectorizer: Vectorizer,
        reranker: Reranker,
    ) -> None:
        self._settings = settings
        self._store = store
        self._embedder = embedder
        self._catalog = catalog
        self._vectorizer = vectorizer
        self._reranker = reranker

    async def search(
        self,
        workspace_id: str,
        text: str,
        limit: int,
        *,
        at_least: float | None = None,
        filters: SearchFilters = EVERYWHERE,
    ) -> SearchResult:
        """One store query. Neighbours that are both relevant enough, where that is said, come as one passage."""
        within = await asyncio.to_thread(self.resolved, workspace_id, filters)
        dense = await self._embedder.embed_query(text)
        sparse = await asyncio.to_thread(sparse_query, text, self._settings.keyword_language)
        answer = await self._consistent_answer(workspace_id, dense, sparse, limit + SPARE, within)
        answer = await self._with_vectors(workspace_id, answer, dense, limit)
        hits = fuse(answer, limit + SPARE)
        sure = best_by_words(answer)
        candidates = _first(await asyncio.to_thread(self._candidates, hits, text), limit, sure)
        candidates = await self._read_again(text, candidates)
        if at_least is not None:
            candidates = await asyncio.to_thread(self._joined, workspace_id, candidates, at_least)
        candidates = _with_focus(text, candidates)
        is_empty = not hits and filters == EVERYWHERE and await self._is_empty(workspace_id)
        return SearchResult(candidates, workspace_is_empty=is_empty)

    async def mentions(self, workspace_id: str, words: Sequence[str]) -> dict[str, Mentions | None]:
        language = self._settings.keyword_language
        terms = {word: await asyncio.to_thread(sparse_query, word, language) for word in dict.fromkeys(words)}
        asked = sorted({term for vector in terms.values() for term in vector.indices})
        hidden = await asyncio.to_thread(self._catalog.not_shown, workspace_id)
        holders = dict(zip(asked, await self._store.holders(workspace_id, asked, hidden=hidden), strict=True))
        return {word: _mentions([holders[term] for term in vector.indices]) for word, vector in terms.items()}

    async def _consistent_answer(
        self, workspace_id: str, dense: Vector, sparse: SparseVector, limit: int, within: StoreFilters
    ) -> Answer:
        """When a document was replaced while the store was asked, the answer may hold half of it: ask again."""
        hidden = await asyncio.to_thread(self._catalog.not_shown, workspace_id)
        for _ in range(_MAX_TURNS):
            answer = await self._store.query(workspace_id, dense, sparse, limit, filters=within, hidden=hidden)
            before, hidden = hidden, await asyncio.to_thread(self._catalog.not_shown, workspace_id)
            if before == hidden:
                break
        return answer

    async def _with_vectors(self, workspace_id: str, answer: Answer, dense: Vector, limit: int) -> Answer:
        """Passages whose vectors are still to come are embedded now, the best by keyword first, and kept."""
        waiting = [found for found in answer.by_words if found.cosine is None][:limit]
        if not waiting:
            return answer
        passages = [await asyncio.to_thread(self._unembedded, workspace_id, found) for found in waiting]
        items = await self._vectorizer.embedded(workspace_id, passages)
        with suppress(MASISError):  # a full disk must not keep anyone from an answer
            await self._keep(workspace_id, items)
        known = {item.chunk.chunk_id: cosine(dense, item.dense or ()) for item in items}
        by_words = [replace(found, cosine=known.get(found.chunk.chunk_id, found.cosine)) for found in answer.by_words]
        new = [Found(item.chunk, known[item.chunk.chunk_id], known[item.chunk.chunk_id]) for item in items]
        by_meaning = sorted([*answer.by_meaning, *new], key=lambda found: (-found.score, found.chunk.chunk_id))
        return Answer(by_meaning, by_words)

    async def _keep(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        await self._store.upsert(workspace_id, items)
        # What was deleted while its vectors were made must not come back by this.
        for document_id in {item.chunk.document_id for item in items}:
            if not await asyncio.to_thread(self._catalog.is_shown, workspace_id, document_id):
                await self._store.delete_document(workspace_id, document_id)

    def _unembedded(self, workspace_id: str, found: Found) -> Unembedded:
        text = embedded_text(found.chunk, self._catalog.title(workspace_id, found.chunk.document_id))
        return Unembedded(IndexedChunk(found.chunk, None, sparse_passage(text, self._settings.keyword_language)), text)

    def _candidates(self, hits: Sequence[Hit], text: str) -> list[EvidenceChunk]:
        scale = calibration_for(self._embedder.name, self._settings.home)
        asked = frozenset(content_stems(text))
        return without_near_duplicates([_evidence(hit, scale, asked) for hit in hits])

    async def _read_again(self, text: str, candidates: list[EvidenceChunk]) -> list[EvidenceChunk]:
        mode = self._settings.rerank
        if mode == "off" or not candidates:
            return candidates
        if mode == "order":
            return await reranked(text, candidates, self._reranker)
        return narrowed(text, await reranked(text, candidates, self._reranker, drop_below_best=CLEARLY_WEAKER))

    def _joined(self, workspace_id: str, candidates: list[EvidenceChunk], at_least: float) -> list[EvidenceChunk]:
        enough = [candidate for candidate in candidates if candidate["score"] >= at_least]
        text_of = partial(self._catalog.text, workspace_id)
        together = joined(enough, text_of, JOINED * self._settings.chunk_chars)
        return [*together, *(candidate for candidate in candidates if candidate["score"] < at_least)]

    def resolved(self, workspace_id: str, filters: SearchFilters) -> StoreFilters:
        """Raises InvalidInput for a document that is not there, or a date that is none."""
        return StoreFilters(
            document_ids=self._document_ids(workspace_id, filters.documents),
            file_types=tuple(kind.lower().lstrip(".") for kind in filters.file_types),
            first_day=_day(filters.dated_from, 0),
            last_day=_day(filters.dated_to, 1),
            pages=filters.pages,
        )

    def _document_ids(self, workspace_id: str, wanted: Sequence[str]) -> tuple[str, ...]:
        if not wanted:
            return ()
        documents = self._catalog.documents(workspace_id)
        found: list[str] = []
        for name in wanted:
            ids = [d.document_id for d in documents if name in (d.document_id, d.file_name)]
            if not ids:
                raise InvalidInput(
                    f"There is no document {name[:80]!r} in {workspace_id}.",
                    advice=f"List them with `masis documents --workspace {workspace_id}`.",
                )
            found += ids
        return tuple(found)

    async def _is_empty(self, workspace_id: str) -> bool:
        documents = await asyncio.to_thread(self._catalog.documents, workspace_id)
        return not any(document.chunks for document in documents)


def _mentions(holders: Sequence[dict[str, str]]) -> Mentions | None:
    """Of a word by the points that hold each of its parts."""
    if not holders:
        return None
    together = set(holders[0]).intersection(*holders[1:])
    return Mentions(len({holders[0][point] for point in together}), len(together))


def _day(date: str | None, end: int) -> int | None:
    if date is None:
        return None
    days = days_of(date)
    if days is None:
        raise InvalidInput(f"{date[:40]!r} is not a date.", advice="Write 2025, 2025-03 or 2025-03-31.")
    return days[end]


def _first(candidates: Sequence[EvidenceChunk], limit: int, sure: set[str]) -> list[EvidenceChunk]:
    names = with_places([candidate["chunk_id"] for candidate in candidates], limit, sure)
    return [candidate for candidate in candidates if candidate["chunk_id"] in names]


def _with_focus(text: str, candidates: Sequence[EvidenceChunk]) -> list[EvidenceChunk]:
    spans = windows(text, [candidate["text"] for candidate in candidates])
    return [
        {**candidate, "focus": [candidate["start"] + start, candidate["start"] + end]}
        for candidate, (start, end) in zip(candidates, spans, strict=True)
    ]


def _evidence(hit: Hit, scale: Calibration, asked: frozenset[str]) -> EvidenceChunk:
    chunk = hit.chunk
    by_meaning = scale.relevance(hit.cosine) if hit.cosine is not None else 0.0
    return EvidenceChunk(
        chunk_id=chunk.chunk_id,
        file_name=chunk.file_name,
        text=chunk.text,
        score=round(max(by_meaning, keyword_relevance(asked, chunk)), 6),
        document_id=chunk.document_id,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        heading=chunk.heading,
        date=chunk.date,
        label=chunk.label,
    )
