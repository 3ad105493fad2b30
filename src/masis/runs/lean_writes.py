"""Which writes between checkpoints are worth saving.

LangGraph saves what a task wrote before it saves the checkpoint that holds the same, so that of several tasks in one
step only the unfinished ones are done again. A step of ours is one agent: either it is in the checkpoint or it is
done again. Only what is no agent's work (a question to a person, its answer, an error) has to be kept on its own.
"""

from collections.abc import Sequence
from typing import Any


def must_be_kept(writes: Sequence[tuple[str, Any]]) -> bool:
    return any(channel.startswith("__") for channel, _ in writes)
