"""Instructions for the answer: what to say when nothing is found, in which unit, how exactly, how briefly.

They are obeyed and taken out of the question: a search for “If data is not available, return N/A” finds nothing.
"""

import re
from dataclasses import dataclass

from masis.language.measures import NUMBER_WORDS

_TELL = r"(?:return|answer|say|write|respond|reply|state|put|use|give|enter|output|print|report)"
_ABSENT = r"(?:\bnot\b|n't\b|\bno\b|\bnone\b|\bnothing\b|\bmissing\b|\babsent\b|\bunavailable\b|\bunknown\b|\bcannot\b)"
IF_ABSENT = re.compile(
    rf"\bif\b[^.?!;]{{0,120}}?{_ABSENT}[^.?!;]{{0,80}}?[,:]?\s*(?:then\s+)?(?:please\s+)?(?:just\s+)?{_TELL}\s+"
    r"(?:with\s+)?(?P<said>\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|“[^”\n]{1,60}”|[\w/.-]{1,30}(?:\s[\w/.-]{1,20}){0,4})",
    re.IGNORECASE,
)
OTHERWISE = re.compile(rf"\b{_TELL}\s+(?P<said>N/?A|none|null|false|unknown)\s+if\b[^.?!;]{{0,120}}", re.IGNORECASE)
CONDITION = re.compile(r"\s*\bif\b[^.?!;]{0,160}", re.IGNORECASE)
_BEGINS = r"(?:^|(?<=[.?!,;])\s*)\s*(?:please\s+)?"
"""An order opens its sentence: “Did they report in euros?” gives none."""
UNIT = re.compile(
    rf"{_BEGINS}(?:{_TELL}|express|provide|convert)\b[^.?!;]{{0,40}}?\bin\s+(?P<unit>(?:(?-i:[A-Z]{{3}}\b)|US dollars"
    r"|dollars|euros|pounds|percent|percentage points|%|thousands?|millions?|billions?)(?:\s+of\s+|\s+)?"
    r"(?:(?-i:[A-Z]{3}\b)|dollars|euros|pounds|thousands?\b|millions?\b|billions?\b)?)",
    re.IGNORECASE,
)
ROUNDING = re.compile(
    r"\bround(?:ed)?\b[^.?!;]{0,40}?\bto\s+(?:the\s+nearest\s+(?P<whole>whole|integer|percent|number|million|thousand)"
    r"|(?P<places>\w+)\s+decimals?(?:\s+places?)?)(?:\s+(?:number|places?))?",
    re.IGNORECASE,
)
BRIEF = re.compile(
    rf"\b(?:{_TELL}\s+(?:me\s+)?(?:with\s+)?(?:only|just)\b|only\s+{_TELL}\b|{_TELL}\s+me\s+the\s+(?:title|name|number|date)\b"
    r"|(?:one|a\s+single)\s+word\b|(?:be|keep it)\s+(?:brief|short|concise)|in\s+one\s+sentence)[^.?!;]{0,60}",
    re.IGNORECASE,
)
MANNER = re.compile(
    r"^\W*(?:please\s+)?(?:(?:show|explain|justify)\s+(?:your|the)\s+(?:work|working|answer|reasoning|calculation)s?"
    r"|cite\s+(?:your\s+|the\s+|all\s+)?sources?|(?:use|give|answer\s+(?:in|with))\s+bullet\s*points?"
    r"|answer\s+(?:with\s+)?yes\s+or\s+no(?:\s+only)?|(?:answer|respond|reply)\s+in\s+(?:english|full sentences)"
    r"|if\b[^.?!]{0,160},\s*(?:then\s+)?(?:please\s+)?(?:exclude|ignore|skip|omit|leave|return|use|say|write|answer)\b[^.?!]{0,120}"
    r"|think\s+step\s+by\s+step|be\s+(?:precise|specific|accurate|thorough))\W*$",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"[^.?!\n]*(?:[.?!](?!\s|$)[^.?!\n]*)*[.?!\n]*\s*")
"""Up to a full stop that ends something: “1.4.0” and “mo.ui.text” do not."""


@dataclass(frozen=True, slots=True)
class Directives:
    if_absent: str | None = None
    """What to say where the documents have no answer."""
    unit: str | None = None
    decimals: int | None = None
    is_brief: bool = False
    """Only the title, the name, the number."""


NO_ORDERS = Directives()


def split_directives(text: str) -> tuple[str, Directives]:
    """What is asked, and how it is to be answered."""
    sentences = [match.group() for match in SENTENCE.finditer(text) if match.group().strip()]
    kept = [rest for sentence in sentences if (rest := _without_orders(sentence)).strip(" ,;.\n")]
    asked = " ".join(" ".join(kept).split())
    # Orders alone are all there is to go by.
    return (asked, _directives(text)) if asked else (text.strip(), NO_ORDERS)


def _directives(text: str) -> Directives:
    absent = IF_ABSENT.search(text) or OTHERWISE.search(text)
    unit, rounding = UNIT.search(text), ROUNDING.search(text)
    return Directives(
        absent["said"].strip("\"'“” .") if absent else None,
        " ".join(unit["unit"].split()) if unit else None,
        _places(rounding) if rounding else None,
        bool(BRIEF.search(text)),
    )


def _places(rounding: re.Match[str]) -> int:
    said = (rounding["places"] or "0").lower()
    return int(said) if said.isdigit() else NUMBER_WORDS.get(said, 0)


def _without_orders(sentence: str) -> str:
    """An order may be a sentence of its own, or hang on one that asks."""
    if MANNER.search(sentence):
        return ""
    bare = OTHERWISE.sub(" ", IF_ABSENT.sub(" ", sentence))
    if bare != sentence and not bare.rstrip().endswith("?"):
        bare = CONDITION.sub(" ", bare)
    for order in (ROUNDING, UNIT, BRIEF):
        bare = order.sub(" ", bare) if not _is_all_that_asks(order, bare) else bare
    return bare if bare == sentence or _still_asks(bare) else ""


def _is_all_that_asks(order: re.Pattern[str], sentence: str) -> bool:
    """“Give me the title of the report on water” asks for it; nothing else would be left of the question."""
    found = order.search(sentence)
    rest = sentence[found.end() :].strip(" .?!") if found else ""
    return bool(found and order is BRIEF and re.match(r"(?:of|for|in|that|which|who)\b", rest, re.IGNORECASE))


def _still_asks(rest: str) -> bool:
    return len(re.findall(r"\w{2,}", rest)) >= 3 or rest.rstrip().endswith("?")
