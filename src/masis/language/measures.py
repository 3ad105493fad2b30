"""What a bare number is measured in: time, length, weight, temperature. Only like is compared with like."""

import re

_FORMS = {
    ("month", 1): "month months", ("month", 12): "year years yr yrs",
    ("day", 1): "day days", ("day", 7): "week weeks",
    ("minute", 1): "minute minutes min", ("minute", 60): "hour hours hr hrs h",
    ("minute", 1 / 60): "second seconds sec secs",
    ("celsius", 1): "°c celsius", ("fahrenheit", 1): "°f fahrenheit", ("kelvin", 1): "kelvin",
    ("metre", 1): "metre metres meter meters m", ("metre", 0.01): "cm centimetre centimetres centimeter centimeters",
    ("metre", 0.001): "mm millimetre millimetres millimeter millimeters",
    ("metre", 1000): "km kilometre kilometres kilometer kilometers",
    ("mile", 1): "mile miles mi", ("foot", 1): "foot feet ft", ("inch", 1): "inch inches",
    ("gram", 1000): "kg kilogram kilograms", ("gram", 1): "gram grams g", ("gram", 1e6): "tonne tonnes",
    ("gram", 1e-3): "mg milligram milligrams", ("gram", 1e-6): "µg μg mcg microgram micrograms",
    ("pound", 1): "lb lbs", ("litre", 1): "litre litres liter liters l",
    ("litre", 0.001): "ml millilitre millilitres milliliter milliliters", ("gallon", 1): "gallon gallons",
    ("kwh", 1): "kwh", ("kwh", 1000): "mwh", ("kw", 1): "kw", ("kw", 1000): "mw",
}  # fmt: skip
MEASURES = {form: kind for kind, forms in _FORMS.items() for form in forms.split()}
"""Each word with the measure it belongs to and how many of its base units it holds."""

IS_TIME = frozenset({"month", "day", "minute"})
_FORM = "|".join(re.escape(form) for form in sorted(MEASURES, key=len, reverse=True))
AFTER_A_NUMBER = re.compile(rf"(?:\s|-)?(?P<form>{_FORM})(?!\w)", re.IGNORECASE)
IN_A_LABEL = re.compile(rf"[(\[_]\s*(?:in\s)?(?P<form>{_FORM})\s*(?:[)\]_]|$)", re.IGNORECASE)


A_NAME = re.compile(r"-?[GM]")
"""“A 5G network”, “the 3M plant”: grams and metres have small letters."""


def measure_after(text: str, position: int) -> str | None:
    match = AFTER_A_NUMBER.match(text, position)
    return match["form"].lower() if match and not A_NAME.fullmatch(match.group().strip()) else None


def measure_in_label(label: str) -> str | None:
    match = IN_A_LABEL.search(label)
    return match["form"].lower() if match else None
