"""Decides which bracketed tokens are ids, known or made up.

A token is a known id if it equals one, ignoring letter case, dashes and surrounding quotes and stars. An unknown token
is a made-up id if it
- has the shape of a known id (`[chunk_99]` beside `chunk_12`, `[doc2-7]` beside `doc1-3`, eleven letters and digits
  that start with c beside `c7k2m9x4qt1`, or only its first letter and a number: `[c9999]`),
- is a UUID, a long hexadecimal number, a file name, or joined by underscore, colon or hash (`[fake_id]`),
- or mixes letters and digits in a way that is not a common shorthand, such as `[Q3]`, `[FY2024]`, `[A4]`, `[5bn]`,
  `[10-K]`, `[Table2]` (see `is_shorthand`).

The shape of the known ids takes precedence: if they look like `Q1` and `Q2`, `[Q3]` is made up. A token without any
letter (`[12]`, `[2024-03-31]`) is an id only if it is a known one.
"""

import re
from collections.abc import Collection

from masis.language.characters import INVISIBLE, one_of, plain_typography, word_set

_SOURCE_WORDS = word_set(
    "doc docs document chunk source src ref reference id ev evid evidence passage cit cite citation snippet para"
)
"""Words that name a source: `[DOC3]` and `[ref-12]` are ids however they are written."""

_YEAR = r"(?:(?:19|20)\d\d|\d\d)"
_MONTH = one_of("jan feb mar apr may jun jul aug sept? oct nov dec mai okt dez june july march april")
_PERIOD = one_of("fy cy ltm ttm ytd q[1-4] [1-4]q h[12] [12]h [369]m 12m")
_UNIT = one_of(
    """st nd rd th pp bps? [a-z] mn mm bn tn kg km kwh? mwh? gwh? [kmgt]b [mg]?hz nm cm ft hrs? yrs? am pm
    usd eur gbp million billion percent"""
)
_LABEL = one_of(
    """table tab figure fig note exhibit item section sec appendix annex part page pp? chapter ch phase stage
    tier level type class series grade step year month week day top covid web windows form article art
    line row slide eq vol no nr mid pre post early late since non ex round gen group zone unit model cop
    euro"""
)
_SHORTHAND = re.compile(
    "|".join(
        (
            # Q3, FY2024, 1H24, FY24/25, 2024Q3
            rf"{_PERIOD}(?:[-/']?(?:fy|cy)?{_YEAR}(?:[-/]{_YEAR})?)?[eafp]?|{_YEAR}[-/]?(?:q[1-4]"
            r"|h[12])[eafp]?",
            # Mar-24, 31Dec2024
            rf"{_MONTH}[-/']?{_YEAR}|\d{{1,2}}[-/]?{_MONTH}(?:[-/]?{_YEAR})?",
            # 5bn, USD3.5m, 12th, 1990s, 2024E, 2x4
            rf"(?:usd|eur|gbp|chf|jpy|us)?\d[\d.,]*{_UNIT}?|\d+x\d+",
            # 10-K, 3-year, 1st-half
            r"\d{1,4}(?:st|nd|rd|th)?-[a-z]{1,12}(?:-[a-z]{1,12})*(?:/a)?",
            # Table2, mid-2024, v1.2.3
            rf"{_LABEL}[-.]?\d{{1,4}}[a-z]?|v\d+(?:\.\d+)*",
        )
    ),
    re.IGNORECASE,
)
# A4, CO2, B2B; GPT-4o; NYSE:IBM
_CAPITALS = re.compile(r"(?=.{2,6}$)[A-Z0-9]+(?:-[A-Z0-9]+)*|[A-Z]{2,6}-\d[\w.]{0,3}|[A-Z]{2,8}:[A-Z]{1,6}(?:\.[A-Z])?")
_LETTERS = re.compile(r"[A-Za-z]*")


def is_shorthand(token: str) -> bool:
    letters = _LETTERS.match(token)
    if letters and letters.group().lower() in _SOURCE_WORDS:
        return False
    return _SHORTHAND.fullmatch(token) is not None or _CAPITALS.fullmatch(token) is not None


