"""PDF: the text of each page, with lines in larger type marked as headings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from masis.errors import ScannedFile, UnreadableFile
from masis.sources.dates import find_date
from masis.sources.plain import clean, title_line
from masis.sources.sandbox.confinement import step_done
from masis.types import Page, ParsedDocument

_MAX_CHARACTERS = 100_000_000
_MAX_DAMAGED = 1000
_END_MARK_WITHIN = 65_536
_HEADING_RATIO = 1.15
_HEADING_LEVELS = 4
_HEADING_CHARS = 120

Line = tuple[float, str]
"""Font size and text."""


@dataclass(frozen=True, slots=True)
class _ReadPage:
    lines: Sequence[Line]
    has_drawings: bool
    is_damaged: bool = False


def parse_pdf(data: bytes, file_name: str) -> ParsedDocument:
    if b"%%EOF" not in data.rstrip(b"\x00\t\r\n ")[-_END_MARK_WITHIN:]:
        raise UnreadableFile(
            f"{file_name} is cut off: the end of the PDF is missing.", advice="Download or copy it again."
        )
    document = opened_pdf(data, file_name)
    pages = list(_read_pages(document, file_name))
    sizes = _heading_sizes(pages)
    texts = [clean("\n".join(_marked(line, sizes) for line in page.lines)) for page in pages]
    first = next((text for text in texts if _has_words(text)), None)
    if first is None:
        raise _without_text(file_name, pages, is_encrypted=_is_encrypted(document))
    return ParsedDocument(
        [Page(number, text) for number, text in enumerate(texts, start=1)],
        title=title_line(first),
        date=find_date(first),
        notes=_notes(pages, texts),
        scanned=_scanned(pages, texts),
    )


def _without_text(file_name: str, pages: Sequence[_ReadPage], *, is_encrypted: bool) -> UnreadableFile:
    if is_encrypted:
        return _unopened(file_name, "no text without a password")
    if any(page.is_damaged for page in pages):
        return _unopened(file_name, "no page can be read")
    if not any(page.has_drawings for page in pages):
        return UnreadableFile(
            f"{file_name} has no text: its {len(pages)} page(s) are empty.",
            advice="Check in a PDF viewer that the file has content.",
        )
    return ScannedFile(
        f"{file_name} has no text: its {len(pages)} page(s) seem to be scanned images.", pages=len(pages)
    )


def opened_pdf(data: bytes, file_name: str) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise _unopened(file_name, str(error)) from error


def _is_encrypted(document: Any) -> bool:
    """Also one that opens without a password and only forbids to print, say."""
    from pypdfium2 import raw

    return int(raw.FPDF_GetSecurityHandlerRevision(document)) >= 0


def _read_pages(document: Any, file_name: str) -> Iterator[_ReadPage]:
    characters = damaged = 0
    for number in range(len(document)):
        page = _read_page(document, number)
        yield page
        characters += sum(len(text) for _, text in page.lines)
        damaged += page.is_damaged
        if characters > _MAX_CHARACTERS:
            raise UnreadableFile(
                f"{file_name} holds more text than any document should.", advice="Split it into parts."
            )
        if damaged > _MAX_DAMAGED:
            raise _unopened(file_name, "too many damaged pages")
        step_done()


def _read_page(document: Any, number: int) -> _ReadPage:
    import pypdfium2

    try:
        page = document[number]
        return _ReadPage(_lines(page.get_textpage()), _has_drawings(page))
    except pypdfium2.PdfiumError:
        return _ReadPage([], has_drawings=False, is_damaged=True)


def _unopened(file_name: str, detail: str) -> UnreadableFile:
    if "assword" in detail:
        return UnreadableFile(
            f"{file_name} is password-protected.", advice="Save a copy without a password and ingest that."
        )
    return UnreadableFile(f"{file_name} is damaged.", advice="Open it in a PDF viewer and print it to a new PDF.")


def _lines(textpage: Any) -> list[Line]:
    from pypdfium2 import raw

    lines, start = [], 0
    for text in textpage.get_text_range().split("\r\n"):
        index = raw.FPDFText_GetCharIndexFromTextIndex(textpage, start)
        lines.append((round(raw.FPDFText_GetFontSize(textpage, max(index, 0)), 1), text))
        start += len(text) + 2
    return lines


def _has_drawings(page: Any) -> bool:
    """Images, lines or shapes: what a scanned page consists of, and an empty page does not have."""
    from pypdfium2 import raw

    count = raw.FPDFPage_CountObjects(page)
    objects = (raw.FPDFPage_GetObject(page, number) for number in range(count))
    return any(raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_TEXT for item in objects)


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _scanned(pages: Sequence[_ReadPage], texts: Sequence[str]) -> list[int]:
    read = enumerate(zip(pages, texts, strict=True), start=1)
    return [number for number, (page, text) in read if page.has_drawings and not _has_words(text)]


def _notes(pages: Sequence[_ReadPage], texts: Sequence[str]) -> list[str]:
    scanned = _scanned(pages, texts)
    damaged = [number for number, page in enumerate(pages, start=1) if page.is_damaged]
    notes = []
    if scanned:
        one = len(scanned) == 1
        have, them = ("has no text and seems", "it") if one else ("have no text and seem", "them")
        notes.append(f"{_listed(scanned)} {have} to be scanned; run text recognition (OCR) on {them}.")
    if damaged:
        notes.append(f"{_listed(damaged)} could not be read; print the file to a new PDF in a PDF viewer.")
    return notes


def _listed(numbers: Sequence[int]) -> str:
    """ "Pages 3, 7 and 9 to 12"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [word for run in runs for word in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    listed = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
    return f"Pages {listed}" if len(numbers) > 1 else f"Page {listed}"


def _heading_sizes(pages: Sequence[_ReadPage]) -> list[float]:
    """Sizes of type well above the body's, largest first: their rank is the heading's level."""
    weight: Counter[float] = Counter()
    for page in pages:
        for size, text in page.lines:
            weight[size] += len(text)
    if not weight:
        return []
    body = weight.most_common(1)[0][0]
    return sorted((size for size in weight if size >= body * _HEADING_RATIO), reverse=True)[:_HEADING_LEVELS]


def _marked(line: Line, heading_sizes: Sequence[float]) -> str:
    size, text = line
    # A figure set large to catch the eye is a statement, not a heading.
    is_words = sum(character.isalpha() for character in text) > len(text) / 2
    if size in heading_sizes and is_words and len(text) <= _HEADING_CHARS:
        return f"{'#' * (heading_sizes.index(size) + 1)} {text.strip()}"
    return text
