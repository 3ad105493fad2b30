"""LangChain: recursive character splitter and FAISS, as its tutorials put them together.

`hybrid` as argument adds BM25 through its ensemble retriever; `defaults` takes the splitter's own sizes instead of
the tutorials' 1,000 characters with 200 of overlap.
"""

import sys
import warnings

warnings.filterwarnings("ignore")

from job import Job, Ranked, Search, serve  # noqa: E402
from langchain_classic.retrievers import EnsembleRetriever  # noqa: E402
from langchain_community.retrievers import BM25Retriever  # noqa: E402
from langchain_community.vectorstores import FAISS  # noqa: E402
from langchain_core.documents import Document  # noqa: E402
from langchain_core.embeddings import Embeddings  # noqa: E402
from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: E402


class SameEmbedder(Embeddings):
    def __init__(self, job: Job) -> None:
        self._model = job.model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._model.passage(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._model.query(text)


def build(job: Job) -> Search:
    sizes = {} if "defaults" in sys.argv else {"chunk_size": 1000, "chunk_overlap": 200}
    splitter = RecursiveCharacterTextSplitter(add_start_index=True, **sizes)
    documents = [Document(text, metadata={"source": name}) for name, text in job.documents.items()]
    chunks = splitter.split_documents(documents)
    dense = FAISS.from_documents(chunks, SameEmbedder(job)).as_retriever(search_kwargs={"k": job.limit})
    if "hybrid" not in sys.argv:
        return lambda question, limit: _spans(dense.invoke(question))[:limit]
    words = BM25Retriever.from_documents(chunks, k=job.limit)
    both = EnsembleRetriever(retrievers=[words, dense], weights=[0.5, 0.5])
    return lambda question, limit: _spans(both.invoke(question))[:limit]


def _spans(found: list[Document]) -> Ranked:
    return [
        (each.metadata["source"], start, start + len(each.page_content))
        for each in found
        if (start := each.metadata["start_index"]) >= 0
    ]


serve(build)
