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

    @property
    def question(self) -> str:
        """The one that the answer answers: a person may have put another one in place of the first."""
        refined = [each["question"] for each in self.result.decisions if each["action"] == "refine"]
        return refined[-1] if refined else self.run.question


def as_json(pack: Pack) -> bytes:
    """Everything as it is; only ASCII, so that no reader is misled by what it cannot see."""
    content = {
        "masis_version": __version__,
        # The one that is answered; the one that was asked first is the run's.
        "question": pack.question,
        "run": asdict(pack.run),
        "result": pack.result.as_dict(),
        "events": list(pack.events),
    }
    return json.dumps(content, indent=2, default=str).encode()
