"""Facts in the tables and labelled lines of a document: columns with ranges and totals, rows with totals, fields with
their values; and the questions that they answer."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from masis.knowledge.suggestions import Candidate, Given, Wording, be, plain
from masis.language.measures import NUMBER_WORDS
from masis.language.periods import MONTHS, period_spans, periods
from masis.language.quantities import quantities
from masis.language.salience import TOTAL, cell_number, is_summed
from masis.language.statements import Statement
from masis.language.table_headers import GROUP
from masis.language.words import content_stems

FEWEST_ROWS, MANY_ROWS = 3, 10
MOST_COLUMNS, MOST_LOOKED_AT = 12, 200
ROUNDED, MANY_HELD = 0.002, 4
MOST_KINDS, FEWEST_OF_A_KIND, MOST_COUNTED = 8, 2, 9
LONGEST_LABEL, LONGEST_VALUE = 40, 80
MEASURE = re.compile(
    r"(?:revenues?|turnover|sales|income|profit|EBITDA?|headcount|employees|assets|equity|debt|cash|dividends?|costs)",
    re.IGNORECASE,
)
"""Single words that are enough as a label."""
_BY = re.compile(r"([A-Z]\w+(?: \w+)?) by \w+(?: \w+)?")
"""“Sales by division” above a table: each row gives sales."""
_ENDED = re.compile(r"(?:(?:\w+\s(?:months|weeks)|(?:fiscal\s)?(?:year|quarter)s?)\sended\s)", re.IGNORECASE)
_ISO_DAY = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FIELD = re.compile(rf"\W*([A-Z][\w /’'-]{{1,{LONGEST_LABEL}}}): ([^\n]{{1,{LONGEST_VALUE}}})")
_LAID_OUT = re.compile(r"^[ \t]*([A-Z][^\n:$€£\d]{2,40}?)[ \t]{2,}([$€£]?\d[^\n]{0,40})$", re.MULTILINE)
_SPEAKS = re.compile(r"^\w+ed$|\b(?:your?|my|our|we|i|as|from|what|sent|note|if|when|it|is|are)\b", re.IGNORECASE)
_OF_PEOPLE = re.compile(
    r"customer|supplier|vendor|client|tenant|landlord|buyer|seller|contractor|chair|owner|author|sponsor", re.IGNORECASE
)
_NAMES_A_ROW = re.compile(r"(?!(?:index|id|year|unit|in|no|total)\b)[a-z]+(?: [a-z]+)?", re.IGNORECASE)
_NAMES_A_COLUMN = re.compile(r"(?i:(?!of which|on |\w+ed$|left$))[A-Za-z][A-Za-z -]{2,40}")
_PLURAL = re.compile(r"(?!.*(?:ss|us|is|days)$)[a-z -]+s", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)")
_YEAR_AT_THE_END = re.compile(r" ((?:FY)?20\d\d)$")


@dataclass(frozen=True)
class Table:
    """Rows under one header; totals are kept apart."""

    every: tuple[Given, ...]

    @cached_property
    def rows(self) -> list[Given]:
        """The rows above the first total; rows below it are of another kind."""
        sums = [n for n, at in enumerate(self.every) if TOTAL.search(_cells(at)[0][1])]
        above = self.every[: sums[0]] if sums and sums[0] >= FEWEST_ROWS else self.every
        return [at for at in above if not TOTAL.search(_cells(at)[0][1])]

    @cached_property
    def totals(self) -> list[Given]:
        return [at for at in self.every if TOTAL.search(_cells(at)[0][1])]

    @cached_property
    def is_a_bill(self) -> bool:
        """Whether the table comes to one amount; the ranges of its columns then say little."""
        return bool(self.totals) and sum(cell_number(value) is not None for _, value in _cells(self.totals[-1])) == 1

    @cached_property
    def columns(self) -> list[str]:
        return [name for name, _ in _cells(self.every[0])]

    def texts(self, column: int) -> list[str]:
        return [cells[column][1] if column < len(cells) else "" for cells in map(_cells, self.rows)]

    def numbers(self, column: int) -> list[float | None] | None:
        """The numbers of a column; None if a non-empty cell is not a number."""
        texts = self.texts(column)
        read = [cell_number(text) for text in texts]
        is_wrong = any(value is None and text.strip("-–— ") for value, text in zip(read, texts, strict=True))
        return None if is_wrong or sum(value is not None for value in read) < FEWEST_ROWS else read

    @cached_property
    def is_of_periods(self) -> bool:
        """Whether columns are periods: each row is then a measure of its own, and columns have neither range nor
        total."""
        return any(is_period(name) for name in self.columns[1:])


def _cells(at: Given) -> list[tuple[str, str]]:
    return [each for each in at[2].cells if each[0] != GROUP]


def tables_in(given: Sequence[Given]) -> list[Table]:
    found: dict[tuple[str, int], list[Given]] = {}
    for at in given:
        if at[2].cells:
            found.setdefault((at[2].above, len(_cells(at))), []).append(at)
    return [Table(tuple(rows)) for rows in found.values() if any(name for name, _ in _cells(rows[0])[1:])]


def facts_of(table: Table) -> Iterator[str]:
    """“Amount (EUR): 37.50 to 6300.00, 81,402.50 in total”, “Status: shipped 24, open 9, returned 7”."""
    if table.is_of_periods or len(table.rows) < FEWEST_ROWS:
        return
    columns = [n for n in range(1, min(len(table.columns), MOST_COLUMNS)) if table.columns[n].strip()]
    ranges = {n: told for n in columns if (told := _range(table, n))}
    kinds = {n: told for n in columns if len(table.rows) >= MANY_ROWS and (told := _kinds(table, n))}
    # Columns that can be summed say the most.
    for n in sorted(ranges, key=lambda n: not is_a_sum(table, n)) + list(kinds):
        yield f"{readable(table.columns[n])}: {ranges.get(n) or kinds[n]}"


def _range(table: Table, column: int) -> str:
    texts = [text for text in table.texts(column) if text.strip("-–— ")]
    if len(texts) >= FEWEST_ROWS and all(map(_ISO_DAY.fullmatch, texts)):
        return f"{min(texts)} to {max(texts)}"
    read = table.numbers(column)
    if read is None:
        return ""
    shown = {value: text for value, text in zip(read, table.texts(column), strict=True) if value is not None}
    low, high = shown[min(shown)], shown[max(shown)]
    if not is_a_sum(table, column) or table.totals or _sums_itself_up([value for value in read if value is not None]):
        return f"{low} to {high}"
    return f"{low} to {high}, {_summed(read, high)} in total"


def _sums_itself_up(values: Sequence[float]) -> bool:
    """Whether the column contains totals without a name: a row that equals the sum of all others, or rows that equal
    the sum of those above. Negative amounts show that it is a financial statement, which has such rows."""
    whole = sum(values)
    if min(values) < 0 or any(abs(2 * value - whole) <= ROUNDED * whole for value in (values[0], values[-1])):
        return True
    held = [_held_above(values, n) for n in range(2, min(len(values), MOST_LOOKED_AT))]
    return sum(map(bool, held)) > 1 or max(held, default=0) >= MANY_HELD


def _held_above(values: Sequence[float], place: int) -> int:
    """How many rows directly above add up to this amount."""
    added = 0.0
    for n in range(place - 1, -1, -1):
        added += values[n]
        if added > values[place] * (1 + ROUNDED):
            return 0
        if place - n > 1 and added >= values[place] * (1 - ROUNDED) > 0:
            return place - n
    return 0


def is_a_sum(table: Table, column: int) -> bool:
    texts = table.texts(column)
    years = all(_YEAR.fullmatch(text) for text in texts if text)
    return is_summed(readable(table.columns[column])) and not years and not any("%" in text for text in texts)


def _summed(values: Sequence[float | None], like: str) -> str:
    decimals = len(like.partition(".")[2].rstrip("% )"))
    sign = next((sign for sign in "$€£" if sign in like), "")
    return f"{sign}{sum(value or 0.0 for value in values):,.{min(decimals, 4)}f}"


def _kinds(table: Table, column: int) -> str:
    counts = Counter(text for text in table.texts(column) if text.strip("-–— "))
    is_kind = (
        not any(cell_number(text) is not None or _ISO_DAY.fullmatch(text) for text in counts)
        and len(counts) > 1
        and len(counts) <= MOST_KINDS
        and 2 * len(counts) <= len(table.rows)
    )
    return ", ".join(f"{text} {count}" for text, count in counts.most_common()) if is_kind else ""


def readable(name: str) -> str:
    return " ".join(name.replace("_", " ").split())


def asked_of_table(table: Table, wording: Wording) -> Iterator[Candidate]:
    """Questions for the extremes, a count and a cell of a table whose rows have names of one kind; and for its
    totals."""
    head = re.sub(r"\s(?:id|no|number|name|code)$", "", readable(table.columns[0]), flags=re.IGNORECASE)
    names = table.texts(0) if table.rows else []
    yield from _asked_of_totals(table, wording)
    if (
        len(names) < FEWEST_ROWS
        or len(set(names)) < len(names)
        or not _NAMES_A_ROW.fullmatch(head)
        or any(map(periods, names))
        or not all(names)
    ):
        return
    named = head if head[1:2].isupper() else "item" if head.lower() == "description" else head.lower()
    columns = [n for n in range(1, min(len(table.columns), MOST_COLUMNS)) if _can_be_asked(table, n)]
    # The last column is usually the result of the others.
    for turn, n in enumerate(reversed(columns)):
        yield from _asked_of_column(table, n, named, wording, is_highest=turn % 2 == 0)
        yield from _asked_of_cell(table, n, wording)
        if turn == 0:
            yield from _asked_of_kinds(table, named, wording)


def _can_be_asked(table: Table, column: int) -> bool:
    name = _YEAR_AT_THE_END.sub("", _IN_BRACKETS.sub("", readable(table.columns[column])))
    read = table.numbers(column)
    if name.rpartition(" ")[2].lower() in MONTHS:
        return False
    return bool(_NAMES_A_COLUMN.fullmatch(name)) and read is not None and None not in read


def _asked_of_column(
    table: Table, column: int, named: str, wording: Wording, *, is_highest: bool
) -> Iterator[Candidate]:
    read = [value or 0.0 for value in table.numbers(column) or ()]
    best = max(read) if is_highest else min(read)
    if read.count(best) > 1:
        return
    what, when = _measure(table, column, wording)
    extreme = ("the most" if _PLURAL.fullmatch(what) else "the highest") if is_highest else "the lowest"
    if not is_highest and _PLURAL.fullmatch(what):
        extreme = "the fewest"
    place, names = read.index(best), table.texts(0)
    question = f"Which {named} {'had' if when else 'has'} {extreme} {what}{when}?"
    yield Candidate(
        question,
        f"{what} {'highest' if is_highest else 'lowest'}",
        table.rows[place],
        names[place],
        rivals=tuple(name for name in names if plain(name) != plain(table.columns[0])),
        whole=True,
    )


def _measure(table: Table, column: int, wording: Wording) -> tuple[str, str]:
    """“cyclists_2024” becomes “cyclists” and “in 2024”."""
    name = _IN_BRACKETS.sub("", readable(table.columns[column]))
    year = _YEAR_AT_THE_END.search(name)
    return wording.label(name[: year.start()] if year else name), f" in {year[1]}" if year else ""


def _asked_of_cell(table: Table, column: int, wording: Wording) -> Iterator[Candidate]:
    """Asks about the middle row, as anybody sees the first and the last."""
    place = len(table.rows) // 2
    name, value = table.texts(0)[place], table.texts(column)[place]
    what, when = _measure(table, column, wording)
    if not 1 <= len(content_stems(name)) <= 5 or len(name) > LONGEST_LABEL:
        return
    have = "did" if when else "does"
    asks = (
        f"How many {what} {have} {name} have"
        if _is_count(table, column, what)
        else f"What {_is(when)} the {what} of {name}"
    )
    yield Candidate(f"{asks}{when}?", f"{what} {name}", table.rows[place], value, holds=(name,))


def _is(when: str) -> str:
    return "was" if when else "is"


def _is_count(table: Table, column: int, what: str) -> bool:
    return bool(_PLURAL.fullmatch(what)) and all(re.fullmatch(r"[\d,]+", text) for text in table.texts(column))


def _asked_of_kinds(table: Table, named: str, wording: Wording) -> Iterator[Candidate]:
    for n, name in list(enumerate(table.columns))[1:MOST_COLUMNS]:
        counts = Counter(table.texts(n))
        few = [text for text, count in counts.items() if text and FEWEST_OF_A_KIND <= count <= MOST_COUNTED]
        if not _kinds(table, n) or not few or cell_number(few[0]) is not None or not _NAMES_A_COLUMN.fullmatch(name):
            continue
        value = min(few, key=lambda text: (-counts[text], text))
        told = tuple(word for word, number in NUMBER_WORDS.items() if number == counts[value])
        several = f"{named[:-1]}ies" if re.search(r"[^aeiou]y$", named) else f"{named}s"
        first = table.texts(n).index(value)
        question = f"How many {several} have the {wording.label(readable(name))} {value}?"
        yield Candidate(
            question, f"{several} {value}", table.rows[first], opens=(*told, str(counts[value])), whole=True
        )
        return


def _asked_of_totals(table: Table, wording: Wording) -> Iterator[Candidate]:
    for at in table.totals[-1:] if not table.is_of_periods else ():
        (_, label), *cells = _cells(at)
        filled = [(readable(column), value) for column, value in cells if cell_number(value) is not None]
        if len(filled) == 1 and len(content_stems(label)) > 1:
            yield Candidate(f"What is the {wording.label(label)}?", label, at, filled[0][1], holds=(label,))
        elif filled and TOTAL.match(label):
            column, value = filled[0]
            what = wording.label(_IN_BRACKETS.sub("", column))
            number_of = "number of " if _PLURAL.fullmatch(what) else ""
            yield Candidate(f"What is the total {number_of}{what}?", f"total {what}", at, value, whole=True)


@dataclass(frozen=True, slots=True)
class Field:
    """“Due date: 4 May 2025”."""

    label: str
    value: str
    at: Given
    is_alone: bool = True
    """Whether it is on a line of its own. Within text laid out as a table, a name may refer to anything."""

    @property
    def is_figure(self) -> bool:
        told = quantities(self.value)[:1]
        return any((q.currency or q.unit in ("percent", "money")) and q.start <= len("EUR ") for q in told)

    @property
    def is_day(self) -> bool:
        return any(period.is_day and start <= len("Wednesday, ") for period, (start, _) in period_spans(self.value)[:1])


def fields_in(given: Sequence[Given]) -> list[Field]:
    """Fields on lines of their own; a sentence with a colon is not a field."""
    lines = [at for at in given if not (at[2].cells or at[2].is_item)]
    found = [(at, _FIELD.fullmatch(" ".join(at[2].text.split()).rstrip("."))) for at in lines]
    set_apart = [field for at in lines if "\n" in at[2].text for field in _set_apart(at)]
    return set_apart + [
        Field(match[1], match[2], at)
        for at, match in found
        if match and len(match[1].split()) <= 4 and len(match[2].split()) <= 10 and not _SPEAKS.search(match[1])
    ]


def _set_apart(at: Given) -> Iterator[Field]:
    """“Operating income $22.5m”: lines of a message that are laid out as a table."""
    page, start, said = at
    for match in _LAID_OUT.finditer(said.text):
        first, last = said.start + match.start(1), said.start + match.end(2)
        line = Statement(page.text[first:last], first, last, said.above)
        yield Field(match[1].partition(",")[0], match[2].split("  ", 1)[0], (page, start, line), is_alone=False)


def asked_of_field(field: Field, wording: Wording) -> Candidate | None:
    label = wording.label(field.label)
    if not (field.is_alone or MEASURE.search(label)):
        return None
    question = None
    if done := re.fullmatch(r"(\w+ed) by", label):
        question = f"Who {done[1]} the document?"
    elif re.fullmatch(r"(?:bill(?:ed)?|invoiced?) to", label):
        question = "Who is billed?"
    elif _OF_PEOPLE.fullmatch(label):
        question = f"Who is the {label}?"
    elif (field.is_figure or field.is_day) and not re.search(r"\b(?:by|to|for|of|on|from|at)$", label):
        question = f"What were {label}?" if be(label) == "were" else f"What is the {label}?"
    return Candidate(question, label, field.at, field.value, holds=(field.label,)) if question else None


def has_amount(statement: Statement) -> bool:
    """Whether it has a figure that a reader would note: money, a percentage, millions, thousands."""
    dates = [span for _, span in period_spans(statement.text)]
    return any(
        q.currency or q.unit in ("percent", "money") or q.scaled or re.search(r"\d,\d{3}", q.text)
        for q in quantities(statement.text)
        if not _YEAR.match(q.text) and not any(start <= q.start < end for start, end in dates)
    )


def is_period(column: str) -> bool:
    """Whether the column name is only a period with its year: “2025”, “Three Months Ended July 1, 2023”."""
    line = _ENDED.sub("", " ".join(column.split()))
    line = re.sub(rf"^(?:{'|'.join(MONTHS)})\s?[–-]\s?", "", line, flags=re.IGNORECASE)
    found = period_spans(line)
    return len(found) == 1 and bool(found[0][0].year) and found[0][1][1] - found[0][1][0] >= len(line) - 2


def asked_of_row(at: Given, wording: Wording) -> Candidate | None:
    """“Revenue | 212.4 | 241.8” under “2024 | 2025” answers “What was revenue in 2025?”"""
    row = at[2]
    label = " ".join(row.cells[0][1].split()).rstrip(":")
    own = label
    if parted := re.fullmatch(r"(\w+) [–-] ([\w-]+(?: [\w-]+)?)", label):
        label = f"{parted[2]} {parted[1].lower()}"
    dated = [(column, value) for column, value in row.cells[1:] if is_period(column) and re.search(r"\d", value)]
    is_odd = re.search(r"[\d()/–:]|\b(?:other|statements?|sheets?)\b", label, re.IGNORECASE)
    least = 0 if MEASURE.fullmatch(label) else 1
    if not dated or not least < len(content_stems(label)) <= 7 or is_odd or wording.names_in(label):
        return None
    column, value = max(dated, key=lambda each: max(period.year or 0 for period in periods(each[0])))
    column = " ".join(column.split())
    lasting = _ENDED.match(column)
    when = "in the" if lasting else "at" if periods(column)[0].is_day else "in"
    named = column[: lasting.end()].lower() + column[lasting.end() :] if lasting else wording.inside(column)
    measured = _BY.fullmatch(row.above.partition("\n")[0].rpartition(" > ")[2].strip())
    of = f"{wording.inside(measured[1])} for " if measured else ""
    verb = be(measured[1]) if measured else be(label)
    return Candidate(f"What {verb} {of}{wording.inside(label)} {when} {named}?", label, at, value, own)
