"""Plain text: its encoding, and the cleaning applied to the text of every format."""

import codecs
import re
import unicodedata
from pathlib import PurePath

from masis.errors import UnreadableFile
from masis.sources.encodings import guess_encoding, unmarked_unicode

# UTF-32 first, because its little-endian mark begins with that of UTF-16.
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
    """Japanese and Korean in seven bits switch alphabets with escape sequences."""
    if b"\x1b$" not in data:
        return None
    return "iso2022_kr" if b"\x1b$)C" in data else "iso2022_jp_2"


def _nearly_utf8(data: bytes) -> str | None:
    """One damaged character, or a truncated end, does not mean that a long text has another encoding."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore")) - damaged
    return text if beyond_ascii > 20 * damaged else None


def _refuse_binary(text: str, file_name: str) -> str:
    # Real text may contain a stray control character; one in a hundred, or a zero byte, means that it is not text.
    if "\x00" in text or len(_CONTROLS.findall(text)) > len(text) * 0.01 + 1:
        raise _not_text(file_name)
    return text


def _not_text(file_name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} holds binary data, not text in a known encoding.",
        advice="Check that the file is intact; save text as UTF-8.",
    )


def clean(text: str) -> str:
    """Uniform line ends, composed characters, nothing invisible: text that can be stored, searched and quoted."""
    text = _LINE_ENDS.sub("\n", text)
    text = _SURROGATES.sub("\ufffd", _INVISIBLE.sub("", _CONTROLS.sub("", text)))
    lines = [line.rstrip() for line in unicodedata.normalize("NFC", text).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def one_line(text: str) -> str:
    """Removes line breaks, which a file name or heading from a document must not bring into a prompt."""
    return " ".join(text.split())


def title_line(text: str) -> str | None:
    """The first line, if it reads like a title and not like a sentence or a row of figures."""
    line = one_line(text.lstrip().split("\n", 1)[0]).lstrip("# ")
    letters = sum(character.isalpha() for character in line)
    if len(line) in _TITLE_CHARS and letters > len(line) / 2 and not _NO_TITLE.search(line):
        return line
    return None


def extension(file_name: str) -> str:
    return PurePath(file_name).suffix.lower()
