"""Recognises questions for computed figures as people ask them: growth, margins, shares.

“How fast did sales grow in 2024?” mentions neither a percentage nor the previous year. Each such question is reworded
the way the weights were fitted (“the percentage change in sales from 2023 to 2024”). Where reports have several names
for a figure there are several wordings, and the surest result that computes what was asked wins.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from masis.language.periods import period_spans
from masis.language.words import FUNCTION_WORDS
from masis.reasoning.offline.tables.anchors import ALIKE, TableQuery, anchors
from masis.reasoning.offline.tables.cell_names import column_of, is_share, label_of
from masis.reasoning.offline.tables.grid import CHANGES, Cell, Table
from masis.reasoning.offline.tables.trials import Trial
from masis.reasoning.offline.tables.values import stems

GROWS = (
    r"(?:gr(?:ow|own|ew)|increased?|ris(?:e|en)|rose|expand(?:ed)?|fall(?:en)?|fell|(?:declin|decreas)ed?|drop(?:ped)?"
    r"|shrink|shrunk)"
)
PERCENT = r"(?:percentage|per\s?cent(?:age)?|percent|%)"
THING = r"[^?,;]{1,120}?"
THEN = r"(?=\s+(?:in|from|for|between|over|during|compared)\b|[?,;.]|$)"
GROWTH = re.compile(
    rf"\bhow\s+(?:fast|quickly|strongly|rapidly)\s+(?:did|ha(?:s|ve)|is|are|was|were)\s+(?P<did>{THING})\s+"
    rf"(?:{GROWS}|growing)\b"
    rf"|\bby\s+(?:what|which|how\s+many)\s+{PERCENT}\s+(?:points?\s+)?(?:did|has|have)\s+(?P<by>{THING})\s+{GROWS}\b"
    rf"|\b{PERCENT}\s+(?:change|increase|decrease|rise|fall|growth|decline)\s+(?:in|of)\s+(?P<percent>{THING}){THEN}"
    rf"|\b(?:growth(?:\s+rate)?|rate\s+of\s+growth)\s+(?:in|of)\s+(?P<of>{THING}){THEN}"
    rf"|\bhow\s+much\s+did\s+(?P<much>{THING})\s+(?:{GROWS}|change|improve)\b"
    rf"|\bby\s+how\s+much\s+(?:has|have|did)\s+(?P<how>{THING})\s+(?:{GROWS}|changed?|improved?)\b"
    rf"|\bhow\s+(?:much\s+)?(?:has|have)\s+(?P<since>{THING})\s+(?:{GROWS}|changed|improved|developed)\b"
    rf"|^(?:did|has|have)\s+(?P<whether>{THING})\s+(?:{GROWS}|changed?|improved?)\b"
    r"|(?:\b(?:what|which)\s+(?:was|is|were|are)\s+(?:the\s+)?|^)(?P<what>(?:[\w&.'’-]+\s+){1,6}?)"
    r"growth(?:\s+rate)?\b(?!\s+(?:in|of)\s+[a-z])",
    re.IGNORECASE,
)
MARGIN = re.compile(
    r"\b(?P<kind>gross|operating|trading|net|pre-?tax|profit|ebitda|ebit)(?:\s+(?:profit|income))?\s+margin\b"
    rf"(?:\s+{PERCENT})?",
    re.IGNORECASE,
)
TAX_RATE = re.compile(r"\b(?:effective\s+)?(?:income\s+)?tax\s+rate\b", re.IGNORECASE)
COMES = (
    r"(?:(?:came|comes?|stem(?:s|med)?|derive[sd])\s+from|(?:was|were|is|are)(?:\s+(?:from|(?:generated|made)\s+by|due\s+to|in))?"
    r"|(?:went|goe?s?)\s+(?:in)?to|did|do|does"
    r"|(?:ran|runs?|works?|uses?|holds?|held|had|have|has|\w{3,}ed)(?:\s+(?:on|in|at|by|as|with))?)"
)
SHARE = re.compile(
    rf"\b(?:what|which)\s+(?:share|{PERCENT}|proportion|fraction|part)\s+of\s+(?:the\s+|all\s+)?(?P<whole>{THING})\s+{COMES}"
    rf"\s+(?P<part>{THING})(?:\s+(?:make\s+up|account\s+for|represent|contribute))?"
    r"(?P<when>\s+(?:in|for|at|during|on)\s+[^?]*)?[?.]?$",
    re.IGNORECASE,
)
AS_SHARE = re.compile(
    rf"(?:^|\b(?:is|was|are|were|on|in)\s+)(?:the\s+)?(?P<part>(?:(?!\b(?:is|was|are|were|on)\b)[^?,;]){{1,120}}?)"
    rf"\s+as\s+an?\s+(?:share|proportion|fraction|{PERCENT})\s+of\s+(?P<whole>[^?]+)",
    re.IGNORECASE,
)
MOVED = re.compile(
    r"\b(?:which|how\s+many)\s+(?:of\s+(?:the|its|our|their)\s+)?(?:[\w'’-]+\s+){0,2}?(?P<what>[a-z]{3,})\s+"
    r"(?:(?:saw|had|reported|recorded)\s+(?:[\w'’-]+\s+){0,3}?)?"
    r"(?:(?P<up>gr[eo]w(?:ing)?|rose|rise|rising|increased?|increasing|improved?|gained|won)"
    r"|(?P<down>fell|fall(?:ing)?|declin(?:e|ed|ing)|decreas(?:e|ed|ing)|shrank|shrink(?:ing)?|dropp?(?:ed|ing)?|lost))\b"
    r"(?:\s+(?:[\w'’-]+\s+){0,2}?(?P<most>(?:the\s+)?(?:most|fastest|strongest|quickest|furthest)))?",
    re.IGNORECASE,
)
SALES = ("total revenue", "total net sales", "net sales", "revenue", "total sales", "sales", "turnover")
PROFITS = {
    "gross": ("gross profit", "gross margin"),
    "operating": ("operating profit", "operating income", "operating result", "EBIT"),
    "trading": ("trading operating profit", "trading profit"),
    "net": ("net profit", "net income", "net earnings", "profit for the year"),
    "pretax": ("profit before tax", "income before income taxes", "income before taxes"),
    "profit": ("net profit", "net income", "operating profit"),
    "ebitda": ("EBITDA", "adjusted EBITDA"),
    "ebit": ("EBIT", "operating profit", "operating income"),
}
TAXES = ("income tax", "income tax expense", "provision for income taxes", "tax")
PROPORTIONS = frozenset({"ratio", "share", "percent", "share_of_total"})
OF_SOMETHING = re.compile(r"\bof\b.*", re.IGNORECASE)
MOST_WORDINGS = 6
MOST_ROWS = 8
IN_PERCENT = re.compile(rf"{PERCENT}|\brates?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Calculation:
    """What the question wants computed, and the wordings to ask it in."""

    wordings: tuple[str, ...]
    forms: frozenset[str]
    noun: str
    """A row or column with one of these words in its name already holds the figure."""
    in_percent: bool = False
    """Whether the question asks for a percentage."""
    whole: str = ""
    """What a share is a share of. The total of a table about something else does not qualify."""

    @cached_property
    def _noun_stems(self) -> frozenset[str]:
        return frozenset(stems(self.noun))

    def is_given_by(self, table: Table, cell: Cell) -> bool:
        """Whether the cell already is the figure. “Gross margin | 35,885” answers a question for the margin, but not
        one for a percentage."""
        name = f"{label_of(table, cell.row)} {column_of(table, cell.column)}"
        is_percent = is_share(cell) or IN_PERCENT.search(name) is not None
        is_share_asked_for = "%" in cell.text and "change" not in self.forms
        return is_share_asked_for or (bool(self._noun_stems & set(stems(name))) and (is_percent or not self.in_percent))

    def may_be_from(self, table: Table) -> bool:
        said = {*stems(table.above), *table.words, *table.document_stems}
        wanted = [s for s in stems(self.whole) if s not in FUNCTION_WORDS and s not in _ANY_WHOLE]
        # “The company's net revenue”: the noun comes last, and the table need not repeat the rest.
        return all(s in said or ALIKE.get(s) in said for s in wanted[-1:])


_ANY_WHOLE = frozenset(stems("total all overall entire combined"))


def calculation(question: str, tables: Sequence[Table]) -> Calculation | None:
    """None if the question asks for no computed figure. For margins and tax rates there are no wordings if no table has
    both parts."""
    if found := GROWTH.search(question):
        grown = next(value for value in found.groups() if value)
        by_amount = bool(found["much"] or found["how"] or found["since"] or found["whether"]) and not IN_PERCENT.search(
            question
        )
        wordings = tuple(_of_growth(question, grown, "" if by_amount else "percentage ", tables))
        forms = frozenset({"change", "percent_change"} if by_amount else {"percent_change"})
        return Calculation(wordings, forms, "growth change")
    if found := MARGIN.search(question):
        kind = found["kind"].lower().replace("-", "")
        pairs = _pairs(PROFITS[kind], SALES, tables)
        return Calculation(_in_place(question, found, pairs), PROPORTIONS, "margin", bool(IN_PERCENT.search(question)))
    if found := TAX_RATE.search(question):
        return Calculation(_in_place(question, found, _pairs(TAXES, PROFITS["pretax"], tables)), PROPORTIONS, "rate")
    if found := SHARE.search(question):
        wholes = dict.fromkeys((found["whole"], "total"))
        when = found["when"] or ""
        asked = tuple(f"What is {found['part']} as a percentage of {whole}{when}?" for whole in wholes)
        return Calculation(asked, PROPORTIONS, "share percentage proportion", whole=_untimed(found["whole"]))
    if found := AS_SHARE.search(question):
        wording = f"What is {found['part']} as a percentage of {found['whole']}?"
        return Calculation((wording,), PROPORTIONS, "share percentage proportion")
    return None


def _untimed(text: str) -> str:
    for _, (start, end) in sorted(period_spans(text), key=lambda pair: -pair[1][0]):
        text = f"{text[:start]} {text[end:]}"
    return text


def _of_growth(question: str, grown: str, kind: str, tables: Sequence[Table]) -> Iterator[str]:
    """Compares the first period with the last; if the question names only one, compares it with the year before, or
    with the latest in the tables after “since”."""
    spans = sorted((period.year or 0, question[start:end]) for period, (start, end) in period_spans(question))
    times = list(dict.fromkeys(spans))
    if len(times) > 1:
        yield f"What is the {kind}change in {grown.strip()} from {times[0][1]} to {times[-1][1]}?"
    elif times and SINCE.search(question) and (latest := max((t.latest_year for t in tables), default=0)):
        yield f"What is the {kind}change in {grown.strip()} from {times[0][1]} to {latest}?"
    elif times and times[0][0]:
        year, said = times[0]
        before = re.sub(rf"{year}|(?<=\D){year % 100:02d}\b", lambda m: _less(m.group()), said)
        yield f"What is the {kind}change in {grown.strip()} from {before} to {said}?"
    else:
        yield f"What is the {kind}change in {grown.strip()}?"


SINCE = re.compile(r"\bsince\b", re.IGNORECASE)


def _less(year: str) -> str:
    return str(int(year) - 1).zfill(len(year))


def _pairs(parts: Sequence[str], wholes: Sequence[str], tables: Sequence[Table]) -> list[tuple[str, str]]:
    """Of the names that reports use, the pairs whose words all occur in the labels of one table."""
    found = []
    for part in parts:
        for whole in wholes:
            words = {*stems(part), *stems(whole)}
            if any(words <= table.label_stems for table in tables):
                found.append((part, whole))
    return found[:MOST_WORDINGS]


def _in_place(question: str, found: re.Match[str], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    head, tail = question[: found.start()], question[found.end() :]
    return tuple(f"{head}{part} as a percentage of {whole}{tail}" for part, whole in pairs)


def queries(asked: TableQuery, wanted: Calculation) -> list[TableQuery]:
    return [replace(asked, text=wording) for wording in wanted.wordings]


def over_time(trial: Trial, forms: frozenset[str]) -> Trial:
    """Where each row is a period, two cells of a column are compared like two columns of a row: the later one with the
    earlier one, in the form asked for."""
    table, times = trial.table, [_only_row_at(trial.table, cell.row) for cell in trial.cells]
    is_between_rows = trial.form in ("difference", "percent", "ratio") and len({c.column for c in trial.cells}) == 1
    if "percent_change" not in forms or not is_between_rows or not all(times):
        return trial
    old, new = sorted(trial.cells, key=lambda cell: _order(table, cell.row))
    a, b = new.amount or 0.0, old.amount or 0.0
    if "change" in forms:
        return Trial("change", table, (), a - b, (new, old), trial.filters, trial.column, trial.by)
    return Trial("percent_change", table, (), 100 * (a - b) / abs(b), (new, old), trial.filters) if b else trial


RANGE = re.compile(r"\b(?:between|from)\b", re.IGNORECASE)


def over_range(asked: TableQuery, trial: Trial) -> Trial | None:
    """“The average from 2019 to 2022”, where each row is a period, takes in the rows between as well; None if they
    cannot be told, for then the two ends alone would be a wrong answer."""
    table, cells = trial.table, trial.cells
    kinds = {bool(times[0].part) for cell in cells if (times := table.row_times[cell.row])}
    if trial.form in ("average", "sum") and len(kinds) > 1:
        return None  # quarters and years together
    is_of_ends = trial.form in ("average_of", "sum_of") and len(cells) == 2 and len(asked.periods) == 2
    if not is_of_ends or not RANGE.search(asked.text) or not all(table.row_times[c.row] for c in cells):
        return trial
    first, last = sorted(_order(table, cell.row) for cell in cells)
    timed = [row for row, own in enumerate(table.row_times) if own and bool(own[0].part) in kinds]
    rows = [row for row in timed if first <= _order(table, row) <= last]
    between = tuple(table.cell(row, cells[0].column) for row in rows)
    is_one_of_each = len(kinds) == 1 and all(_only_row_at(table, row) for row in rows)
    if not is_one_of_each or any(cell.amount is None for cell in between):
        return None
    total = sum(cell.amount or 0.0 for cell in between)
    return replace(trial, value=total if trial.form == "sum_of" else total / len(between), cells=between)


def _only_row_at(table: Table, row: int) -> bool:
    """Whether the row is the only one of its period: where there are several, each is for something else as well."""
    times = table.row_times[row]
    return len(times) == 1 and times[0].year is not None and table.row_times.count(times) == 1


def _order(table: Table, row: int) -> tuple[int, str]:
    (first, *_) = table.row_times[row]
    return first.year or 0, first.part or ""


AVERAGED = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
ADDED = re.compile(r"\b(?:total|altogether|in\s+all|combined|together|sum)\b", re.IGNORECASE)
NAMED_ENOUGH = 0.5
"""Share of the words in a column's name that the question must contain."""


