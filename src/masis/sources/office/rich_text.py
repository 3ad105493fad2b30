"""Rich text (RTF): words in any code page, paragraphs, list items, headings and table rows."""

import re

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
from masis.sources.office.rich_text_reader import RichTextReader
from masis.sources.plain import clean, title_line
from masis.sources.table_grid import with_rules
from masis.types import Page, ParsedDocument


def parse_rich_text(data: bytes, file_name: str) -> ParsedDocument:
    text = rich_text(data, file_name)
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
    return ParsedDocument([Page(1, text)], title=heading[1] if heading else title_line(text), date=find_date(text))


def rich_text(data: bytes, file_name: str) -> str:
    if not data.lstrip().startswith(b"{\\rtf"):
        raise UnreadableFile(f"{file_name} is not rich text (RTF).", advice="Save it again as .rtf or .docx.")
    return with_rules(clean(RichTextReader(data).text()))
