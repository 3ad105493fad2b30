"""ZIP and OLE containers: which kind of document is inside, by the names of its parts."""

import io
import zipfile
from collections.abc import Collection

from masis.sources.content import Content

_UNREADABLE = (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError, RuntimeError, IndexError)
_MIMETYPE_BYTES = 200
_MANIFEST_BYTES = 2_000_000

# Every Office file is a ZIP container, whose table of contents is at its end.
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
        # An archive of such files, unpacked, has the same folders, but not this part above them.
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
    """Only the outermost: a message or a document can hold others."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as container:
            return {entry.name for entry in container.root.kids}
    except Exception:  # olefile lets through whatever a damaged table of contents breaks
        return set()
