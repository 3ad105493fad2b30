"""A document at a glance: a representative sentence, its sections and main figures, each with its place in the text,
and questions that it answers, each tested before it is suggested."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest
from math import log
from typing import TYPE_CHECKING, Any

from masis._version import __version__
from masis.errors import UnknownDocument
from masis.knowledge.search.passages import rest_of_table, substance
from masis.knowledge.suggestions import (
    LONGEST_QUOTE,
    NUMBERED,
    Candidate,
    Given,
    Wording,
    asked_of_order,
    asked_of_sections,
    asked_of_sentence,
    plain,
)
from masis.knowledge.table_facts import (
    Table,
    asked_of_field,
    asked_of_row,
    asked_of_table,
    facts_of,
    fields_in,
    has_amount,
    readable,
    tables_in,
)
from masis.language.salience import FEWEST_WORDS, MAINLY, NOTICE, ranked_statements
from masis.language.statements import Statement, row_words, statements
from masis.language.words import content_stems
from masis.sources.blocks import blocks_of
from masis.types import PAGE_BREAK, Chunk, Document, Page, ParsedDocument

if TYPE_CHECKING:
    from masis.knowledge.library import Library

MOST_PAGES = 40
MOST_CHARS = 150_000
"""How much is read: what a document is about is on its first pages, and a figure on page 300 is not a main one."""
MOST_SECTIONS, MOST_FIGURES, MOST_OF_A_TABLE = 10, 6, 4
MOST_OWN, MOST_ASKED, PASSAGES_ASKED = 4, 12, 4
WORK, OF_A_ROW = 90_000, 8
"""Characters read to answer the suggested questions, with those of tables counted eight times: some seconds of one
core."""
OF_THE_WHOLE = ("What is this document about?", "What are the main points of this document?")
LONGEST_SECTION = 90
KEY, OPENS = 40, 3
"""How many key sentences questions are made from, and of how many among the first statements the first one opens the
overview."""
BEGINNING = 50
FEWEST_SENTENCES, LINES_OF_A_FORM = 3, 6
"""A document with fewer key sentences and at least as many labelled lines is a form."""
HEAD = 600
FROM, TO = re.compile(r"From: ([^\n]+)"), re.compile(r"^To: ([^\n]+)", re.MULTILINE)
CALLED = re.compile(
    r"\b(?:invoice|credit note|purchase order|quotation|receipt|statement of account|minutes|agenda|board paper"
    r"|(?:annual|interim|quarterly|half-year|progress|incident|survey|financial) report|10-[KQ]|white paper|policy"
    r"|agreement|contract|handbook|manual|procedure|press release|newsletter|letter|memo(?:randum)?|survey|case study"
    r"|report)\b",
    re.IGNORECASE,
)
"""What documents call themselves, near their top."""


Ask = Callable[[str, Sequence[Chunk]], str]
"""Answers a question from these passages, as text."""


@dataclass(frozen=True, slots=True)
class Quoted:
    text: str
    page: int
    start: int
    """Offset in the document's text, as in citations."""
    end: int


@dataclass(frozen=True, slots=True)
class Overview:
    title: str | None
    date: str | None
    period: str | None
    author: str | None
    pages: int
    kind: str
    """What it is by its form: “message from …”, “workbook of 2 sheets”, “table of 40 rows”, “invoice”."""
    opening: Quoted | None
    """A representative sentence; for a table, the line above it or its header."""
    sections: list[Quoted]
    figures: list[Quoted]
    """Sentences, rows and labelled lines with figures, verbatim; for table columns, computed ranges and totals with the
    place of the table."""
    questions: list[str]
    """Questions to put to this document alone."""


async def stored_overview(library: "Library", document: Document, ask: Ask, chunk_chars: int) -> Overview:
    """Made once per document, because testing its questions takes a while."""
    workspace, document_id = document.workspace_id, document.document_id
    parsed = await library.document_text(workspace, document_id)
    if parsed is None:
        raise UnknownDocument(f"{document.file_name} has not been read.", advice=document.reason or "Ingest it again.")
    made_by = f"{__version__}, passages of {chunk_chars}"
    if known := await asyncio.to_thread(library.catalog.overview, workspace, document_id, made_by):
        return overview_from(json.loads(known))
    made = await asyncio.to_thread(overview_of, parsed, await library.chunks(workspace, document_id), ask)
    as_json = json.dumps(asdict(made), ensure_ascii=False)
    await asyncio.to_thread(library.catalog.save_overview, workspace, document_id, made_by, as_json)
    return made


