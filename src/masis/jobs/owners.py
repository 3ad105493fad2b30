"""Who holds a job: a name that tells, on the same machine, whether its process still lives."""

import os
import secrets
import socket
from functools import lru_cache
from pathlib import Path


def new_owner() -> str:
    """One for each worker, also within a process."""
    return f"{_machine()}|{os.getpid()}|{_started(os.getpid())}|{secrets.token_hex(4)}"


def is_dead(owner: str | None) -> bool:
    """True only where it is certain: the process was one of this machine and is gone."""
    parts = (owner or "").split("|")
    if len(parts) != 4 or parts[0] != _machine() or not parts[1].isdigit():
        return False
    pid = int(parts[1])
    # A process id may have been given to another process since; its start time has not.
    return not _lives(pid) or _started(pid) != parts[2]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@lru_cache(maxsize=1)
def _machine() -> str:
    """Containers may share a host's name, but not its list of processes."""
    try:
        processes = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        processes = ""
    return f"{socket.gethostname()}{processes}".replace("|", "")


def _started(pid: int) -> str:
    try:
        # The name of a program may hold blanks and brackets; what follows the last bracket does not.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    state, start = fields[0], fields[19]
    return "" if state == "Z" else start
