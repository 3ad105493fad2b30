"""Haystack: its splitter's defaults (200 words), BM25 and vectors in its memory store, joined by reciprocal ranks."""

from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from job import Job, Ranked, Search, serve


def build(job: Job) -> Search:
    splitter = DocumentSplitter()
    documents = [Document(content=text, meta={"name": name}) for name, text in job.documents.items()]
    chunks = splitter.run(documents=documents)["documents"]
    embedded = [
        Document(content=chunk.content, meta=chunk.meta, embedding=job.model.passage(chunk.content)) for chunk in chunks
    ]
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(embedded)
    by_words = InMemoryBM25Retriever(store, top_k=job.limit)
    by_meaning = InMemoryEmbeddingRetriever(store, top_k=job.limit)
    joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=job.limit)

    def search(question: str, limit: int) -> Ranked:
        words = by_words.run(query=question)["documents"]
        meaning = by_meaning.run(query_embedding=job.model.query(question))["documents"]
        return [_span(found) for found in joiner.run(documents=[words, meaning])["documents"][:limit]]

    return search


def _span(found: Document) -> tuple[str, int, int]:
    start = found.meta["split_idx_start"]
    return found.meta["name"], start, start + len(found.content)


serve(build)
