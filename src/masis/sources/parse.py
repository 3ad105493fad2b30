"""Chooses the parser for a file: by its bytes, and for text by its extension."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from masis.errors import UnreadableFile
from masis.sources.archives import is_mailbox, parse_archive
from masis.sources.data.data_files import parse_delimited, parse_json, parse_notebook, parse_xml
from masis.sources.mail.message import parse_mail
from masis.sources.mail.outlook import parse_outlook
from masis.sources.markup.ebook import parse_ebook
from masis.sources.markup.markdown import parse_markdown
from masis.sources.markup.readers import MARKUP_EXTENSIONS, parse_markup, parse_plain
from masis.sources.markup.webpage import parse_webpage
from masis.sources.office.legacy_presentation import parse_legacy_presentation
from masis.sources.office.legacy_word import parse_legacy_word
from masis.sources.office.opendocument import parse_opendocument_presentation, parse_opendocument_text
from masis.sources.office.presentation import parse_presentation
from masis.sources.office.rich_text import parse_rich_text
from masis.sources.office.word import parse_word
from masis.sources.office.workbook import parse_workbook
from masis.sources.pdf.text import parse_pdf
from masis.sources.plain import extension
from masis.sources.sniff import Content, looks_like_html, looks_like_mail, looks_like_xml, sniff
from masis.types import ParsedDocument

Parser = Callable[[bytes, str], ParsedDocument]


@dataclass(frozen=True, slots=True)
class Format:
    names: tuple[str, ...]
    """Extensions; the first is the usual one."""
    parser: Parser


def _names(extensions: str) -> tuple[str, ...]:
    return tuple(f".{extension}" for extension in extensions.split())


BINARY: tuple[Format, ...] = (
    Format(_names("pdf"), parse_pdf),
    Format(_names("docx docm dotx dotm"), parse_word),
    Format(_names("xlsx xlsm xlsb xltx xltm"), parse_workbook),
    Format(_names("xls xlt xla"), parse_workbook),
    Format(_names("pptx pptm ppsx ppsm potx potm"), parse_presentation),
    Format(_names("odt ott odm"), parse_opendocument_text),
    Format(_names("ods ots"), parse_workbook),
    Format(_names("odp otp odg"), parse_opendocument_presentation),
    Format(_names("epub"), parse_ebook),
    Format(_names("doc dot"), parse_legacy_word),
    Format(_names("ppt pps pot"), parse_legacy_presentation),
    Format(_names("rtf"), parse_rich_text),
    Format(_names("msg oft"), parse_outlook),
    Format(_names("zip"), parse_archive),
    Format(_names("tar"), parse_archive),
    Format(_names("gz tgz"), parse_archive),
    Format(_names("bz2 tbz tbz2"), parse_archive),
    Format(_names("xz txz"), parse_archive),
)
"""Formats recognised by their bytes."""

TEXT: tuple[Format, ...] = (
    Format(_names("txt text log"), parse_plain),
    Format(_names("md markdown mdown mkd"), parse_markdown),
    Format(_names("html htm xhtml"), parse_webpage),
    Format(_names("csv tsv tab"), parse_delimited),
    Format(_names("eml mht mhtml"), parse_mail),
    Format(_names("mbox"), parse_archive),
    Format(_names("json jsonl ndjson jsonlines geojson"), parse_json),
    Format(_names("xml nxml svg rss atom xbrl"), parse_xml),
    Format(_names("ipynb"), parse_notebook),
    Format(MARKUP_EXTENSIONS, parse_markup),
)
"""Text formats, which only the extension distinguishes; any other extension is read as plain text."""

UNREAD_NAMES = frozenset(
    _names(
        "png jpg jpeg gif tif tiff bmp webp heic avif ico jp2 mp3 wav ogg flac m4a mp4 mov avi mkv webm 7z rar zst "
        "exe dll so dylib class jar wasm db sqlite parquet ps pages numbers key vsd vsdx"
    )
)
"""Extensions of binary files that no parser reads: text with such a name was damaged or misnamed."""

_BINARY_PARSERS = {form.names[0]: form.parser for form in BINARY}
_BINARY_NAMES = {form.names[0]: form.names for form in BINARY}
_TEXT_PARSERS = {name: form.parser for form in TEXT for name in form.names}
_OWN_PARSERS: dict[str, Parser] = {}
"""Parsers of formats added by the user, by extension."""
_BINARY_EXTENSIONS = frozenset(name for form in BINARY for name in form.names)
_KNOWN_NAMES = _BINARY_EXTENSIONS | UNREAD_NAMES | frozenset(_TEXT_PARSERS)

# Names that programs themselves give to another format: Word saves RTF, and reporting tools save HTML, under these.
_RTF_NAMES = (".doc", ".dot")
_HTML_NAMES = ("", ".txt", ".doc", ".xls", ".xml")


def supported_extensions() -> tuple[str, ...]:
    return tuple(sorted(_BINARY_EXTENSIONS | frozenset(_TEXT_PARSERS) | frozenset(_OWN_PARSERS)))


def add_formats(module: str) -> None:
    """Registers the `FORMATS` of a module. They read files with their extensions, whatever the bytes are."""
    for form in import_module(module).FORMATS:
        _OWN_PARSERS.update(dict.fromkeys(form.names, form.parser))


def parse(data: bytes, file_name: str) -> ParsedDocument:
    """Raises UnreadableFile and nothing else, whatever the bytes are."""
    try:
        document = parser_for(data, file_name)(data, file_name)
    except UnreadableFile:
        raise
    except MemoryError:
        raise too_much_memory(file_name) from None
    except Exception as error:  # hostile files trigger what no parser has foreseen
        raise damaged(file_name, error) from error
    if not document.members and not any(character.isalnum() for page in document.pages for character in page.text):
        raise UnreadableFile(
            f"{file_name} contains no text.",
            advice="Open the file in the program that made it and check that it has content.",
        )
    return document


def is_archive(data: bytes, file_name: str) -> bool:
    return parser_for(data, file_name) is parse_archive


def parser_for(data: bytes, file_name: str) -> Parser:
    if not data.strip():
        raise UnreadableFile(f"{file_name} is empty.", advice="Check that the file was saved completely.")
    named, content = extension(file_name), sniff(data)
    if named in _OWN_PARSERS:
        return _OWN_PARSERS[named]
    if content.extension == ".txt":
        return _text_parser(data, file_name, named, content)
    if content.extension in _BINARY_PARSERS:
        return _binary_parser(file_name, named, content, content.extension)
    raise _unread(file_name, content)


def _binary_parser(file_name: str, named: str, content: Content, usual: str) -> Parser:
    is_lying = named in _KNOWN_NAMES and named not in _BINARY_NAMES[usual]
    if is_lying and not (usual == ".rtf" and named in _RTF_NAMES):
        raise _misnamed(file_name, named, content.description, usual)
    return _BINARY_PARSERS[usual]


def _text_parser(data: bytes, file_name: str, named: str, content: Content) -> Parser:
    if named in _HTML_NAMES and looks_like_html(data):
        return parse_webpage
    if named in _BINARY_EXTENSIONS | UNREAD_NAMES:
        raise _misnamed(file_name, named, content.description, ".txt")
    if named in ("", ".mbox"):
        named = ".mbox" if is_mailbox(data) else ""
    if named == "" and looks_like_mail(data):
        named = ".eml"
    elif named == "" and looks_like_xml(data):
        named = ".xml"
    return _TEXT_PARSERS.get(named, parse_plain)


def _misnamed(file_name: str, named: str, description: str, right: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} is named {named}, but its content is {description}.",
        advice=f"If that is what it should be, rename it to end in {right}; otherwise save it again.",
    )


def _unread(file_name: str, content: Content) -> UnreadableFile:
    if content.trait == "encrypted":
        return UnreadableFile(
            f"{file_name} is {content.description}: it is encrypted and cannot be read.",
            advice="Save a copy without a password and ingest that.",
        )
    if content.trait == "image":
        return UnreadableFile(
            f"{file_name} is an image.",
            advice="Set MASIS_VISION_MODEL to a model that can see, or install text recognition with `masis[ocr]`.",
        )
    if content.trait == "damaged":
        return UnreadableFile(
            f"{file_name} is damaged or cut off: it is {content.description} whose table of contents is missing.",
            advice="Download or copy it again, or save it again from the program it comes from.",
        )
    return UnreadableFile(
        f"{file_name} is {content.description}, which MASIS cannot read.",
        advice="Save it without a password as PDF, Word, Excel, PowerPoint, HTML, Markdown or plain text.",
    )


def damaged(file_name: str, error: BaseException) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} is damaged or does not follow its format: reading it failed with {type(error).__name__}.",
        advice="Open it in the program it comes from, save it again, and ingest the new copy.",
    )


def too_much_memory(file_name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} needs more memory than reading one file may use; it may be damaged or hostile.",
        advice="Split it into parts, or raise MASIS_PARSE_MEMORY_BYTES.",
    )
