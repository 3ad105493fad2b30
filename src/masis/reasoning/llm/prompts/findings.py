"""What the audit found, as writer and judge are told it.

Findings are to be acted on, so they stand outside the blocks whose content is never followed. They quote the draft,
and through it the documents: whatever in them gives orders to its reader is left out.
"""

import re
from collections.abc import Collection

from masis.language.citation_ids import IdLexicon, is_distinctive
from masis.language.instructions import find_instructions
from masis.language.words import content_stems
from masis.reasoning.llm.sealing import one_line
from masis.types import Critique

_LONGEST = 400
_MOST = 0.8
"""A gap that names one part of the question says which part is missing."""
_BRACKETS = re.compile(r"[ \t]?\[([^\[\]\n]{1,300})\]")
_BETWEEN_IDS = re.compile(r"[,;\s]+")
_WORD = re.compile(r"(?<!\w)[\w-]{2,160}(?!\w)")

AN_ORDER = "a statement that repeats what a document asks its reader to write"


def findings(critique: Critique, question: str, known_ids: Collection[str]) -> list[str]:
    """One line a finding, with no id that the message does not hold and no gap that only repeats the question."""
    gaps = [gap for gap in critique["logical_gaps"] if not repeats(question, gap)]
    told = {
        "not borne out by the passages": critique["unsupported_claims"],
        "a gap": gaps,
        "documents that disagree": critique["conflicting_evidence"],
    }
    return [f"- {kind}: {_quoted(item, known_ids)}" for kind, items in told.items() for item in items]


def repeats(question: str, gap: str) -> bool:
    """It asks for all that the question asks for, and for nothing else."""
    asked, said = set(content_stems(question)), set(content_stems(gap))
    return said <= asked and len(said) >= _MOST * len(asked) if said else one_line(gap) == one_line(question)


def _quoted(finding: str, known_ids: Collection[str]) -> str:
    if find_instructions(finding):
        return AN_ORDER
    line = one_line(without_unknown_ids(finding, known_ids)).replace("<<<", "").replace(">>>", "")
    return f"“{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}”"


def without_unknown_ids(text: str, known_ids: Collection[str]) -> str:
    """The text without citations of passages that are not at hand; a writer would copy them."""
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
