"""Text with marks in it: reStructuredText, AsciiDoc, Org, LaTeX and captions, read as the text they stand for."""

import re
from collections.abc import Callable, Iterable, Iterator

from masis.sources.dates import find_date
from masis.sources.markup.asciidoc import asciidoc_lines
from masis.sources.markup.latex import latex_lines
from masis.sources.markup.org_mode import org_lines
from masis.sources.markup.restructured import restructured_lines
from masis.sources.plain import clean, decode, extension, title_line
from masis.sources.table_grid import with_rules
from masis.types import Page, ParsedDocument

_TIMES = re.compile(r"\s*(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}\s*-->\s*(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}.*")
_NOT_SPOKEN = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_VOICE = re.compile(r"<v(?:\.[^\s>]{1,100})?\s+([^<>]{1,200})>")
_TAG = re.compile(r"</?[^<>\n]{0,200}>|\{\\[^{}\n]{1,50}\}")


def caption_lines(text: str) -> Iterator[str]:
    """What is said and by whom (WebVTT, SRT), without times and numbers."""
    last = ""
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        if _NOT_SPOKEN.match(block) and not any(_TIMES.fullmatch(line) for line in lines):
            continue
        start = next((index + 1 for index, line in enumerate(lines) if _TIMES.fullmatch(line)), 0)
        for line in lines[start:]:
            spoken = " ".join(_TAG.sub("", _VOICE.sub(r"\1: ", line)).split())
            # Captions that roll repeat their last line.
            if spoken and spoken != last:
                yield spoken
                last = spoken


_READERS: dict[str, Callable[[str], Iterable[str]]] = {
    ".rst": restructured_lines,
    ".rest": restructured_lines,
    ".adoc": asciidoc_lines,
    ".asciidoc": asciidoc_lines,
    ".asc": asciidoc_lines,
    ".org": org_lines,
    ".tex": latex_lines,
    ".latex": latex_lines,
    ".ltx": latex_lines,
    ".vtt": caption_lines,
    ".srt": caption_lines,
}
MARKUP_EXTENSIONS = tuple(_READERS)


def parse_markup(data: bytes, file_name: str) -> ParsedDocument:
    """The extension says which marks they are; without a known one the text stays as it is."""
    source = clean(decode(data, file_name))
    reader = _READERS.get(extension(file_name))
    text = with_rules(clean("\n".join(reader(source)))) if reader else source
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
    first = None if reader is caption_lines else title_line(text)
    return ParsedDocument([Page(1, text)], title=heading[1] if heading else first, date=find_date(text))
