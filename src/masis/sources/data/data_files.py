"""Data files (JSON, JSON lines, XML, notebooks, CSV) as readable lines with field names."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from masis.errors import UnreadableFile
from masis.sources.data.xml_tree import (
    Element,
    attribute,
    descendants,
    first,
    name_of,
    own_text,
    record_lines,
    spaced,
    xml_root,
)
from masis.sources.dates import find_date
from masis.sources.markup.markdown import parse_markdown
from masis.sources.markup.webpage import parse_webpage
from masis.sources.markup.xml_article import article_lines, is_article
from masis.sources.plain import clean, decode, extension, one_line
from masis.sources.table_grid import table_lines
from masis.types import Page, ParsedDocument

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50
_CELL_LIMIT = 10_000_000


def parse_delimited(data: bytes, file_name: str) -> ParsedDocument:
    text = clean(decode(data, file_name))
    delimiter = "\t" if extension(file_name) == ".tsv" else _delimiter_of(text)
    try:
        rows = [row for row in _rows(text, delimiter) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UnreadableFile(f"{file_name} is not a readable table: {error}.") from error
    return ParsedDocument([Page(1, "\n".join(table_lines(rows)))])


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_CELL_LIMIT)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _delimiter_of(text: str) -> str:
    """The delimiter that splits the first rows into the most columns, all alike."""
    return max(_DELIMITERS, key=lambda delimiter: _regularity(text, delimiter))


def _regularity(text: str, delimiter: str) -> tuple[float, int]:
    try:
        widths = [len(row) for row, _ in zip(_rows(text, delimiter), range(_SAMPLE_ROWS), strict=False) if row]
    except csv.Error:
        return (0.0, 0)
    usual = max(set(widths), key=widths.count, default=1)
    return (widths.count(usual) / len(widths), usual) if usual > 1 else (0.0, 0)


Value = Any  # JSON

_LINES = (".jsonl", ".ndjson", ".jsonlines")
_LONG_CELL = 200
_TITLES = ("title", "name", "subject", "headline")
_TERMINAL_CODE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_DEEP = "nests its values deeper than any real file does"


def parse_json(data: bytes, file_name: str) -> ParsedDocument:
    text = decode(data, file_name).lstrip("\ufeff")
    if extension(file_name) in _LINES:
        return _parse_json_lines(text, file_name)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        if _first_line_is_whole(text):
            return _parse_json_lines(text, file_name)
        raise UnreadableFile(
            f"{file_name} is not valid JSON: it breaks at line {error.lineno}, column {error.colno} ({error.msg}).",
            advice="Check that the file was saved completely, or rename it to .txt to have it read as text.",
        ) from error
    except (RecursionError, ValueError) as error:
        raise UnreadableFile(f"{file_name} {_DEEP}.") from error
    return _document(_readable(value, file_name), _title(value))


def _first_line_is_whole(text: str) -> bool:
    try:
        return isinstance(json.loads(text.split("\n", 1)[0]), dict | list)
    except (ValueError, RecursionError):
        return False


def _parse_json_lines(text: str, file_name: str) -> ParsedDocument:
    records, broken = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            records += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError):
            broken.append(number)
    if not records:
        raise UnreadableFile(
            f"{file_name} is not JSON lines: line {broken[0] if broken else 1} is not valid JSON.",
            advice="Check that the file was saved completely, or rename it to .txt to have it read as text.",
        )
    named = ", ".join(map(str, broken[:10])) + (" and others" if len(broken) > 10 else "")
    notes = [f"Not valid JSON and left out: line {named}."] if broken else []
    return _document(_readable(records, file_name), None, notes)


def _document(text: str, title: str | None, notes: Sequence[str] = ()) -> ParsedDocument:
    return ParsedDocument([Page(1, text)], title=title, date=find_date(text), notes=notes)


def _readable(value: Value, file_name: str) -> str:
    try:
        return clean("\n".join(_value_lines(value, "")))
    except RecursionError as error:
        raise UnreadableFile(f"{file_name} {_DEEP}.") from error


def _title(value: Value) -> str | None:
    found = (value.get(key) for key in _TITLES) if isinstance(value, dict) else ()
    return next((one_line(text) for text in found if isinstance(text, str) and text.strip()), None)


def _value_lines(value: Value, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _value_lines(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        yield from _list_lines(value, path)
    elif (text := _leaf(value)) or not path:
        yield f"{path}: {text}" if path else text


def _list_lines(values: list[Value], path: str) -> Iterator[str]:
    if _is_table(values):
        columns = list(dict.fromkeys(key for record in values for key in record))
        yield from ("", f"{path}:") if path else ("",)
        rows = ([_leaf(record.get(column)) for column in columns] for record in values)
        yield from table_lines([[str(column) for column in columns], *rows], 1)
        yield ""
    elif all(not isinstance(each, dict | list) for each in values):
        joined = ", ".join(filter(None, (_leaf(each) for each in values)))
        yield f"{path}: {joined}" if path else joined
    else:
        for number, each in enumerate(values, start=1):
            # Records are separated, because their fields belong together.
            yield ""
            yield from _value_lines(each, f"{path}[{number}]" if path or not isinstance(each, dict) else "")


def _is_table(values: list[Value]) -> bool:
    """Whether the values are records of short values with similar fields; long texts read better one below the
    other."""
    if len(values) < 2 or not all(isinstance(each, dict) and each for each in values):
        return False
    widest = len({key for record in values for key in record})
    return widest <= 2 * min(len(record) for record in values) and all(
        not isinstance(field, dict | list) and len(str(field)) <= _LONG_CELL and "\n" not in str(field)
        for record in values
        for field in record.values()
    )


def _leaf(value: Value) -> str:
    if value is None or value in ({}, []):
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value)


def parse_xml(data: bytes, file_name: str) -> ParsedDocument:
    root, notes = _xml_root(data, file_name)
    if name_of(root) == "html":
        return parse_webpage(data, file_name)
    text = clean("\n".join(article_lines(root) if is_article(root) else record_lines(root)))
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    named = first(root, "title") if name_of(root) != "article" else None
    title = heading[1] if heading else spaced(own_text(named)) if named is not None else None
    date = _publication(root) or find_date(text)
    return ParsedDocument([Page(1, text)], title=title or None, date=date, notes=notes)


def _xml_root(data: bytes, file_name: str) -> tuple[Element, list[str]]:
    try:
        return xml_root(data, file_name), []
    except UnreadableFile as error:
        return xml_root(data, file_name, tolerant=True), [f"Read in part, because the file has errors: {error}"]


def _publication(root: Element) -> str | None:
    """The earliest publication date of an article, as precise as given."""
    dates = []
    for date in descendants(root, "pub-date"):
        parts = [own_text(part).strip() for name in ("year", "month", "day") if (part := first(date, name)) is not None]
        if parts and all(part.isdigit() for part in parts) and attribute(date, "pub-type") != "collection":
            dates.append("-".join([parts[0], *(part.zfill(2) for part in parts[1:])]))
    return min(dates, default=None)


def parse_notebook(data: bytes, file_name: str) -> ParsedDocument:
    try:
        notebook = json.loads(decode(data, file_name))
        cells = notebook.get("cells") or [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
        text = clean("\n\n".join(filter(None, (_cell_text(cell, file_name) for cell in cells))))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableFile(
            f"{file_name} is damaged: it cannot be read as a notebook.",
            advice="Open it in Jupyter and save it again, or export it as Markdown.",
        ) from error
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
    return _document(text, heading[1] if heading else None)


def _cell_text(cell: Value, file_name: str) -> str:
    source = _joined(cell.get("source", cell.get("input", "")))
    if cell.get("cell_type") == "markdown":
        return parse_markdown(source.encode("utf-8", "replace"), file_name).text if source.strip() else ""
    if cell.get("cell_type") != "code":
        return source
    shown = [_output_text(output) for output in cell.get("outputs", [])]
    code = f"```\n{source}\n```" if source.strip() else ""
    return "\n".join(filter(None, [code, *shown]))


def _output_text(output: Value) -> str:
    data = output.get("data", output)
    text = _joined(
        output.get("text") or data.get("text/markdown") or data.get("text/plain") or output.get("traceback", "")
    )
    return _TERMINAL_CODE.sub("", text)


def _joined(text: Value) -> str:
    return "".join(text) if isinstance(text, list) else str(text)
