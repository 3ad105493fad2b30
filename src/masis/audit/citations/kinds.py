"""What a sentence of an answer is: a claim, a stated limit of the evidence, a recommendation, or a heading.

"heading" is everything that states nothing: titles, table headers, questions, greetings, lines that introduce
a list.
"""

import re

from masis.audit.citations.advice import is_advice, is_frame
from masis.audit.citations.hedges import states_a_limit
from masis.language.blocks import Block
from masis.language.characters import CLOSERS
from masis.language.figures import states_a_hard_figure
from masis.language.titles import is_bold_title
from masis.types import ClaimKind

_WORD_CHARACTER = re.compile(r"[^\W_]")
_QUESTION_MARKS = ("?", "？", "؟", "\u037e", "⁇", "⁈")
_COLONS = (":", "：")
_NOTE_OR_DEFINITION = re.compile(r"\[\^[^\[\]]{1,80}\]:\s|\[[^\[\]]{1,200}\]:\s*(?:<|\w+://|www\.|[/.#])")
_FEWEST_CHARACTERS = 3


def kind_of(block: Block, bare: str) -> ClaimKind:
    """`bare` is the sentence without its citations."""
    if block.kind in ("heading", "code") or block.is_title or _states_nothing(bare):
        return "heading"
    if states_a_limit(bare):
        return "limit"
    return "recommendation" if is_advice(bare) else "claim"


def _states_nothing(bare: str) -> bool:
    ending = bare.rstrip().rstrip(CLOSERS + " ")
    if len(_WORD_CHARACTER.findall(bare)) < _FEWEST_CHARACTERS or ending.endswith(_QUESTION_MARKS):
        return True
    if is_bold_title(bare) or is_frame(bare):
        return True
    introduces = ending.endswith(_COLONS) or _NOTE_OR_DEFINITION.match(bare) is not None
    return introduces and not states_a_hard_figure(bare)
