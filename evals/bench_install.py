"""What the core install weighs: every distribution of the core lock, counted in the environment at hand."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from evals.tables import Section, table

LOCK = Path(__file__).parent.parent / "requirements" / "core.txt"


def locked_names() -> list[str]:
    return re.findall(r"^([a-z0-9][a-z0-9._-]*)==", LOCK.read_text(), re.MULTILINE | re.IGNORECASE)


def size_mb(name: str) -> float | None:
    """None for what the lock lists for other platforms only."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return None
    paths = [Path(str(file.locate())) for file in files]
    return sum(path.stat().st_size for path in paths if path.is_file() and "__pycache__" not in path.parts) / 1e6


def measure() -> Section:
    sizes = {name: mb for name in locked_names() if (mb := size_mb(name)) is not None}
    largest = sorted(sizes, key=lambda name: -sizes[name])[:8]
    rows = [[name, f"{sizes[name]:.0f}"] for name in largest]
    rows += [["all others", f"{sum(sizes.values()) - sum(sizes[n] for n in largest):.0f}"]]
    rows += [[f"**total, {len(sizes)} packages** (target: under 400 MB)", f"**{sum(sizes.values()):.0f}**"]]
    return Section("install", "Core install", table(["package", "MB on disk"], rows))