def overview_from(known: Mapping[str, Any]) -> Overview:
    lists = {name: [Quoted(**each) for each in known[name]] for name in ("sections", "figures")}
    return Overview(**{**known, **lists, "opening": known["opening"] and Quoted(**known["opening"])})


def overview_of(document: ParsedDocument, chunks: Sequence[Chunk] = (), ask: Ask | None = None) -> Overview:
    """Leaves out questions that `ask` does not answer with the statement they were made from."""
    read = list(_first_pages(document.pages))
    noted = [
        (start + block.start, start + block.end)
        for page, start in read
        for block in page.blocks
        if block.kind == "note"
    ]
    every = [(page, start, each) for page, start in read for each in statements(page.text)]
    # Header lines of a message are given elsewhere.
    given = [at for at in every if not any(a <= at[1] + at[2].start < b for a, b in noted)]
    title = document.title or ""
    tables = tables_in(given)
    sections = [each for page, start in read for each in _sections(page, start)]
    key = _key(given, KEY, title)
    opening = _opening(given, title)
    asked = answered(_candidates(given, key, tables, title), chunks, ask)
    return Overview(
        document.title,
        document.date or document.made,
        document.period,
        document.author,
        len(document.pages),
        _kind(document, given, tables),
        opening,
        sections[:MOST_SECTIONS],
        _figures(given, tables, title)[:MOST_FIGURES],
        [*asked, *(OF_THE_WHOLE[: max(1, 3 - len(asked))] if opening else ())],
    )


def _kind(document: ParsedDocument, given: Sequence[Given], tables: Sequence[Table]) -> str:
    labels = [page.label or "" for page in document.pages]
    first = document.pages[0].text[:HEAD] if document.pages else ""
    if sender := FROM.match(first):
        to = TO.search(first)
        return f"message from {_name(sender[1])}{f' to {_name(to[1])}' if to else ''}"
    for form in ("slide", "sheet"):
        if any(label.startswith(form) for label in labels):
            return f"{'presentation' if form == 'slide' else 'workbook'} of {_counted(len(labels), form)}"
    if tables and sum(bool(at[2].cells) for at in given) > MAINLY * len(given):
        rows = sum(len(table.every) for table in tables)
        return f"table of {_counted(rows, 'row')} and {_counted(len(tables[0].columns), 'column')}"
    lines = [line for line in first.splitlines() if 0 < len(line) <= LONGEST_SECTION and not line.endswith(".")]
    named = CALLED.search(document.title or "") or CALLED.search("\n".join(lines))
    if named:
        return named[0].lower()
    words = sum(len(page.text.split()) for page in document.pages)
    return f"text of {_counted(len(labels), 'page')}" if len(labels) > 1 else f"text of {words:,} words"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _name(address: str) -> str:
    """“Petra Lindahl <petra@…>” becomes the name; of several people, the first."""
    bare = re.split(r"[,;]", address, maxsplit=1)[0]
    return " ".join(re.sub(r"<[^<>]*>", "", bare).strip(' "').split()) or bare.strip(" <>")


def _figures(given: Sequence[Given], tables: Sequence[Table], title: str) -> list[Quoted]:
    """Labelled amounts, totals and ranges of tables, and sentences with amounts, the most telling first."""
    fields = [_quoted(*field.at) for field in fields_in(given) if field.is_figure]
    told = [at for at in given if not at[2].cells and has_amount(at[2]) and not NOTICE.search(at[2].text)]
    whole = [at for at in told if len(at[2].text.split()) > FEWEST_WORDS and "\n" not in at[2].text]
    sentences = [_quoted(*at) for at in (*_key(told, MOST_FIGURES, title), *whole)]
    of_tables = [list(_figures_of(table)) for table in tables]
    in_turn = [each for turn in zip_longest(*(each[:MOST_OF_A_TABLE] for each in of_tables)) for each in turn if each]
    is_table = sum(bool(at[2].cells) for at in given) > MAINLY * len(given)
    is_table = is_table or len(sentences) < FEWEST_SENTENCES
    mixed = [*fields, *in_turn, *sentences] if is_table else [*fields[:3], *sentences[:4], *in_turn, *sentences[4:]]
    apart: dict[str, Quoted] = {}
    for each in mixed:
        apart.setdefault(each.text, each)
    return list(apart.values())


