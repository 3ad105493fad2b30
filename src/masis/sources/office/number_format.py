"""Figures as a person would write them, from the binary fractions that files keep."""

import re

_FRACTION = re.compile(r"-?\d+\.\d{6,}(?:[eE][-+]?\d+)?|-?\d+(?:\.\d+)?[eE][-+]?\d+")
_EXACT = 1e15


def readable_float(value: float) -> str:
    """12.0 is 12, and 0.1 + 0.2 is 0.3; files keep 15 digits."""
    if value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return f"{value:.15g}"


def readable_number(text: str) -> str:
    """The same for a figure in writing; any other text stays as it is."""
    return readable_float(float(text)) if len(text) < 40 and _FRACTION.fullmatch(text) else text
