"""Figures as a person reads them: from the binary fractions that files keep, and by the format of their cell."""

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

_FRACTION = re.compile(r"-?\d+\.\d{6,}(?:[eE][-+]?\d+)?|-?\d+(?:\.\d+)?[eE][-+]?\d+")
_EXACT = 1e15
_MOST_DECIMALS = 15

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0', 6: '"$"#,##0', 7: '"$"#,##0.00', 8: '"$"#,##0.00',
    9: "0%", 10: "0.00%", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 41: "#,##0;(#,##0)", 42: '"$"#,##0;("$"#,##0)', 43: "#,##0.00;(#,##0.00)",
    44: '"$"#,##0.00;("$"#,##0.00)',
}  # fmt: skip
"""The formats that every workbook knows by number alone."""

# A quoted or escaped text; a colour, condition or currency in brackets; padding and filling; else one character.
_PIECE = re.compile(r'"([^"]*)"|\\(.)|\[([^\]]*)\]|[_*].|(.)', re.DOTALL)
_DIGITS = "0#?"


class _Section(NamedTuple):
    before: str
    after: str
    decimals: int
    least_decimals: int
    groups: bool
    shows_zero: bool
    scale: float
    """What the value is divided by: trailing commas show thousands or millions, a per cent sign hundredths."""


def readable_float(value: float) -> str:
    """12.0 is 12, and 0.1 + 0.2 is 0.3; files keep 15 digits."""
    if value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return f"{value:.15g}"


def readable_number(text: str) -> str:
    """The same for a figure in writing; any other text stays as it is."""
    return readable_float(float(text)) if len(text) < 40 and _FRACTION.fullmatch(text) else text


def displayed(value: float, code: str) -> str:
    """As a sheet shows it; a format for dates, fractions or text leaves the figure as it is kept."""
    sections = _sections(code)
    if not sections or abs(value) >= _EXACT:
        return readable_float(float(value))
    is_negative = value < 0
    own = sections[1] if is_negative and len(sections) > 1 else sections[0]
    if value == 0 and len(sections) > 2:
        own = sections[2]
    if own is None:
        return readable_float(float(value))
    shown = _digits(abs(value), own)
    sign = "-" if is_negative and len(sections) == 1 and shown.strip("0.,") else ""
    return f"{sign}{own.before}{shown}{own.after}".strip()


def _digits(value: float, section: _Section) -> str:
    if section.decimals < 0:
        return ""
    exact = Decimal(repr(float(value))) / Decimal(section.scale)
    rounded = exact.quantize(Decimal(1).scaleb(-section.decimals), ROUND_HALF_UP)
    whole, point, part = f"{rounded:{',' if section.groups else ''}f}".partition(".")
    whole = "" if whole == "0" and not section.shows_zero else whole
    part = part[: section.least_decimals] + part[section.least_decimals :].rstrip("0")
    return f"{whole}{point}{part}" if part else whole


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[_Section | None, ...]:
    """Of positive, negative and zero values; empty for a format that is not of plain figures."""
    if len(code) > 255 or code.strip().lower() in ("", "general", "@"):
        return ()
    parts = [_section(part) for part in _split(code)[:3]]
    return tuple(parts) if parts and parts[0] is not None else ()


def _split(code: str) -> list[str]:
    """At semicolons outside of quotes."""
    parts = [""]
    for match in _PIECE.finditer(code):
        if match[4] == ";":
            parts.append("")
        else:
            parts[-1] += match[0]
    return parts


def _section(code: str) -> _Section | None:
    before, after, pattern = "", "", ""
    for match in _PIECE.finditer(code):
        quoted, escaped, bracketed, plain = match.groups()
        if plain is not None and (plain in _DIGITS or (plain in ".," and pattern)):
            if after.strip():
                return None  # two figures in one cell: a fraction, a telephone number
            pattern += plain
            continue
        if plain is not None and (plain.isalpha() or plain in "/@:"):
            return None
        text = quoted if quoted is not None else escaped if escaped is not None else plain or ""
        if bracketed is not None:
            text = bracketed[1:].split("-")[0] if bracketed.startswith("$") else ""
            if bracketed.lower() in ("h", "hh", "m", "mm", "s", "ss"):
                return None
        if pattern:
            after += text
        else:
            before += text
    return _of(pattern, before, after)


def _of(pattern: str, before: str, after: str) -> _Section | None:
    bare = pattern.rstrip(",")
    whole, _, part = bare.partition(".")
    if "," in part or "." in part:
        return None
    scale = 1000.0 ** (len(pattern) - len(bare))
    scale /= 100.0 if "%" in before + after else 1.0
    decimals = min(len(part), _MOST_DECIMALS) if pattern else -1
    return _Section(before.lstrip(), after.rstrip(), decimals, part.count("0"), "," in whole, "0" in whole, scale)
