"""ZIP containers of office formats and books, made in memory from their parts."""

import io
import zipfile
from collections.abc import Mapping

RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
RELATION = (
    '<Relationship Id="{}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" Target="{}"/>'
)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def zip_of(parts: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def relations(*links: tuple[str, str, str]) -> str:
    return RELATIONS.format("".join(RELATION.format(*link) for link in links))


def xlsx_parts(sheets: Mapping[str, str], **others: str) -> dict[str, str | bytes]:
    """A workbook of sheets given by their rows in XML; style 1 is a date, 2 and 3 are per cent."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{index}" r:id="r{index}"/>' for index, name in enumerate(sheets, start=1)
    )
    links = [(f"r{index}", "worksheet", f"worksheets/sheet{index}.xml") for index in range(1, len(sheets) + 1)]
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": relations(("r", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(*links, ("s", "styles", "styles.xml")),
        "xl/styles.xml": (
            f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="170" formatCode="0.0%"/></numFmts><cellXfs>'
            '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="170"/></cellXfs></styleSheet>'
        ),
    }
    for index, rows in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{index}.xml"] = f'<worksheet xmlns="{MAIN}">{rows}</worksheet>'
    return parts | others


def text_cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def sheet_rows(*rows: str) -> str:
    numbered = "".join(f'<row r="{index}">{row}</row>' for index, row in enumerate(rows, start=1) if row)
    return f"<sheetData>{numbered}</sheetData>"
