"""XML of any kind: records as tables or lines, each text under the name of its element."""

from collections.abc import Iterator

from masis.sources.data.xml_tree import Element, elements, name_of, own_text, spaced
from masis.sources.table_grid import table_lines

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
    """Two or more records of the same name with the same short fields."""
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