def _figures_of(table: Table) -> Iterator[Quoted]:
    yield from (_quoted(*at) for at in table.totals[-2 if table.is_a_bill else -1 :])
    if table.is_a_bill:
        return
    page, start, first = table.every[0]
    here = [at[2] for at in table.every if at[0] is page]
    for fact in facts_of(table):
        yield Quoted(fact[:LONGEST_QUOTE], page.number, start + first.start, start + here[-1].end)
    if table.is_of_periods:
        yield from (_quoted(*at) for at in table.rows if re.search(r"\d", at[2].text))


def _candidates(given: Sequence[Given], key: Sequence[Given], tables: Sequence[Table], title: str) -> list[Candidate]:
    """Questions of each kind in turn and of each section in turn, no two about the same thing."""
    wording = Wording(" ".join(each.text for _, _, each in given if not each.cells))
    known = {id(at) for at in key}
    others = [at for at in given if not at[2].cells and id(at) not in known and not NOTICE.search(at[2].text)]
    of_sentences = [c for at in (*key, *others) if (c := asked_of_sentence(at, wording))]
    of_orders = [c for at in given if not at[2].cells and (c := asked_of_order(at))]
    of_fields = [c for field in fields_in(given) if (c := asked_of_field(field, wording))]
    of_rows = [c for table in tables for at in table.every if (c := asked_of_row(at, wording))]
    by_table = [list(asked_of_table(table, wording)) for table in tables]
    of_tables = [c for turn in zip_longest(*by_table) for c in turn if c]
    of_sections = [c for c in asked_of_sections(given, wording) if plain(c.subject) != plain(title)]
    decided = [c for c in of_sections if c.question.startswith("What was")]
    of_sections = [c for c in of_sections if c not in decided]
    kinds = (decided, of_fields, of_tables, of_sentences, _of_each_form(of_orders), of_rows)
    mixed = [c for c in chain.from_iterable(zip_longest(*kinds)) if c]
    return _spread(_apart([*mixed, *of_sections]))


