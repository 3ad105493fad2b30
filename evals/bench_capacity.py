"""What a million pages and a million questions need, extrapolated from a few of them measured here.

The size of a passage in Qdrant comes from the table that `python -m evals bench store-server` wrote.
"""

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil

from evals.tables import PAGE, NotMeasured, Section, machine, shared_data, table
from masis import Masis
from masis.settings import DEFAULT_MODELS, OFFLINE, Settings
from masis.wording import counted

FILINGS = (1, 4)
QUESTIONS = (
    "What was total revenue in the quarter?",
    "How much cash was used for share repurchases?",
    "What were research and development expenses?",
    "What risks does the company describe?",
    "What was the effective tax rate?",
    "Which legal proceedings are described?",
)
CORE_HOURS_USD = {"rented server": 0.01, "virtual machine": 0.05, "managed containers": 0.10}
"""Assumed prices of a core per hour, from cheap to expensive; insert your own."""
MILLION = 1_000_000
SCALAR_BYTES = 384 + 200
"""Bytes of a passage whose vectors are quantised with the originals on disk: its short vector, and an assumed 200 for
links and ids."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stored:
    """The largest collection that the Qdrant server was measured with."""

    passages: int
    memory_bytes: float
    disk_bytes: float


@dataclass(frozen=True, slots=True)
class Measured:
    files: int
    pages: int
    passages: int
    page_seconds: float
    """CPU seconds per page, from file to vectors."""
    read_seconds: float
    """The part of them until the page could be found by keyword."""
    page_bytes: float
    question_seconds: float
    run_bytes: float
    model_usd: float
    """Per question, as `masis ask --dry-run` estimates it for the default models."""
    model_tokens: float


def measure() -> Section:
    folder = shared_data("kgrag_sec10q")
    if folder is None:
        raise NotMeasured("the filings are not at ../shared/data/kgrag_sec10q")
    files, stored = sorted((folder / "docs").glob("*.pdf")), stored_in(PAGE.read_text())
    return Section("capacity", "Capacity", _body([_measured(files[:count]) for count in FILINGS], stored))


def stored_in(page: str) -> Stored:
    """From the last row of the Qdrant server's table, whose last two cells are memory and disk in MB."""
    found = re.search(r"<!-- store-server -->.*\n\| (?P<row>\d[^\n]*) \|\n<!-- /store-server -->", page, re.DOTALL)
    if found is None:
        raise NotMeasured("the Qdrant server was not; `python -m evals bench store-server` does that")
    cells = [float(cell.replace(",", "")) for cell in found["row"].split(" | ")]
    passages, memory, disk = cells[0], cells[-2], cells[-1]
    return Stored(int(passages), memory * 1e6 / passages, disk * 1e6 / passages)


def _measured(files: list[Path]) -> Measured:
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home))
        with Masis(settings) as masis:
            read, _ = _cpu(lambda: masis.ingest(files, "read", defer_vectors=True))
        before = _size(Path(home))
        with Masis(settings) as masis:
            whole, report = _cpu(lambda: masis.ingest(files, "whole"))
            pages = sum(document.pages for document in report.ready)
            passages = sum(document.chunks for document in report.ready)
            size = _size(Path(home)) - before
            masis.ask(QUESTIONS[0], "whole")  # loads the models
            before = _size(Path(home))
            asked, _ = _cpu(lambda: [masis.ask(question, "whole") for question in QUESTIONS])
            run_bytes = (_size(Path(home)) - before) / len(QUESTIONS)
        with_models = settings.model_copy(
            update={f"{role}_model": model for role, model in DEFAULT_MODELS.items()} | {"model_base_url": "http://x"}
        )
        with Masis(with_models) as masis:
            plans = [masis.plan(question, "whole") for question in QUESTIONS]
    usd = sum(plan.usual.cost_usd for plan in plans) / len(plans)
    tokens = sum(plan.usual.input_tokens + plan.usual.output_tokens for plan in plans) / len(plans)
    return Measured(
        len(files),
        pages,
        passages,
        whole / pages,
        read / pages,
        size / pages,
        asked / len(QUESTIONS),
        run_bytes,
        usd,
        tokens,
    )


def _cpu(work: Callable[[], T]) -> tuple[float, T]:
    """Of this process and the sandboxed ones that read files."""
    before = _spent()
    made = work()
    return _spent() - before, made


