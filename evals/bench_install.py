"""The size of the core install: every distribution in the core lock, measured in the current environment."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from evals.tables import Section, table

LOCK = Path(__file__).parent.parent / "requirements" / "core.txt"


def locked_names() -> tuple[list[str], list[str]]:
    """What the lock installs, and what it leaves out (requirements/unused.txt)."""
    lines = re.findall(r"^([a-z0-9][a-z0-9._-]*)==(.*)$", LOCK.read_text(), re.MULTILINE | re.IGNORECASE)
    unused = [name for name, rest in lines if "'never'" in rest]
    return [name for name, _ in lines if name not in unused], unused


def size_mb(name: str) -> float | None:
    """None for distributions that the lock lists only for other platforms."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return None
    paths = [Path(str(file.locate())) for file in files]
    return sum(path.stat().st_size for path in paths if path.is_file() and "__pycache__" not in path.parts) / 1e6


def measure() -> Section:
    installed, unused = locked_names()
    sizes = {name: mb for name in installed if (mb := size_mb(name)) is not None}
    largest = sorted(sizes, key=lambda name: -sizes[name])[:8]
    rows = [[name, f"{sizes[name]:.0f}"] for name in largest]
    rows += [["all others", f"{sum(sizes.values()) - sum(sizes[n] for n in largest):.0f}"]]
    rows += [[f"**total, {len(sizes)} packages** (target: under 400 MB)", f"**{sum(sizes.values()):.0f}**"]]
    body = (
        f"What `make demo` installs. {', '.join(sorted(unused))} are asked for by dependencies, never imported by "
        "MASIS and left out of the lock (`requirements/unused.txt`); a plain `pip install` of the package adds them "
        f"(98 MB when last installed).\n\n{table(['package', 'MB on disk'], rows)}"
    )
    return Section("install", "Core install", body)
