"""Features of a trial: how well the question's words, periods and form agree with what the trial reads."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from masis.language.periods import Period
from masis.language.words import FUNCTION_WORDS
from masis.reasoning.offline.tables.anchors import Anchor, TableQuery, anchors
from masis.reasoning.offline.tables.cell_names import DATES
from masis.reasoning.offline.tables.grid import CHANGES, Table
from masis.reasoning.offline.tables.trials import FORMS, Trial
from masis.reasoning.offline.tables.values import stems

if TYPE_CHECKING:
    import numpy as np

SUPERLATIVE = re.compile(r"(?:\w{3,}est|most|least|top|maximum|minimum|best|worst|more|less|fewer|greater|first|last)$")
RANK = re.compile(r"\W*(?:rank\w*|pos(?:ition)?|place|no|#|number|seed|finish)\W*", re.IGNORECASE)
ASKS = frozenset("what which who whom whose where when name list how".split())
WHOLE = re.compile(r"\W*(?:(?:full|whole)[\s-]year|year|total|annual(?: total)?)\W*", re.IGNORECASE)
"""A full-year column beside those for halves or quarters; it is meant if the question names no period."""
EMPTY = re.compile(r"[-–—?]*|n/?a|none|tbd|unknown", re.IGNORECASE)
PROPORTIONS = frozenset({"ratio", "share", "percent", "percent_change"})
OVER_A_SPAN = frozenset({"cells", "sum_over", "average_over"})
UP = frozenset(
    "most highest largest greatest biggest more higher larger greater top maximum max best longest tallest".split()
)
DOWN = frozenset(
    "least fewest lowest smallest less lower fewer smaller minimum min worst shortest bottom weakest".split()
)
LATER = frozenset("latest newest last later recent youngest".split())
EARLIER = frozenset("earliest oldest first earlier".split())
UPWARDS = frozenset({"highest", "maximum", "more", "when_highest", "when_above", "commonest", "more_often"})
DOWNWARDS = frozenset({"lowest", "minimum", "less", "when_lowest", "when_below", "rarest"})
HEAD_WORDS = 4
CLASSES = ("one amount", "one day", "one text", "several", "count", "reckoned", "none")
"""What an answer looks like."""


@dataclass(frozen=True)
class Alignment:
    """A question matched against a table, shared by all trials."""

    asked: TableQuery
    table: Table

    @cached_property
    def anchors(self) -> list[Anchor]:
        return anchors(self.asked, self.table)

    @cached_property
    def column_times(self) -> tuple[tuple[Period, ...], ...]:
        return self.table.column_times(self.asked.months)

    @cached_property
    def head(self) -> frozenset[int]:
        """The words right after “which”, “what” or “how many”, which name the answer."""
        tokens = self.asked.tokens
        start = next((n for n, token in enumerate(tokens) if token in ASKS), -1)
        content = [n for n in sorted(self.asked.content) if n > start]
        return frozenset(n for n in content[:2] if n <= start + HEAD_WORDS + 1)

    @cached_property
    def superlatives(self) -> tuple[int, ...]:
        return tuple(n for n, token in enumerate(self.asked.tokens) if SUPERLATIVE.match(token))

    @cached_property
    def headers(self) -> tuple[frozenset[int], ...]:
        """For each column, the positions of the question's words that its name contains."""
        return tuple(self._places(names) for names in self.table.column_stems)

    @cached_property
    def header_shares(self) -> tuple[float, ...]:
        named = [[s for s in names if s not in FUNCTION_WORDS] for names in self.table.column_stems]
        asked = {form for s in self.asked.stems for form in (s, f"{s}er")}
        return tuple(sum(s in asked for s in n) / len(n) if n else 0.0 for n in named)

    def _places(self, names: Sequence[str]) -> frozenset[int]:
        """Positions of the question's words found in the names. “Own” in the question matches “owner”."""
        asked = self.asked
        return frozenset(n for n in asked.content if asked.stems[n] in names or f"{asked.stems[n]}er" in names)

    @cached_property
    def above(self) -> frozenset[int]:
        return frozenset(n for n in self.asked.content if self.asked.stems[n] in self.table.above_stems)

    @cached_property
    def time_words(self) -> frozenset[int]:
        """“Quarter”, “ended”: words that only say how long a period is."""
        return frozenset(n for n in self.asked.content if self.asked.stems[n] in DATES)

    @cached_property
    def firm(self) -> frozenset[int]:
        """Words that name whole cells. A trial that does not use them answers something else."""
        return frozenset(
            n for a in self.anchors if a.kind == "cell" and a.exact == 1 for n in a.places & self.asked.content
        )

    @cached_property
    def best_label(self) -> float:
        return max((len(a.places) + a.exact for a in self.anchors if a.kind != "above"), default=0.0)


def features_of(trial: Trial, over: Alignment) -> dict[str, float]:
    """Features by name, so that fitted weights can be read."""
    made = dict(_of_columns(trial, over))
    made.update(_of_direction(trial, over))
    made.update(_of_filters(trial, over))
    made.update(_of_coverage(trial, over))
    made.update(_of_times(trial, over))
    made.update(_of_answer(trial, over))
    return made