def aggregated(asked: TableQuery, tables: Sequence[Table]) -> Trial | None:
    """“The average headcount of the stores in Ireland”: aggregates the rows with “Ireland” in a column of its own. None
    if more than one result is possible, or if rows of the table are missing from the passages."""
    form = "average" if AVERAGED.search(asked.text) else "sum" if ADDED.search(asked.text) else None
    found = [trial for table in tables if form for trial in _over_rows(asked, table, form)]
    return found[0] if len(found) == 1 else None


def _over_rows(asked: TableQuery, table: Table, form: str) -> Iterator[Trial]:
    touched = [a for a in anchors(asked, table) if a.kind == "cell" and a.exact == 1 and a.places & asked.content]
    shared = [a for a in touched if a.column != table.label_column and table.kinds[a.column] == "text"]
    if table.part_of_more or len(shared) != 1 or any(a.column == table.label_column for a in touched):
        return
    rows = [n for n in shared[0].rows if not table.is_total[n]]
    said = {asked.stems[n] for n in asked.content}
    names = {n: [s for s in own if s not in FUNCTION_WORDS] for n, own in enumerate(table.column_stems)}
    shares = {n: len(said.intersection(names[n])) / len(names[n]) for n in names if names[n]}
    amounts = [n for n in shares if table.kinds[n] == "amount" and shares[n] >= NAMED_ENOUGH]
    best = [n for n in amounts if shares[n] == max(shares[m] for m in amounts)]
    is_given = any((AVERAGED if form == "average" else ADDED).search(table.columns[n]) for n in best)
    if len(best) != 1 or is_given or len(rows) < 2 or (form == "sum" and CHANGES.search(table.columns[best[0]])):
        return
    cells = tuple(table.cell(row, best[0]) for row in rows)
    figures = [c.amount for c in cells if c.amount is not None and c.text]
    if len(figures) == len(cells):
        value = sum(figures) / (len(figures) if form == "average" else 1)
        yield Trial(form, table, (), value, cells, (shared[0],), best[0], best[0])


