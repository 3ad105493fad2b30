"""Yes or no, where the deciding sentence is clear on it."""

import re

from masis.language.question import Question
from masis.language.words import is_negated
from masis.reasoning.offline.selection import Candidate
from masis.reasoning.offline.verifier import support_scores

AUXILIARY = re.compile(
    r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|must)\s+", re.IGNORECASE
)
SURE = 0.6


def yes_or_no(part: Question, best: Candidate) -> str:
    """Empty where the sentence does not decide it: then it stands alone."""
    claimed = AUXILIARY.sub("", part.text).rstrip(" ?")
    statement = best.statement
    if is_negated(part.text):
        return ""
    if is_negated(statement.text):
        return "No"
    [borne_out] = support_scores([(claimed, statement.in_context)])
    return "Yes" if borne_out >= SURE else ""
