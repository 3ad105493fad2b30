"""Prints known tables to PDF in the styles of real documents, with reportlab, Chromium and LibreOffice."""

import html
import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.platypus import (
    BalancedColumns,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

from evals.layout_tables import KnownTable

FIGURE = re.compile(r"[($€£-]*\s?[(-]?\d[\d.,]*[)%]*|[-–—]")
_PROSE = (
    "The group operates in several markets and reports its results by line of business. Management reviews them "
    "every quarter and decides on the allocation of capital. The following information should be read together with "
    "the notes, which describe how each amount was measured and which estimates were made. "
)
REPORTLAB_STYLES = (
    "ruled",
    "unruled",
    "zebra",
    "rules between rows",
    "wrapped ruled",
    "wrapped unruled",
    "two pages",
    "two pages unruled",
    "two columns around",
    "signs apart",
)
CHROMIUM_STYLES = ("ruled", "unruled", "zebra", "spanning ruled", "spanning unruled", "wrapped unruled")

LIBREOFFICE_STYLES = ("ruled", "unruled")


def printed_by_libreoffice(tables: Sequence[KnownTable], style: str) -> list[bytes]:
    # LibreOffice ignores the borders and paddings of style sheets.
    opening = f"<table {'border=1 cellspacing=0 ' if style == 'ruled' else ''}cellpadding=4>"
    return converted_by_libreoffice([_document(table, style).replace("<table>", opening) for table in tables])


def converted_by_libreoffice(pages: Sequence[str]) -> list[bytes]:
    """Web pages as PDFs; none if LibreOffice is not installed."""
    program = shutil.which("soffice")
    if program is None:
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, page in enumerate(pages):
            # LibreOffice loses the first line of a web page, so it gets an empty one.
            head, body, rest = page.rpartition("<body>")
            (folder / f"{number}.html").write_text(f"{head}{body}<p><br></p>{rest}")
        command = [program, f"-env:UserInstallation=file://{name}/profile", "--headless", "--convert-to", "pdf"]
        files = sorted(map(str, folder.glob("*.html")))
        subprocess.run([*command, "--outdir", name, *files], check=True, capture_output=True, timeout=600)
        return [(folder / f"{number}.pdf").read_bytes() for number in range(len(pages))]


def printed_by_reportlab(table: KnownTable, style: str) -> bytes:
    story: list[Any] = [Paragraph("Results of the year", getSampleStyleSheet()["Heading2"])]
    around = [Paragraph(_PROSE * 2, getSampleStyleSheet()["BodyText"]) for _ in range(2)]
    story += [BalancedColumns(around, nCols=2), Spacer(0, 12)] if style == "two columns around" else around[:1]
    if style.startswith("two pages"):
        story.append(Spacer(0, 430))
    flowable = _flowable(table, style)
    story.append(flowable)
    story += [Spacer(0, 12), *([BalancedColumns(around, nCols=2)] if style == "two columns around" else around[1:])]
    out = io.BytesIO()
    is_wide = flowable.wrap(A4[0], A4[1])[0] > A4[0] - 100
    pagesize = landscape(A4) if is_wide and not style.startswith("two pages") else A4
    SimpleDocTemplate(out, pagesize=pagesize, leftMargin=50, rightMargin=50).build(story)
    return out.getvalue()


def _flowable(table: KnownTable, style: str) -> Table:
    is_wrapped = "wrapped" in style
    head = [_shown(name, is_wrapped, is_bold=True) for name in table.names]
    rows: list[list[Any]] = [head]
    commands: list[Any] = [("FONTSIZE", (0, 0), (-1, -1), 8), ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
    commands += [("TOPPADDING", (0, 0), (-1, -1), 2), ("BOTTOMPADDING", (0, 0), (-1, -1), 2)]
    commands += [("VALIGN", (0, 0), (-1, -1), "TOP")]
    if style == "signs apart":
        return _with_signs(table, commands)
    for number, row in enumerate(table.rows, start=1):
        rows.append([_shown(cell, is_wrapped) for cell in row])
        commands += [
            ("ALIGN", (c, number), (c, number), "RIGHT") for c, cell in enumerate(row) if c and FIGURE.fullmatch(cell)
        ]
    commands += [("ALIGN", (1, 0), (-1, 0), "RIGHT")] if _is_numeric(table) else []
    if style in ("ruled", "wrapped ruled", "two pages"):
        commands.append(("GRID", (0, 0), (-1, -1), 0.5, colors.grey))
    elif style == "zebra":
        commands.append(("ROWBACKGROUNDS", (0, 1), (-1, -1), (colors.whitesmoke, colors.white)))
    elif style == "rules between rows":
        commands.append(("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.grey))
    widths = [495 / len(table.header)] * len(table.header) if is_wrapped else None
    return Table(
        rows, style=TableStyle(commands), repeatRows=0 if style.startswith("two pages") else 1, colWidths=widths
    )


def _is_numeric(table: KnownTable) -> bool:
    values = [cell for row in table.rows for cell in row[1:] if cell]
    return sum(bool(FIGURE.fullmatch(cell)) for cell in values) > 0.6 * len(values)


def _shown(cell: str, is_wrapped: bool, *, is_bold: bool = False) -> Any:
    if not is_wrapped:
        return cell
    is_figure = bool(FIGURE.fullmatch(cell))
    style = ParagraphStyle("cell", fontSize=8, leading=9.5, fontName="Helvetica-Bold" if is_bold else "Helvetica")
    style.alignment = TA_RIGHT if is_figure else style.alignment
    return Paragraph(html.escape(cell), style)


def _with_signs(table: KnownTable, commands: list[Any]) -> Table:
    """As in filings: “$” at the left of its column, “)” and “%” after the figures."""
    rows: list[list[str]] = [[table.names[0]]]
    for name in table.names[1:]:
        rows[0] += ["", name, ""]
    for row in table.rows:
        line = [row[0]]
        for cell in row[1:]:
            match = re.fullmatch(r"([$€£]?)\s*(.*?)([)%]*)", cell)
            line += [match[1], match[2], match[3]] if match and FIGURE.fullmatch(cell) else ["", cell, ""]
        rows.append(line)
    for column in range(len(table.header) - 1):
        commands += [("ALIGN", (3 * column + 2, 0), (3 * column + 2, -1), "RIGHT")]
        commands += [
            ("LEFTPADDING", (3 * column + 3, 0), (3 * column + 3, -1), 0.3),
            ("RIGHTPADDING", (3 * column + 2, 0), (3 * column + 2, -1), 0.3),
        ]
    return Table(rows, style=TableStyle(commands))


class Chromium:
    """One browser for all pages."""

    def __enter__(self) -> "Chromium":
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        shell = shutil.which("chromium-headless-shell")
        executable = os.environ.get("MASIS_BROWSER") or shell or shutil.which("chromium")
        as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
        self._browser = self._playwright.chromium.launch(executable_path=executable, args=["--disable-gpu", *as_root])
        self._page = self._browser.new_page()
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.close()
        self._playwright.stop()

    def printed(self, table: KnownTable, style: str) -> bytes:
        return self.printed_page(_document(table, style))

    def printed_page(self, page: str) -> bytes:
        self._page.set_content(page)
        return bytes(
            self._page.pdf(format="A4", margin={"top": "20mm", "left": "18mm", "right": "18mm"}, print_background=True)
        )


_CSS = """body{font:10pt Liberation Sans,Arial,sans-serif} table{border-collapse:collapse;font-size:9pt}
th{text-align:center;vertical-align:bottom} td,th{padding:2px 6px} td.n{text-align:right}"""
_MORE = {
    "ruled": "td,th{border:1px solid #666}",
    "zebra": "tr:nth-child(even) td{background:#e8eef5}",
}


def _document(table: KnownTable, style: str) -> str:
    kind = "ruled" if "ruled" in style and "unruled" not in style else style
    more = _MORE.get(kind, "")
    if "wrapped" in style:
        more += "table{width:100%;table-layout:fixed} td{vertical-align:top}"
    body = "".join(f"<tr>{''.join(_td(c, i) for i, c in enumerate(row))}</tr>" for row in table.rows)
    head = (
        _spanning(table)
        if "spanning" in style
        else f"<tr>{''.join(f'<th>{html.escape(n)}</th>' for n in table.names)}</tr>"
    )
    return (
        f"<style>{_CSS}{more}</style><h2>Results of the year</h2><p>{_PROSE}</p>"
        f"<table><thead>{head}</thead><tbody>{body}</tbody></table><p>{_PROSE}</p>"
    )


def _td(cell: str, column: int) -> str:
    is_figure = column and FIGURE.fullmatch(cell)
    return f"<td{' class=n' if is_figure else ''}>{html.escape(cell)}</td>"


def _spanning(table: KnownTable) -> str:
    lines = []
    for level in range(len(table.header[0])):
        cells, column = "", 0
        for parts, group in groupby(table.header, key=lambda parts, n=level: parts[: n + 1]):
            width = len(list(group))
            cells += f"<th colspan={width}>{html.escape(parts[level])}</th>"
            column += width
        lines.append(f"<tr>{cells}</tr>")
    return "".join(lines)


def is_spanning(table: KnownTable) -> bool:
    tops = [parts[0] for parts in table.header]
    return len(table.header[0]) > 1 and any(top and tops.count(top) > 1 for top in tops[1:])


def has_signs(table: KnownTable) -> bool:
    return any(cell[:1] in "$€£(" and FIGURE.fullmatch(cell) for row in table.rows for cell in row[1:] if cell)


def is_long_worded(rows: Sequence[Sequence[str]]) -> bool:
    return any(len(cell) > 25 for row in rows for cell in row)
