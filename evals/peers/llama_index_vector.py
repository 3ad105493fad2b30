"""LlamaIndex: sentence splitter and in-memory vector index with their default settings.

Its splitter counts tokens; the tokenizer it would download is replaced by the embedding model's own.
"""

from job import Job, Ranked, Search, serve
from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import NodeWithScore
from pydantic import PrivateAttr


class SameEmbedder(BaseEmbedding):
    _model: object = PrivateAttr()

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._model = job.model

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._model.passage(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.query(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._model.query(query)


def build(job: Job) -> Search:
    # Its readers put the file's name into the metadata, and metadata is embedded with every passage.
    Settings.tokenizer = job.model.tokens
    documents = [Document(text=text, metadata={"file_name": name}) for name, text in job.documents.items()]
    index = VectorStoreIndex.from_documents(
        documents,
        embed_model=SameEmbedder(job),
        transformations=[SentenceSplitter(tokenizer=job.model.tokens)],
    )
    retriever = index.as_retriever(similarity_top_k=job.limit)
    return lambda question, limit: _spans(retriever.retrieve(question))[:limit]


def _spans(found: list[NodeWithScore]) -> Ranked:
    return [(each.metadata["file_name"], each.node.start_char_idx, each.node.end_char_idx) for each in found]


serve(build)
