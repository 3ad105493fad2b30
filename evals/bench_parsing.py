"""Reading files: pages per second of each format in the sandbox, and the cost of the sandbox."""

from collections import defaultdict
from collections.abc import Callable, Sequence
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
_SECONDS_EACH = 0.5
_FILINGS = 4

NamedFile = tuple[str, bytes]
Reader = Callable[[bytes, str], ParsedDocument]


def measure() -> Section:
    filings = cost_of_filings()
    rows = []
    for kind, files in _by_kind().items():
        pages = sum(len(parse(data, name).pages) for name, data in files)
        in_process = _seconds_a_round(files)
        sandboxed = _seconds_a_round(files, sandboxed=True)
        size = sum(len(data) for _, data in files) / len(files) / 1000
        speeds = [f"{pages / seconds:,.0f}" for seconds in (in_process, sandboxed)]
        rows.append([kind, len(files), pages, f"{size:,.0f}", *speeds, f"{max(0.0, 1 - in_process / sandboxed):.0%}"])
    header = ["format", "files", "pages", "KB each", "in process", "sandbox", "lost to the sandbox"]
    body = (
        f"Pages (sheets, slides, whole texts) per CPU second, user and system, on {machine()}. The sandbox costs some "
        "milliseconds a file, a fork and the way there and back: much of a file that takes one millisecond, little of "
        "a long one. Reading in process is no choice for files from outside; it is here as the measure.\n\n"
        f"{table(header, rows)}{filings}"
    )
    return Section("parsing", "Reading files", body)


def cost_of_filings() -> str:
    """In CPU time, user and system, so that other work on the machine matters little."""
    folder = shared_data("kgrag_sec10q")
    if folder is None:
        return ""
    files = [(path.name, path.read_bytes()) for path in sorted((folder / "docs").glob("*.pdf"))]
    # The CPU time of sandbox processes is known once they have ended.
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


def _seconds_a_round(files: Sequence[NamedFile], *, sandboxed: bool = False) -> float:
    """CPU time of reading all files once, without the time for starting and for loading libraries."""
    rounds = 1
    began = min(_cost(files, 0, sandboxed) for _ in range(2))
    while (used := _cost(files, rounds, sandboxed) - began) < _SECONDS_EACH:
        rounds *= 4
    return used / rounds


def _cost(files: Sequence[NamedFile], rounds: int, sandboxed: bool) -> float:
    before = _cpu_seconds()
    sandbox = Sandbox(Settings(parse_processes=1)) if sandboxed else None
    read: Reader = sandbox.parse if sandbox else parse
    for name, data in [*files, *(list(files) * rounds)]:
        read(data, name)
    if sandbox:
        sandbox.close()
    return _cpu_seconds() - before
