"""What a file is by its bytes: names lie."""

import io
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Content:
    extension: str | None
    """`.pdf`, `.docx`, `.txt` for any kind of text, None for what no parser reads."""
    description: str


_TEXT = Content(".txt", "text")
_PDF = Content(".pdf", "a PDF")
# Every Office file is a ZIP container, whose table of contents is at its end.
_CUT_OFF = Content(None, "the damaged or cut-off beginning of a Word document or another ZIP container")
_WORD = Content(".docx", "a Word document")

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or password-protected Office file"),
    (b"{\\rtf", "a rich text (RTF) file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x89PNG\r\n\x1a\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"RIFF", "a media file"),
    (b"ID3", "an audio file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\x00", "a database"),
)

_ZIP_MEMBERS: tuple[tuple[str, str], ...] = (
    ("xl/", "an Excel workbook"),
    ("ppt/", "a PowerPoint presentation"),
    ("mimetype", "an OpenDocument or EPUB file"),
)


def sniff(data: bytes) -> Content:
    # The PDF specification allows rubbish before the header, within the first kilobyte.
    if b"%PDF-" in data[:1024]:
        return _PDF
    if data.startswith(b"PK\x03\x04"):
        return _sniff_zip(data)
    for magic, description in _MAGIC:
        if data.startswith(magic):
            return Content(None, description)
    return _TEXT


def _sniff_zip(data: bytes) -> Content:
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return _CUT_OFF
    if "word/document.xml" in names:
        return _WORD
    for member, description in _ZIP_MEMBERS:
        if any(name.startswith(member) for name in names):
            return Content(None, description)
    return Content(None, "a ZIP archive")


def looks_like_html(data: bytes) -> bool:
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html"))
