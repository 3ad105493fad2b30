"""What a million pages and a million questions take, computed from what a few of them take here."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil

from evals.tables import NotMeasured, Section, machine, shared_data, table
from masis import Masis
from masis.settings import DEFAULT_MODELS, OFFLINE, Settings

FILINGS = 1
QUESTIONS = (
    "What was total revenue in the quarter?",
    "How much cash was used for share repurchases?",
    "What were research and development expenses?",
    "What risks does the company describe?",
    "What was the effective tax rate?",
    "Which legal proceedings are described?",
)
CORE_HOUR_USD = 0.05
"""What a core costs at common providers, rounded; put in your own."""
MILLION = 1_000_000
INDEX_BYTES_A_PASSAGE = 3_142
MEMORY_BYTES_A_PASSAGE = 4_325
"""Of the embedded store with a million passages in a thousand workspaces, as `make bench` measured it."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Measured:
    pages: int
    passages: int
    page_seconds: float
    """CPU seconds of a page, from its file to its vectors."""
    read_seconds: float
    """Of these, those until it could be found by keyword."""
    page_bytes: float
    question_seconds: float
    run_bytes: float
    model_usd: float
    """Of a question, as `masis ask --dry-run` estimates it for the default models."""
    model_tokens: float


def measure() -> Section:
    folder = shared_data("kgrag_sec10q")
    if folder is None:
        raise NotMeasured("the filings are not at ../shared/data/kgrag_sec10q")
    return Section("capacity", "Capacity", _body(_measured(sorted((folder / "docs").glob("*.pdf"))[:FILINGS])))


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
            masis.ask(QUESTIONS[0], "whole")  # loads what answers
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
    """Of this process and of the limited ones that read files."""
    before = _spent()
    made = work()
    return _spent() - before, made


def _spent() -> float:
    """Those that still live have to be asked themselves."""
    times = os.times()
    living = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    ended = times.children_user + times.children_system
    return times.user + times.system + ended + sum(each.user + each.system for each in living)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _body(m: Measured) -> str:
    a_page = m.passages / m.pages
    measured = table(
        ["measured here", ""],
        [
            ["CPU seconds a page, from file to vectors", f"{m.page_seconds:.2f}"],
            ["of these until found by keyword", f"{m.read_seconds:.2f}"],
            ["passages a page", f"{a_page:.1f}"],
            ["bytes stored a page (original, text, index, vectors by content)", f"{m.page_bytes:,.0f}"],
            ["CPU seconds a question, offline engine", f"{m.question_seconds:.2f}"],
            ["bytes stored a question (run, events, and checkpoints, which go after a week)", f"{m.run_bytes:,.0f}"],
        ],
    )
    return (
        f"{FILINGS} quarterly report of {m.pages} pages and {len(QUESTIONS)} questions; CPU times, so that a "
        f"busy machine hardly shows in them; {machine()}.\n\n{measured}\n\n"
        "Computed from these as if cost grew with the number alone, which the table of the store supports up to a "
        f"million passages and nothing here beyond; a core at ${CORE_HOUR_USD:.2f} an hour. "
        f"Model prices are list prices of {', '.join(sorted(set(DEFAULT_MODELS.values())))}, tokens "
        f"as `masis ask --dry-run` expects them, not measured.\n\n{_computed(m)}\n\n"
        "Where the next limit is, computed: passages of 384 dimensions on Qdrant, in many workspaces.\n\n"
        f"{_limits(a_page)}"
    )


def _computed(m: Measured) -> str:
    hours, gigabytes = m.page_seconds * MILLION / 3600, m.page_bytes * MILLION / 1e9
    asked, kept = m.question_seconds * MILLION / 3600, m.run_bytes * MILLION / 1e9
    rows = [
        ["a million pages in", f"{hours:,.0f}", f"{gigabytes:,.0f}", f"${hours * CORE_HOUR_USD:,.0f}"],
        [f"a million questions, {OFFLINE}", f"{asked:,.0f}", f"{kept:,.0f}", f"${asked * CORE_HOUR_USD:,.0f}"],
        [
            f"a million questions, default models ({m.model_tokens:,.0f} tokens each)",
            "below the row above",
            f"{kept:,.0f}",
            f"${m.model_usd * MILLION:,.0f}",
        ],
    ]
    return table(["extrapolated", "CPU hours", "GB stored", "money, once"], rows)


def _limits(a_page: float) -> str:
    rows = []
    for passages, next_limit in (
        (10 * MILLION, "memory of one Qdrant node: 64 GB hold it; embedding takes longest to fill it"),
        (
            100 * MILLION,
            "memory: `MASIS_QDRANT_ON_DISK=on` with `scalar` vectors, 4 nodes; texts in PostgreSQL near 1 TB",
        ),
        (1000 * MILLION, "PostgreSQL's texts and originals: several databases, one for each group of workspaces"),
    ):
        memory, scalar = passages * MEMORY_BYTES_A_PASSAGE / 1e9, passages * (384 + 200) / 1e9
        disk = passages * INDEX_BYTES_A_PASSAGE / 1e9
        pages = f"{passages / a_page / MILLION:,.0f} M"
        rows.append(
            [f"{passages // MILLION:,} M", pages, f"{disk:,.0f}", f"{memory:,.0f}", f"{scalar:,.0f}", next_limit]
        )
    header = ["passages", "pages", "index GB", "memory GB, all in it", "memory GB, scalar and on disk", "next limit"]
    return table(header, rows)
