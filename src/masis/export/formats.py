"""The forms that a run can be exported in."""

from typing import Literal, get_args

from masis.export.content import report_of
from masis.export.markdown import as_markdown
from masis.export.pack import Pack, as_json
from masis.export.pdf import as_pdf
from masis.export.webpage import as_html
from masis.export.word import as_docx

Format = Literal["json", "md", "html", "docx", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)

MEDIA_TYPES: dict[Format, str] = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
}


def exported(pack: Pack, form: Format) -> bytes:
    match form:
        case "json":
            return as_json(pack)
        case "md":
            return as_markdown(report_of(pack))
        case "html":
            return as_html(report_of(pack))
        case "docx":
            return as_docx(report_of(pack))
        case "pdf":
            return as_pdf(report_of(pack))
