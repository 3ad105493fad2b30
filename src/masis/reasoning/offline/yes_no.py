"""Yes or no, where the deciding sentence is clear on it."""

import re

from masis.language.question import Question
from masis.language.words import content_stems, is_negated
from masis.reasoning.offline.selection import Candidate
from masis.reasoning.offline.verifier import support_scores

AUXILIARY = re.compile(
    r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|must)\s+", re.IGNORECASE
)
SURE = 0.6
SAYS_IT = 0.75
"""Share of the question's own words that a sentence must have to decide it."""


def yes_or_no(part: Question, best: Candidate) -> str:
    """Empty where the sentence does not decide it: then it stands alone."""
    claimed = AUXILIARY.sub("", part.text).rstrip(" ?")
    statement = best.statement
    wanted = part.subject - part.named
    if is_negated(part.text) or len(wanted & set(content_stems(statement.in_context))) < SAYS_IT * len(wanted):
        return ""
    if is_negated(statement.text):
        return "No"
    [borne_out] = support_scores([(claimed, statement.in_context)])
    return "Yes" if borne_out >= SURE else ""
