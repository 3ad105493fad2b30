"""Articles and books in XML (JATS, DocBook, TEI): sections as headings, paragraphs, lists, tables, references."""

from collections.abc import Iterator

from masis.sources.data.xml_tree import Element, attribute, descendants, elements, has, name_of, own_text, spaced
from masis.sources.table_grid import Cell, grid, span, table_lines

_ROOTS = ("article", "book", "TEI", "chapter", "pmc-articleset")
_PARAGRAPHS = ("p", "para", "simpara", "disp-quote", "verse-line", "td", "term", "ab", "l")
_TITLES = ("article-title", "book-title", "title", "head")
_SECTIONS = (
    "sec",
    "section",
    "sect1",
    "sect2",
    "sect3",
    "sect4",
    "chapter",
    "div",
    "abstract",
    "ack",
    "app",
    "ref-list",
)
_UNTITLED = {"abstract": "Abstract", "ack": "Acknowledgments", "ref-list": "References"}
_SKIPPED = frozenset(
    "journal-meta article-id article-categories pub-date history permissions self-uri counts custom-meta-group "
    "object-id graphic media tex-math teiHeader related-article elocation-id volume issue fpage lpage "
    "author-notes funding-group contrib-id kwd-group xref".split()
)


def is_article(root: Element) -> bool:
    has_prose = any(name_of(each) in ("p", "para", "simpara") for each in root.iter())
    return name_of(root) in _ROOTS and has_prose


def article_lines(element: Element, level: int = 1) -> Iterator[str]:
    for child in elements(element):
        name = name_of(child)
        if name in _SKIPPED:
            continue
        if name in _TITLES:
            # Only the article's own title is above its sections.
            is_own = name in ("article-title", "book-title") or name_of(element) in _ROOTS
            yield from ("", f"{'#' * (1 if is_own else min(max(level, 2), 6))} {_words(child)}", "")
        elif name in ("contrib-group", "authorgroup"):
            yield from (", ".join(filter(None, (_person(each) for each in elements(child, "contrib", "author")))), "")
        elif name in ("list-item", "listitem", "item"):
            yield f"- {_words(child)}"
        elif name == "table" or name == "informaltable":
            yield from ("", *table_lines(_table_rows(child)), "")
        elif name in ("ref", "biblioentry", "aff", "fn"):
            yield from (_words(child), "")
        elif name in _PARAGRAPHS or not len(child):
            yield from _paragraph_lines(child, level)
        else:
            if name in _UNTITLED and not has(child, "title"):
                yield from ("", f"## {_UNTITLED[name]}", "")
            yield from article_lines(child, level + (name in _SECTIONS))


def _paragraph_lines(paragraph: Element, level: int) -> Iterator[str]:
    """The paragraph's text, followed by the lists and tables inside it."""
    blocks = [
        each
        for each in elements(paragraph)
        if name_of(each) in ("list", "table-wrap", "fig", "boxed-text", "itemizedlist")
    ]
    for block in blocks:
        tail, block.tail = block.tail, None
        block.addprevious(block.makeelement("moved"))
        block.getprevious().tail = f" {tail or ''}"
        paragraph.remove(block)
    yield from (_words(paragraph), "")
    for block in blocks:
        yield from article_lines(block, level)
        yield ""


def _person(contributor: Element) -> str:
    names = [
        part for name in ("given-names", "firstname", "surname", "collab") for part in descendants(contributor, name)
    ]
    return spaced(" ".join(own_text(part) for part in names))


def _words(element: Element) -> str:
    """Keeps neighbouring elements apart as their layout would; a formula appears once, not in each of its forms."""
    return spaced("".join(_pieces(element)))


def _pieces(element: Element) -> Iterator[str]:
    yield element.text or "" if isinstance(element.tag, str) else own_text(element)
    for child in element:
        name = name_of(child)
        if name not in ("tex-math", "graphic", "object-id"):
            is_block = name in (
                "p",
                "para",
                "title",
                "label",
                "name",
                "surname",
                "source",
                "year",
                "td",
                "caption",
                "addr-line",
            )
            yield from (" ", *_pieces(child), " ") if is_block else _pieces(child)
        yield child.tail or ""


def _table_rows(table: Element) -> list[list[str]]:
    return grid(_cells(row) for row in descendants(table, "tr", "row"))


def _cells(row: Element) -> list[Cell]:
    return [
        Cell(_words(cell), span(attribute(cell, "colspan")), span(attribute(cell, "rowspan")))
        for cell in elements(row, "td", "th", "entry")
    ]