def _of_columns(trial: Trial, over: Alignment) -> Iterator[tuple[str, float]]:
    table, column, by = trial.table, trial.column, trial.by
    if column >= 0:
        yield "column share", over.header_shares[column]
        yield "column named", float(bool(over.headers[column]))
        yield "column is head", float(bool(over.headers[column] & over.head))
        yield "column is label", float(column == table.label_column)
        yield "column first", float(column == 0)
        yield "column best named", float(over.header_shares[column] == max(over.header_shares) > 0)
    if by >= 0:
        yield "by share", over.header_shares[by]
        yield "by named", float(bool(over.headers[by]))
        yield "by is day", float(table.kinds[by] == "day")
        yield "by is rank", float(bool(RANK.fullmatch(table.columns[by])))
        yield "by near superlative", _nearness(over.headers[by], over.superlatives)
        yield "by best named", float(over.header_shares[by] == max(over.header_shares) > 0)
        yield "by is column", float(by == column)
    if trial.columns:
        yield "columns share", sum(over.header_shares[c] for c in trial.columns) / len(trial.columns)
        yield "columns named", float(all(over.headers[c] for c in trial.columns))


def _of_direction(trial: Trial, over: Alignment) -> Iterator[tuple[str, float]]:
    """“Fewest” asks for the lowest even if no weight was fitted for the word."""
    if trial.form not in UPWARDS | DOWNWARDS:
        return
    words = set(over.asked.tokens)
    is_day = trial.by >= 0 and trial.table.kinds[trial.by] == "day"
    up, down = (LATER, EARLIER) if is_day else (UP, DOWN)
    is_up, is_down = bool(words & up), bool(words & down)
    wanted, other = (is_up, is_down) if trial.form in UPWARDS else (is_down, is_up)
    yield "as directed", float(wanted and not other)
    yield "against direction", float(other and not wanted)


def _nearness(places: frozenset[int], superlatives: Sequence[int]) -> float:
    gaps = [abs(p - s) for p in places for s in superlatives]
    return 1 / (1 + min(gaps)) if gaps else 0.0


def _of_filters(trial: Trial, over: Alignment) -> Iterator[tuple[str, float]]:
    filters = trial.filters
    yield "no filter", float(not filters)
    if not filters:
        return
    yield "two filters", float(len(filters) > 1)
    yield "denied", float(any(a.kind == "not" for a in filters))
    yield "least exact", min(a.exact for a in filters)
    yield "all exact", float(all(a.exact == 1 for a in filters))
    yield "by label", float(any(a.kind == "label" for a in filters))
    yield "by limit", float(any(a.kind in ("above", "below") for a in filters))
    yield "filter words", min(6, sum(len(a.places & over.asked.content) for a in filters)) / 3
    yield "filter named", float(any(over.headers[a.column] for a in filters if a.column >= 0))
    yield "filter in label column", float(all(a.column == trial.table.label_column for a in filters))
    yield "filter in column", float(any(a.column == trial.column for a in filters))
    yield "one row", float(all(len(a.rows) == 1 for a in filters))
    yield "same column", float(len(filters) > 1 and filters[0].column == filters[1].column)
    best = max(len(a.places) + a.exact for a in filters)
    yield "best label", float(best >= over.best_label)
    yield "short of best", min(3.0, over.best_label - best)
    yield "total row", float(any(trial.table.is_total[c.row] for c in trial.cells))


def _used(trial: Trial, over: Alignment) -> set[int]:
    used = {n for a in trial.filters for n in a.places}
    for column in (trial.column, trial.by, *trial.columns, *(a.column for a in trial.filters)):
        if column >= 0:  # a limit on the cells of a row has no column
            used |= over.headers[column]
    own = [time for times in _times(trial, over) for time in times]
    met = [places for period, places in over.asked.times_said if any(_meets(period, q) for q in own)]
    return used.union(*met, over.time_words if met else ())


def _of_coverage(trial: Trial, over: Alignment) -> Iterator[tuple[str, float]]:
    content = over.asked.content
    used = _used(trial, over)
    total = len(content) or 1
    yield "covered", len(used & content) / total
    yield "covered with caption", len((used | over.above) & content) / total
    yield "firm words left", min(4, len(over.firm - used))
    yield "any firm word left", float(bool(over.firm - used))
    left = content - used
    yield "words left", min(4, len(left - over.above)) / 2
    numbers = sum(over.asked.tokens[n][0].isdigit() for n in left)
    yield "numbers left", min(3, numbers)
    named = [c for c, share in enumerate(over.header_shares) if share == 1 and not over.headers[c] <= used]
    yield "headers left", min(3, len(named))
    yield "head left", float(bool(over.head - used))


