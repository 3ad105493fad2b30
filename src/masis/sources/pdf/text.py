"""PDF: pages of headings, paragraphs, lists and tables, derived from the positions of their words."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from masis.errors import ScannedFile, UnreadableFile
from masis.sources.dates import find_date
from masis.sources.pdf.assembly import Assembler
from masis.sources.pdf.drafts import Draft, DraftLine, draft_page
from masis.sources.pdf.page_words import read_content
from masis.sources.pdf.styles import Styles, furniture_of
from masis.sources.plain import clean, one_line, title_line
from masis.sources.sandbox.confinement import step_done
from masis.types import Page, ParsedDocument

_MAX_CHARACTERS = 100_000_000
_MAX_DAMAGED = 1000
_MADE = re.compile(r"D:((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_END_MARK_WITHIN = 65_536
_WORDS = re.compile(r"\w+")
_MOST_TITLES = 3
_COMPANY = re.compile(
    r"^(?:#+ |\| )?([^\W\d_][^\n|(:]{1,50}?,? "
    r"(?:Inc|Corp|Corporation|Ltd|Limited|PLC|LLC|GmbH|AG|SE|Company|N\.V|S\.A)\b\.?)(?=\s*(?:[(|]|$))",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _ReadPage:
    drafts: Sequence[Draft]
    size: tuple[float, float]
    has_drawings: bool
    is_damaged: bool = False


def parse_pdf(data: bytes, file_name: str) -> ParsedDocument:
    if b"%%EOF" not in data.rstrip(b"\x00\t\r\n ")[-_END_MARK_WITHIN:]:
        raise UnreadableFile(
            f"{file_name} is cut off: the end of the PDF is missing.", advice="Download or copy it again."
        )
    document = opened_pdf(data, file_name)
    read = list(_read_pages(document, file_name))
    pages = _assembled(read)
    first = next((page for page in pages if _has_words(page.text)), None)
    if first is None:
        raise _without_text(file_name, read, is_encrypted=_is_encrypted(document))
    texts = [page.text for page in pages]
    opening = "\n".join(first.text[block.start : block.end] for block in first.blocks if block.kind != "furniture")
    return ParsedDocument(
        pages,
        title=_title(_property(document, "Title"), first) or title_line(opening or first.text),
        date=find_date(first.text),
        made=_made(document),
        author=_property(document, "Author"),
        notes=_notes(read, texts),
        scanned=_scanned(read, texts),
    )


def _title(stated: str | None, first: Page) -> str | None:
    """The title in the file's properties if the first page confirms it, else the largest headings there, with the
    company."""
    said = set(_WORDS.findall(first.text.lower()))
    words = _WORDS.findall((stated or "").lower())
    if len(words) > 1 and title_line(stated or "") and 2 * sum(word in said for word in words) > len(words):
        return stated
    headings = [(block.level, first.text[block.start : block.end]) for block in first.blocks if block.kind == "heading"]
    parts: dict[str, None] = {}
    owner = _company(first.text) or ""
    for level in sorted({level for level, _ in headings})[:2]:
        largest = [title_line(each) or _company(each) for own, each in headings if own == level]
        # A company's name does not say what the document is: if that is all, the last of the next smaller headings is
        # added.
        parts |= dict.fromkeys([part for part in largest if part][-1 if parts else 0 :])
        if any(part != _company(part) for part in parts):
            break
    title = ", ".join(list(parts)[:_MOST_TITLES])
    is_new = bool(title and owner) and _WORDS.findall(owner)[0].lower() not in title.lower()
    return f"{title}, {owner}" if is_new else title or None


def _company(text: str) -> str | None:
    found = _COMPANY.search(text)
    return found[1] if found else None


def _made(document: Any) -> str | None:
    day = _MADE.match(_property(document, "CreationDate") or "")
    return "-".join(day.groups()) if day else None


def _property(document: Any, name: str) -> str | None:
    with suppress(Exception):  # a damaged dictionary of properties can be ignored
        return one_line(clean(document.get_metadata_value(name))) or None
    return None


def _assembled(read: Sequence[_ReadPage]) -> list[Page]:
    drafts = [page.drafts for page in read]
    furniture = furniture_of(drafts)
    assembler = Assembler(Styles(drafts), _vocabulary(drafts))
    return [
        assembler.page(number, page.drafts, lines, page.size)
        for number, (page, lines) in enumerate(zip(read, furniture, strict=True), start=1)
    ]


def _vocabulary(pages: Sequence[Sequence[Draft]]) -> frozenset[str]:
    """The document's own words, which show whether a hyphen at the end of a line belongs to the word."""
    words: set[str] = set()
    for page in pages:
        for draft in page:
            if isinstance(draft, DraftLine):
                words.update(word.strip(".,;:()\"'“”’") for word in draft.text.lower().split()[:-1])
    return frozenset(words)


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
    """Also true for a file that opens without a password and only forbids printing, for instance."""
    from pypdfium2 import raw

    return int(raw.FPDF_GetSecurityHandlerRevision(document)) >= 0


def _read_pages(document: Any, file_name: str) -> Iterator[_ReadPage]:
    characters = damaged = 0
    for number in range(len(document)):
        page = _read_page(document, number)
        yield page
        characters += sum(_length(draft) for draft in page.drafts)
        damaged += page.is_damaged
        if characters > _MAX_CHARACTERS:
            raise UnreadableFile(
                f"{file_name} holds more text than any document should.", advice="Split it into parts."
            )
        if damaged > _MAX_DAMAGED:
            raise _unopened(file_name, "too many damaged pages")
        step_done()


def _length(draft: Draft) -> int:
    return len(draft.text) if isinstance(draft, DraftLine) else sum(len(cell) for row in draft.rows for cell in row)


def _read_page(document: Any, number: int) -> _ReadPage:
    import pypdfium2

    try:
        page = document[number]
        content = read_content(page)
    except pypdfium2.PdfiumError:
        return _ReadPage([], (0.0, 0.0), has_drawings=False, is_damaged=True)
    drafts = draft_page(content)
    page.close()
    for draft in drafts:
        # Only the text is needed from here on; a long report has millions of words.
        draft.words = ()
    return _ReadPage(drafts, (content.width, content.height), content.has_drawings)


def _unopened(file_name: str, detail: str) -> UnreadableFile:
    if "assword" in detail:
        return UnreadableFile(
            f"{file_name} is password-protected.", advice="Save a copy without a password and ingest that."
        )
    return UnreadableFile(f"{file_name} is damaged.", advice="Open it in a PDF viewer and print it to a new PDF.")


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
    """“Pages 3, 7 and 9 to 12”."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [word for run in runs for word in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    listed = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
    return f"Pages {listed}" if len(numbers) > 1 else f"Page {listed}"
