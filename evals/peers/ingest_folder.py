"""A folder of PDFs from files to a searchable index, as LangChain and LlamaIndex users do it.

`python ingest_folder.py langchain|llama_index MODEL_FOLDER INDEX_FOLDER FILE …` prints pages, passages and seconds.
The model is the one MASIS embeds with, in batches of 32 as these libraries send them.
"""

import json
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

BATCH = 32
MAX_TOKENS = 512


class BatchModel:
    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
        self._inputs = [each.name for each in self._session.get_inputs()]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for first in range(0, len(texts), BATCH):
            encodings = self._tokenizer.encode_batch(list(texts[first : first + BATCH]))
            fields = {
                "input_ids": [each.ids for each in encodings],
                "attention_mask": [each.attention_mask for each in encodings],
                "token_type_ids": [each.type_ids for each in encodings],
            }
            output = self._session.run(None, {name: np.array(fields[name], dtype=np.int64) for name in self._inputs})[0]
            rows = output if output.ndim == 2 else output[:, 0]
            vectors += (rows / np.linalg.norm(rows, axis=1, keepdims=True)).tolist()
        return vectors


def langchain(model: BatchModel, index: Path, files: list[str]) -> tuple[int, int]:
    from langchain_community.document_loaders import PyPDFLoader
    from langchain_community.vectorstores import FAISS
    from langchain_core.embeddings import Embeddings
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Same(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return model.embed(texts)

        def embed_query(self, text: str) -> list[float]:
            return model.embed([text])[0]

    pages = [page for file in files for page in PyPDFLoader(file).load()]
    chunks = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200).split_documents(pages)
    FAISS.from_documents(chunks, Same()).save_local(str(index))
    return len(pages), len(chunks)


def llama_index(model: BatchModel, index: Path, files: list[str]) -> tuple[int, int]:
    from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SentenceSplitter

    class Same(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return model.embed([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return model.embed(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return model.embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    pages = SimpleDirectoryReader(input_files=files).load_data()
    # Its own splitter counts tokens with an encoder that it downloads; the model's own counts here.
    splitter = SentenceSplitter(tokenizer=lambda text: model._tokenizer.encode(text).ids)
    nodes = splitter.get_nodes_from_documents(pages)
    VectorStoreIndex(nodes, embed_model=Same(embed_batch_size=BATCH)).storage_context.persist(str(index))
    return len(pages), len(nodes)


def main() -> None:
    library, model_folder, index, *files = sys.argv[1:]
    model = BatchModel(Path(model_folder))
    model.embed(["warm"])
    ingest = {"langchain": langchain, "llama_index": llama_index}[library]
    started, started_cpu = time.perf_counter(), time.process_time()
    pages, chunks = ingest(model, Path(index), files)
    seconds, cpu = time.perf_counter() - started, time.process_time() - started_cpu
    print(json.dumps({"pages": pages, "chunks": chunks, "seconds": seconds, "cpu_seconds": cpu}))


main()
