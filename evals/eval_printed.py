"""The same questions about reports as web pages and as PDFs printed by three programs: what does printing lose?"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from evals.answer_data import AnswerSet, Posed, all_asked, opened, table_sets
from evals.answer_scoring import Scored, scored
from evals.intervals import share
from evals.layout_prints import Chromium, converted_by_libreoffice
from evals.tables import NotMeasured, Section, table

ASKED = 60
TITLE = "Answers from printed reports"
_STYLE = "<style>body{font:10pt sans-serif} td{padding:2px 8px} td:not(:first-child){text-align:right}%s</style>"
_RULED = "table{border-collapse:collapse} td{border:1px solid #666}"
PRINTERS = ("Chromium, ruled", "Chromium, unruled", "LibreOffice, ruled")


def measure(limit: int = ASKED) -> Section:
    web = next(iter(table_sets(limit)), None)
    if web is None:
        raise NotMeasured("the data set is not at ../shared/data")
    printed = AnswerSet("Printed tables", [_of_pdf(posed) for posed in web.posed], lambda folder: _print(web, folder))
    of_web, of_pdf = _answers(web), _answers(printed)
    rows = [_row("web pages", of_web), _row("printed", of_pdf)]
    for printer in PRINTERS:
        own = [number for number, posed in enumerate(web.posed) if _printer_of(posed.files[0]) == printer]
        rows.append([f"{printer}: right as web pages", len(own), "", share([of_web[n].right for n in own])])
        rows.append([f"{printer}: right as PDFs", len(own), "", share([of_pdf[n].right for n in own])])
    body = (
        f"{len(web.posed)} questions of TAT-QA, drawn from those of “Answers end to end” and asked of the same reports "
        "twice: as web pages, and as PDFs printed of these by Chromium and LibreOffice. “Right” as there.\n\n"
        + table(["reports", "n", "answered", "right"], rows)
    )
    return Section("printed", TITLE, body)


def _of_pdf(posed: Posed) -> Posed:
    return Posed(posed.kind, posed.text, posed.reference, tuple(f"{Path(name).stem}.pdf" for name in posed.files))


def _printer_of(file_name: str) -> str:
    return PRINTERS[hashlib.sha256(Path(file_name).stem.encode()).digest()[0] % len(PRINTERS)]


def _print(web: AnswerSet, folder: Path) -> None:
    web.write_documents(folder)
    used = {name for posed in web.posed for name in posed.files}
    pages = {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.name in used}
    for path in folder.iterdir():
        path.unlink()
    with Chromium() as browser:
        for name, page in pages.items():
            if (printer := _printer_of(name)).startswith("Chromium"):
                style = _STYLE % (_RULED if printer.endswith(" ruled") else "")
                (folder / f"{Path(name).stem}.pdf").write_bytes(browser.printed_page(style + page))
    left = {name: page for name, page in pages.items() if _printer_of(name).startswith("LibreOffice")}
    bordered = [page.replace("<table>", "<table border=1 cellspacing=0 cellpadding=4>") for page in left.values()]
    for name, pdf in zip(left, converted_by_libreoffice(bordered), strict=True):
        (folder / f"{Path(name).stem}.pdf").write_bytes(pdf)


def _answers(of: AnswerSet) -> list[Scored]:
    masis = opened(of)
    try:
        return list(map(scored, of.posed, all_asked(masis, of.posed, of.name)))
    finally:
        masis.close()


def _row(name: str, of: Sequence[Scored]) -> list[object]:
    return [name, len(of), share([each.answered for each in of]), share([each.right for each in of])]
