"""Plain text: its encoding, and the cleaning that every format's text gets."""

import codecs
import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePath

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
from masis.sources.encodings import guess_encoding, unmarked_unicode
from masis.types import Page, ParsedDocument

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_INVISIBLE = re.compile(r"[\u00ad\u200b\u2060\ufeff]")
_LINE_ENDS = re.compile(r"\r\n?|\x85|\u2028|\u2029|\x0b")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_TITLE_CHARS = range(3, 121)
_NO_TITLE = re.compile(r"[.:,;]$| \| ")


def parse_plain(data: bytes, file_name: str) -> ParsedDocument:
    """A form feed ends a page, as printers have it."""
    texts = [with_tables(clean(part)) for part in decode(data, file_name).split("\f")]
    pages = [Page(number, text) for number, text in enumerate(texts, start=1)]
    first = next((text for text in texts if text), "")
    return ParsedDocument(pages, title=title_line(first), date=find_date(first))


def decode(data: bytes, file_name: str, declared: str | None = None) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding, file_name)
    for candidate in (unmarked_unicode(data), _escaped(data), declared, "utf-8"):
        if candidate:
            try:
                return _refuse_binary(data.decode(candidate), file_name)
            except (UnicodeDecodeError, LookupError):
                continue
    if (text := _nearly_utf8(data)) is not None:
        return _refuse_binary(text, file_name)
    return _strict(data, guess_encoding(data) or "cp1252", file_name)


def _strict(data: bytes, encoding: str, file_name: str) -> str:
    try:
        return _refuse_binary(data.decode(encoding), file_name)
    except UnicodeDecodeError:
        raise _not_text(file_name) from None


def _escaped(data: bytes) -> str | None:
    """Japanese and Korean in seven bits switch alphabets by escape sequences."""
    if b"\x1b$" not in data:
        return None
    return "iso2022_kr" if b"\x1b$)C" in data else "iso2022_jp_2"


def _nearly_utf8(data: bytes) -> str | None:
    """One damaged character, or a cut-off end, does not make a long text another encoding."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore")) - damaged
    return text if beyond_ascii > 20 * damaged else None


def _refuse_binary(text: str, file_name: str) -> str:
    # A stray control character happens in real text; one in a hundred, or a zero, means the file is none.
    if "\x00" in text or len(_CONTROLS.findall(text)) > len(text) * 0.01 + 1:
        raise _not_text(file_name)
    return text


def _not_text(file_name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} holds binary data, not text in a known encoding.",
        advice="Check that the file is intact; save text as UTF-8.",
    )


def clean(text: str) -> str:
    """One line end, composed characters, nothing invisible: text that can be stored, searched and quoted."""
    text = _LINE_ENDS.sub("\n", text)
    text = _SURROGATES.sub("\ufffd", _INVISIBLE.sub("", _CONTROLS.sub("", text)))
    lines = [line.rstrip() for line in unicodedata.normalize("NFC", text).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


_SET_APART = re.compile(r"\S+(?: \S+)*")
_FIGURE = re.compile(r"[-−–+($€£¥ ]{0,4}\d[\d.,]*[)% ]{0,3}(?:[kmb]n?)?|[-–—]", re.IGNORECASE)
_RULED = re.compile(r"[\s=_+-]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FEWEST_ROWS, _MOST_ROWS, _WIDEST_ROW = 3, 200, 300


def with_tables(text: str) -> str:
    """Columns set with spaces as a table of rows between bars; what does not line up stays as it was typed."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(_as_table(p.split("\n")) or p for p in paragraphs)


def _as_table(lines: Sequence[str]) -> str | None:
    if not _FEWEST_ROWS <= len(lines) <= _MOST_ROWS or max(map(len, lines)) > _WIDEST_ROW:
        return None
    head, *rows = [list(_SET_APART.finditer(line)) for line in lines if not _RULED.fullmatch(line)]
    width = len(rows[-1]) if rows else 0
    if width < 2 or len(rows) < 2 or any(len(row) != width for row in rows) or len(head) not in (width - 1, width):
        return None
    columns = list(zip(*rows, strict=True))
    named = [None] * (width - len(head)) + head
    if not all(_in_line([*column, *([name] if name else [])]) for name, column in zip(named, columns, strict=True)):
        return None
    of_figures = [n for n, column in enumerate(columns) if n and all(_FIGURE.fullmatch(cell[0]) for cell in column)]
    if not of_figures:
        return None
    top = [cell[0] if cell else "" for cell in named]
    names = [] if any(_FIGURE.fullmatch(top[n]) and not _YEAR.fullmatch(top[n]) for n in of_figures) else [top]
    body = [*([top] if not names else []), *([cell[0] for cell in row] for row in rows)]
    written = [*(names or [[""] * width]), ["---"] * width, *body]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in written)


def _in_line(column: Sequence[re.Match[str]]) -> bool:
    return max(cell.start() for cell in column) < min(cell.end() for cell in column)


def one_line(text: str) -> str:
    return " ".join(text.split())


def title_line(text: str) -> str | None:
    """The first line, when it reads like a title and not like a sentence or a row of figures."""
    line = one_line(text.lstrip().split("\n", 1)[0]).lstrip("# ")
    letters = sum(character.isalpha() for character in line)
    if len(line) in _TITLE_CHARS and letters > len(line) / 2 and not _NO_TITLE.search(line):
        return line
    return None


def extension(file_name: str) -> str:
    return PurePath(file_name).suffix.lower()
