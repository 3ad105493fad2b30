"""Relevance: makes cosines comparable, so that 0.60 keeps the same kind of passage whichever model embeds.

The embedded bge-small is the reference: its cosines are the relevance. For any other embedder, a profile says which of
its cosines correspond to the reference's 0.60, 0.55 and so on. Profiles for common models are included; one fitted by
`masis calibrate` takes precedence.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

from masis.errors import DataFolderError

Point = tuple[float, float]

IDENTITY: tuple[Point, ...] = ((0.0, 0.0), (1.0, 1.0))
OWN_PROFILES = "calibration.json"
"""In the data folder: a profile for each embedder that was calibrated by a user."""
NOBODY_MEASURED = "nobody measured this embedder, its cosines are taken as they are"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Straight lines through measured points (cosine, relevance), rising from (0, 0) to (1, 1)."""

    points: tuple[Point, ...] = IDENTITY
    is_calibrated: bool = False
    """False if nobody measured what 0.60 and 0.55 mean for this embedder."""
    source: str = NOBODY_MEASURED
    """What the points are based on, in words."""

    def relevance(self, cosine: float) -> float:
        for (x0, y0), (x1, y1) in pairwise(self.points):
            if cosine <= x1:
                value = y0 + (cosine - x0) * (y1 - y0) / (x1 - x0)
                return min(1.0, max(0.0, value))
        return 1.0


def calibration_for(embedder_name: str, home: Path | None = None) -> Calibration:
    own = _own_profiles(home) if home is not None else {}
    return own.get(embedder_name) or _shipped(embedder_name)


def calibration_of(profile: Mapping[str, Any]) -> Calibration:
    """Raises ValueError, TypeError or KeyError for anything but a profile."""
    points = tuple((float(cosine), float(relevance)) for cosine, relevance in profile["points"])
    if len(points) < 2 or any(x1 <= x0 or y1 < y0 for (x0, y0), (x1, y1) in pairwise(points)):
        raise ValueError("the points do not rise")
    return Calibration(points, is_calibrated=not profile.get("provisional"), source=str(profile["source"]))


def read_profiles(path: Path) -> dict[str, dict[str, Any]]:
    """Profiles by embedder; empty if there is no file."""
    try:
        profiles: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["profiles"]
        for profile in profiles.values():
            calibration_of(profile)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataFolderError(
            f"{path} cannot be read as a calibration.", advice="Delete it and run `masis calibrate` again."
        ) from error
    return profiles


def _own_profiles(home: Path) -> dict[str, Calibration]:
    path = home / OWN_PROFILES
    try:
        written = path.stat().st_mtime_ns
    except OSError:
        return {}
    return _read_own(path, written)


@lru_cache(maxsize=8)
def _read_own(path: Path, written: int) -> dict[str, Calibration]:
    """Cached because every search needs it; the file is read again only when it has changed."""
    return {embedder: calibration_of(profile) for embedder, profile in read_profiles(path).items()}


@lru_cache(maxsize=32)
def _shipped(embedder_name: str) -> Calibration:
    name = embedder_name.lower()
    for profile in shipped_profiles():
        if any(name.startswith(known) if profile.get("whole_name") else known in name for known in profile["names"]):
            return calibration_of(profile)
    return Calibration()


@lru_cache(maxsize=1)
def shipped_profiles() -> tuple[dict[str, Any], ...]:
    folder = files("masis.knowledge.calibration") / "data"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda e: e.name)
    return tuple(json.loads(entry.read_text(encoding="utf-8")) for entry in found)
