"""Whether two texts that use one name speak of the same thing: Croydon Park in Sydney is not the one in Adelaide."""

import re

from masis.audit.conflicts.alike import folded
from masis.language.words import FUNCTION_WORDS, content_stems, words

_NAME = re.compile(r"\b[A-Z][\w&.'’-]*(?:\s+(?:(?:of|the|and|de|la|&)\s+){0,2}[A-Z][\w&.'’-]*)*")
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]")
ASKS = frozenset("what which who whom whose when where how in on at by for the".split())
EXPLICIT = re.compile(r"\s*(?:\((?P<bracket>[^()]{2,60})\)|,\s(?P<place>[A-Z][\w'’-]+(?:,?\s[A-Z][\w'’-]+)*))")
IS_A = re.compile(r"[^.;]{0,80}?\b(?:is|was|are|were)\s+(?:an?|the)\s+(?P<what>[^.;,]{3,80})")


def asked_names(question: str) -> list[str]:
    """What the question calls by name: its quoted titles, else its capitalised words."""
    quoted = _QUOTED.findall(question)
    return quoted or [name for name in _NAME.findall(question) if not set(words(name)) <= ASKS | FUNCTION_WORDS]


def are_namesakes(question: str, a: str, b: str) -> bool:
    """Both texts say which one they mean, and it is not the same."""
    return any(_told_apart(name, a, b) for name in asked_names(question))


def _told_apart(name: str, a: str, b: str) -> bool:
    named = (_explicit(name, a), _explicit(name, b))
    if all(named):
        return bool(named[0] - named[1]) and bool(named[1] - named[0])
    described = (_explicit(name, a) | _described(name, a), _explicit(name, b) | _described(name, b))
    return all(described) and not described[0] & described[1]


def _explicit(name: str, text: str) -> frozenset[str]:
    """“(1979 film)” or “, Nebraska” after the name."""
    found = (EXPLICIT.match(text, m.end()) for m in re.finditer(rf"\b{re.escape(name.strip(' .?'))}\b", text))
    return _own(name, " ".join(m["bracket"] or m["place"] for m in found if m))


def _described(name: str, text: str) -> frozenset[str]:
    """“… is a golfer”."""
    is_a = re.search(rf"\b{re.escape(name.strip(' .?'))}\b{IS_A.pattern}", text)
    return _own(name, is_a["what"]) if is_a else frozenset()


def _own(name: str, said: str) -> frozenset[str]:
    return frozenset(content_stems(said)) - frozenset(content_stems(folded(name)))
