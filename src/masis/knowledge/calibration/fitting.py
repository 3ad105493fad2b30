"""Fits what an embedder's cosines mean, by running the same questions and passages through it and the reference.

At each of the reference's thresholds, a share of the answering passages passes and a share of the off-topic questions
finds something. The cosine at which the same shares pass with the other embedder means the same relevance.
"""

import asyncio
import json
import os
import random
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from masis.errors import DataFolderError, InvalidInput, UnknownWorkspace
from masis.knowledge.calibration.profiles import (
    IDENTITY,
    OWN_PROFILES,
    Calibration,
    Point,
    calibration_of,
    read_profiles,
)
from masis.knowledge.calibration.questions import (
    MOST_PASSAGES,
    SEED,
    Passage,
    Sample,
    labelled_sample,
    read_labelled,
    synthetic_sample,
)
from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
from masis.knowledge.embedding.port import Embedder, Vector
from masis.knowledge.library import Library
from masis.settings import Settings
from masis.types import Document

THRESHOLDS = (0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.80)
"""Thresholds of the reference that are matched one by one; they include the Researcher's defaults."""
_LEAST_INFORMATION = 0.02
"""A threshold that nearly everything or nearly nothing passes is hard to place."""
_LEAST_STEP = 0.005


@dataclass(frozen=True, slots=True)
class Scores:
    """Cosines of one embedder on one sample."""

    on_topic: tuple[float, ...]
    """For each question, the cosine with the best passage that answers it."""
    off_topic: tuple[float, ...]
    """For each question without an answer, the cosine with the nearest passage."""

    def shares_at(self, cosine: float) -> tuple[float, float]:
        """The shares of on-topic and off-topic questions that pass."""
        return _share(self.on_topic, cosine), _share(self.off_topic, cosine)


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of on-topic and off-topic questions that pass a threshold: with the reference, before and after
    calibration."""

    threshold: float
    reference: tuple[float, float]
    uncalibrated: tuple[float, float]
    calibrated: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Profile:
    embedder: str
    reference: str
    points: tuple[Point, ...]
    method: str
    on_topic: int
    off_topic: int
    passages: int
    date: str
    rates: tuple[Rates, ...]

    @property
    def source(self) -> str:
        return f"fitted on {self.on_topic} questions and {self.off_topic} off-topic ones ({self.method}), {self.date}"

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "source": self.source}


async def calibrate(embedder: Embedder, reference: Embedder, sample: Sample, date: str) -> Profile:
    if embedder.name == reference.name:
        raise InvalidInput(
            f"{embedder.name} is the reference that other embedders are calibrated against.",
            advice="There is nothing to do. Set MASIS_EMBEDDING_MODEL or MASIS_EMBEDDING_PATH to calibrate another.",
        )
    sample.check()
    expected, found = await scores_of(reference, sample), await scores_of(embedder, sample)
    points = fit(expected, found)
    return Profile(
        embedder.name,
        reference.name,
        points,
        sample.method,
        len(expected.on_topic),
        len(expected.off_topic),
        len(sample.passages),
        date,
        compare(expected, found, points),
    )


async def scores_of(embedder: Embedder, sample: Sample) -> Scores:
    passages = await embedder.embed_passages(list(sample.passages))
    questions = [await embedder.embed_query(question.text) for question in sample.questions]
    return await asyncio.to_thread(_scores, sample, passages, questions)


def _scores(sample: Sample, passages: Sequence[Vector], questions: Sequence[Vector]) -> Scores:
    import numpy as np

    table = np.asarray(questions, dtype=np.float32) @ np.asarray(passages, dtype=np.float32).T
    on_topic, off_topic = [], []
    for question, row in zip(sample.questions, table, strict=True):
        if question.answered_by:
            on_topic.append(float(max(row[place] for place in question.answered_by)))
        else:
            off_topic.append(float(row.max()))
    return Scores(tuple(on_topic), tuple(off_topic))


def fit(reference: Scores, other: Scores) -> tuple[Point, ...]:
    """Points (cosine, relevance) from (0, 0) to (1, 1), both rising."""
    points = [IDENTITY[0]]
    for threshold in THRESHOLDS:
        cosine = _same_shares(reference, other, threshold)
        if cosine is not None and points[-1][0] + _LEAST_STEP <= cosine <= 1 - _LEAST_STEP:
            points.append((round(cosine, 4), threshold))
    if len(points) < 3:
        raise InvalidInput(
            "The two embedders cannot be compared on these questions: nearly all of them, or nearly none, pass "
            "every threshold.",
            advice="Use more and more varied questions, or a workspace with more documents.",
        )
    return (*points, IDENTITY[-1])


def _same_shares(reference: Scores, other: Scores, threshold: float) -> float | None:
    """The cosine at which the same shares pass. On-topic and off-topic questions never agree exactly, so each is
    weighted by how much it tells."""
    shares = reference.shares_at(threshold)
    weights = [share * (1 - share) for share in shares]
    if sum(weights) < _LEAST_INFORMATION:
        return None
    cuts = [_quantile(kind, 1 - share) for kind, share in zip((other.on_topic, other.off_topic), shares, strict=True)]
    return sum(weight * cut for weight, cut in zip(weights, cuts, strict=True)) / sum(weights)


def compare(reference: Scores, other: Scores, points: tuple[Point, ...]) -> tuple[Rates, ...]:
    scale = Calibration(points)
    relevance = Scores(
        tuple(map(scale.relevance, other.on_topic)),
        tuple(map(scale.relevance, other.off_topic)),
    )
    return tuple(Rates(t, reference.shares_at(t), other.shares_at(t), relevance.shares_at(t)) for t in THRESHOLDS)


def save(profile: Profile, home: Path) -> Path:
    """Saves the profile next to those of other embedders. A reader sees either the old file or the new one."""
    path = home / OWN_PROFILES
    profiles = {**read_profiles(path), profile.embedder: profile.as_json()}
    calibration_of(profile.as_json())
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=home, delete=False, encoding="utf-8") as file:
            json.dump({"profiles": profiles}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)
    except OSError as error:
        raise DataFolderError(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def _share(scores: Sequence[float], at_least: float) -> float:
    return sum(score >= at_least for score in scores) / len(scores)


def _quantile(scores: Sequence[float], share_below: float) -> float:
    """Halfway between the highest score that does not pass and the lowest that does."""
    ordered = sorted(scores)
    place = round(share_below * len(ordered))
    if place == 0:
        return ordered[0]
    return ordered[-1] if place == len(ordered) else (ordered[place - 1] + ordered[place]) / 2


async def calibrate_library(
    library: Library,
    settings: Settings,
    workspace_id: str | None = None,
    questions: Path | None = None,
    *,
    dry_run: bool = False,
) -> Profile:
    """Calibrates with the questions in a file, or with questions generated from one workspace or all of them."""
    entries = await asyncio.to_thread(read_labelled, questions) if questions else []
    named = frozenset(entry["document"] for entry in entries if "document" in entry)
    passages = await _passages(library, await _workspaces(library, workspace_id), named)
    sample = labelled_sample(entries, passages) if questions else synthetic_sample(passages)
    reference = OnnxEmbedder(max_tokens=settings.embedding_max_tokens)
    try:
        profile = await calibrate(library.embedder, reference, sample, datetime.now(UTC).date().isoformat())
    finally:
        reference.close()
    if not dry_run:
        await asyncio.to_thread(save, profile, settings.home)
    return profile


async def _workspaces(library: Library, workspace_id: str | None) -> list[str]:
    known = [workspace.workspace_id for workspace in await asyncio.to_thread(library.catalog.workspaces)]
    if workspace_id is None:
        return known
    if workspace_id not in known:
        raise UnknownWorkspace(f"There is no workspace {workspace_id[:80]!r}.")
    return [workspace_id]


async def _passages(library: Library, workspaces: Sequence[str], named: frozenset[str]) -> list[Passage]:
    """All passages of the named documents, and enough of the others, chosen at random."""
    found: list[Passage] = []
    for document in await asyncio.to_thread(_documents, library, workspaces, named):
        if len(found) >= MOST_PASSAGES and document.file_name not in named:
            break
        texts = await library.passages(document.workspace_id, document.document_id)
        found += [Passage(text, document.file_name) for text in texts]
    return found


def _documents(library: Library, workspaces: Sequence[str], named: frozenset[str]) -> list[Document]:
    documents = [each for name in workspaces for each in library.catalog.documents(name) if each.status == "READY"]
    documents.sort(key=lambda each: (each.workspace_id, each.document_id))
    random.Random(SEED).shuffle(documents)
    return sorted(documents, key=lambda each: each.file_name not in named)
