"""Reading files: pages per second of each format in the sandbox, and what the sandbox costs against none."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from evals.tables import Section, machine, shared_data, table
from masis.errors import UnreadableFile
from masis.settings import Settings
from masis.sources import parse
from masis.sources.plain import extension
from masis.sources.sandbox.pool import Sandbox
from masis.types import ParsedDocument

EXAMPLES = Path(__file__).parent.parent / "examples" / "tolmerick"
_SECONDS_EACH = 1.0
_FILINGS = 4

NamedFile = tuple[str, bytes]
Reader = Callable[[bytes, str], ParsedDocument]


def measure() -> Section:
    rows = []
    alone, all_cores = Sandbox(Settings(parse_processes=1)), Sandbox(Settings())
    for kind, files in _by_kind().items():
        pages = sum(len(parse(data, name).pages) for name, data in files)
        in_process = _rounds_a_second(files, parse, 1)
        sandboxed = _rounds_a_second(files, alone.parse, 1)
        parallel = _rounds_a_second(files, all_cores.parse, os.cpu_count() or 1)
        size = sum(len(data) for _, data in files) / len(files) / 1000
        speeds = [f"{pages * rate:,.0f}" for rate in (in_process, sandboxed, parallel)]
        rows.append([kind, len(files), pages, f"{size:,.0f}", *speeds, f"{max(0.0, 1 - sandboxed / in_process):.0%}"])
    alone.close()
    all_cores.close()
    header = [
        *("format", "files", "pages", "KB each", "in process", "sandbox, one process", "sandbox, all cores"),
        "lost to the sandbox",
    ]
    body = (
        f"Pages (sheets, slides, whole texts) per second on {machine()}. The sandbox costs some milliseconds a file, a "
        "fork and the way there and back: much of a file that takes one millisecond, next to nothing of a long one. "
        f"Reading in process is no choice for files from outside; it is here as the measure.\n\n{table(header, rows)}"
        f"{cost_of_filings()}"
    )
    return Section("parsing", "Reading files", body)


def cost_of_filings() -> str:
    """In CPU time, user and system, so that other work on the machine matters little."""
    folder = shared_data("kgrag_sec10q")
    if folder is None:
        return ""
    files = [(path.name, path.read_bytes()) for path in sorted((folder / "docs").glob("*.pdf"))]
    # What the processes of the sandbox used is known once they are gone.
    before = _cpu_seconds()
    sandbox = Sandbox(Settings(parse_processes=1))
    pages = sum(len(sandbox.parse(data, name).pages) for name, data in files)
    sandbox.close()
    used = _cpu_seconds() - before
    largest = getrusage(RUSAGE_CHILDREN).ru_maxrss / 1000
    return (
        f"\n\n{len(files)} quarterly reports, {pages} pages: {pages / used:.0f} pages per CPU second, the start of the "
        f"sandbox included; the largest of its processes had {largest:.0f} MB."
    )


def _cpu_seconds() -> float:
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _by_kind() -> dict[str, list[NamedFile]]:
    kinds: dict[str, list[NamedFile]] = defaultdict(list)
    formats, filings = shared_data("formats"), shared_data("kgrag_sec10q")
    for path in sorted((formats / "good" if formats else EXAMPLES).iterdir()):
        data = path.read_bytes()
        if path.is_file() and _is_readable(data, path.name):
            kinds[extension(path.name)].append((path.name, data))
    if filings:
        paths = sorted((filings / "docs").glob("*.pdf"))[:_FILINGS]
        kinds[".pdf, quarterly reports"] = [(path.name, path.read_bytes()) for path in paths]
    return dict(sorted(kinds.items()))


def _is_readable(data: bytes, name: str) -> bool:
    try:
        return bool(parse(data, name).pages)
    except UnreadableFile:
        return False


def _rounds_a_second(files: Sequence[NamedFile], read: Reader, threads: int) -> float:
    """Whole rounds over all files, until the clock says enough; the first, which loads libraries, is not counted."""
    with ThreadPoolExecutor(threads) as readers:
        list(readers.map(lambda file: read(file[1], file[0]), files))
        began, rounds = time.perf_counter(), 0
        while time.perf_counter() - began < _SECONDS_EACH:
            # Several rounds at once keep all readers busy to the end.
            list(readers.map(lambda file: read(file[1], file[0]), list(files) * threads))
            rounds += threads
        return rounds / (time.perf_counter() - began)
