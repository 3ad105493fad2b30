"""Finds the passages that may answer a question, by meaning and by keyword, each with its relevance."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from masis.errors import IndexLost, InvalidInput, MASISError, UnknownDocument
from masis.knowledge.calibration.profiles import Calibration, calibration_for
from masis.knowledge.catalog import Catalog
from masis.knowledge.embedding.port import Embedder, Vector
from masis.knowledge.ingestion.ingest import embedded_text, meaning_text
from masis.knowledge.ingestion.vectors import Unembedded, Vectorizer
from masis.knowledge.search.keywords import QueryWords, folded, nearest
from masis.knowledge.search.named_documents import Named, named_documents
from masis.knowledge.search.reranking import (
    CLEARLY_WEAKER,
    Hit,
    Reranker,
    fuse,
    narrowed,
    read_windows,
    reranked,
    windows,
    with_places,
    without_near_duplicates,
)
from masis.knowledge.store.points import sparse_passage, sparse_query
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
from masis.language.words import FUNCTION_WORDS, WORD, content_stems, plain, words
from masis.settings import Settings
from masis.types import EVERYWHERE, Chunk, EvidenceChunk, Mentions, SearchFilters, SearchResult


def store_filters(catalog: Catalog, workspace_id: str, filters: SearchFilters) -> StoreFilters:
    """Raises InvalidInput for an unknown document or an invalid date."""
    return StoreFilters(
        document_ids=_document_ids(catalog, workspace_id, filters.documents),
        file_types=tuple(kind.lower().lstrip(".") for kind in filters.file_types),
        first_day=_day(filters.dated_from, 0),
        last_day=_day(filters.dated_to, 1),
        pages=filters.pages,
    )


def _document_ids(catalog: Catalog, workspace_id: str, wanted: Sequence[str]) -> tuple[str, ...]:
    if not wanted:
        return ()
    documents = catalog.documents(workspace_id)
    found: list[str] = []
    for name in wanted:
        ids = [d.document_id for d in documents if name in (d.document_id, d.file_name)]
        if not ids:
            raise UnknownDocument(
                f"There is no document {name[:80]!r} in {workspace_id}.",
                advice=f"List them with `masis documents --workspace {workspace_id}`.",
            )
        found += ids
    return tuple(found)


def _day(date: str | None, end: int) -> int | None:
    if date is None:
        return None
    days = days_of(date)
    if days is None:
        raise InvalidInput(f"{date[:40]!r} is not a date.", advice="Write 2025, 2025-03 or 2025-03-31.")
    return days[end]


SPARE = 10
"""Passages fetched beyond the limit, to replace near-duplicates and to be read as well."""
LOOKS = 4
"""How many documents are checked when the index may be lost: enough that a partial loss is noticed after a few
searches."""
_MAX_TURNS = 5
_MOST_MISSING = 20
"""The most words of a question that are looked up in the keyword index."""


@dataclass(frozen=True, slots=True)
class _Query:
    dense: Vector
    sparse: SparseVector
    limit: int
    within: StoreFilters


@dataclass(eq=False)
class Searcher:
    _settings: Settings
    _store: VectorStore
    _embedder: Embedder
    _catalog: Catalog
    _vectorizer: Vectorizer
    _reranker: Reranker

    async def search(
        self,
        workspace_id: str,
        text: str,
        limit: int,
        *,
        at_least: float | None = None,
        highlight: bool = False,
        filters: SearchFilters = EVERYWHERE,
    ) -> SearchResult:
        """Searches the store, and once more in the documents that the question names or with the nearest spelling of a
        word that no document has.

        A passage with the exact words asked for gets at least the relevance `at_least`. The passages fetched beyond the
        limit are in `further`.
        """
        within = await asyncio.to_thread(store_filters, self._catalog, workspace_id, filters)
        query = await self._query(text, limit + SPARE, within)
        answer = await self._consistent_answer(workspace_id, query)
        if respelled := await self._respelled(workspace_id, text, answer):
            text = _with_spelling(text, respelled)
            query = await self._query(text, limit + SPARE, within)
            answer = await self._consistent_answer(workspace_id, query)
        answer = await self._with_vectors(workspace_id, answer, query.dense, limit)
        named = await asyncio.to_thread(self._named, workspace_id, text)
        meant = await self._answer_of_those_meant(workspace_id, query, named, limit)
        hits = fuse(answer, limit + SPARE, meant, partial(worth, QueryWords(text), named))
        sure = {hit.chunk.chunk_id for hit in hits if hit.is_sure}
        evidence = await asyncio.to_thread(self._candidates, hits, QueryWords(text), named, at_least)
        best = _first(evidence, limit, sure)
        candidates = await self._read_again(text, best)
        # For a model with little context, what is weaker than the best has just been dropped.
        further = [one for one in evidence if one not in best] if self._settings.rerank != "shortest" else []
        is_empty = not hits and filters == EVERYWHERE and await self._is_empty(workspace_id)
        if not hits:
            await self.require_index()
        spans = await asyncio.to_thread(_spans_to_show, text, candidates, highlight=highlight)
        return SearchResult(
            _with_focus(candidates, spans),
            workspace_is_empty=is_empty,
            undated_left_out=await self._left_out(workspace_id, within),
            respelled=respelled,
            further=further,
        )

    async def mentions(self, workspace_id: str, asked_for: Sequence[str]) -> dict[str, Mentions | None]:
        language = self._settings.keyword_language
        terms = {word: await asyncio.to_thread(sparse_query, word, language) for word in dict.fromkeys(asked_for)}
        asked = sorted({term for vector in terms.values() for term in vector.indices})
        hidden = await asyncio.to_thread(self._catalog.not_shown, workspace_id)
        holders = dict(zip(asked, await self._store.holders(workspace_id, asked, hidden=hidden), strict=True))
        return {word: _mentions([holders[term] for term in vector.indices]) for word, vector in terms.items()}

    async def _query(self, text: str, limit: int, within: StoreFilters) -> "_Query":
        dense = await self._embedder.embed_query(text)
        sparse = await asyncio.to_thread(sparse_query, text, self._settings.keyword_language)
        return _Query(dense, sparse, limit, within)

    async def _consistent_answer(self, workspace_id: str, query: "_Query") -> Answer:
        """Queries again if a document was replaced during the query, as the result may contain half of it."""
        hidden = await asyncio.to_thread(self._catalog.not_shown, workspace_id)
        for _ in range(_MAX_TURNS):
            answer = await self._store.query(
                workspace_id, query.dense, query.sparse, query.limit, filters=query.within, hidden=hidden
            )
            before, hidden = hidden, await asyncio.to_thread(self._catalog.not_shown, workspace_id)
            if before == hidden:
                break
        return answer

    def _named(self, workspace_id: str, text: str) -> Named:
        return named_documents(text, self._catalog.known_documents(workspace_id))

    async def _answer_of_those_meant(self, workspace_id: str, query: "_Query", named: Named, limit: int) -> Answer:
        allowed = query.within.document_ids
        meant = tuple(name for name in named.meant if not allowed or name in allowed)
        if not meant or meant == allowed:
            return Answer()
        within = replace(query.within, document_ids=meant)
        answer = await self._consistent_answer(workspace_id, replace(query, within=within))
        return await self._with_vectors(workspace_id, answer, query.dense, limit)

    async def _respelled(self, workspace_id: str, text: str, answer: Answer) -> dict[str, str]:
        """Looks up only words that the best passages lack: any passage with the word would be among them."""
        said = {stem for found in answer.by_words for stem in content_stems(folded(embedded_text(found.chunk, None)))}
        spoken = dict.fromkeys(word for word in words(text) if word.isalpha() and word not in FUNCTION_WORDS)
        missing = [word for word in spoken if not said.issuperset(content_stems(folded(word)))]
        known = await self.mentions(workspace_id, missing[:_MOST_MISSING]) if missing else {}
        unknown = [word for word, found in known.items() if found is not None and not found.passages]
        if not unknown:
            return {}
        vocabulary = await asyncio.to_thread(self._catalog.vocabulary, workspace_id)
        found = {word: await asyncio.to_thread(nearest, word, vocabulary) for word in unknown}
        return {word: near for word, near in found.items() if near}

    async def _left_out(self, workspace_id: str, within: StoreFilters) -> int:
        if (within.first_day, within.last_day) == (None, None):
            return 0
        return await asyncio.to_thread(self._catalog.undated, workspace_id)

    async def _with_vectors(self, workspace_id: str, answer: Answer, dense: Vector, limit: int) -> Answer:
        """Embeds and stores passages that have no vector yet, the best by keyword first."""
        waiting = [found for found in answer.by_words if found.cosine is None][:limit]
        if not waiting:
            return answer
        passages = [await asyncio.to_thread(self._unembedded, workspace_id, found) for found in waiting]
        items = await self._vectorizer.embedded(workspace_id, passages)
        with suppress(MASISError):  # a full disk must not prevent an answer
            await self._keep(workspace_id, items)
        known = {item.chunk.chunk_id: cosine(dense, item.dense or ()) for item in items}
        by_words = [replace(found, cosine=known.get(found.chunk.chunk_id, found.cosine)) for found in answer.by_words]
        new = [Found(item.chunk, known[item.chunk.chunk_id], known[item.chunk.chunk_id]) for item in items]
        by_meaning = sorted([*answer.by_meaning, *new], key=lambda found: (-found.score, found.chunk.chunk_id))
        return Answer(by_meaning, by_words)

    async def _keep(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        await self._store.upsert(workspace_id, items)
        # A document deleted while it was embedded must not come back.
        for document_id in {item.chunk.document_id for item in items}:
            if not await asyncio.to_thread(self._catalog.is_shown, workspace_id, document_id):
                await self._store.delete_document(workspace_id, document_id)

    def _unembedded(self, workspace_id: str, found: Found) -> Unembedded:
        title = self._catalog.title(workspace_id, found.chunk.document_id)
        sparse = sparse_passage(embedded_text(found.chunk, title), self._settings.keyword_language)
        return Unembedded(IndexedChunk(found.chunk, None, sparse), meaning_text(found.chunk, title))

    def _candidates(
        self, hits: Sequence[Hit], asked: QueryWords, named: Named, at_least: float | None
    ) -> list[EvidenceChunk]:
        scale = calibration_for(self._embedder.name, self._settings.home)
        return without_near_duplicates([_evidence(hit, scale, asked, named, at_least or 0.0) for hit in hits])

    async def _read_again(self, text: str, candidates: list[EvidenceChunk]) -> list[EvidenceChunk]:
        mode = self._settings.rerank
        if mode == "off" or not candidates:
            return candidates
        if mode == "order":
            return await reranked(text, candidates, self._reranker)
        return narrowed(text, await reranked(text, candidates, self._reranker, drop_below_best=CLEARLY_WEAKER))

    async def require_index(self) -> None:
        """Raises IndexLost if passages of READY documents are missing: an empty result then proves nothing."""
        for workspace_id, document_id, chunks in await asyncio.to_thread(self._catalog.some_indexed_documents, LOOKS):
            if await self._store.count(workspace_id, document_id) >= chunks:
                continue
            if await asyncio.to_thread(self._catalog.is_shown, workspace_id, document_id):  # unless deleted just now
                raise IndexLost("The index lacks passages of documents that were indexed: it was lost or replaced.")

    async def _is_empty(self, workspace_id: str) -> bool:
        documents = await asyncio.to_thread(self._catalog.documents, workspace_id)
        return not any(document.chunks for document in documents)


def worth(asked: QueryWords, named: Named, chunk: Chunk) -> float:
    """What a passage gets in addition to its meaning and words."""
    return named.worth.get(chunk.document_id, 0.0) + asked.row_worth(chunk)


def _with_spelling(text: str, respelled: Mapping[str, str]) -> str:
    def spelled(match: re.Match[str]) -> str:
        return respelled.get(plain(match.group()).lower(), match.group())

    return WORD.sub(spelled, text)


def _mentions(holders: Sequence[dict[str, str]]) -> Mentions | None:
    """Counts a word by the index points that contain all of its parts."""
    if not holders:
        return None
    together = set(holders[0]).intersection(*holders[1:])
    return Mentions(len({holders[0][point] for point in together}), len(together))


def _first(candidates: Sequence[EvidenceChunk], limit: int, sure: set[str]) -> list[EvidenceChunk]:
    names = with_places([candidate["chunk_id"] for candidate in candidates], limit, sure)
    return [candidate for candidate in candidates if candidate["chunk_id"] in names]


def _spans_to_show(text: str, candidates: Sequence[EvidenceChunk], *, highlight: bool) -> list[tuple[int, int]]:
    if highlight:
        return read_windows(text, candidates)
    return windows(text, [candidate["text"] for candidate in candidates])


def _with_focus(candidates: Sequence[EvidenceChunk], spans: Sequence[tuple[int, int]]) -> list[EvidenceChunk]:
    return [
        {**candidate, "focus": [candidate["start"] + start, candidate["start"] + end]}
        for candidate, (start, end) in zip(candidates, spans, strict=True)
    ]


def _evidence(hit: Hit, scale: Calibration, asked: QueryWords, named: Named, at_least: float) -> EvidenceChunk:
    chunk = hit.chunk
    known = named.known(chunk.document_id)
    score = max(scale.relevance(hit.cosine) if hit.cosine is not None else 0.0, asked.relevance(chunk, known))
    if score < at_least and asked.is_named_in(chunk, known):
        score = at_least
    return EvidenceChunk(
        chunk_id=chunk.chunk_id,
        file_name=chunk.file_name,
        text=chunk.text,
        score=round(score, 6),
        document_id=chunk.document_id,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        heading=chunk.heading,
        date=chunk.date,
        label=chunk.label,
        title=named.titles.get(chunk.document_id, ""),
        about=named.about.get(chunk.document_id, ""),
    )
