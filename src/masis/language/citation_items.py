"""Reads the items of a bracket group: “[c1; chunk c2, p. 4]” has three."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from masis.language.characters import without_invisible
from masis.language.citation_ids import TYPOGRAPHY, IdLexicon, is_distinctive, is_plain_number

ItemKind = Literal["known", "made_up", "locator", "number", "words"]
Trust = Literal["known", "shape", "looks"]
"""How much is needed to take an unknown token for a made-up id: it never is one (known), it needs the shape of a known
id (shape), or it only has to look like an id (looks)."""

_SEPARATOR = re.compile(r"\s*[,;，；、،؛]\s+|\s*[;；、،؛]\s*|\s+(?:&|and|und|et|y|en|och|и)\s+")
_BARE_SEPARATOR = re.compile(r"[,，|]")
_STRONG_PREFIX = r"chunks?(?:[ _-]?ids?)?|ids?|evidence(?:[ _-]?ids?)?|passages?"
_PREFIX = re.compile(
    rf"(?:(?P<strong>{_STRONG_PREFIX})|see(?: also)?|also|cf\.?|from|per|via|in|sources?|src|refs?\.?"
    r"|references?|docs?\.?"
    r"|documents?|citations?|cite[sd]?|quellen?|siehe|vgl\.?|voir|fuentes?|véase|ver|fonti?|fontes?|vedi"
    r"|bron(?:nen)?|zie"
    r"|källa|kilde|źródło|источник|см\.|来源|來源|出典|参照|출처|المصدر|स्रोत)(?:\s*[:：#=]\s*|\s+)",
    re.IGNORECASE,
)
_LOCATOR = re.compile(
    r"(?:pages?|pp?\.?|pg\.?|seiten?|págs?\.?|páginas?|paginas?|paras?\.?|paragraphs?|sections?|sec\."
    r"|chapters?|ch\.|lines?"
    r"|figs?\.?|figures?|tables?|tab\.|slides?|sheets?|rows?|cells?|notes?|items?|vol\.|no\.|nr\.|art\."
    r"|abs\.|[sl]\.|¶+|§+"
    r"|第)\s*[\w.:]{1,12}(?:\s*[-–—]\s*[\w.]{1,8})?",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"\.(?:pdf|docx?|md|html?|txt|csv|tsv|xlsx?|pptx?|json|xml)$", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:[-–—…/+]|\.\.+|\bto\b)\s*")


@dataclass(frozen=True, slots=True)
class Item:
    kind: ItemKind
    ids: tuple[str, ...] = ()


def read_items(content: str, lexicon: IdLexicon) -> list[Item]:
    whole = lexicon.resolve(content)
    if whole is not None:
        return [Item("known", (whole,))]
    return [_read(part, lexicon) for part in _parts(content, lexicon)]


def _parts(content: str, lexicon: IdLexicon) -> Iterator[str]:
    """The items as separated. An id may contain a comma, so a bare comma splits only text that is not an id."""
    for part in _SEPARATOR.split(content):
        if lexicon.resolve(part) is None:
            yield from (piece for piece in _BARE_SEPARATOR.split(part) if piece.strip())
        else:
            yield part


def _read(part: str, lexicon: IdLexicon) -> Item:
    known = lexicon.resolve(part)
    if known is not None:
        return Item("known", (known,))
    bare = without_invisible(part).strip()
    if is_plain_number(bare):
        return Item("number")
    if _LOCATOR.fullmatch(bare) and not lexicon.has_known_shape(bare):
        return Item("locator")
    rest, is_strong = _without_prefix(bare)
    return _read_joined(rest, lexicon) or _read_token(bare, rest, is_strong, lexicon) or _read_words(rest, lexicon)


def _without_prefix(bare: str) -> tuple[str, bool]:
    is_strong = False
    for _ in range(3):
        prefix = _PREFIX.match(bare)
        if prefix is None:
            break
        is_strong = is_strong or prefix["strong"] is not None
        bare = bare[prefix.end() :]
    return bare, is_strong


def _read_token(bare: str, rest: str, is_strong: bool, lexicon: IdLexicon) -> Item | None:
    """One id, possibly after “Source:” or written with a space (“chunk 12” for `chunk_12`)."""
    candidates = [rest, *(joiner.join(bare.split()) for joiner in ("_", "-", ""))]
    for candidate in candidates:
        known = lexicon.resolve(candidate)
        if known is not None:
            return Item("known", (known,))
    clean = rest.strip(TYPOGRAPHY + " ")
    if lexicon.looks_made_up(clean):
        return Item("made_up", (clean,))
    spaced = candidates[1]
    if len(bare.split()) == 2 and is_distinctive(spaced) and lexicon.has_known_shape(spaced):
        return Item("made_up", (spaced,))
    if is_strong and is_plain_number(clean):
        return Item("made_up", (" ".join(bare.split()),))
    whole = bare.strip(TYPOGRAPHY + " ")
    return Item("made_up", (whole,)) if lexicon.looks_made_up(whole) else None


def _read_joined(rest: str, lexicon: IdLexicon) -> Item | None:
    """“c1/c2”, “c1–c3”: a range cites its two ends; what lies between is unknown."""
    parts = _JOINED.split(rest)
    known = [found for part in parts if (found := lexicon.resolve(part))]
    return Item("known", tuple(known)) if len(known) == len(parts) > 1 else None


def _read_words(rest: str, lexicon: IdLexicon) -> Item:
    """Ids among words: known ids that no word could be, or a group of nothing but ids."""
    tokens = rest.split()
    clean = [token.strip(TYPOGRAPHY) for token in tokens]
    known = [found for token in tokens if (found := lexicon.resolve(token)) and is_distinctive(found)]
    if known:
        made_up = [token for token in clean if not lexicon.resolve(token) and lexicon.has_known_shape(token)]
        return Item("known", (*known, *made_up))
    if len(tokens) > 1 and lexicon.looks_made_up(clean[0]) and _LOCATOR.fullmatch(" ".join(tokens[1:])):
        return Item("made_up", (clean[0],))
    if len(tokens) > 1 and all(lexicon.looks_made_up(token) for token in clean):
        return Item("made_up", tuple(clean))
    return Item("words")


def _names_a_file(token: str, lexicon: IdLexicon) -> bool:
    """“[report.pdf, c1]” says where c1 is from; the file name is not a second citation."""
    return _FILE_NAME.search(token) is not None and not lexicon.has_known_shape(token)


def cited_ids(items: Sequence[Item], lexicon: IdLexicon, trust: Trust) -> tuple[str, ...]:
    """The ids that a group cites; none if it is not a citation.

    A group with a distinctive known id is a citation, whatever words are beside it. Otherwise words make the group a
    remark, a stray number makes a plain number beside it a range (“[0, 1]”), and only a made-up id of known shape still
    counts.
    """
    found = list(dict.fromkeys(identifier for item in items for identifier in item.ids))
    known = [identifier for item in items if item.kind == "known" for identifier in item.ids]
    kinds = {item.kind for item in items}
    if any(is_distinctive(identifier) for identifier in known):
        return tuple(one for one in found if one in known or not _names_a_file(one, lexicon))
    if kinds <= {"known", "number"} and "number" in kinds and all(is_plain_number(one) for one in known):
        return ()
    if trust == "known" and not known:
        return ()
    if "words" in kinds or (trust == "shape" and not known):
        return tuple(one for one in found if one not in known and lexicon.has_known_shape(one))
    return tuple(found)
