"""Selects the sentences that carry a document's substance: whole sentences made of the words it keeps returning to, and
the figures and decisions it gives, but not its cover, its notices or what is printed on every page."""

import re
from collections import Counter
from collections.abc import Sequence
from math import exp, log

from masis.language.quantities import quantities
from masis.language.statements import LEANS_BACK, Statement
from masis.language.titles import ends_like_a_sentence
from masis.language.words import FUNCTION_WORDS, content_stems, directions, words

FEWEST_WORDS, MOST_WORDS = 7, 60
MAINLY = 0.7
"""Share of rows above which a document counts as a table with remarks."""
SPOKEN = 0.22
"""Share of function words that sentences reach, and that titles, addresses and lists do not."""
DECIDES = re.compile(
    r"\b(?:resolved|agreed|decided|approved|accepted|adopted|awarded|recommend\w*|we propose|conclud\w+|found that"
    r"|results? show)\b|\bin (?:summary|short|conclusion)\b",
    re.IGNORECASE,
)
DEFINES = re.compile(r"(?:[A-Z][\w&’'.()-]*\s){1,6}(?:is|are)\s(?:an?|the|one)\s")
TO_THE_READER = re.compile(r"\byour?\b|^\W*(?:do not|don['’]t)\b", re.IGNORECASE)
SUMS_UP = re.compile(
    r"\b(?:summary|abstract|overview|highlights|key|main|headline|introduction|conclusions?|results|recommendations?"
    r"|decisions?|purpose|at a glance)\b",
    re.IGNORECASE,
)
"""Headings of sections that sum up the rest."""
NOTICE = re.compile(
    r"check ?mark|\bpursuant to\b|registrant|forward[- ]looking|intended (?:solely|only)|confidential|rights reserved"
    r"|copyright|\blicen[sc]ed? (?:under|to)\b|(?:un)?subscribe|cookies?\b|disclaim|incorporated by reference"
    r"|in conjunction with|without warrant|terms of use|received (?:this|it) in error|table of contents|wikipedia"
    r"|click (?:here|on)|redirected|see also|further information|https?://|@\w|\bour website\b|\bform 10-|\bunaudited\b"
    r"|\bthis (?:page|section|article|chapter) (?:is|describes|has)\b|\bgenerally accepted accounting\b|\bplease\b"
    r"|\bestimates and assumptions\b|\bpages \d|\bproceedings of\b|\bskip (?:right )?to\b",
    re.IGNORECASE,
)
"""What documents say because they have to."""
OPENS_LOOSELY = re.compile(
    r"\W*(?:and|but|or|so|also|however|then|thus|therefore|for example|for instance|moreover|in addition|additionally"
    r"|instead|similarly|another|second|secondly|third|still|although|see|note|until then|otherwise|nor|yet|here|he|she"
    r"|they|it|we also|as such|in this)\b",
    re.IGNORECASE,
)
GREETS = re.compile(
    r"\W*(?:hi|hello|dear|thanks?|thank you|regards|best|cheers|from|to|cc|subject|sent|date|source"
    r"|for the (?:year|quarter|period))\b[^.]{0,60}\.?",
    re.IGNORECASE,
)
TOTAL = re.compile(r"\b(?:grand |sub)?totals?\b|\bsum\b|\bamount due\b|\bbalance due\b", re.IGNORECASE)
CELL_UNITS = re.compile(r"[,$€£%\s]|^(?:[A-Z]{3}|CHF|kr)\b")
BRACKETED = re.compile(r"\((\d+(?:\.\d+)?)\)")
NUMBER = re.compile(r"[-+−]?\d+(?:\.\d+)?")
NOT_SUMMED = re.compile(
    r"%|\b(?:unit|price|rate|average|avg|mean|median|per|share|ratio|score|age|year|id|no|number|code|rank|days|index"
    r"|percent\w*|temperature|latitude|longitude|installed|opened|since|margin|occupancy|phone|zip)\b",
    re.IGNORECASE,
)
IMPERSONAL = re.compile(
    r"It (?:was|is|has been) (?:\w+ly )?(?:resolved|agreed|decided|approved|recommended|proposed)\b"
)
"""Opens with “It” but does not refer to anything said before."""
AGAIN = 0.35
"""Factor by which a word's weight drops each time a chosen sentence uses it."""


