"""Answers in the question's language from documents in another one: they share numbers with their source, not words."""

import re
from collections.abc import Mapping

from masis.language.languages import differ
from masis.types import Claim

_NUMBER = re.compile(r"\d+(?:[.,'\u00a0\u202f ]\d+)*")


def is_translated(claim: Claim, question: str, texts: Mapping[str, str]) -> bool:
    """Then that code finds none of its words in the source says nothing, as long as all its numbers are there."""
    cited = [texts[citation["chunk_id"]] for citation in claim["citations"] if citation["chunk_id"] in texts]
    if not cited or claim["verdict"] == "fabricated_citation" or differ(claim["text"], question):
        return False
    if not all(differ(claim["text"], text) for text in cited):
        return False
    bare = re.sub(r"\[[^\]]*\]", "", claim["text"])
    return _digits(bare) <= _digits("\n".join(cited))


def _digits(text: str) -> set[str]:
    """184,1 and 184.1 are one number in two languages: their digits are the same."""
    return {re.sub(r"\D", "", number) for number in _NUMBER.findall(text)}
