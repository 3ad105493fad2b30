"""A model that takes its time, finds nothing wrong unless it is told to, and cites the passage it was shown."""

import json
import re
import threading
from dataclasses import dataclass, field

from tests.support.fake_openai import Drop, Recorded, Reply, Say
from tests.support.obedient import ALL_IS_WELL, FULL_MARKS


@dataclass
class PatientModel:
    seconds: float = 0.0
    """Before each answer."""
    is_free: threading.Event = field(default_factory=threading.Event)
    """Until it is set, nothing is answered."""
    is_down: bool = False
    sees_conflict: bool = False

    def __post_init__(self) -> None:
        self.is_free.set()

    def __call__(self, request: Recorded) -> Reply:
        threading.Event().wait(self.seconds)
        self.is_free.wait(60)
        if self.is_down:
            return Drop()
        asked = json.dumps(request.body)
        if "needs_retry" in asked:
            noted = ["report.md says 12, memo.md says 14"] if self.sees_conflict else []
            return Say(json.dumps({**ALL_IS_WELL, "conflicting_evidence": noted}))
        if "reasoning_quality" in asked:
            return Say(json.dumps(FULL_MARKS))
        found = re.findall(r"<<<passage \[(c[0-9a-z]{10})\]", request.prompt)
        return Say(f"Revenue was $12 million in 2025. [{found[0]}]")
