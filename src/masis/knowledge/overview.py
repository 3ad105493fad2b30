"""What a document is, at a glance: its opening, its sections, its main figures, each with its place in the text, and
questions that it can answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from masis.language.periods import period_spans, periods
from masis.language.quantities import quantities
from masis.language.statements import Statement, statements
from masis.language.words import content_stems
from masis.sources.blocks import blocks_of
from masis.types import PAGE_BREAK, Page, ParsedDocument

MOST_PAGES = 40
MOST_CHARS = 150_000
"""What a document is about stands in its first pages; a figure from page 300 is not a main one."""
MOST_SECTIONS, MOST_FIGURES, MOST_OWN = 10, 5, 3
OF_THE_WHOLE = ("What is this document about?", "What are the main points of this document?")
LONGEST_SECTION, LONGEST_QUOTE = 90, 320

_GIVES = re.compile(
    r"^(?:(?:In|For|During|At|By|On)\s[^,]{3,40},\s)?(?P<subject>(?:(?:The|Our|Total|Net)\s)?[A-Za-z][\w&’'/-]*(?:\s[\w&’'/-]+){0,8}?)\s"
    r"(?P<verb>was|were|is|are|rose|fell|grew|increased|decreased|declined|reached|amounted|totalled|totaled|stood)\b(?P<rest>.*)$"
)
_POINTS_BACK = re.compile(
    r"\b(?:it|they|this|that|these|those|there|he|she|we|which|who|what|its|their|both|each|one|such|others?|some|all)\b",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(r"\s(?:has|have|had|will|would|may|can|not|also|been|be)\b")
_FORESEEN = re.compile(r"\s(?:expected|planned|projected|estimated|likely|forecast)\b")
_NUMBERED = re.compile(r"^(?:(?:part|item|section|chapter|note)\s)?[\divx]{0,5}(?:\.\d+)*[.)]?\s+(?=\D)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quoted:
    text: str
    page: int
    start: int
    """In the document's text, as citations count."""
    end: int


@dataclass(frozen=True, slots=True)
class Overview:
    title: str | None
    date: str | None
    period: str | None
    author: str | None
    pages: int
    opening: Quoted | None
    """Its first whole sentence."""
    sections: list[Quoted]
    figures: list[Quoted]
    """Sentences and rows of tables that give them, word for word."""
    questions: list[str]
    """To be put to this document alone."""


def overview_of(document: ParsedDocument) -> Overview:
    read = list(_first_pages(document.pages))
    given = [(page, start, each) for page, start in read for each in statements(page.text)]
    sections = [each for page, start in read for each in _sections(page, start)][:MOST_SECTIONS]
    wording = Wording(" ".join(page.text for page, _ in read))
    figures = _main_figures(given, wording)
    asked = [question for question, _ in figures]
    asked += [each.text for each in sections if each.text.endswith("?") and len(each.text.split()) > 2]
    opening = next((_quoted(p, s, e) for p, s, e in given if not e.cells and len(e.text.split()) > 7), None)
    return Overview(
        document.title,
        document.date or document.made,
        document.period,
        document.author,
        len(document.pages),
        opening,
        sections,
        [quote for _, quote in figures],
        [*asked[:MOST_OWN], *(OF_THE_WHOLE if opening else ())],
    )


class Wording:
    """How a document writes its words: what it has in small letters too is not a name."""

    def __init__(self, text: str) -> None:
        self._small = frozenset(re.findall(r"\b[a-z][\w’'-]+", text))

    def inside(self, phrase: str) -> str:
        """As it stands inside a sentence."""
        first = phrase.split(maxsplit=1)[0]
        return phrase[0].lower() + phrase[1:] if not first.isupper() and first.lower() in self._small else phrase


def _first_pages(pages: Sequence[Page]) -> Iterator[tuple[Page, int]]:
    start = 0
    for page in pages[:MOST_PAGES]:
        if start > MOST_CHARS:
            return
        yield page, start
        start += len(page.text) + len(PAGE_BREAK)


