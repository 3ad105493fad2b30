"""All that is known of a run, and its form for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from masis._version import __version__
from masis.runs.event_log import RunEvent
from masis.runs.records import RunRecord
from masis.runs.result import RunResult


@dataclass(frozen=True, slots=True)
class Pack:
    run: RunRecord
    result: RunResult
    events: Sequence[RunEvent]


def as_json(pack: Pack) -> bytes:
    """Everything as it is; only ASCII, so that no reader is misled by what it cannot see."""
    content = {
        "masis_version": __version__,
        "run": asdict(pack.run),
        "result": pack.result.as_dict(),
        "events": list(pack.events),
    }
    return json.dumps(content, indent=2, default=str).encode()
