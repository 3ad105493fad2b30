"""A name tells whether its process lives, and says dead only where that is certain."""

import os
import subprocess
import sys

import pytest

from masis.jobs.queue import is_dead, new_owner


def test_this_process_lives_and_has_many_names() -> None:
    first, second = new_owner(), new_owner()
    assert first != second
    assert not is_dead(first)


def test_a_process_that_ended_is_dead_even_before_its_parent_has_asked() -> None:
    code = "from masis.jobs.queue import new_owner; print(new_owner(), flush=True)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    owner = process.stdout.readline().strip()
    process.stdout.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is a zombie now
    assert is_dead(owner)
    process.wait()
    process.stdout.close()
    assert is_dead(owner)


def test_a_process_id_that_was_given_to_another_process() -> None:
    machine, pid, _, name = new_owner().split("|")
    assert is_dead(f"{machine}|{pid}|1|{name}")


@pytest.mark.parametrize("owner", [None, "", "worker", "elsewhere|1|2|x", "a|b|c|d"])
def test_what_cannot_be_told_is_not_dead(owner: str | None) -> None:
    assert not is_dead(owner)
