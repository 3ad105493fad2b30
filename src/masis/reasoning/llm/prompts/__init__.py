"""Every word MASIS says to a model, one file a role. Change `PROMPT_VERSION` with the words: runs record it."""

from masis.reasoning.llm.prompts.messages import auditing, compressing, judging, writing
from masis.reasoning.llm.prompts.record import PROMPT_VERSION, prompt_hash, prompt_stamp
from masis.reasoning.llm.prompts.transcriber import NOTHING_TO_READ, TRANSCRIBE_TASK, TRANSCRIBER

__all__ = [
    "NOTHING_TO_READ",
    "PROMPT_VERSION",
    "TRANSCRIBER",
    "TRANSCRIBE_TASK",
    "auditing",
    "compressing",
    "judging",
    "prompt_hash",
    "prompt_stamp",
    "writing",
]
