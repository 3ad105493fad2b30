"""Every sentence of an answer as a record: what it cites, to the character, and a verdict with its reason."""

from collections.abc import Mapping, Sequence

from masis.audit.citations import CitedSentence, cited_sentences
from masis.audit.support import Support, check_support
from masis.types import Citation, Claim, EvidenceChunk


def judge_claims(answer: str, evidence: Sequence[EvidenceChunk]) -> list[Claim]:
    by_id = {chunk["chunk_id"]: chunk for chunk in evidence}
    return [_claim(sentence, by_id) for sentence in cited_sentences(answer, by_id)]


def _claim(sentence: CitedSentence, by_id: Mapping[str, EvidenceChunk]) -> Claim:
    claim: Claim = {
        "text": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "kind": sentence.kind,
        "citations": [],
        "verdict": None,
        "reason": "",
    }
    bare = sentence.bare.strip()
    if sentence.cited:
        support = check_support(bare, [by_id[i] for i in sentence.cited])
        claim["citations"] = [_citation(by_id[i], bare, support) for i in sentence.cited]
        if sentence.kind in ("claim", "recommendation"):
            claim["verdict"], claim["reason"] = support.verdict, support.reason
    elif sentence.kind == "claim":
        claim["verdict"], claim["reason"] = "uncited", "it makes a claim and cites nothing"
    if sentence.invalid:
        claim["citations"] += [_unresolved(made_up) for made_up in sentence.invalid]
        claim["verdict"] = "fabricated_citation"
        claim["reason"] = f"no passage has the id {', '.join(sentence.invalid)}"
    return claim


def _citation(chunk: EvidenceChunk, claim: str, support: Support) -> Citation:
    """The best supporting words of this very chunk, which need not be the chunk the verdict rests on."""
    if support.chunk is None or support.chunk["chunk_id"] != chunk["chunk_id"]:
        support = check_support(claim, [chunk])
    start, end = (support.start, support.end) if support.chunk else (0, len(chunk["text"]))
    return {
        "chunk_id": chunk["chunk_id"],
        "document_id": chunk["document_id"],
        "file_name": chunk["file_name"],
        "page": chunk["page"],
        "start": chunk["start"] + start,
        "end": chunk["start"] + end,
        "quote": chunk["text"][start:end],
        "label": chunk.get("label"),
    }


def _unresolved(made_up: str) -> Citation:
    return {
        "chunk_id": made_up,
        "document_id": None,
        "file_name": None,
        "page": None,
        "start": None,
        "end": None,
        "quote": None,
    }
