"""Builds the messages of each call: instructions outside, and everything that is only to be read in sealed blocks."""

import hashlib
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from masis.language.citation_ids import IdLexicon, is_distinctive
from masis.language.follow_up import Turn
from masis.language.instructions import find_instructions
from masis.language.words import content_stems
from masis.reasoning.llm.prompts import roles
from masis.reasoning.llm.wire import Message
from masis.reasoning.ports import Guidance, Passage, WritingBrief
from masis.sources.plain import one_line
from masis.types import CitationAudit, Claim, Critique, EvidenceChunk


@dataclass(frozen=True, slots=True)
class Block:
    """Text to be read and never to be obeyed."""

    label: str
    text: str


def seal(blocks: Sequence[Block]) -> str:
    mark = _mark(blocks)
    marked = [f"<<<{one_line(block.label)} {mark}>>>\n{block.text.strip()}\n<<<end {mark}>>>" for block in blocks]
    return "\n\n".join([f"The data marks of this message carry the code {mark}.", *marked])


_ANSWER_CHARS = 600


def completing(question: str, turns: Sequence[Turn]) -> list[Message]:
    """Asks to rewrite a follow-up question so that it can be understood alone."""
    said = [
        Block(label, text)
        for number, turn in enumerate(turns, start=1)
        for label, text in ((f"question {number}", turn.question), (f"answer {number}", turn.answer[:_ANSWER_CHARS]))
    ]
    sealed = seal([*said, Block("new question", question)])
    return [
        {"role": "system", "content": f"{roles.COMPLETE}\n\n{roles.DATA_RULE}"},
        {"role": "user", "content": f"{sealed}\n\nRewrite the new question."},
    ]


def _mark(blocks: Sequence[Block]) -> str:
    content = "\x00".join(f"{block.label}\x01{block.text}" for block in blocks)
    mark = ""
    while not mark or mark in content:
        mark = hashlib.sha256(f"{mark}{content}".encode(errors="surrogatepass")).hexdigest()[:16]
    return mark


_LONGEST = 400
_MOST_DOUBTS = 20
_MOST = 0.8
"""Share of the question's words that a gap must have to count as repeating it. With fewer, it names the part that is
missing."""
_BRACKETS = re.compile(r"[ \t]?\[([^\[\]\n]{1,300})\]")
_BETWEEN_IDS = re.compile(r"[,;\s]+")
_WORD = re.compile(r"(?<!\w)[\w-]{2,160}(?!\w)")

AN_ORDER = "a statement that repeats what a document asks its reader to write"


def findings(critique: Critique, question: str, known_ids: Collection[str]) -> list[str]:
    """One line per finding, without unknown ids and without gaps that only repeat the question."""
    gaps = [gap for gap in critique["logical_gaps"] if not repeats(question, gap)]
    told = {
        "not borne out by the passages": critique["unsupported_claims"],
        "a gap": gaps,
        "documents that disagree": critique["conflicting_evidence"],
    }
    return [f"- {kind}: {_quoted(item, known_ids)}" for kind, items in told.items() for item in items]


def repeats(question: str, gap: str) -> bool:
    """Whether the gap asks for most of what the question asks for, and nothing else."""
    asked, said = set(content_stems(question)), set(content_stems(gap))
    return said <= asked and len(said) >= _MOST * len(asked) if said else one_line(gap) == one_line(question)


def _quoted(finding: str, known_ids: Collection[str]) -> str:
    if find_instructions(finding):
        return AN_ORDER
    line = one_line(without_unknown_ids(finding, known_ids)).replace("<<<", "").replace(">>>", "")
    return f"“{_shortened(line)}”"


def without_unknown_ids(text: str, known_ids: Collection[str]) -> str:
    """Removes citations of passages that are not in the message: a writer would copy them."""
    lexicon = IdLexicon(known_ids)

    def is_unknown(token: str) -> bool:
        return lexicon.resolve(token) is None and lexicon.looks_made_up(token)

    def in_brackets(found: re.Match[str]) -> str:
        tokens = [token for token in _BETWEEN_IDS.split(found[1]) if token]
        left = [token for token in tokens if not is_unknown(token)]
        return found[0] if len(left) == len(tokens) else f" [{', '.join(left)}]" if left else ""

    def in_words(found: re.Match[str]) -> str:
        word = found[0]
        gone = is_distinctive(word) and lexicon.has_known_shape(word) and lexicon.resolve(word) is None
        return "another passage" if gone else word

    return _WORD.sub(in_words, _BRACKETS.sub(in_brackets, text))


def writing(brief: WritingBrief) -> list[Message]:
    blocks = [Block("question", brief.question), *map(_passage, brief.passages), *_decided(brief.guidance)]
    tasks = [roles.WRITER_TASK, *_warning(_texts(brief.passages)), *_decision(brief.guidance, roles.OBEY)]
    if brief.previous_critique is not None and brief.previous_draft:
        known = [passage.chunk_id for passage in brief.passages]
        blocks.append(Block("your previous draft", without_unknown_ids(brief.previous_draft, known)))
        found = findings(brief.previous_critique, brief.question, known)
        tasks.append(roles.REVISE.format(findings="\n".join(found)) if found else roles.LOOK_AGAIN)
    return _messages(roles.WRITER_SYSTEM, blocks, tasks)


