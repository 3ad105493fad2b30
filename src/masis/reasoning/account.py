"""What one run may still spend, and for whom.

Kept in a context variable, so that whatever calls a model for a run sees it, and no signature has to carry it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from masis.types import Usage


@dataclass(slots=True)
class Account:
    """The limits of a run and what was spent of them; made anew for each agent's turn."""

    workspace_id: str = ""
    max_cost_usd: float | None = None
    max_seconds: float | None = None
    spent_usd: float = 0.0
    spent_seconds: float = 0.0
    """Before this turn."""
    opened_at: float = field(default_factory=time.monotonic)
    stood_in: list[str] = field(default_factory=list[str])
    """For which model the embedded engine worked, and why, in words."""
    is_spent: bool = False
    from_cache: int = 0
    """Answers that a model had given before, to the same words."""

    @property
    def seconds_left(self) -> float | None:
        if self.max_seconds is None:
            return None
        return max(0.0, self.max_seconds - self.spent_seconds - (time.monotonic() - self.opened_at))

    def refusal(self, next_call_usd: float = 0.0) -> str | None:
        """Why the next call may not be made; None when it may."""
        if self.max_cost_usd is not None and self.spent_usd + next_call_usd > self.max_cost_usd:
            self.is_spent = True
            return (
                f"it could cost ${next_call_usd:.4f}, and ${self.spent_usd:.4f} of ${self.max_cost_usd:.4f} are spent"
            )
        if self.seconds_left is not None and self.seconds_left <= 0:
            return self.out_of_time()
        return None

    def out_of_time(self) -> str:
        self.is_spent = True
        return f"the {self.max_seconds:g} seconds of this run are over"

    def charge(self, usage: Usage) -> None:
        self.spent_usd += usage.cost_usd


_CURRENT: ContextVar[Account | None] = ContextVar("masis_account", default=None)


def current_account() -> Account:
    """That of the run this is called from; one without limits where there is none."""
    return _CURRENT.get() or Account()


@contextmanager
def charged_to(account: Account) -> Iterator[Account]:
    token = _CURRENT.set(account)
    try:
        yield account
    finally:
        _CURRENT.reset(token)
