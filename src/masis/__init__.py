"""MASIS: answers you can defend.

>>> from masis import Masis
>>> with Masis() as masis:                                                # doctest: +SKIP
...     masis.ask("What was churn in 2025?", workspace="acme")

Importing is free: nothing is opened or loaded before it is used. What is not named here is private.
"""

from typing import TYPE_CHECKING, Any

from masis._version import __version__
from masis.errors import (
    BadModelOutput,
    DatabaseUnavailable,
    DataFolderError,
    DuplicateDocument,
    Forbidden,
    IndexBusy,
    IndexLost,
    IndexMismatch,
    InvalidInput,
    MASISError,
    ModelError,
    ModelRefused,
    ModelRejected,
    ModelSilent,
    ModelTruncated,
    ModelUnavailable,
    RateLimited,
    RunNotWaiting,
    ScannedFile,
    SourceUnavailable,
    StoreUnavailable,
    Unauthorized,
    UnknownDecision,
    UnknownDocument,
    UnknownIngestion,
    UnknownKey,
    UnknownPassage,
    UnknownRun,
    UnknownSource,
    UnknownWorkspace,
    UnreadableFile,
)
from masis.types import Budget, Caller, Document, IngestReport, SearchFilters

if TYPE_CHECKING:
    from masis.client import Masis
    from masis.orchestrator.graph import graph
    from masis.orchestrator.human import Answer
    from masis.orchestrator.state import MASISInput
    from masis.runs.records import RunRecord, RunResult
    from masis.settings import Settings

__all__ = [
    "Answer",
    "BadModelOutput",
    "Budget",
    "Caller",
    "DataFolderError",
    "DatabaseUnavailable",
    "Document",
    "DuplicateDocument",
    "Forbidden",
    "IndexBusy",
    "IndexLost",
    "IndexMismatch",
    "IngestReport",
    "InvalidInput",
    "MASISError",
    "MASISInput",
    "Masis",
    "ModelError",
    "ModelRefused",
    "ModelRejected",
    "ModelSilent",
    "ModelTruncated",
    "ModelUnavailable",
    "RateLimited",
    "RunNotWaiting",
    "RunRecord",
    "RunResult",
    "ScannedFile",
    "SearchFilters",
    "Settings",
    "SourceUnavailable",
    "StoreUnavailable",
    "Unauthorized",
    "UnknownDecision",
    "UnknownDocument",
    "UnknownIngestion",
    "UnknownKey",
    "UnknownPassage",
    "UnknownRun",
    "UnknownSource",
    "UnknownWorkspace",
    "UnreadableFile",
    "__version__",
    "graph",
]

_HOMES = {
    "Answer": "masis.orchestrator.human",
    "MASISInput": "masis.orchestrator.state",
    "Masis": "masis.client",
    "RunRecord": "masis.runs.records",
    "RunResult": "masis.runs.records",
    "Settings": "masis.settings",
    "graph": "masis.orchestrator.graph",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'masis' has no attribute {name!r}")
