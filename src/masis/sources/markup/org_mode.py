"""Org: headings by their stars, tables, links as their words; drawers and settings are not text."""

import re
from collections.abc import Iterator

from masis.sources.table_grid import table_row

_HEADING = re.compile(
    r"(\*{1,9}) +(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED) +)?(?:\[#[A-Z]\] +)?(.*?)(?:[ \t]+:[\w@:]+:)?"
)
_SETTING = re.compile(r"\s*#\+(\w+):?\s*(.*)", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-+]|\d{1,4}[.)]) +(?:\[[ X-]\] )?(.*)")
_DRAWER = re.compile(r"^\s*:[A-Z_]+:\s*$.*?^\s*:END:\s*$", re.MULTILINE | re.DOTALL)
_TABLE_RULE = re.compile(r"\s*\|[-+]+\|?")
_PLANNING = re.compile(r"\s*(?:CLOSED|DEADLINE|SCHEDULED):.*")
_LINK = re.compile(r"\[\[(?:[^\[\]]{1,2000}\]\[)?([^\[\]]{1,500})\]\]")
_MARKED = re.compile(r"(?<![\w~=*/+])([~=*/+])(?=\S)([^~=*\n]{1,300}?)(?<=\S)\1(?![\w~=*/+])")
_TEXT_SETTINGS = ("caption", "subtitle", "author", "date")


def org_lines(text: str) -> Iterator[str]:
    for line in _DRAWER.sub("", text).split("\n"):
        heading, setting, item = _HEADING.fullmatch(line), _SETTING.fullmatch(line), _ITEM.fullmatch(line)
        if heading:
            yield f"\n{'#' * min(len(heading[1]), 6)} {_words(heading[2])}\n"
        elif setting:
            yield from _setting_lines(setting[1].lower(), setting[2].strip())
        elif _TABLE_RULE.fullmatch(line) or _PLANNING.fullmatch(line) or line.startswith("# "):
            continue
        elif line.lstrip().startswith("|"):
            yield table_row([_words(cell) for cell in line.strip().strip("|").split("|")])
        else:
            yield f"- {_words(item[1])}" if item else _words(line)


def _setting_lines(name: str, value: str) -> Iterator[str]:
    if name == "title" and value:
        yield f"# {_words(value)}\n"
    elif name in _TEXT_SETTINGS and value:
        yield f"Date: {value}" if name == "date" else _words(value)


def _words(text: str) -> str:
    return _MARKED.sub(r"\2", _LINK.sub(r"\1", text))