def writing_plainly(brief: WritingBrief) -> list[Message]:
    """For a small or slow model: few rules, no ids to copy. A retry gets the findings but not the previous draft."""
    passages = [Block("passage", _passage(passage).text) for passage in brief.passages]
    blocks = [*passages, *_decided(brief.guidance), Block("question", brief.question)]
    orders = [roles.PLAIN_ORDERS_SEEN] if _warning(_texts(brief.passages)) else []
    tasks = [*orders, *_decision(brief.guidance, roles.PLAIN_OBEY)]
    if brief.previous_critique is not None and (found := findings(brief.previous_critique, brief.question, [])):
        tasks.append(roles.PLAIN_REVISE.format(findings="\n".join(found)))
    return _messages(roles.PLAIN_WRITER_SYSTEM, blocks, [*tasks, roles.PLAIN_TASK])


def compressing(question: str, passages: Sequence[Passage], limit: int) -> list[Message]:
    blocks = [Block("question", question), *map(_passage, passages)]
    words = max(1, limit // roles.CHARACTERS_A_WORD)
    tasks = [roles.COMPRESSOR_TASK.format(words=words), *_warning(_texts(passages))]
    return _messages(roles.COMPRESSOR_SYSTEM, blocks, tasks)


def auditing(
    question: str,
    answer: str,
    evidence: Sequence[EvidenceChunk],
    guidance: Guidance,
    doubted: Sequence[Claim] = (),
) -> list[Message]:
    blocks = [
        Block("question", question),
        *map(_chunk, evidence),
        *_decided(guidance),
        Block("answer", answer),
        *([Block("doubts", "\n".join(map(_doubt, doubted[:_MOST_DOUBTS])))] if doubted else []),
    ]
    doubts = [roles.DOUBTS] if doubted else []
    tasks = [roles.AUDITOR_TASK, *doubts, *_warning(_chunk_texts(evidence)), *_decision(guidance, roles.SETTLED)]
    return _messages(roles.AUDITOR_SYSTEM, blocks, tasks)


def asking(sentence: str, cited: Sequence[EvidenceChunk]) -> list[Message]:
    """Asks about one doubtful sentence, for a model that cannot fill in a schema."""
    blocks = [*map(_chunk, cited), Block("sentence", sentence)]
    return _messages(roles.YES_OR_NO_SYSTEM, blocks, [roles.YES_OR_NO_TASK, *_warning(_chunk_texts(cited))])


def _doubt(claim: Claim) -> str:
    return f"- “{_shortened(one_line(claim['text']))}” ({_shortened(claim['reason'])})"


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def judging(
    question: str,
    answer: str,
    evidence: Sequence[EvidenceChunk],
    audit: CitationAudit,
    critique: Critique | None = None,
) -> list[Message]:
    # What the passages do not support is among the findings below, whoever found it.
    shown = {name: value for name, value in audit.items() if name != "unsupported_claims" or critique is None}
    citations = Block("citation audit", json.dumps(shown, ensure_ascii=False, indent=1))
    blocks = [Block("question", question), *map(_chunk, evidence), Block("answer", answer), citations]
    found = findings(critique, question, [chunk["chunk_id"] for chunk in evidence]) if critique else []
    told = [roles.FINDINGS.format(findings="\n".join(found))] if found else []
    return _messages(roles.JUDGE_SYSTEM, blocks, [roles.JUDGE_TASK, *_warning(_chunk_texts(evidence)), *told])


def _messages(system: str, blocks: Sequence[Block], tasks: Sequence[str]) -> list[Message]:
    # Broken files may contain lone surrogates, which cannot be sent.
    user = "\n\n".join([seal(blocks), *tasks]).encode(errors="replace").decode()
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _texts(passages: Sequence[Passage]) -> dict[str, str]:
    return {passage.chunk_id: passage.text for passage in passages}


def _chunk_texts(evidence: Sequence[EvidenceChunk]) -> dict[str, str]:
    return {chunk["chunk_id"]: chunk["text"] for chunk in evidence}


def _warning(texts: dict[str, str]) -> list[str]:
    """Names the passages that contain instructions. Our ids may appear outside the blocks; the documents' words may
    not, not even in a warning."""
    named = [f"[{chunk_id}]" for chunk_id, text in texts.items() if any(o.is_certain for o in find_instructions(text))]
    return [roles.ORDERS_SEEN.format(ids=", ".join(named))] if named else []


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
    """A person's decision is an instruction; the file names in it are data and stay in their blocks."""
    words = [roles.PREFER] if guidance.prefer or guidance.over else []
    words += [roles.EXPLAIN_BOTH] if guidance.explain_both else []
    return [*words, consequence] if words else []
