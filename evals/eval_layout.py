"""Known tables printed to PDF in many styles: are the cells, headers and figures read correctly?"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from evals.bench_parsing import cost_of_filings
from evals.layout_prints import (
    CHROMIUM_STYLES,
    LIBREOFFICE_STYLES,
    REPORTLAB_STYLES,
    Chromium,
    has_signs,
    is_long_worded,
    is_spanning,
    printed_by_libreoffice,
    printed_by_reportlab,
)
from evals.layout_tables import Half, KnownTable, known_tables
from evals.tables import NotMeasured, Section, shared_data, table
from masis.language.statements import statements
from masis.sources.blocks import blocks_of, read_table
from masis.sources.pdf.page_words import read_content
from masis.sources.pdf.text import opened_pdf, parse_pdf

_A_STYLE = 40
_PEERS = Path(__file__).parent.parent / ".cache" / "peers" / "bin" / "python"
_FAMILIES = {"ruled": ("ruled", "wrapped ruled", "two pages", "spanning ruled")}

Grid = list[list[str]]


@dataclass(slots=True)
class Score:
    right: int = 0
    found: int = 0
    wanted: int = 0
    headed: int = 0
    figures: int = 0
    wrong: int = 0

    def add(self, other: "Score") -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.found + self.wanted) if self.found + self.wanted else 1.0

    @property
    def header(self) -> float:
        return self.headed / self.right if self.right else 0.0

    @property
    def wrong_share(self) -> float:
        return self.wrong / self.figures if self.figures else 0.0


@dataclass(slots=True)
class Print:
    style: str
    table: KnownTable
    pdf: bytes = field(repr=False)


def measure() -> Section:
    title = "Tables in PDFs"
    if shared_data("tatqa_dev") is None or shared_data("wikitablequestions") is None:
        raise NotMeasured("the data sets are not at ../shared/data")
    prints = list(all_prints("report"))
    systems: dict[str, list[list[Grid]]] = {
        "MASIS": [masis_tables(each.pdf) for each in prints],
        "lines of text": [line_tables(each.pdf) for each in prints],
        **peer_tables(prints),
    }
    rows = [_row(name, prints, grids) for name, grids in systems.items()]
    header = ["", *(f"{kind}: cell F1" for kind in ("ruled", "unruled")), "header", "wrong figures"]
    styles = [[s, *_shown(prints, systems["MASIS"], s)] for s in dict.fromkeys(each.style for each in prints)]
    by_style = table(["style", "tables", "cell F1", "header", "wrong figures"], styles)
    body = (
        f"{len(prints)} tables of TAT-QA and WikiTableQuestions (the half kept for reporting), printed by "
        "reportlab, Chromium and LibreOffice. Cell F1: a cell is right when its text stands in the row of its label. "
        "Header: of the right cells, those under their column's whole name. Wrong figures: of the cells read with a "
        "figure, those that were not printed so, or in another row, or under another name.\n\n"
        f"{table(header, rows)}\n\nMASIS by style:\n\n{by_style}\n\n{_kept_words()}{cost_of_filings()}"
    )
    return Section("layout", title, body)


def _kept_words() -> str:
    folders = [shared_data("kgrag_sec10q"), shared_data("formats")]
    paths = [
        path for folder in folders if folder for path in sorted(folder.rglob("*.pdf")) if "hostile" not in str(path)
    ]
    counts = [lost_words(path.read_bytes()) for path in paths]
    words, lost = (sum(column) for column in zip(*counts, strict=True))
    return (
        f"Words: of the {words:,} words that pdfium finds on the pages of {len(paths)} real PDFs, {lost:,} are not in "
        "the text that was kept."
    )


def lost_words(pdf: bytes) -> tuple[int, int]:
    """The number of words on the pages, and how many of them the blocks lack, ignoring hyphens at line ends."""
    document = opened_pdf(pdf, "a.pdf")
    words = lost = 0
    for page, kept in zip(document, parse_pdf(pdf, "a.pdf").pages, strict=True):
        letters = [_alphanumeric(word.text) for word in read_content(page).words]
        shown = [_alphanumeric(kept.text[block.start : block.end]) for block in kept.blocks]
        missing = Counter(filter(None, letters)) - Counter(_alphanumeric(w) for w in kept.text.split())
        words += len(letters)
        lost += sum(not any(word in text for text in shown) for word in missing.elements())
    return words, lost


def _alphanumeric(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def all_prints(half: Half) -> Iterator[Print]:
    known = [
        t for pair in zip(known_tables("tatqa", half), known_tables("wikipedia", half), strict=False) for t in pair
    ]
    for style in REPORTLAB_STYLES:
        for each in _fitting(known, style):
            yield Print(f"reportlab, {style}", each, printed_by_reportlab(each, style))
    with Chromium() as browser:
        for style in CHROMIUM_STYLES:
            for each in _fitting(known, style):
                yield Print(f"Chromium, {style}", each, browser.printed(each, style))
    for style in LIBREOFFICE_STYLES:
        chosen = _fitting(known, style)
        for each, pdf in zip(chosen, printed_by_libreoffice(chosen, style), strict=False):
            yield Print(f"LibreOffice, {style}", each, pdf)


def _fitting(known: Sequence[KnownTable], style: str) -> list[KnownTable]:
    fits: Callable[[KnownTable], bool] = lambda _: True  # noqa: E731
    if "spanning" in style:
        fits = is_spanning
    elif style == "signs apart":
        fits = has_signs
    elif "wrapped" in style:
        fits = lambda each: is_long_worded(each.rows)  # noqa: E731
    elif style.startswith("two pages"):
        fits = lambda each: len(each.rows) > 8  # noqa: E731
    return [each for each in known if fits(each) and (len(each.header) < 6 or "wrapped" in style)][:_A_STYLE]


def masis_tables(pdf: bytes) -> list[Grid]:
    found: list[Grid] = []
    for page in parse_pdf(pdf, "table.pdf").pages:
        for block in blocks_of(page):
            if block.kind == "table":
                read = read_table(page.text, block)
                rows = [[page.text[a:b] for a, b in row] for row in read.rows]
                if block.is_continued and found:
                    found[-1] += rows
                else:
                    found.append([list(read.header), *rows])
    return found


def line_tables(pdf: bytes) -> list[Grid]:
    """The earlier method: pdfium's lines, with rows recognised by the figures at their end."""
    document = opened_pdf(pdf, "table.pdf")
    text = "\n".join(page.get_textpage().get_text_range().replace("\r\n", "\n") for page in document)
    rows = [statement.cells for statement in statements(text) if statement.is_row]
    names = [name for name, _ in rows[0]] if rows else []
    return [[names, *([value for _, value in cells] for cells in rows)]] if rows else []