TYPOGRAPHY = "\"'“”‘’«»*_`~^#@<>{}()†.,:;!?|\\/=+" + INVISIBLE
"""Characters that may surround an id without being part of it."""

_MATHS = re.compile(r"[A-Za-z]_\{?\w\}?")
_ADDRESS = re.compile(r"\w+://|www\.|mailto:|[^@]+@[^@]+\.\w", re.IGNORECASE)
_HEXADECIMAL = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}", re.IGNORECASE
)
_FILE_NAME = re.compile(
    r".*[^\W_].*\.(?:pdf|docx?|xlsx?|csv|tsv|pptx?|txt|md|html?|json|eml|rtf|odt|epub|xml)", re.IGNORECASE
)
_TOKEN = re.compile(r"[\w.\-:#/@†]+")
_JOINED = re.compile(r"[^\W_][_:#]+[^\W_]")
_RUN = re.compile(r"[^\W\d_]+|\d+|[\W_]+")
_LONGEST_ID = 160

Shape = tuple[str, ...]


class IdLexicon:
    """The known ids, by spelling and by shape."""

    def __init__(self, known_ids: Collection[str]) -> None:
        self._by_key: dict[str, str] = {}
        self._exact = frozenset(known for known in known_ids if known.strip())
        for known in sorted(self._exact):
            self._by_key.setdefault(_key(known), known)
        self._shapes = {shape for known in self._exact if (shape := _shape(known))}
        self._opaque_initials = {shape[1] for shape in self._shapes if shape[0] == "opaque"} - {"0"}

    def resolve(self, token: str) -> str | None:
        """The known id that a token means, or None."""
        bare = token.strip()
        if bare in self._exact:
            return bare
        return self._by_key.get(_key(bare)) or self._by_key.get(_key(bare.strip(TYPOGRAPHY + " ")))

    def has_known_shape(self, token: str) -> bool:
        key = _key(token)
        if len(key) > 1 and key[0] in self._opaque_initials and key[1:].isdecimal():
            return True
        return _shape(key) in self._shapes

    def looks_made_up(self, token: str) -> bool:
        """Whether an unknown token looks like an id."""
        if len(token) > _LONGEST_ID or not _TOKEN.fullmatch(token) or _ADDRESS.match(token):
            return False
        if self.has_known_shape(token):
            return True
        return not is_shorthand(token) and _mixes_like_an_id(token)


def is_distinctive(identifier: str) -> bool:
    """No word or number could be this id. Only such ids are looked for among running words."""
    has_letter = any(character.isalpha() for character in identifier)
    return has_letter and any(c.isdecimal() or c in "_:#/" for c in identifier)


def is_plain_number(token: str) -> bool:
    has_digit = any(character.isdecimal() for character in token)
    return has_digit and not any(character.isalpha() or character in "_#" for character in token)


def _mixes_like_an_id(token: str) -> bool:
    if _HEXADECIMAL.fullmatch(token) or _FILE_NAME.fullmatch(token):
        return True
    if is_plain_number(token) or _MATHS.fullmatch(token):
        return False
    # Scripts without spaces mix letters and digits freely: [第3章], [2024年].
    is_latin = all(ord(character) < 0x250 for character in token)
    mixes = is_latin and any(c.isalpha() for c in token) and any(c.isdecimal() for c in token)
    return mixes or _JOINED.search(token) is not None


def _key(token: str) -> str:
    return plain_typography(token).replace("\\", "").casefold()


def _shape(identifier: str) -> Shape | None:
    """The shape of an id: the first letters as they are, other letters by their count, digits as such; an opaque id by
    its length."""
    runs = _RUN.findall(identifier.casefold())
    if len(runs) < 2:
        return None
    if identifier.isalnum() and len(identifier) >= 8 and len(runs) >= 3:
        return ("opaque", runs[0][0] if runs[0].isalpha() else "0", str(len(identifier)))
    if not any(run.isalpha() for run in runs):
        return tuple(f"{len(run)} digits" if run.isdecimal() else run for run in runs)
    return (runs[0] if runs[0].isalpha() else "0", *(_run_shape(run) for run in runs[1:]))


def _run_shape(run: str) -> str:
    if run.isdecimal():
        return "0"
    return f"{len(run)} letters" if run.isalpha() else run
