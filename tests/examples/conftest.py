import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from examples.generator.workspace import WORKSPACE


def _pdf(data: bytes) -> str:
    import pypdfium2

    with pypdfium2.PdfDocument(data) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def _docx(data: bytes) -> str:
    from docx import Document
    from docx.table import Table

    parts = []
    for block in Document(io.BytesIO(data)).iter_inner_content():
        cells = [cell.text for row in block.rows for cell in row.cells] if isinstance(block, Table) else None
        parts.append(" ".join(cells) if cells else block.text)
    return "\n".join(parts)


def _html(data: bytes) -> str:
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(data.decode()).body
    assert body
    return body.text(separator=" ")


READERS: dict[str, Callable[[bytes], str]] = {".pdf": _pdf, ".docx": _docx, ".html": _html}


def _read(path: Path) -> str:
    text = READERS.get(path.suffix, bytes.decode)(path.read_bytes())
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    """What each committed document says, white space made single."""
    return {path.name: _read(path) for path in sorted(WORKSPACE.iterdir())}
