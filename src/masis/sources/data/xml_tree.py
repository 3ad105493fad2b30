"""Reads XML safely: entities are not expanded, nothing is fetched, and depth is limited; and writes its records as
lines."""

import html
import re
from collections.abc import Iterator
from typing import Any

from masis.errors import UnreadableFile
from masis.sources.table_grid import table_lines

Element = Any  # lxml's elements have no types

_LONG_CELL = 200
_INLINE = frozenset("a abbr b bold code em emph emphasis i italic link s span strong sub sup tt u xref".split())


def record_lines(element: Element) -> Iterator[str]:
    children = list(elements(element))
    if not children or all(name_of(child) in _INLINE for child in children):
        yield from _leaf_line(element)
        return
    yield from ("", _named(element))
    if loose := spaced(element.text or ""):
        yield loose
    if _is_table(children):
        yield from _table_rows(children)
        return
    for child in children:
        yield from record_lines(child)
        if loose := spaced(child.tail or ""):
            yield loose


def _leaf_line(element: Element) -> Iterator[str]:
    text = spaced(own_text(element))
    if text or element.attrib:
        yield f"{_named(element)}: {text}" if text else _named(element)


def _named(element: Element) -> str:
    """An element and its attributes: `country (code=FR)`."""
    pairs = [f"{key.rpartition('}')[2]}={spaced(value)}" for key, value in element.attrib.items() if value.strip()]
    return f"{name_of(element)} ({', '.join(pairs)})" if pairs else name_of(element)


def _is_table(children: list[Element]) -> bool:
    """Whether there are at least two records with the same name and the same short fields."""
    fields = [name_of(field) for field in elements(children[0])]
    return (
        len(children) > 1
        and len(fields) > 1
        and len({name_of(child) for child in children}) == 1
        and all(_is_row(child, fields) for child in children)
    )


def _is_row(record: Element, fields: list[str]) -> bool:
    cells = list(elements(record))
    return (
        [name_of(cell) for cell in cells] == fields
        and not record.attrib
        and all(not len(cell) and not cell.attrib and len(cell.text or "") <= _LONG_CELL for cell in cells)
    )


def _table_rows(records: list[Element]) -> Iterator[str]:
    yield f"{name_of(records[0])}:"
    names = [name_of(field) for field in elements(records[0])]
    yield from table_lines([names, *([own_text(cell) for cell in elements(record)] for record in records)], 1)
    yield ""


_MAX_DEPTH = 150
_DEEPER = "boolean(" + "/*" * _MAX_DEPTH + ")"
_BLANKS = re.compile(r"\s+")


def xml_root(data: bytes, file_name: str, *, tolerant: bool = False) -> Element:
    """Raises UnreadableFile. With `tolerant`, what comes before and after an error is kept."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, recover=tolerant
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableFile(
            f"{file_name} is not well-formed XML: {error}.", advice="Check that the file was saved completely."
        ) from error
    if root is None:
        raise UnreadableFile(f"{file_name} holds no XML.", advice="Check that the file was saved completely.")
    if root.xpath(_DEEPER):
        raise UnreadableFile(f"{file_name} nests its elements more than {_MAX_DEPTH} deep, more than any real file.")
    return root


def name_of(element: Element) -> str:
    """The name without its namespace, in which alone strict and transitional files differ."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def elements(parent: Element, *names: str) -> Iterator[Element]:
    """Children with these names, or all children."""
    return (child for child in parent if (name := name_of(child)) and (not names or name in names))


def first(parent: Element | None, *path: str) -> Element | None:
    """The element at the end of a path of names, taking the first of each."""
    for name in path:
        parent = next(elements(parent, name), None) if parent is not None else None
    return parent


def descendants(parent: Element, *names: str) -> Iterator[Element]:
    return (element for element in parent.iter() if name_of(element) in names)


def has(parent: Element | None, *names: str) -> bool:
    """Whether there is a descendant; the truth value of an lxml element says whether it has children."""
    return parent is not None and next(descendants(parent, *names), None) is not None


def attribute(element: Element | None, name: str) -> str:
    """An attribute by its name, whatever its namespace."""
    if element is None:
        return ""
    found: str | None = element.get(name)
    if found is None:
        found = next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
    return found


def number(text: str, default: int, most: int) -> int:
    """A count as written in files, at most `most`."""
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 10 else default


def own_text(element: Element) -> str:
    """All text inside. Named characters are decoded; entities defined by the file are not."""
    parts: list[str] = [element.text or "" if isinstance(element.tag, str) else html.unescape(element.text or "")]
    for child in element:
        parts += [own_text(child), child.tail or ""]
    return "".join(parts)


def spaced(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
