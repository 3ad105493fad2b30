"""Where the embedded index lies: numbered folders, and a description that says which of them is the index.

Replacing the description, one file, is what puts another index in its place.
"""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

_FOLDER = re.compile(r"index(?:-(\d+))?")
_LEFTOVER = re.compile(r"index-\d+(?:\.new|\.json|\.json\.new|\.unpurged)")
_ONE_FOLDER = 1
"""The format whose folder had but one name and was not described."""
_MADE_BY_THE_ENGINE = "edge_config.json"


@dataclass(frozen=True, slots=True)
class IndexFiles:
    home: Path
    number: int | None = None
    """Of an index that is being built beside the current one; None: the current one."""

    @property
    def description(self) -> Path:
        return self.home / ("index.json" if self.number is None else f"index-{self.number}.json")

    @property
    def unpurged(self) -> Path:
        """Is there while files of the index may hold what was deleted from it."""
        return self.description.with_suffix(".unpurged")

    def folder(self) -> Path | None:
        """Of the index as described; None where there is none."""
        described = self._described()
        return next((path for path in self._folders() if path.name == described), None)

    def stray(self) -> bool:
        """Folders that look like an index, and nothing says which of them is."""
        return self.number is None and self._described() is None and bool(self._folders())

    def new_folder(self) -> Path:
        return self.home / f"index-{self.number or self.next_number()}"

    def next_number(self) -> int:
        return max((_number(path) for path in self._folders()), default=0) + 1

    def sweep(self, keep: Path | None) -> None:
        """Removes every index but this one: what a crash or a rebuilding left."""
        for path in self._folders():
            if path != keep and (path / _MADE_BY_THE_ENGINE).exists():
                shutil.rmtree(path, ignore_errors=True)
        for path in self.home.iterdir():
            if _LEFTOVER.fullmatch(path.name):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _described(self) -> str | None:
        try:
            described = json.loads(self.description.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(described, dict):
            return None
        name = described.get("folder", "index" if described.get("format") == _ONE_FOLDER else None)
        return name if isinstance(name, str) else None

    def _folders(self) -> list[Path]:
        """An empty folder is no index: renaming the new one onto it works."""
        if not self.home.is_dir():
            return []
        found = (path for path in self.home.iterdir() if _FOLDER.fullmatch(path.name) and path.is_dir())
        return [path for path in found if any(path.iterdir())]


def _number(folder: Path) -> int:
    match = _FOLDER.fullmatch(folder.name)
    return int(match[1] or 0) if match else 0
