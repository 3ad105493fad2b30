"""The formats MASIS reads: what each is named, and which function reads it."""

from collections.abc import Callable
from dataclasses import dataclass

from masis.sources.archives.members import parse_archive
from masis.sources.data.delimited import parse_delimited
from masis.sources.data.structured import parse_json, parse_notebook, parse_xml
from masis.sources.mail.message import parse_mail
from masis.sources.mail.outlook import parse_outlook
from masis.sources.markup.ebook import parse_ebook
from masis.sources.markup.markdown import parse_markdown
from masis.sources.markup.readers import MARKUP_EXTENSIONS, parse_markup
from masis.sources.markup.webpage import parse_webpage
from masis.sources.office.legacy_presentation import parse_legacy_presentation
from masis.sources.office.legacy_word import parse_legacy_word
from masis.sources.office.opendocument import parse_opendocument_presentation, parse_opendocument_text
from masis.sources.office.presentation import parse_presentation
from masis.sources.office.rich_text import parse_rich_text
from masis.sources.office.word import parse_word
from masis.sources.office.workbook import parse_workbook
from masis.sources.pdf.text import parse_pdf
from masis.sources.plain import parse_plain
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
"""Known by their bytes."""

TEXT: tuple[Format, ...] = (
    Format(_names("txt text log"), parse_plain),
    Format(_names("md markdown mdown mkd"), parse_markdown),
    Format(_names("html htm xhtml"), parse_webpage),
    Format(_names("csv tsv tab"), parse_delimited),
    Format(_names("eml mht mhtml"), parse_mail),
    Format(_names("json jsonl ndjson jsonlines geojson"), parse_json),
    Format(_names("xml nxml svg rss atom xbrl"), parse_xml),
    Format(_names("ipynb"), parse_notebook),
    Format(MARKUP_EXTENSIONS, parse_markup),
)
"""All are text: only the name tells which; any other name is read as plain text."""

UNREAD_NAMES = frozenset(
    _names(
        "png jpg jpeg gif tif tiff bmp webp heic avif ico jp2 mp3 wav ogg flac m4a mp4 mov avi mkv webm 7z rar zst "
        "exe dll so dylib class jar wasm db sqlite parquet ps pages numbers key vsd vsdx"
    )
)
"""Extensions of files that are no text and that no parser reads: text so named was damaged or misnamed."""
