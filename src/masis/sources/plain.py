"""Plain text: its encoding, and the cleaning that every format's text gets."""

import codecs
import re
import unicodedata
from pathlib import PurePath

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
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
    texts = [clean(part) for part in decode(data, file_name).split("\f")]
    pages = [Page(number, text) for number, text in enumerate(texts, start=1)]
    first = next((text for text in texts if text), "")
    return ParsedDocument(pages, title=title_line(first), date=find_date(first))


def decode(data: bytes, file_name: str, declared: str | None = None) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding, file_name)
    for candidate in (_unmarked_utf16(data), declared, "utf-8"):
        if candidate:
            try:
                return _refuse_binary(data.decode(candidate), file_name)
            except (UnicodeDecodeError, LookupError):
                continue
    return _strict(data, "cp1252", file_name)


def _strict(data: bytes, encoding: str, file_name: str) -> str:
    try:
        return _refuse_binary(data.decode(encoding), file_name)
    except UnicodeDecodeError:
        raise _not_text(file_name) from None


def _unmarked_utf16(data: bytes) -> str | None:
    """Western text in UTF-16 has a zero in every other byte; no other text has zeros at all."""
    sample = data[:4096]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > len(sample) * 0.2 and not even:
        return "utf-16-le"
    if even > len(sample) * 0.2 and not odd:
        return "utf-16-be"
    return None


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


def one_line(text: str) -> str:
    return " ".join(text.split())


def table_row(cells: list[str]) -> str:
    """One row, one line; a bar inside a cell would look like another column."""
    return " | ".join(one_line(cell).replace(" | ", " / ") for cell in cells)


def title_line(text: str) -> str | None:
    """The first line, when it reads like a title and not like a sentence or a row of figures."""
    line = one_line(text.lstrip().split("\n", 1)[0]).lstrip("# ")
    letters = sum(character.isalpha() for character in line)
    if len(line) in _TITLE_CHARS and letters > len(line) / 2 and not _NO_TITLE.search(line):
        return line
    return None


def extension(file_name: str) -> str:
    return PurePath(file_name).suffix.lower()
