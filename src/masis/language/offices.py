"""Who holds which office: a chief technology officer is no answer to a question about the chief operating officer."""

import re
from dataclasses import dataclass

_OFFICE = re.compile(
    r"\bchief (?P<field>[a-z]+)(?: (?:and|&) [a-z]+)?(?: officers?)?\b|\bC(?P<initial>[A-Z])Os?\b", re.IGNORECASE
)
_TELLING = 4
"""Letters: technical and technology are one field, marketing and medical two."""
_WITHOUT_OFFICER = frozenset({"executive", "executives"})
"""“Chief executive” is said for short; a chief engineer is an engineer."""


@dataclass(frozen=True, slots=True)
class Office:
    initial: str
    field: str | None
    """None for one that is only spelled by its letters."""

    def may_be(self, other: "Office") -> bool:
        if self.field and other.field:
            return self.field == other.field
        return self.initial == other.initial


def offices(text: str) -> list[Office]:
    found = []
    for match in _OFFICE.finditer(text):
        field = (match["field"] or "").lower()
        if field and not match[0].lower().endswith(("officer", "officers")) and field not in _WITHOUT_OFFICER:
            continue
        if match["initial"] and not match[0][:3].isupper():
            continue
        found.append(Office((field or match["initial"].lower())[0], field[:_TELLING] or None))
    return found


def is_of_another_office(asked: str, said: str) -> bool:
    """The question asks for the holder of one, and the sentence speaks of others only."""
    wanted, held = offices(asked), offices(said)
    return bool(wanted and held) and not any(ours.may_be(theirs) for ours in wanted for theirs in held)
