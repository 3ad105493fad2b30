"""What a claim says was done must be said in its source: “Acme bought the plant” is not “Acme audited the plant”.

One word in four may be another one in a good paraphrase, but where that word is the verb, code cannot tell.
"""

import re

from masis.audit.checks.claim_parts import is_finite, verb_at
from masis.audit.checks.windows import Window
from masis.language.patterns import word_set
from masis.language.statements import stems_of
from masis.language.words import DOWNWARDS, FUNCTION_WORDS, UPWARDS, stem

_LIGHT = word_set(
    """reached totalled totaled amounted stood came went recorded posted generated achieved delivered earned remained
    accounted represented comprised consisted contained included listed ranked rated located situated based took held
    kept became got saw noted announced revealed indicated stated reported described mentioned explained discussed
    showed expected planned used provided occurred happened featured related continued focused involved"""
)
"""They carry a figure or a report, and say little themselves."""
_ALIKE = [
    frozenset(map(stem, line.split()))
    for line in """started began begun initiated launched opened
ended finished completed concluded closed
bought acquired purchased acquisition
made produced manufactured built constructed
founded established created formed
led headed managed ran
called named known titled
won received awarded got
died killed death
moved relocated transferred
released published issued
appointed named hired promoted
increased raised
decided chose chosen""".splitlines()
]
_AUXILIARIES = word_set("is are was were be been being has have had not also")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ROOT = 4
"""Letters that “decided” and “decision” share."""


def unsaid_verb(claim: str, window: Window) -> str | None:
    """The claim's verb, where the source has verbs and none like it."""
    verb = _main_verb(claim)
    if verb is None or not all(verb_at(part.text) is not None and not part.is_row for part in window.parts):
        return None
    have = frozenset[str]().union(*map(stems_of, window.parts))
    alike = {stem(verb)}.union(*(group for group in _ALIKE if stem(verb) in group))
    is_said = bool(alike & have) or any(len(s) >= _ROOT and s.startswith(verb[:_ROOT]) for s in have)
    return None if is_said else verb


def _main_verb(claim: str) -> str | None:
    """The first finite verb, or what its auxiliary leads to; none where that is a light one or a turn."""
    at = verb_at(claim)
    for match in _WORD.finditer(claim, at) if at is not None else ():
        word = match.group().lower()
        if word in _AUXILIARIES or word.endswith("ly"):
            continue
        is_light = word in _LIGHT or word in FUNCTION_WORDS or word in UPWARDS | DOWNWARDS
        return word if is_finite(word) and not is_light else None
    return None
