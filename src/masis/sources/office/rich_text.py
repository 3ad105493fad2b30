"""Rich text (RTF): text in any code page, paragraphs, list items, headings and table rows."""

import re
from dataclasses import dataclass, replace

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
from masis.sources.plain import clean, one_line, title_line
from masis.sources.table_grid import table_row, with_rules
from masis.types import Page, ParsedDocument

_WINDOW = 4096
_PRIMER = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}"
    b"{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier"
    b"{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_HEADER_BYTES = 16
_LONGEST = 100_000_000


def unpacked(data: bytes) -> bytes:
    """Unpacks compressed RTF; a truncated message ends where it was cut."""
    if data[8:12] == b"MELA":
        return data[_HEADER_BYTES:]
    window = bytearray(_PRIMER) + bytearray(_WINDOW - len(_PRIMER))
    place = len(_PRIMER)
    out = bytearray()
    position = _HEADER_BYTES
    while position < len(data) and len(out) < _LONGEST:
        flags = data[position]
        position += 1
        for bit in range(8):
            size = 2 if flags >> bit & 1 else 1
            token = data[position : position + size]
            position += size
            if len(token) < size:
                return bytes(out)
            if size == 1:
                piece = token
            else:
                reference = int.from_bytes(token, "big")
                start, length = reference >> 4, (reference & 15) + 2
                if start == place:
                    return bytes(out)
                piece = _copied(window, start, length, place)
            for byte in piece:
                window[place] = byte
                place = (place + 1) % _WINDOW
            out += piece
    return bytes(out)


def _copied(window: bytearray, start: int, length: int, place: int) -> bytes:
    """A reference may reach into what it is itself writing."""
    copy = bytearray()
    for offset in range(length):
        source = (start + offset) % _WINDOW
        ahead = (source - place) % _WINDOW
        copy.append(copy[ahead] if ahead < offset else window[source])
    return bytes(copy)


_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
# Groups whose content is not the document's text; any other group that may be ignored (`\*`) is skipped as well.
_SKIPPED = frozenset(
    "fonttbl colortbl stylesheet info pict header headerl headerr headerf footer footerl footerr footerf fldinst "
    "object objdata themedata datastore listtable listoverridetable revtbl rsidtbl generator xmlnstbl mmathPr "
    "latentstyles bkmkstart bkmkend datafield nonshppict filetbl atnid atnauthor annotation pntext listtext sp".split()
)
_KEPT_THOUGH_OPTIONAL = frozenset(("shptxt", "shpinst", "shprslt", "fldrslt", "htmltag", "mhtmltag"))
_CHARACTERS = {
    b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”",
    b"bullet": "•", b"emspace": " ", b"enspace": " ", b"qmspace": " ", b"tab": "\t", b"line": "\n",
}  # fmt: skip
_SYMBOLS = {b"~": "\u00a0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n\n", b"\r": "\n\n"}
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip
_CODE_PAGES = {437: "cp437", 850: "cp850", 936: "gb18030", 950: "big5", 10000: "mac_roman", 65001: "utf-8"}
_HEADING_NAME = re.compile(rb"\\s(\d{1,4})\b[^{};]*?[ }]heading (\d)[;}]", re.IGNORECASE)
_MAX_BINARY = 1 << 31


@dataclass(frozen=True, slots=True)
class _Group:
    encoding: str
    is_skipped: bool = False
    may_be_ignored: bool = False
    fallback: int = 1
    r"""How many characters after `\u` are the fallback for programs that do not know it."""


