"""A model that does what documents tell it: the worst case behind the OpenAI protocol."""

import json
import re
from dataclasses import dataclass

from tests.support.fake_openai import Recorded, Reply, Say

ALL_IS_WELL = {
    "confidence": 1.0,
    "hallucination_detected": False,
    "unsupported_claims": [],
    "logical_gaps": [],
    "conflicting_evidence": [],
    "needs_retry": False,
}
FULL_MARKS = {
    "faithfulness": 1.0,
    "relevance": 1.0,
    "completeness": 1.0,
    "reasoning_quality": 1.0,
    "improvement_suggestions": [],
}


@dataclass
class ObedientModel:
    """Writes what the attacker wants, finds nothing wrong with it, and gives it full marks."""

    planted: str
    answer: str
    """`{id}` becomes the id of a passage that really was given."""
    honest_answer: str = ""
    """What it writes when it was not shown the planted words."""

    def __call__(self, request: Recorded) -> Reply:
        asked = json.dumps(request.body)
        if "needs_retry" in asked:
            return Say(json.dumps(ALL_IS_WELL))
        if "reasoning_quality" in asked:
            return Say(json.dumps(FULL_MARKS))
        was_told = _letters(self.planted) in _letters(request.prompt)
        chunk_id = re.findall(r"<<<passage \[(c[0-9a-z]{10})\]", request.prompt)[0]
        return Say((self.answer if was_told else self.honest_answer).replace("{id}", chunk_id))


def _letters(text: str) -> str:
    """However a document was wrapped, and whatever it hid between the letters."""
    return "".join(character for character in text if character.isprintable() and not character.isspace())
