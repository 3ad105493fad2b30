"""Detects what a file is by its bytes, because names can be wrong."""

import io
import re
import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from masis.sources.archives import starts_like_tar


@dataclass(frozen=True, slots=True)
class Content:
    extension: str | None
    """The usual extension of such a file, `.txt` for any kind of text; None if no parser reads it."""
    description: str
    trait: Literal["", "damaged", "encrypted", "image"] = ""


_UNREADABLE = (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError, RuntimeError, IndexError)
_MIMETYPE_BYTES = 200
_MANIFEST_BYTES = 2_000_000

# Every Office file is a ZIP container, which has its table of contents at the end.
_CUT_OFF = Content(None, "the beginning of an Office file or another ZIP container", "damaged")
_ENCRYPTED_OFFICE = Content(None, "a password-protected Office file", "encrypted")
_ENCRYPTED_ODF = Content(None, "a password-protected OpenDocument file", "encrypted")
_OLD_OFFICE = Content(None, "an Office 97 file", "damaged")
_ZIP = Content(".zip", "a ZIP archive")

_BY_FOLDER = (
    ("word/", Content(".docx", "a Word document")),
    ("xl/", Content(".xlsx", "an Excel workbook")),
    ("ppt/", Content(".pptx", "a PowerPoint presentation")),
    ("visio/", Content(None, "a Visio drawing")),
    ("Index/Document.iwa", Content(None, "an Apple Pages, Numbers or Keynote file")),
)
_BY_MIMETYPE = (
    ("application/epub+zip", Content(".epub", "an EPUB book")),
    ("application/vnd.oasis.opendocument.text", Content(".odt", "an OpenDocument text")),
    ("application/vnd.oasis.opendocument.spreadsheet", Content(".ods", "an OpenDocument spreadsheet")),
    ("application/vnd.oasis.opendocument.presentation", Content(".odp", "an OpenDocument presentation")),
    ("application/vnd.oasis.opendocument.graphics", Content(".odp", "an OpenDocument drawing")),
)
_BY_STREAM = (
    ("__properties_version1.0", Content(".msg", "an Outlook message")),
    ("WordDocument", Content(".doc", "a Word 97 document")),
    ("PowerPoint Document", Content(".ppt", "a PowerPoint 97 presentation")),
    ("Workbook", Content(".xls", "an Excel 97 workbook")),
    ("Book", Content(".xls", "an Excel 95 workbook")),
)


def sniff_zip(data: bytes) -> Content:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _by_parts(archive, archive.namelist())
    except _UNREADABLE:
        return _CUT_OFF


def _by_parts(archive: zipfile.ZipFile, names: Collection[str]) -> Content:
    mimetype = _start_of(archive, "mimetype", _MIMETYPE_BYTES).decode("ascii", "replace").strip()
    for prefix, content in _BY_MIMETYPE:
        if mimetype.startswith(prefix):
            is_encrypted = b"encryption-data" in _start_of(archive, "META-INF/manifest.xml", _MANIFEST_BYTES)
            return _ENCRYPTED_ODF if is_encrypted and content.extension != ".epub" else content
    for folder, content in _BY_FOLDER:
        # An archive of unpacked Office files has the same folders, but not this part at the top level.
        is_office = "[Content_Types].xml" in names or not content.extension
        if is_office and any(name.replace("\\", "/").startswith(folder) for name in names):
            return content
    return _BY_MIMETYPE[0][1] if "META-INF/container.xml" in names else _ZIP


