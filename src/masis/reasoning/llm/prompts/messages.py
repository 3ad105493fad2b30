"""The messages of each call: what is to be obeyed outside, what is to be read in sealed blocks."""

import json
from collections.abc import Sequence

from masis.language.instructions import find_instructions
from masis.reasoning.llm.prompts import auditor, common, compressor, judge, writer
from masis.reasoning.llm.prompts.findings import findings, without_unknown_ids
from masis.reasoning.llm.sealing import Block, one_line, seal
from masis.reasoning.llm.wire import Message
from masis.reasoning.ports import Guidance, Passage, WritingBrief
from masis.types import CitationAudit, Critique, EvidenceChunk


def writing(brief: WritingBrief) -> list[Message]:
    blocks = [Block("question", brief.question), *map(_passage, brief.passages), *_decided(brief.guidance)]
    tasks = [writer.TASK, *_warning(_texts(brief.passages)), *_decision(brief.guidance, writer.OBEY)]
    if brief.previous_critique is not None and brief.previous_draft:
        known = [passage.chunk_id for passage in brief.passages]
        blocks.append(Block("your previous draft", without_unknown_ids(brief.previous_draft, known)))
        found = findings(brief.previous_critique, brief.question, known)
        tasks.append(writer.REVISE.format(findings="\n".join(found)) if found else writer.LOOK_AGAIN)
    return _messages(writer.SYSTEM, blocks, tasks)


def compressing(question: str, passages: Sequence[Passage], limit: int) -> list[Message]:
    blocks = [Block("question", question), *map(_passage, passages)]
    words = max(1, limit // compressor.CHARACTERS_A_WORD)
    tasks = [compressor.TASK.format(words=words), *_warning(_texts(passages))]
    return _messages(compressor.SYSTEM, blocks, tasks)


def auditing(question: str, answer: str, evidence: Sequence[EvidenceChunk], guidance: Guidance) -> list[Message]:
    blocks = [
        Block("question", question),
        *map(_chunk, evidence),
        *_decided(guidance),
        Block("answer", answer),
    ]
    tasks = [auditor.TASK, *_warning(_chunk_texts(evidence)), *_decision(guidance, auditor.SETTLED)]
    return _messages(auditor.SYSTEM, blocks, tasks)


def judging(
    question: str,
    answer: str,
    evidence: Sequence[EvidenceChunk],
    audit: CitationAudit,
    critique: Critique | None = None,
) -> list[Message]:
    citations = Block("citation audit", json.dumps(audit, ensure_ascii=False, indent=1))
    blocks = [Block("question", question), *map(_chunk, evidence), Block("answer", answer), citations]
    found = findings(critique, question, [chunk["chunk_id"] for chunk in evidence]) if critique else []
    told = [judge.FINDINGS.format(findings="\n".join(found))] if found else []
    return _messages(judge.SYSTEM, blocks, [judge.TASK, *_warning(_chunk_texts(evidence)), *told])


def _messages(system: str, blocks: Sequence[Block], tasks: Sequence[str]) -> list[Message]:
    # Half characters, which broken files contain, cannot be sent.
    user = "\n\n".join([seal(blocks), *tasks]).encode(errors="replace").decode()
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _texts(passages: Sequence[Passage]) -> dict[str, str]:
    return {passage.chunk_id: passage.text for passage in passages}


def _chunk_texts(evidence: Sequence[EvidenceChunk]) -> dict[str, str]:
    return {chunk["chunk_id"]: chunk["text"] for chunk in evidence}


def _warning(texts: dict[str, str]) -> list[str]:
    """Ids are ours and may stand outside the blocks; what the documents say may not, not even as a warning."""
    named = [f"[{chunk_id}]" for chunk_id, text in texts.items() if any(o.is_certain for o in find_instructions(text))]
    return [common.ORDERS_SEEN.format(ids=", ".join(named))] if named else []


def _passage(passage: Passage) -> Block:
    about = _source(passage.file_name, passage.label or str(passage.page), passage.date, passage.heading)
    label = f"passage [{passage.chunk_id}]" + (f" ({passage.shortened})" if passage.shortened else "")
    return Block(label, f"{about}\n\n{passage.text}")


def _chunk(chunk: EvidenceChunk) -> Block:
    about = _source(
        chunk["file_name"], chunk.get("label") or str(chunk["page"]), chunk.get("date"), chunk.get("heading")
    )
    return Block(f"passage [{chunk['chunk_id']}]", f"{about}\n\n{chunk['text']}")


def _source(file_name: str, page: str, date: str | None, heading: str | None) -> str:
    known = {"file": file_name, "page": page, "date": date, "heading": heading}
    return "\n".join(f"{name}: {one_line(value)}" for name, value in known.items() if value)


def _decided(guidance: Guidance) -> list[Block]:
    named = {"preferred files": guidance.prefer, "overruled files": guidance.over}
    return [Block(label, "\n".join(map(one_line, files))) for label, files in named.items() if files]


def _decision(guidance: Guidance, consequence: str) -> list[str]:
    """A person's decision is an instruction; the file names in it are data, and stay in their blocks."""
    words = [common.PREFER] if guidance.prefer or guidance.over else []
    words += [common.EXPLAIN_BOTH] if guidance.explain_both else []
    return [*words, consequence] if words else []
