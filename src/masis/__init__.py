"""MASIS: answers you can defend.

>>> from masis import Masis
>>> Masis().ask("What was churn in 2025?", workspace="acme")   # doctest: +SKIP

Importing is free: nothing is opened or loaded before it is used.
"""

from typing import TYPE_CHECKING, Any

from masis._version import __version__
from masis.errors import MASISError

if TYPE_CHECKING:
    from masis.orchestrator.human import HumanAnswer
    from masis.orchestrator.state import MASISInput
    from masis.runs.result import RunResult
    from masis.runs.service import Masis
    from masis.settings import Settings

__all__ = ["HumanAnswer", "MASISError", "MASISInput", "Masis", "RunResult", "Settings", "__version__"]

_HOMES = {
    "HumanAnswer": "masis.orchestrator.human",
    "MASISInput": "masis.orchestrator.state",
    "Masis": "masis.runs.service",
    "RunResult": "masis.runs.result",
    "Settings": "masis.settings",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'masis' has no attribute {name!r}")