def peer_tables(prints: Sequence[Print]) -> dict[str, list[list[Grid]]]:
    """Other libraries, if scripts/setup_peers.sh has installed them."""
    if not _PEERS.exists():
        return {}
    with TemporaryDirectory() as folder:
        for number, each in enumerate(prints):
            (Path(folder) / f"{number:05}.pdf").write_bytes(each.pdf)
        script = Path(__file__).parent / "peers" / "layout.py"
        said = subprocess.run([str(_PEERS), str(script), folder], capture_output=True, check=False)
    if said.returncode:
        sys.stderr.write(said.stderr.decode())
        return {}
    answers: dict[str, list[list[Grid]]] = json.loads(said.stdout)
    return answers


def _row(name: str, prints: Sequence[Print], grids: Sequence[list[Grid]]) -> list[object]:
    total = {"ruled": Score(), "unruled": Score(), "all": Score()}
    for each, found in zip(prints, grids, strict=True):
        score = judged(each.table, found)
        family = "ruled" if each.style.split(", ")[1] in _FAMILIES["ruled"] else "unruled"
        total[family].add(score)
        total["all"].add(score)
    every = total["all"]
    return [
        name,
        f"{total['ruled'].f1:.3f}",
        f"{total['unruled'].f1:.3f}",
        f"{every.header:.3f}",
        f"{every.wrong_share:.2%}",
    ]


def _shown(prints: Sequence[Print], grids: Sequence[list[Grid]], style: str) -> list[object]:
    total, count = Score(), 0
    for each, found in zip(prints, grids, strict=True):
        if each.style == style:
            total.add(judged(each.table, found))
            count += 1
    return [count, f"{total.f1:.3f}", f"{total.header:.3f}", f"{total.wrong_share:.2%}"]


def judged(known: KnownTable, grids: Sequence[Grid]) -> Score:
    """Cells of the table that has most of them, counting a split table as two; and the wrong figures of all."""
    best = max((_judged(known, grid) for grid in grids), key=lambda score: score.right, default=_judged(known, []))
    best.figures, best.wrong = map(sum, zip((0, 0), *(_wrong_figures(known, grid) for grid in grids), strict=True))
    return best


def _judged(known: KnownTable, grid: Grid) -> Score:
    names = _without_unit([_bare(name) for name in known.names])
    wanted = Counter((_bare(row[0]), _bare(cell)) for row in known.rows for cell in row[1:] if cell)
    header = _without_unit([_bare(name) for name in grid[0]]) if grid else []
    rows = [[_bare(cell) for cell in row] for row in grid[1:]]
    found = Counter((row[0], cell) for row in rows for cell in row[1:] if cell)
    placed = Counter((_bare(row[0]), _bare(c), names[i]) for row in known.rows for i, c in enumerate(row) if i and c)
    seen = Counter(
        (row[0], c, header[i] if i < len(header) else "") for row in rows for i, c in enumerate(row) if i and c
    )
    return Score((wanted & found).total(), found.total(), wanted.total(), (placed & seen).total())


def _wrong_figures(known: KnownTable, grid: Grid) -> tuple[int, int]:
    """Figures read, and those in another row or under another name than printed, or nowhere."""
    names = _without_unit([_bare(name) for name in known.names])
    places: dict[str, list[tuple[str, str]]] = {}
    for row in known.rows:
        for name, cell in zip(names, row, strict=True):
            places.setdefault(_bare(cell), []).append((_bare(row[0]), name))
    labels = {_bare(row[0]) for row in known.rows}
    header = _without_unit([_bare(name) for name in grid[0]])
    figures = wrong = 0
    for row in (list(map(_bare, row)) for row in grid[1:]):
        for name, cell in zip_longest(header[1:], row[1:], fillvalue=""):
            if re.search(r"\d", cell):
                figures += 1
                wrong += not any(
                    row[0] and _is_part(row[0], label, labels) and _is_part(name, true, names)
                    for label, true in places.get(cell, ())
                )
    return figures, wrong


def _is_part(read: str, true: str, all_of_them: Collection[str]) -> bool:
    """Whole, cut or missing; a name cut to that of another row or column is wrong."""
    return not read or read == true or (read in true and read not in all_of_them)


def _without_unit(names: list[str]) -> list[str]:
    """A note on all columns (“(in millions)”) may just as well be above the table."""
    notes = {match[0] if (match := re.search(r"\([^()]*\)$", name)) else "" for name in names[1:]}
    return [name.removesuffix(*notes) for name in names] if len(notes) == 1 else names


def _bare(cell: str) -> str:
    return re.sub(r"\s+", "", cell).replace("—", "-").replace("–", "-").replace("|", "/").lower()
