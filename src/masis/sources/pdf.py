"""PDF: the text of each page, with lines in larger type marked as headings."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from masis.errors import UnreadableFile
from masis.sources import pdf_worker
from masis.sources.dates import find_date
from masis.sources.plain import clean, title_line
from masis.types import Page, ParsedDocument

_WALL_SECONDS = 2 * pdf_worker.CPU_SECONDS
_END_MARK_WITHIN = 4096
_HEADING_RATIO = 1.15
_HEADING_LEVELS = 4
_HEADING_CHARS = 120

Line = tuple[float, str]
"""Font size and text."""

_ADVICE = {
    "password": ("is password-protected", "Save a copy without a password and ingest that."),
    "damaged": ("is damaged", "Open it in a PDF viewer and print it to a new PDF."),
    "too long": ("holds more text than any document should", "Split it into parts."),
}


def parse_pdf(data: bytes, file_name: str) -> ParsedDocument:
    if b"%%EOF" not in data[-_END_MARK_WITHIN:]:
        raise UnreadableFile(
            f"{file_name} is cut off: the end of the PDF is missing.", advice="Download or copy it again."
        )
    pages = _read_pages(data, file_name)
    sizes = _heading_sizes(pages)
    texts = [clean("\n".join(_marked(line, sizes) for line in lines)) for lines in pages]
    if not any(character.isalnum() for text in texts for character in text):
        raise UnreadableFile(
            f"{file_name} has no text: its {len(texts)} page(s) seem to be scanned images.",
            advice="Run text recognition (OCR) on it, with `ocrmypdf` for example, and ingest the result.",
        )
    first = next(text for text in texts if text)
    return ParsedDocument(
        [Page(number, text) for number, text in enumerate(texts, start=1)],
        title=title_line(first),
        date=find_date(first),
    )


def _read_pages(data: bytes, file_name: str) -> list[list[Line]]:
    # -P: the worker's folder has modules of our own names and must not be on its path.
    command = [sys.executable, "-P", str(Path(pdf_worker.__file__))]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=_WALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _gave_up(file_name) from None
    records = [json.loads(line) for line in done.stdout.splitlines() if line.endswith(b"}")]
    last = records.pop() if records else {}
    if "error" in last:
        what, advice = _ADVICE[last["error"]]
        raise UnreadableFile(f"{file_name} {what}.", advice=advice) from RuntimeError(last["detail"])
    if last.get("pages") != len(records):
        raise _gave_up(file_name)
    return [[(size, text) for size, text in record["lines"]] for record in records]


def _gave_up(file_name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} could not be read within the limits of memory and time; it may be damaged or hostile.",
        advice="Open it in a PDF viewer and print it to a new PDF.",
    )


def _heading_sizes(pages: Sequence[Sequence[Line]]) -> list[float]:
    """Sizes of type well above the body's, largest first: their rank is the heading's level."""
    weight: Counter[float] = Counter()
    for lines in pages:
        for size, text in lines:
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
