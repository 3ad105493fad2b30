"""`masis calibrate` without its words: the embedder in use, fitted on what the data folder holds."""

import asyncio
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from masis.errors import UnknownWorkspace
from masis.knowledge.calibration.fitting import Profile, calibrate, save
from masis.knowledge.calibration.questions import (
    MOST_PASSAGES,
    SEED,
    Passage,
    labelled_sample,
    read_labelled,
    synthetic_sample,
)
from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
from masis.knowledge.library import Library
from masis.settings import Settings
from masis.types import Document


async def calibrate_library(
    library: Library,
    settings: Settings,
    workspace_id: str | None = None,
    questions: Path | None = None,
    *,
    dry_run: bool = False,
) -> Profile:
    """From the questions in a file, or from ones made of the passages of a workspace, or of all of them."""
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
    """All of the documents that are asked for by name, and enough of the others, taken by lot."""
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