def _of_times(trial: Trial, over: Alignment) -> Iterator[tuple[str, float]]:
    asked = over.asked.times if trial.form in OVER_A_SPAN else over.asked.periods
    own = [times for times in _times(trial, over) if times]
    if not asked:
        if any(WHOLE.fullmatch(column) for column in trial.table.columns):
            yield "another time", float(any(p.is_part_of_a_year and not p.year for times in own for p in times))
        return
    yield "a time is asked", 1.0
    yield "times met", sum(any(_meets(p, q) for times in own for q in times) for p in asked) / len(asked)
    yield "another time", float(any(not any(_meets(p, q) for p in asked for q in times) for times in own))
    yield "no time", float(not own)
    if trial.form in ("change", "percent_change", "percent") and len(own) == 2:
        yield "later first", float(_order(own[0][0]) > _order(own[1][0]))


def _meets(asked: Period, own: Period) -> bool:
    """A half or a quarter does not match a question for the whole year."""
    return not asked.excludes(own) and not (asked.year and not asked.part and own.is_part_of_a_year)


def _times(trial: Trial, over: Alignment) -> list[tuple[Period, ...]]:
    """The periods of each cell, from its column or else its row."""
    return [over.column_times[cell.column] or trial.table.row_periods[cell.row] for cell in trial.cells[:8]]


def _order(period: Period) -> tuple[int, str]:
    return period.year or 0, period.part or ""


def _of_answer(trial: Trial, over: Alignment) -> Iterator[tuple[str, float]]:
    told = [stems(text) for text in trial.answer]
    asked = set(over.asked.stems)
    yield "echo", float(bool(told) and all(set(words) <= asked for words in told))
    yield "empty", float(any(EMPTY.fullmatch(text.strip()) for text in trial.answer))
    yield "many", float(len(set(trial.answer)) > 3)
    yield "percent sign", float(any("%" in c.text for c in trial.cells[:4]))
    yield "changes column", float(any(CHANGES.search(trial.table.columns[c.column]) for c in trial.cells[:4]))
    yield "nought", float(trial.value == 0)
    if trial.form in PROPORTIONS and trial.value is not None:
        yield "over one", float(abs(trial.value) > (100 if trial.form in ("percent", "percent_change") else 1))
    if len(trial.cells) == 2 and len(trial.filters) == 2 and all(a.places for a in trial.filters):
        first = next((a for a in trial.filters if trial.cells[0].row in a.rows), trial.filters[0])
        other = next((a for a in trial.filters if trial.cells[1].row in a.rows), trial.filters[1])
        yield "named in order", float(min(first.places) < min(other.places))
    if len(trial.columns) == 2 and all(over.headers[c] for c in trial.columns):
        yield "columns in order", float(min(over.headers[trial.columns[0]]) < min(over.headers[trial.columns[1]]))
    yield "more rows elsewhere", float(trial.table.part_of_more)


def class_of(trial: Trial) -> str:
    if trial.form in ("count", "distinct", "count_difference", "times_above", "times_below"):
        return "count"
    if not trial.answer:
        return "reckoned"
    if len(set(trial.answer)) > 1:
        return "several"
    kind = trial.table.kinds[trial.column] if trial.column >= 0 else "text"
    return f"one {kind}"


NAMES: tuple[str, ...] = (
    "column share", "column named", "column is head", "column is label", "column first", "column best named",
    "by share", "by named", "by is day", "by is rank", "by near superlative", "by best named", "by is column",
    "columns share", "columns named", "no filter", "two filters", "denied", "least exact", "all exact", "by label",
    "by limit", "filter words", "filter named", "filter in label column", "filter in column", "one row",
    "same column", "best label", "short of best", "total row", "covered", "covered with caption", "firm words left",
    "any firm word left", "numbers left", "headers left", "head left", "words left", "a time is asked", "times met",
    "another time", "no time", "later first", "echo", "empty", "many", "percent sign", "changes column", "nought",
    "over one",
    "named in order", "columns in order", "more rows elsewhere", "as directed", "against direction",
)  # fmt: skip
PLACE = {name: n for n, name in enumerate(NAMES)}


def matrix_of(tried: Sequence[Trial], over: Alignment) -> "np.ndarray[Any, Any]":
    import numpy as np

    made = np.zeros((len(tried), len(NAMES)), dtype=np.float32)
    for line, trial in enumerate(tried):
        for name, value in features_of(trial, over).items():
            made[line, PLACE[name]] = value
    return made


def grams(asked: TableQuery) -> list[str]:
    """Words and word pairs of the question. Fitting discards names and numbers because they are rare."""
    words = [token if not token[0].isdigit() else "0" for token in asked.tokens]
    marked = ["^", *words, "$"]
    signs = [sign for sign in "%$€£" if sign in asked.text]
    return [*signs, *dict.fromkeys([*words, *(f"{a} {b}" for a, b in pairwise(marked))])]


FORM_PLACE = {form: n for n, form in enumerate((*FORMS, "none"))}
CLASS_PLACE = {name: n for n, name in enumerate(CLASSES)}