def _start_of(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    try:
        with archive.open(name) as part:
            return part.read(size)
    except (KeyError, *_UNREADABLE):
        return b""


def sniff_ole(data: bytes) -> Content:
    names = _root_names(data)
    if "EncryptedPackage" in names:
        return _ENCRYPTED_OFFICE
    return next((content for name, content in _BY_STREAM if name in names), _OLD_OFFICE)


def _root_names(data: bytes) -> set[str]:
    """Only the outermost names: a message or a document can contain others."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as container:
            return {entry.name for entry in container.root.kids}
    except Exception:  # olefile raises whatever a damaged table of contents causes
        return set()


_TEXT = Content(".txt", "text")
_PDF = Content(".pdf", "a PDF")
_TAR = Content(".tar", "a TAR archive")
_EMPTY_ZIP = Content(".zip", "an empty ZIP archive")
_IMAGE = Content(None, "an image", "image")
_HEAD_BYTES = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_MAGIC: tuple[tuple[bytes, Content], ...] = (
    (b"{\\rtf", Content(".rtf", "a rich text (RTF) file")),
    (b"\x1f\x8b\x08", Content(".gz", "a gzip archive")),
    (b"\xfd7zXZ\x00", Content(".xz", "an xz archive")),
    (b"7z\xbc\xaf\x27\x1c", Content(None, "a 7z archive")),
    (b"Rar!\x1a\x07", Content(None, "a RAR archive")),
    (b"\x28\xb5\x2f\xfd", Content(None, "a Zstandard archive")),
    (b"\x89PNG\r\n\x1a\n", _IMAGE),
    (b"\xff\xd8\xff", _IMAGE),
    (b"GIF87a", _IMAGE),
    (b"GIF89a", _IMAGE),
    (b"II*\x00", _IMAGE),
    (b"MM\x00*", _IMAGE),
    (b"\x00\x00\x01\x00", _IMAGE),
    (b"\x00\x00\x00\x0cjP  ", _IMAGE),
    (b"%!PS", Content(None, "a PostScript file")),
    (b"ID3", Content(None, "an audio file")),
    (b"OggS", Content(None, "an audio or video file")),
    (b"fLaC", Content(None, "an audio file")),
    (b"\x1aE\xdf\xa3", Content(None, "a video")),
    (b"\x7fELF", Content(None, "a program")),
    (b"MZ\x90", Content(None, "a program")),
    (b"\xcf\xfa\xed\xfe", Content(None, "a program")),
    (b"\xca\xfe\xba\xbe", Content(None, "a program")),
    (b"\x00asm", Content(None, "a program")),
    (b"SQLite format 3\x00", Content(None, "a database")),
    (b"PAR1", Content(None, "a Parquet table")),
)
_PATTERNS: tuple[tuple[re.Pattern[bytes], Content], ...] = (
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", re.DOTALL), Content(".bz2", "a bzip2 archive")),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), _IMAGE),
    (re.compile(rb"RIFF....(?:AVI |WAVE)", re.DOTALL), Content(None, "an audio or video file")),
    (re.compile(rb"....ftyp(?:avif|avis|heic|heix|heim|heis|mif1|msf1)", re.DOTALL), _IMAGE),
    (re.compile(rb"....ftyp", re.DOTALL), Content(None, "an audio or video file")),
    (re.compile(rb"BM....\x00\x00\x00\x00...\x00[\x0c-\x80]\x00\x00\x00", re.DOTALL), _IMAGE),
)
_ENCRYPTED: tuple[tuple[re.Pattern[bytes], Content], ...] = (
    # The object identifier 1.2.840.113549.1.7.3: enveloped data.
    (
        re.compile(rb"\x30.{1,5}\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03", re.DOTALL),
        Content(None, "an encrypted (S/MIME) message", "encrypted"),
    ),
    (re.compile(rb"\s*-----BEGIN PGP MESSAGE-----"), Content(None, "an encrypted (PGP) message", "encrypted")),
)
_MAIL_HEADER = re.compile(
    rb"(?:from|return-path|received|delivered-to|message-id|mime-version|date|subject|to): ", re.IGNORECASE
)


def sniff(data: bytes) -> Content:
    if is_pdf(data):
        return _PDF
    if data.startswith((b"PK\x03\x04", b"PK\x07\x08PK")):
        return sniff_zip(data)
    if data.startswith(b"PK\x05\x06"):
        return _EMPTY_ZIP
    if data.startswith(_OLE):
        return sniff_ole(data)
    for magic, content in _MAGIC:
        if data.startswith(magic):
            return content
    for pattern, content in _PATTERNS + _ENCRYPTED:
        if pattern.match(data):
            return content
    return _TAR if starts_like_tar(data) else _TEXT


def is_pdf(data: bytes) -> bool:
    """The specification allows other bytes before the header; a text about the format has no objects."""
    head = data[:_HEAD_BYTES]
    return head.lstrip(b"\xef\xbb\xbf \t\r\n\x00").startswith(b"%PDF-") or (b"%PDF-" in head and b"endobj" in data)


def is_image(data: bytes) -> bool:
    """Decides by the first bytes alone, as this is called outside the sandbox, where no container may be opened."""
    starts = (content for magic, content in _MAGIC if data.startswith(magic))
    looks = (content for pattern, content in _PATTERNS if pattern.match(data))
    return any(content.trait == "image" for content in (*starts, *looks))


def looks_like_html(data: bytes) -> bool:
    return _start(data).lower().startswith((b"<!doctype html", b"<html"))


def looks_like_xml(data: bytes) -> bool:
    return _start(data).startswith(b"<?xml")


def looks_like_mail(data: bytes) -> bool:
    """Whether two of the first lines are headers; a single one may be the first line of a note."""
    lines = _start(data).split(b"\n")[:4]
    return bool(_MAIL_HEADER.match(lines[0])) and sum(bool(_MAIL_HEADER.match(line)) for line in lines) > 1


def _start(data: bytes) -> bytes:
    return data[:_HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
