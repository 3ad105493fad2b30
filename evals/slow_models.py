"""Engines that take as long as a chat model but use no CPU, so that the rest is MASIS's own time."""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from masis.orchestrator.services import Services
from masis.settings import Settings
from tests.support.engines import ScriptedWriter, Stage

MODEL_SECONDS = 1.0
CALLS = 3
"""Write, audit, judge."""
IDEAL_SECONDS = MODEL_SECONDS * CALLS
QUESTION = "What was revenue in 2025?"


@dataclass
class Slow:
    """Any of the three engines, answering after a second."""

    engine: Any

    @property
    def name(self) -> str:
        return str(self.engine.name)

    async def write(self, *args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(MODEL_SECONDS)
        return await self.engine.write(*args, **kwargs)

    async def audit(self, *args: Any) -> Any:
        await asyncio.sleep(MODEL_SECONDS)
        return await self.engine.audit(*args)

    async def judge(self, *args: Any) -> Any:
        await asyncio.sleep(MODEL_SECONDS)
        return await self.engine.judge(*args)


def slow_services(settings: Settings, runs: int) -> Services:
    """Every draft differs, so that no audit can be reused from another run."""
    drafts = [f"In 2025, as item {number} says, revenue was $12 million. [c1]" for number in range(runs)]
    services: Any = Stage(settings=settings, writer=ScriptedWriter(drafts)).services
    slow: dict[str, Any] = {role: Slow(getattr(services, role)) for role in ("writer", "auditor", "judge")}
    return replace(services, **slow)
