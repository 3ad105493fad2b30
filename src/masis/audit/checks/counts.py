"""“Three plants: Brno, Lyon and Porto”: a count beside the things it counts, in the claim or in the source's list."""

import re
from collections.abc import Sequence

from masis.language.quantities import Quantity, quantities
from masis.language.statements import Statement
from masis.language.words import stem, words

_LIST = re.compile(r":\s*(?P<items>[^.:;!?]+)")
_SEPARATOR = re.compile(r"\s*(?:,|\sand\s|\sor\s)\s*")
_BY_COMMA = re.compile(r"\s*,\s*(?:(?:and|or)\s+)?")
FEWEST_ITEMS = 2
LONGEST_ITEM = 12


def miscounted(claim: str, sources: Sequence[Statement]) -> str | None:
    """What is wrong with a count of the claim, in words."""
    for number in quantities(claim):
        if number.unit != "number" or number.scaled or number.measure or not 2 <= number.value <= 20:
            continue
        if own := _own_items(claim, number):
            if own != number.value:
                return f"it says {number.text} and lists {own}"
        elif (listed := _listed(_counted(claim, number), sources)) and listed != number.value:
            return f"the source lists {listed}, not {number.text}"
    return None


def _own_items(claim: str, number: Quantity) -> int | None:
    """How many things follow the colon behind the count; a list with “and” inside its items cannot be counted."""
    match = _LIST.search(claim, number.end)
    if match is None or match.start() - number.end > 40:
        return None
    listed = match["items"].strip()
    # “Research and development, and sales” are two things: a comma before the last “and” tells it from the others.
    separator = _BY_COMMA if re.search(r",\s*(?:and|or)\s", listed) else _SEPARATOR
    items = [item for item in separator.split(listed) if item.strip()]
    return len(items) if len(items) >= FEWEST_ITEMS and all(len(item.split()) <= 4 for item in items) else None


def _counted(claim: str, number: Quantity) -> str | None:
    following = words(claim[number.end :])[:1]
    return stem(following[0]) if following else None


def _listed(thing: str | None, sources: Sequence[Statement]) -> int | None:
    """How many items the source lists under a line that names the thing: “The plants are:”."""
    heads = dict.fromkeys(s.above for s in sources if s.above and not s.is_row)
    for head in heads:
        if thing not in {stem(word) for word in words(head.splitlines()[-1])}:
            continue
        items = [s for s in sources if s.above == head and _is_item(s)]
        # The list may go on in the next passage.
        if len(items) >= FEWEST_ITEMS and items[-1] is not sources[-1]:
            return len(items)
    return None


def _is_item(statement: Statement) -> bool:
    return not statement.text.rstrip().endswith((".", "!", "?")) and len(statement.text.split()) <= LONGEST_ITEM