def _quoted(page: Page, start: int, said: Statement) -> Quoted:
    return Quoted(" ".join(said.text.split())[:LONGEST_QUOTE], page.number, start + said.start, start + said.end)


def _sections(page: Page, start: int) -> Iterator[Quoted]:
    for block in blocks_of(page):
        words = _NUMBERED.sub("", page.text[block.start : block.end].lstrip("# ").strip())
        if block.kind == "heading" and 3 < len(words) <= LONGEST_SECTION:
            yield Quoted(" ".join(words.split()), page.number, start + block.start, start + block.end)


def _main_figures(given: Sequence[tuple[Page, int, Statement]], wording: Wording) -> list[tuple[str, Quoted]]:
    """Each with a question that it answers; from sentences first, no two on the same thing."""
    found: dict[frozenset[str], tuple[str, Quoted]] = {}
    prose = [(q, at) for at in given if not at[2].cells and (q := _asked_of_sentence(at[2].text, wording))]
    rows = [(q, at) for at in given if at[2].cells and (q := _asked_of_row(at[2], wording))]
    for question, at in (*prose[: MOST_FIGURES * 3], *rows[: MOST_FIGURES * 3]):
        key = frozenset(content_stems(question))
        if not any(len(key & known) >= 2 or key <= known for known in found):
            found[key] = (question, _quoted(*at))
    sentences = [each for each in found.values() if "|" not in each[1].text][:3]
    tables = [each for each in found.values() if "|" in each[1].text]
    return [*sentences, *tables][:MOST_FIGURES]


def _asked_of_sentence(text: str, wording: Wording) -> str | None:
    """“Customer churn in fiscal 2025 was 7.4%.” answers “What was customer churn in fiscal 2025?”"""
    line = " ".join(text.split())
    match = _GIVES.match(line)
    if match is None or len(line) > LONGEST_QUOTE or _POINTS_BACK.search(match["subject"]):
        return None
    stems = content_stems(match["subject"])
    least = 3 if match["subject"].startswith("The ") else 2
    if _AUXILIARY.search(match["subject"]) or len(set(stems)) < least or _FORESEEN.match(match["rest"]):
        return None
    told = [each for each in quantities(match["rest"]) if each.currency or each.unit in ("percent", "currency")]
    if not told or told[0].start > 60:
        return None
    when = _period(line, match["subject"])
    # Without its time a figure is asked for as if it were always the same.
    return None if when is None else f"What {_be(match['verb'])} {wording.inside(match['subject'])}{when}?"


def _be(verb: str) -> str:
    return verb if verb in ("was", "were", "is", "are") else "was"


def _period(line: str, subject: str) -> str | None:
    if periods(subject):
        return ""
    found = [line[a:b] for period, (a, b) in period_spans(line) if period.year and not period.is_day]
    return f" in {found[0]}" if found else None


def _is_period(column: str) -> bool:
    """Nothing else, and with its year."""
    line = " ".join(column.split())
    found = period_spans(line)
    return len(found) == 1 and bool(found[0][0].year) and found[0][1][1] - found[0][1][0] >= len(line) - 2


def _asked_of_row(row: Statement, wording: Wording) -> str | None:
    """“Revenue | 212.4 | 241.8” under “2024 | 2025” answers “What was revenue in 2025?”"""
    label = " ".join(row.cells[0][1].split()).rstrip(":")
    dated = [(column, value) for column, value in row.cells[1:] if _is_period(column) and re.search(r"\d", value)]
    if not dated or not 1 < len(content_stems(label)) <= 7 or re.search(r"\d|\btotal\b", label, re.IGNORECASE):
        return None
    column = " ".join(max(dated, key=lambda each: max(period.year or 0 for period in periods(each[0])))[0].split())
    at = "at" if periods(column)[0].is_day else "in"
    return f"What was {wording.inside(label)} {at} {wording.inside(column)}?"
