"""reStructuredText: underlined headings by the order in which their marks appear, tables, links as their words."""

import re
from collections.abc import Iterator

from masis.sources.table_grid import table_row

_RULE = re.compile(r"([=\-`:'\"~^_*+#<>.!$%&,;@])\1{2,}")
_SHORT_RULE = re.compile(r"([=\-`:'\"~^_*+#<>.!$%&,;@])\1*")
_TABLE_RULE = re.compile(r"=+(?: +=+)+")
_GRID_RULE = re.compile(r"\+(?:[-=]+\+)+")
_DIRECTIVE = re.compile(r"\.\. (?:[\w:-]+:: ?|_[^:]+: ?|\|[^|]+\| [\w-]+:: ?)(.*)")
_TITLED = re.compile(
    r"\.\. (?:note|warning|tip|important|caution|danger|hint|attention|admonition|topic|rubric|table|math)::"
)
_OPTION = re.compile(r"\s+:[\w-]+:(?: .*)?")
_LINK = re.compile(r"`([^`<]{1,300}?)\s*<[^`<>]{1,2000}>`__?")
_ROLE = re.compile(r":[\w:+.-]{1,40}:`([^`<]{1,300}?)(?:\s*<[^`<>]{1,300}>)?`")
_CODE = re.compile(r"``([^`\n]{1,500})``")
_STRONG = re.compile(r"\*\*(\S(?:[^*\n]{0,300}\S)?)\*\*")


def restructured_lines(text: str) -> Iterator[str]:
    lines = text.split("\n")
    levels: dict[str, int] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        after = lines[index + 1] if index + 1 < len(lines) else ""
        below = lines[index + 2] if index + 2 < len(lines) else ""
        if _RULE.fullmatch(line) and line == below.rstrip() and after.strip():
            yield _heading(after, line * 2, levels)
            index += 3
        elif _is_underlined(line, after, lines[index - 1] if index else ""):
            yield _heading(line, after[0], levels)
            index += 2
        elif _TABLE_RULE.fullmatch(line.strip()):
            size = _table_size(lines, index)
            yield from _simple_table(lines[index : index + size])
            index += size
        else:
            yield from _line(line)
            index += 1


def _is_underlined(line: str, after: str, before: str) -> bool:
    if not line.strip() or line[0] == " " or before.strip() or _RULE.fullmatch(line):
        return False
    return bool(_SHORT_RULE.fullmatch(after)) and len(after) >= len(line.rstrip())


def _heading(text: str, mark: str, levels: dict[str, int]) -> str:
    kind = mark[0] if len(mark) == 1 else mark[:1] * 2
    level = levels.setdefault(kind, len(levels) + 1)
    return f"\n{'#' * min(level, 6)} {_words(text.strip())}\n"


def _line(line: str) -> Iterator[str]:
    if _GRID_RULE.fullmatch(line.strip()) or _OPTION.fullmatch(line):
        return
    stripped = line.strip()
    directive = _DIRECTIVE.fullmatch(stripped)
    if stripped.startswith("|") and stripped.endswith("|") and stripped.count("|") > 2:
        yield table_row([_words(cell) for cell in stripped.strip("|").split("|")])
    elif directive:
        # A file to include or a colour for code is not text; the title of a box is.
        yield from [_words(directive[1])] if _TITLED.match(stripped) and directive[1] else []
    else:
        yield _words(line)


def _table_size(lines: list[str], start: int) -> int:
    """Up to the rule that a blank line or the end follows."""
    for index in range(start + 1, len(lines)):
        if _TABLE_RULE.fullmatch(lines[index].strip()) and not "".join(lines[index + 1 : index + 2]).strip():
            return index + 1 - start
    return 1


def _simple_table(lines: list[str]) -> Iterator[str]:
    """Columns are where the rule has marks; a row without a first cell goes on with the row above."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    ends = [*starts[1:], None]
    rows: list[list[str]] = []
    for line in lines[1:]:
        if not line.strip() or _TABLE_RULE.fullmatch(line.strip()) or re.fullmatch(r"[-\s]+", line):
            continue
        cells = [_words(line[start:end].strip()) for start, end in zip(starts, ends, strict=True)]
        if rows and not cells[0]:
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    yield from ("", *(table_row(row) for row in rows), "")


def _words(text: str) -> str:
    return _STRONG.sub(r"\1", _CODE.sub(r"\1", _ROLE.sub(r"\1", _LINK.sub(r"\1", text))))
