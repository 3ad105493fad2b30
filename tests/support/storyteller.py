"""A model that writes what it is told to, piece by piece, and is audited when the test allows it."""

import json
import re
import threading
from dataclasses import dataclass, field

from tests.support.fake_openai import Recorded, Reply, Say
from tests.support.obedient import ALL_IS_WELL, FULL_MARKS

WAIT_SECONDS = 60


@dataclass
class Storyteller:
    story: str = "Revenue was $12 million in 2025. [{id}]"
    """`{id}` becomes the id of a passage that was given."""
    pause: float = 0.0
    """Seconds before every three characters."""
    may_end: threading.Event = field(default_factory=threading.Event)
    """Until it is set no draft is audited, and no run ends."""

    objections: list[str] = field(default_factory=list)
    """What is missing in the next drafts, one each: they are sent back for it."""

    def __post_init__(self) -> None:
        self.may_end.set()

    def __call__(self, request: Recorded) -> Reply:
        asked = json.dumps(request.body)
        if "needs_retry" in asked:
            if self.objections:
                return Say(json.dumps(ALL_IS_WELL | _sent_back(self.objections.pop(0))))
            self.may_end.wait(WAIT_SECONDS)
            return Say(json.dumps(ALL_IS_WELL))
        if "reasoning_quality" in asked:
            return Say(json.dumps(FULL_MARKS))
        given = re.findall(r"<<<passage \[(c[0-9a-z]{10})\]", request.prompt)
        return Say(self.story.replace("{id}", given[0] if given else "none"), pause=self.pause)


def _sent_back(objection: str) -> dict[str, object]:
    return {"confidence": 0.4, "logical_gaps": [objection], "needs_retry": True}
