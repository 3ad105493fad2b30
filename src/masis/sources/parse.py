"""Which parser reads a file: what the bytes are decides, the extension chooses among kinds of text."""

from collections.abc import Callable
from pathlib import PurePath

from masis.errors import UnreadableFile
from masis.sources.delimited import parse_delimited
from masis.sources.markdown import parse_markdown
from masis.sources.pdf import parse_pdf
from masis.sources.plain import parse_plain
from masis.sources.sniff import looks_like_html, sniff
from masis.sources.webpage import parse_webpage
from masis.sources.word import parse_word
from masis.types import ParsedDocument

Parser = Callable[[bytes, str], ParsedDocument]

_TEXT_PARSERS: dict[str, Parser] = {
    ".csv": parse_delimited,
    ".htm": parse_webpage,
    ".html": parse_webpage,
    ".markdown": parse_markdown,
    ".md": parse_markdown,
    ".text": parse_plain,
    ".tsv": parse_delimited,
    ".txt": parse_plain,
    ".xhtml": parse_webpage,
}
_BINARY_PARSERS: dict[str, Parser] = {".docx": parse_word, ".pdf": parse_pdf}


def supported_extensions() -> tuple[str, ...]:
    return tuple(sorted({**_TEXT_PARSERS, **_BINARY_PARSERS}))


def parse(data: bytes, file_name: str) -> ParsedDocument:
    """Raises UnreadableFile, and nothing else, whatever the bytes are."""
    if not data.strip():
        raise UnreadableFile(f"{file_name} is empty.", advice="Check that the file was saved completely.")
    parser = _parser_for(data, file_name)
    document = parser(data, file_name)
    if not any(character.isalnum() for page in document.pages for character in page.text):
        raise UnreadableFile(
            f"{file_name} contains no text.", advice="Check in its own program that the file has content."
        )
    return document


def _parser_for(data: bytes, file_name: str) -> Parser:
    extension = PurePath(file_name).suffix.lower()
    content = sniff(data)
    if content.extension in _BINARY_PARSERS:
        if extension not in ("", content.extension):
            raise _misnamed(file_name, extension, content.description, content.extension)
        return _BINARY_PARSERS[content.extension]
    if content.extension is None:
        raise _unsupported(file_name, content.description)
    if extension in _BINARY_PARSERS:
        raise _misnamed(file_name, extension, content.description, ".txt")
    if extension in ("", ".txt") and looks_like_html(data):
        return parse_webpage
    if extension and extension not in _TEXT_PARSERS:
        raise _unsupported(file_name, f"a {extension} file")
    return _TEXT_PARSERS[extension or ".txt"]


def _misnamed(file_name: str, extension: str, description: str, right: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} is named {extension}, but its content is {description}.",
        advice=f"If that is what it should be, rename it to end in {right}; otherwise save it again.",
    )


def _unsupported(file_name: str, description: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} is {description}, which MASIS cannot read.",
        advice=f"Save it, whole and without a password, as one of: {', '.join(supported_extensions())}.",
    )
