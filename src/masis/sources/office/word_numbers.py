"""The numbers Word writes before headings and clauses: they are counted when the document is shown, not kept in it."""

from dataclasses import dataclass

from masis.sources.data.xml_tree import Element, attribute, descendants, elements, first, number

_LEVELS = 9
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    pattern: str
    """`%1.%2` stands for the counts of the first two levels."""


class ParagraphNumbers:
    """Counts the paragraphs of each numbering as they come."""

    def __init__(self, root: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counts: dict[str, list[int]] = {}
        self._kinds: dict[str, str] = {}
        if root is not None:
            for kind in descendants(root, "abstractNum"):
                self._levels[attribute(kind, "abstractNumId")] = dict(map(_level, elements(kind, "lvl")))
            for each in descendants(root, "num"):
                self._kinds[attribute(each, "numId")] = attribute(first(each, "abstractNumId"), "val")

    def next(self, own: Element | None, of_style: Element | None, *, is_heading: bool) -> str:
        """The number of the next paragraph; empty when it has none."""
        listed = _value("numId", own, of_style)
        kind = self._kinds.get(listed, "")
        place = depth_of(own, of_style)
        levels = self._levels.get(kind, {})
        level = levels.get(place)
        if level is None:
            return ""
        # The clauses of a contract go on over all its parts; a simple list begins again.
        counted = kind if is_heading or _is_outline(levels) else f"list {listed}"
        counts = self._counts.setdefault(counted, [0] * _LEVELS)
        counts[:] = [*(count or 1 for count in counts[:place]), counts[place] + 1, *[0] * (_LEVELS - place - 1)]
        return _written(level.pattern, levels, counts) if "%" in level.pattern else ""


def depth_of(own: Element | None, of_style: Element | None) -> int:
    """How far inside a list, from 0."""
    return number(_value("ilvl", own, of_style), 0, _LEVELS - 1)


def _level(element: Element) -> tuple[int, _Level]:
    form, pattern = (attribute(first(element, name), "val") for name in ("numFmt", "lvlText"))
    return number(attribute(element, "ilvl"), 0, _LEVELS - 1), _Level(form, pattern if form != "bullet" else "")


def _value(name: str, own: Element | None, of_style: Element | None) -> str:
    """The paragraph's own, or its style's."""
    return attribute(first(own, name), "val") or attribute(first(of_style, name), "val")


def _is_outline(levels: dict[int, _Level]) -> bool:
    """Contracts number their clauses 4.2.1."""
    return any(level.pattern.count("%") > 1 for level in levels.values())


def _written(pattern: str, levels: dict[int, _Level], counts: list[int]) -> str:
    for index, count in enumerate(counts):
        form = levels[index].form if index in levels else "decimal"
        pattern = pattern.replace(f"%{index + 1}", _in_form(count or 1, form))
    return pattern


def _in_form(count: int, form: str) -> str:
    if form.endswith("Letter"):
        letters = chr(97 + (count - 1) % 26) * min(1 + (count - 1) // 26, 20)
        return letters.upper() if form.startswith("upper") else letters
    if form.endswith("Roman"):
        return _roman(count).upper() if form.startswith("upper") else _roman(count)
    return str(count)


def _roman(count: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (count // value)
        count %= value
    return text
