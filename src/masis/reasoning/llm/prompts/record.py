"""Which words a run was made with: a version for people, hashes for proof."""

import hashlib
import json
from typing import Literal

from masis.reasoning.llm.prompts import auditor, common, compressor, judge, writer
from masis.reasoning.ports import PromptStamp

PROMPT_VERSION = "2"

PromptRole = Literal["writer", "compressor", "auditor", "judge"]
_SHARED = (common.PREFER, common.EXPLAIN_BOTH, common.ORDERS_SEEN)
_WORDS: dict[PromptRole, tuple[str, ...]] = {
    "writer": writer.WORDS,
    "compressor": compressor.WORDS,
    "auditor": auditor.WORDS,
    "judge": judge.WORDS,
}


def prompt_hash(role: PromptRole | None = None) -> str:
    """Changes with any word said to this role, or to any of them."""
    words = [*_WORDS[role]] if role else [word for said in _WORDS.values() for word in said]
    return hashlib.sha256(json.dumps([PROMPT_VERSION, *_SHARED, *words]).encode()).hexdigest()


def prompt_stamp(role: PromptRole) -> PromptStamp:
    return PromptStamp(PROMPT_VERSION, prompt_hash(role), prompt_hash())