def moved(asked: TableQuery, tables: Sequence[Table]) -> list[Trial]:
    """“Which segments fell in 2024?”: the rows that fell from the previous period to the one asked for. “Which grew
    most” returns only the first of them."""
    found = MOVED.search(asked.text)
    if found is None:
        return []
    for table in tables:
        over = stems(f"{table.columns[table.label_column]} {table.above[-200:]}")
        is_named = stems(found["what"])[0] in over
        named = frozenset[int]() if is_named else _rows_called(found[0][: found.end("what") - found.start()], table)
        if not is_named and not named:
            continue
        way = 1 if found["up"] else -1
        changes = [trial for trial in _changes(asked, table) if not named or trial.cells[0].row in named]
        rows = [trial for trial in changes if way * (trial.value or 0.0) > 0]
        if found["most"]:
            rows = sorted(rows, key=lambda trial: -abs((trial.value or 0.0) / (trial.cells[1].amount or 1.0)))[:1]
        if rows:
            return rows[:MOST_ROWS]
    return []


def _rows_called(said: str, table: Table) -> frozenset[int]:
    """“Which revenue lines” means the rows “Passenger revenue” and “Freight revenue”: at least two rows, totals
    excluded."""
    wanted = {s for s in stems(said) if s not in FUNCTION_WORDS}
    # “Cost of revenue” is no line of revenue.
    labels = {n: OF_SOMETHING.sub("", label_of(table, n)) for n in range(len(table.rows)) if not table.is_total[n]}
    called = frozenset(n for n, label in labels.items() if wanted.intersection(stems(label)))
    return called if len(called) > 1 else frozenset()


def _changes(asked: TableQuery, table: Table) -> list[Trial]:
    columns = _two_times(asked, table)
    if columns is None:
        return []
    pairs = [
        (table.cell(n, columns[0]), table.cell(n, columns[1])) for n in range(len(table.rows)) if not table.is_total[n]
    ]
    return [
        Trial("change", table, (label_of(table, new.row),), new.amount - old.amount, (new, old), (), columns=columns)
        for new, old in pairs
        if new.amount is not None and old.amount is not None
    ]


def _two_times(asked: TableQuery, table: Table) -> tuple[int, int] | None:
    """The columns of the last and the first period asked for; if only one is asked for, that one and the one before
    it."""
    times = table.column_times(asked.months)
    timed = sorted((n for n in table.timed if times[n]), key=lambda n: (times[n][0].year or 0, times[n][0].part or ""))
    meant = [n for n in timed if any(not p.excludes(q) for p in asked.periods for q in times[n])]
    if len(meant) > 1:
        return meant[-1], meant[0]
    before = timed[: timed.index(meant[0])] if meant else timed[:-1]
    last = meant[0] if meant else (timed[-1] if timed else None)
    return (last, before[-1]) if last is not None and before else None