def says_something(text: str) -> bool:
    """A whole sentence that can be quoted alone."""
    said = words(text)
    if not FEWEST_WORDS <= len(said) <= MOST_WORDS or not ends_like_a_sentence(text) or text.rstrip().endswith("?"):
        return False
    if (
        ((OPENS_LOOSELY.match(text) or LEANS_BACK.match(text)) and not IMPERSONAL.match(text))
        or GREETS.fullmatch(text)
        or not text.lstrip("“\"'")[:1].isupper()
    ):
        return False
    is_spoken = sum(word in FUNCTION_WORDS for word in said) >= SPOKEN * len(said)
    return is_spoken or not text.isascii()


def key_statements(given: Sequence[Statement], most: int, title: str = "") -> list[int]:
    """The indices of the most important statements, in the order of the document."""
    return sorted(ranked_statements(given, most, title))


def ranked_statements(given: Sequence[Statement], most: int, title: str = "") -> list[int]:
    """The indices of the statements that say most, each judged by what it adds to those chosen before it."""
    stems = [frozenset(s for s in content_stems(one.text) if not s.isdigit()) for one in given]
    spread = Counter(stem for each in stems for stem in each)
    titled = frozenset(content_stems(title))
    if given and sum(one.is_row for one in given) > MAINLY * len(given):
        return []
    able = [
        n for n, one in enumerate(given) if not one.is_row and says_something(one.text) and not NOTICE.search(one.text)
    ]
    weight = {stem: log(count) * (1.6 if stem in titled else 1.0) for stem, count in spread.items()}
    chosen: list[int] = []
    apart = {n: _weight_apart(given, n) for n in able}
    while able and len(chosen) < most:
        best = max(able, key=lambda n: (sum(weight[s] for s in stems[n]) / (len(stems[n]) + 4) + 0.15) * apart[n])
        chosen.append(best)
        able.remove(best)
        weight |= {stem: weight[stem] * AGAIN for stem in stems[best]}
    return chosen


def telling_rows(given: Sequence[Statement], most: int) -> list[int]:
    """The indices of the most telling table rows: totals or, without one, the row with the largest value in the last
    column of amounts."""
    tables: dict[str, list[int]] = {}
    for place, one in enumerate(given):
        if one.is_row:
            tables.setdefault(one.above, []).append(place)
    large = [places for places in tables.values() if len(places) > 1]
    totals = [found[-1] for places in large if (found := _totals(given, places))]
    others = [_largest(given, places) for places in large if not _totals(given, places)]
    return sorted([*totals, *(place for place in others if place is not None)][:most])


def _totals(given: Sequence[Statement], places: Sequence[int]) -> list[int]:
    return [n for n in places if TOTAL.search(given[n].cells[0][1]) and amounts(given[n])]


def _largest(given: Sequence[Statement], places: Sequence[int]) -> int | None:
    columns = Counter(column for n in places for column in amounts(given[n]))
    summed = [column for column, count in columns.items() if count > MAINLY * len(places) and is_summed(column)]
    if not summed:
        return next((n for n in places if len(content_stems(given[n].text)) > 1), None)
    return max(places, key=lambda n: amounts(given[n]).get(summed[-1], 0.0))


def amounts(row: Statement) -> dict[str, float]:
    """The numbers of a row by column name, without the label column."""
    read = {column: cell_number(value) for column, value in row.cells[1:]}
    return {column: value for column, value in read.items() if value is not None and column.strip()}


def cell_number(text: str) -> float | None:
    bare = CELL_UNITS.sub("", text)
    if negative := BRACKETED.fullmatch(bare):
        bare = f"-{negative[1]}"
    return float(bare) if NUMBER.fullmatch(bare) else None


def is_summed(column: str) -> bool:
    """A total of prices, shares or years is meaningless."""
    return NOT_SUMMED.search(column) is None


def _weight_apart(given: Sequence[Statement], place: int) -> float:
    """A statement's weight apart from its words: its position, its heading, its figures, decisions and definitions."""
    statement = given[place]
    leads = place == 0 or given[place - 1].above != statement.above
    sums_up = SUMS_UP.search(statement.above.rpartition("\n")[2][-80:]) is not None
    figures = any(q.currency or q.unit in ("percent", "money") for q in quantities(statement.text))
    return (
        (1 + 0.8 * exp(-place / 12))
        * (1.35 if sums_up else 1.0)
        * (1.2 if leads else 1.0)
        * (1.25 if figures else 1.0)
        * (1.3 if figures and directions(statement.text) else 1.0)
        * (1.25 if DECIDES.search(statement.text) else 1.0)
        * (1.25 if DEFINES.match(statement.text) else 1.0)
        * (0.75 if TO_THE_READER.search(statement.text) else 1.0)
    )
