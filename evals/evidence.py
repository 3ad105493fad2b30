"""A text as a passage that passed the score filter."""

from masis.types import EvidenceChunk


def as_evidence(
    text: str, chunk_id: str = "c1", document_id: str = "d1", file_name: str = "source.txt"
) -> EvidenceChunk:
    return {
        "chunk_id": chunk_id,
        "file_name": file_name,
        "text": text,
        "score": 0.9,
        "document_id": document_id,
        "page": 1,
        "start": 0,
        "end": len(text),
    }
