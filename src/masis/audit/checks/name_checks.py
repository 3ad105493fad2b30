"""Does the source name whom and what the claim names?"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from masis.language.words import names, plain
from masis.types import EvidenceChunk

_OF_A_COUNTRY = re.compile(r"(?P<root>[a-z]{4,})(?:i?an|ese|ish|ic|i)")


def missing_names(claim: str, chunks: Sequence[EvidenceChunk]) -> list[str]:
    where = _letters("\n".join(f"{c['file_name']} {c.get('heading') or ''} {c['text']}" for c in chunks))
    return [name for name in dict.fromkeys(names(claim)) if not _is_acronym(name) and not _is_named(name, where)]


def _is_named(name: str, where: str) -> bool:
    """ "Libyan" is named where "Libya" is."""
    letters = _letters(name)
    country = _OF_A_COUNTRY.fullmatch(letters)
    return letters in where or (country is not None and country["root"] in where)


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    """“Khloé’s” is named where “Khloe” is, “Southeast” where “South East” is."""
    folded = unicodedata.normalize("NFKD", plain(text)).lower()
    return re.sub(r"[\W_]+", "", re.sub(r"'s\b|[\u0300-\u036f]", "", folded))


def _is_acronym(name: str) -> bool:
    # “CEO” may stand for words the source spells out.
    return name.rstrip("s").isupper() and len(name) <= 6
