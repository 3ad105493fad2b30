"""The database's machine is gone in the middle of runs and uploads, and its standby takes over."""

import time
from pathlib import Path

import pytest

from tests.faults.topology import nothing_lost_or_doubled, of_two_workers
from tests.support.deployment import until

RUNS_AT_ONCE, FILES = 12, 6
CALLS = 3
"""Of the model, for each run."""
AWAY_SECONDS = 3.0
"""Until somebody has noticed and promotes the standby: longer than a lease."""


@pytest.mark.timeout(300)
def test_a_standby_takes_over_and_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    with of_two_workers(tmp_path, standby=True) as topology:
        assert topology.standby
        topology.model.seconds = 0.5
        runs = [topology.start(number % 2) for number in range(RUNS_AT_ONCE)]
        files = [f"{number}.md" for number in range(FILES)]
        for number, name in enumerate(files):
            topology.upload(name, f"# Harbour {number}\n\nThe ferry carried {number} cars.\n".encode(), number % 2)
        until(lambda: len(topology.provider.chats) > RUNS_AT_ONCE)
        topology.postgres.kill()
        assert len(topology.provider.chats) < CALLS * RUNS_AT_ONCE  # or there is nothing left to lose
        time.sleep(AWAY_SECONDS)
        topology.standby.promote()
        until(lambda: all(topology.call("GET", "/ready", api).is_success for api in range(2)))
        nothing_lost_or_doubled(topology, runs, files)