def _of_each_form(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The first that asks who, and the first that asks what."""
    return list({c.question.split()[0]: c for c in reversed(candidates)}.values())[::-1]


def _apart(candidates: Sequence[Candidate]) -> list[Candidate]:
    """No two about the same thing, and none made from the same words."""
    found: dict[frozenset[str], Candidate] = {}
    for candidate in candidates:
        key = frozenset(content_stems(candidate.subject))
        is_known = any(len(key & known) >= 2 or key <= known or known <= key for known in found)
        if not is_known and all(candidate.quote[2] is not other.quote[2] for other in found.values()):
            found[key] = candidate
    return list(found.values())


def _spread(candidates: Sequence[Candidate]) -> list[Candidate]:
    """One of each section before the second of any."""
    sections: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        page, _, said = candidate.quote
        sections.setdefault(said.above.partition("\n")[0] or f"page {page.number}", []).append(candidate)
    return [c for turn in zip_longest(*sections.values()) for c in turn if c]


def answered(candidates: Sequence[Candidate], chunks: Sequence[Chunk], ask: Ask | None) -> list[str]:
    if ask is None:
        return [candidate.question for candidate in candidates[:MOST_OWN]]
    stems = [frozenset(content_stems(f"{chunk.heading or ''} {chunk.text}")) for chunk in chunks]
    known = Counter(stem for each in stems for stem in each)
    asked: list[str] = []
    work = 0
    for candidate in candidates[:MOST_ASKED]:
        wanted = frozenset(content_stems(candidate.question))
        worth = [sum(log(1 + len(chunks) / known[stem]) for stem in wanted & each) for each in stems]
        ranked = [chunks[n] for n in sorted(range(len(chunks)), key=lambda n: -worth[n])]
        # A cell is read from its own part of the table.
        nearest = ranked[: 1 if candidate.holds and candidate.quote[2].cells else PASSAGES_ASKED]
        given = _with_their_tables(nearest, chunks) if candidate.whole else nearest
        work += sum(len(chunk.text) * (OF_A_ROW if "\n|" in chunk.text else 1) for chunk in given)
        if work > WORK and asked:
            break
        if candidate.is_answered_by(ask(candidate.question, given)):
            asked.append(candidate.question)
        if len(asked) == MOST_OWN:
            break
    return asked


def _with_their_tables(nearest: Sequence[Chunk], chunks: Sequence[Chunk]) -> list[Chunk]:
    """Adds the rest of the table: a count or an extreme over half a table is wrong."""
    wanted = {chunk.chunk_id for chunk in nearest}
    for found in substance(nearest[:1], 1):
        others, _ = rest_of_table(chunks, found)
        wanted |= {each["chunk_id"] for each in others}
    return [chunk for chunk in chunks if chunk.chunk_id in wanted]


def _key(given: Sequence[Given], most: int, title: str) -> list[Given]:
    return [given[place] for place in ranked_statements([each for _, _, each in given], most, title)]


def _opening(given: Sequence[Given], title: str) -> Quoted | None:
    if len(_key(given, FEWEST_SENTENCES, title)) < FEWEST_SENTENCES <= len(fields_in(given)):
        return _head_of_a_form(given)
    first = _key(given[:BEGINNING], OPENS, title) or _key(given, OPENS, title)
    return _quoted(*min(first, key=given.index)) if first else _first_line(given)


def _head_of_a_form(given: Sequence[Given]) -> Quoted:
    """“Kestrel Print Works Ltd · Invoice number: 2025-0417 · Due date: 4 May 2025”."""
    page, start, first = given[0]
    lines = [at[2] for at in given if at[0] is page and not at[2].cells][:LINES_OF_A_FORM] or [first]
    said = " · ".join(" ".join(line.text.split()) for line in lines)
    return Quoted(said[:LONGEST_QUOTE], page.number, start + lines[0].start, start + lines[-1].end)


def _first_line(given: Sequence[Given]) -> Quoted | None:
    """For a document without key sentences: its first line that is not a notice, or the header of its table."""
    lines = [at for at in given if not at[2].cells and len(at[2].text.split()) > 4 and not NOTICE.search(at[2].text)]
    row = next((at for at in given if at[2].cells), None)
    told = next((at for at in lines if at[2].text.rstrip().endswith((".", ":", "!")) or row), None)
    if told or row is None:
        return _quoted(*told) if told else None
    page, start, first = row
    head = page.text[: first.start].rstrip("|- :\n")
    begin = head.rfind("\n") + 1
    said = " ".join(readable(head[begin:]).replace("|", " · ").split()).strip("· ")
    return Quoted(said[:LONGEST_QUOTE], page.number, start + begin, start + len(head)) if said else None


def _first_pages(pages: Sequence[Page]) -> Iterator[tuple[Page, int]]:
    start = 0
    for page in pages[:MOST_PAGES]:
        if start > MOST_CHARS:
            return
        yield _beginning(page), start
        start += len(page.text) + len(PAGE_BREAK)


def _beginning(page: Page) -> Page:
    """Cuts a long page: a text or a table has only one page, however long it is."""
    blocks = [block for block in page.blocks if block.end <= MOST_CHARS]
    return page if len(page.text) <= MOST_CHARS else replace(page, text=page.text[:MOST_CHARS], blocks=blocks)


def _quoted(page: Page, start: int, said: Statement) -> Quoted:
    words = row_words(said) if said.cells else said.text
    shown = " ".join(words.replace("::", ":").split())[:LONGEST_QUOTE]
    return Quoted(shown, page.number, start + said.start, start + said.end)


def _sections(page: Page, start: int) -> Iterator[Quoted]:
    for block in blocks_of(page):
        words = NUMBERED.sub("", page.text[block.start : block.end].lstrip("# ").strip())
        if block.kind == "heading" and 3 < len(words) <= LONGEST_SECTION:
            yield Quoted(" ".join(words.split()), page.number, start + block.start, start + block.end)