class RichTextReader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._default = self._code_page(re.search(rb"\\ansicpg(\d{1,5})", data[:2000]))
        self._fonts = self._font_encodings()
        self._headings = {match[1]: int(match[2]) for match in _HEADING_NAME.finditer(data[:2_000_000])}
        self._group = _Group(self._default)
        self._stack: list[_Group] = []
        self._bytes = bytearray()
        self._to_skip = 0
        self._text: list[str] = []
        self._paragraph: list[str] = []
        self._cells: list[str] = []
        self._level = 0
        self._is_item = False
        self._was_joined = False
        self.is_html = b"\\fromhtml" in data[:2000]
        """Whether the message was HTML; if so, the output is HTML again."""
        self._is_suppressed = False

    def text(self) -> str:
        position = 0
        while match := _TOKEN.match(self._data, position) or _TOKEN.search(self._data, position):
            position = match.end()
            if match[1] == b"bin":
                position += min(int(match[2] or 0), _MAX_BINARY) if not (match[2] or b"").startswith(b"-") else 0
            self._take(match)
        self._end_paragraph()
        # A rare character is written as two halves.
        return "".join(self._text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _take(self, match: re.Match[bytes]) -> None:
        word, number, code, symbol, brace, plain = match.groups()
        if code is not None:
            self._add_bytes(bytes([int(code, 16)]))
        elif plain is not None:
            self._add_bytes(plain)
        elif brace is not None:
            self._open_or_close(brace)
        elif symbol is not None:
            self._symbol(symbol)
        elif word is not None:
            self._word(word, int(number) if number else None)

    def _open_or_close(self, brace: bytes) -> None:
        self._flush()
        self._to_skip = 0
        if brace == b"{":
            self._stack.append(self._group)
        elif self._stack:
            self._group = self._stack.pop()

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._group = replace(self._group, may_be_ignored=True)
        else:
            self._add(_SYMBOLS.get(symbol, ""))

    def _word(self, word: bytes, number: int | None) -> None:
        if word == b"u" and number is not None:
            self._unicode(number)
        elif word in _CHARACTERS:
            self._add("<br>" if self.is_html and word == b"line" else _CHARACTERS[word])
        elif word in (b"par", b"cell", b"row", b"nestcell", b"nestrow", b"sect", b"page", b"column"):
            self._end(word)
        elif word in (b"pard", b"s", b"outlinelevel", b"ls", b"listtext", b"pntext"):
            self._paragraph_property(word, number)
        elif word in (b"f", b"uc", b"plain"):
            self._character_property(word, number)
        elif word == b"htmlrtf":
            self._flush()
            self._is_suppressed = number != 0
        if word.decode("ascii") in _SKIPPED or self._group.may_be_ignored:
            self._flush()
            kept = word.decode("ascii") in _KEPT_THOUGH_OPTIONAL
            self._group = replace(self._group, is_skipped=self._group.is_skipped or not kept, may_be_ignored=False)

    def _unicode(self, number: int) -> None:
        self._flush()
        self._add(chr(number % 65536))
        self._to_skip = self._group.fallback

    def _paragraph_property(self, word: bytes, number: int | None) -> None:
        if self._group.is_skipped:
            return
        if word == b"pard":
            self._level, self._is_item = 0, False
        elif word == b"s":
            self._level = self._headings.get(str(number).encode(), 0)
        elif word == b"outlinelevel" and number is not None and 0 <= number < 9:
            self._level = number + 1
        elif word != b"outlinelevel":
            self._is_item = number != 0

    def _character_property(self, word: bytes, number: int | None) -> None:
        self._flush()
        if word == b"uc":
            self._group = replace(self._group, fallback=max(0, min(number or 0, 10)))
        elif word == b"f":
            self._group = replace(self._group, encoding=self._fonts.get(number or 0, self._default))

    def _add_bytes(self, data: bytes) -> None:
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        self._bytes += data[skipped:]

    def _flush(self) -> None:
        """Decodes the collected bytes, since a character of an Asian code page consists of two."""
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            self._add(data.decode(self._group.encoding, "replace"), flushed=True)

    def _add(self, text: str, *, flushed: bool = False) -> None:
        if not flushed:
            self._flush()
        if not self._group.is_skipped and not self._is_suppressed:
            self._paragraph.append(text)

    def _end(self, word: bytes) -> None:
        self._flush()
        if self._group.is_skipped or self._is_suppressed:
            return
        if word in (b"cell", b"nestcell"):
            self._cells.append("".join(self._paragraph))
            self._paragraph.clear()
        elif word in (b"row", b"nestrow"):
            self._end_row()
        elif self._cells:
            self._paragraph.append("\n")
        else:
            self._end_paragraph()

    def _end_row(self) -> None:
        if any(cell.strip() for cell in self._cells):
            self._write(table_row(self._cells), is_joined=True)
        self._cells.clear()
        self._paragraph.clear()

    def _end_paragraph(self) -> None:
        self._flush()
        text = "".join(["\n".join(self._cells), *self._paragraph])
        self._paragraph.clear()
        self._cells.clear()
        if not text.strip() or self.is_html:
            self._write(text, is_joined=False)
        elif self._level:
            self._write(f"{'#' * self._level} {one_line(text)}", is_joined=False)
        else:
            self._write(f"- {one_line(text)}" if self._is_item else text, is_joined=self._is_item)
        self._is_item = False

    def _write(self, text: str, *, is_joined: bool) -> None:
        """Writes rows and items without blank lines between them, paragraphs with."""
        self._text += ["" if is_joined and self._was_joined else "\n", text, "\n"]
        self._was_joined = is_joined

    def _code_page(self, match: re.Match[bytes] | None) -> str:
        number = int(match[1]) if match else 1252
        return _known(_CODE_PAGES.get(number, f"cp{number}"))

    def _font_encodings(self) -> dict[int, str]:
        start = self._data.find(b"\\fonttbl")
        table = self._data[start : start + 200_000] if start >= 0 else b""
        pairs = re.findall(rb"\\f(\d{1,5})\b[^{};]*?\\fcharset(\d{1,3})", table)
        return {int(font): _known(_CHARSETS[int(charset)]) for font, charset in pairs if int(charset) in _CHARSETS}


def _known(encoding: str) -> str:
    try:
        b"".decode(encoding)
    except LookupError:
        return "cp1252"
    return encoding


def parse_rich_text(data: bytes, file_name: str) -> ParsedDocument:
    text = rich_text(data, file_name)
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
    return ParsedDocument([Page(1, text)], title=heading[1] if heading else title_line(text), date=find_date(text))


def rich_text(data: bytes, file_name: str) -> str:
    if not data.lstrip().startswith(b"{\\rtf"):
        raise UnreadableFile(f"{file_name} is not rich text (RTF).", advice="Save it again as .rtf or .docx.")
    return with_rules(clean(RichTextReader(data).text()))
