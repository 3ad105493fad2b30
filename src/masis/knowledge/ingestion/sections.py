"""The section a passage stands in: from its heading to the next one of its level or above, over page ends."""

from bisect import bisect_right
from dataclasses import replace
from typing import NamedTuple

from masis.knowledge.ingestion.layout import HeadingPath, Line, read_lines
from masis.types import PAGE_BREAK, Chunk, Page, ParsedDocument, Section


class _Placed(NamedTuple):
    page: Page
    start: int
    """In the text of the document."""
    lines: list[Line]


def section_of(parsed: ParsedDocument, chunk: Chunk) -> Section:
    """Before the first heading, and in a document without any, the page is the section."""
    pages = _placed(parsed)
    headings = [_moved(line, each.start) for each in pages for line in each.lines if line.kind == "heading"]
    position = _first_words(pages, chunk)
    opened = bisect_right(headings, position, key=lambda line: line.start) - 1
    if opened < 0:
        own = next(each for each in reversed(pages) if each.start <= position)
        end = min([own.start + len(own.page.text), *(line.start for line in headings[:1])])
        return _section(parsed, pages, (own.start, end), None, chunk)
    own_level = headings[opened].level
    after = (line.start for line in headings[opened + 1 :] if line.level <= own_level)
    path = HeadingPath()
    path.pass_over(headings[: opened + 1])
    span = (headings[opened].start, next(after, len(parsed.text)))
    return _section(parsed, pages, span, " > ".join(path.above([])), chunk)


def _placed(parsed: ParsedDocument) -> list[_Placed]:
    pages: list[_Placed] = []
    start = 0
    for page in parsed.pages:
        pages.append(_Placed(page, start, read_lines(page.text)))
        start += len(page.text) + len(PAGE_BREAK)
    return pages


def _moved(line: Line, offset: int) -> Line:
    return replace(line, start=offset + line.start, end=offset + line.end)


def _first_words(pages: list[_Placed], chunk: Chunk) -> int:
    """A passage may open with the headings of its section; its first words after them are inside."""
    for each in pages:
        for line in each.lines:
            if each.start + line.end > chunk.start and line.kind not in ("heading", "blank"):
                return max(chunk.start, each.start + line.start)
    return chunk.start


def _section(
    parsed: ParsedDocument, pages: list[_Placed], span: tuple[int, int], heading: str | None, chunk: Chunk
) -> Section:
    start = span[0]
    text = parsed.text[start : span[1]].rstrip()
    on = [
        each.page.number
        for each in pages
        if each.start < start + len(text) and start < each.start + len(each.page.text)
    ]
    first, last = (on[0], on[-1]) if on else (chunk.page, chunk.page)
    return Section(chunk.document_id, chunk.file_name, heading, text, start, start + len(text), first, last)