def _spent() -> float:
    """Live processes are asked directly, including for their own finished children."""
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return sum(sum(process.cpu_times()[:4]) for process in processes)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _body(sizes: list[Measured], stored: Stored) -> str:
    figures: dict[str, Callable[[Measured], str]] = {
        "pages": lambda m: f"{m.pages}",
        "CPU seconds a page, from file to vectors": lambda m: f"{m.page_seconds:.2f}",
        "of these until found by keyword": lambda m: f"{m.read_seconds:.2f}",
        "passages a page": lambda m: f"{m.passages / m.pages:.1f}",
        "bytes stored a page (original, text, index, vectors by content)": lambda m: f"{m.page_bytes:,.0f}",
        "CPU seconds a question, offline engine": lambda m: f"{m.question_seconds:.2f}",
        "bytes stored a question (run, events, and checkpoints, which go after a week)": lambda m: (
            f"{m.run_bytes:,.0f}"
        ),
    }
    header = ["measured here", *(counted(m.files, "filing") for m in sizes)]
    measured = table(header, [[name, *map(figure, sizes)] for name, figure in figures.items()])
    largest = sizes[-1]
    return (
        f"Quarterly reports, and {len(QUESTIONS)} questions on them; CPU times, so that a "
        f"busy machine hardly shows in them; {machine()}.\n\n{measured}\n\n"
        "Computed from the last column as if cost grew with the number alone: the columns and the tables of the stores "
        "roughly show that as far as they go, and nothing here beyond. Prices of a core for an hour are assumed: "
        f"{', '.join(f'${price:.2f} ({name})' for name, price in CORE_HOURS_USD.items())}. "
        f"Model prices are list prices of {', '.join(sorted(set(DEFAULT_MODELS.values())))}, tokens "
        f"as `masis ask --dry-run` expects them, not measured.\n\n{_computed(largest)}\n\n"
        "Where the next limit is, computed: passages of 384 dimensions on Qdrant, in many workspaces, each with the "
        f"{stored.memory_bytes:,.0f} bytes of memory and {stored.disk_bytes:,.0f} of disk that a Qdrant server took "
        f"at {stored.passages:,} passages; the column for scalar vectors is assumed, {SCALAR_BYTES} bytes each.\n\n"
        f"{_limits(largest.passages / largest.pages, stored)}"
    )


def _computed(m: Measured) -> str:
    hours, gigabytes = m.page_seconds * MILLION / 3600, m.page_bytes * MILLION / 1e9
    asked, kept = m.question_seconds * MILLION / 3600, m.run_bytes * MILLION / 1e9
    models = f"a million questions, default models ({m.model_tokens:,.0f} tokens each)"
    rows = [
        ["a million pages in", f"{hours:,.0f}", f"{gigabytes:,.0f}", *_money(hours)],
        [f"a million questions, {OFFLINE}", f"{asked:,.0f}", f"{kept:,.0f}", *_money(asked)],
        [models, "below the row above", f"{kept:,.0f}", *[f"${m.model_usd * MILLION:,.0f}"] * len(CORE_HOURS_USD)],
    ]
    return table(["extrapolated", "CPU hours", "GB stored", *CORE_HOURS_USD], rows)


def _money(hours: float) -> list[str]:
    return [f"${hours * price:,.2f}" for price in CORE_HOURS_USD.values()]


def _limits(a_page: float, stored: Stored) -> str:
    rows = []
    for passages, next_limit in (
        (10 * MILLION, "memory of one Qdrant node; embedding takes longest to fill it"),
        (
            100 * MILLION,
            "memory: `MASIS_QDRANT_ON_DISK=on` with `scalar` vectors, several nodes; texts in PostgreSQL near 1 TB",
        ),
        (1000 * MILLION, "PostgreSQL's texts and originals: several databases, one for each group of workspaces"),
    ):
        sizes = [passages * each / 1e9 for each in (stored.disk_bytes, stored.memory_bytes, SCALAR_BYTES)]
        pages = f"{passages / a_page / MILLION:,.0f} M"
        rows.append([f"{passages // MILLION:,} M", pages, *(f"{size:,.0f}" for size in sizes), next_limit])
    header = ["passages", "pages", "index GB", "memory GB, all in it", "memory GB, scalar and on disk", "next limit"]
    return table(header, rows)
