"""Charts of Office files as tables: a row for each category, a column for each series."""

from collections.abc import Iterator

from masis.sources.data.xml_tree import Element, attribute, descendants, first, number
from masis.sources.office.number_format import readable_number
from masis.sources.plain import one_line
from masis.sources.table_grid import table_lines

_MAX_POINTS = 5000


def chart_lines(root: Element) -> Iterator[str]:
    title = next(descendants(root, "title"), None)
    if title is not None and (text := one_line("".join(part.text or "" for part in descendants(title, "t", "v")))):
        yield f"Chart: {text}"
    series = list(descendants(root, "ser"))
    names = [one_line(" ".join(_points(first(each, "tx")).values())) for each in series]
    labels: dict[int, str] = {}
    for each in series:
        for key, label in _points(
            first(each, "cat") if first(each, "cat") is not None else first(each, "xVal")
        ).items():
            labels.setdefault(key, label)
    columns = [
        _points(first(each, "val") if first(each, "val") is not None else first(each, "yVal")) for each in series
    ]
    rows = sorted({key for column in columns for key in column} | set(labels))
    cells = [[labels.get(row, ""), *(column.get(row, "") for column in columns)] for row in rows]
    yield from table_lines([["", *names], *cells], 1) if rows else ()


def _points(data: Element | None) -> dict[int, str]:
    """The values the chart was last drawn with, by their place."""
    if data is None:
        return {}
    points: dict[int, str] = {}
    for point in descendants(data, "pt"):
        value = first(point, "v")
        if value is not None:
            points[number(attribute(point, "idx"), len(points), _MAX_POINTS)] = readable_number(value.text or "")
    return points
