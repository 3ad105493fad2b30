"""What a process that reads a hostile file may not do: use up memory and time, write, open connections, start
processes.

Not every system supports all of these; what is missing is left out. The parent's own limits on time and output apply
everywhere.
"""

import ctypes
import os
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38
_READ_FILE, _READ_DIRECTORY = 1 << 2, 1 << 3
_SYSTEM_LIBRARIES = ("/usr", "/lib", "/lib64", "/nix/store")


def read_nothing_else() -> bool:
    """Restricts reading to the libraries by Landlock. False if the kernel or system does not have it."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    if version < 1:
        return False
    attributes = _everything(version)
    ruleset = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    for folder in _readable_folders():
        _allow_reading(libc, ruleset, folder)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    is_fenced: bool = libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return is_fenced


def _everything(version: int) -> bytes:
    """Everything this version of Landlock can forbid: files, TCP from version 4, signals from version 6."""
    files = 13 + (version >= 2) + (version >= 3) + (version >= 5)
    attributes = struct.pack("=QQQ", (1 << files) - 1, 0b11, 0b11)
    return attributes[: 24 if version >= 6 else 16 if version >= 4 else 8]


def _readable_folders() -> set[Path]:
    named = (*_SYSTEM_LIBRARIES, sys.prefix, sys.base_prefix, *sys.path)
    return {path for name in named if name and (path := Path(name)).is_dir()}


def _allow_reading(libc: ctypes.CDLL, ruleset: int, folder: Path) -> None:
    with suppress(OSError):
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", _READ_FILE | _READ_DIRECTORY, opened)
        libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
        os.close(opened)


CPU_SECONDS_A_STEP = 20
_INPUT_BYTES_A_SECOND = 500_000
"""Extra time for large files; the slowest parser is well above this rate."""
_OPEN_FILES = 64
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FORBIDDEN = (
    *(
        "socket.",
        "subprocess.",
        "shutil.",
        "tempfile.",
        "ftplib.",
        "smtplib.",
        "http.client.",
        "urllib.",
        "webbrowser.",
    ),
    *("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn", "os.kill", "signal.pthread_kill"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
)

_on_step: ContextVar[Callable[[], None] | None] = ContextVar("on_step", default=None)


def step_done() -> None:
    """Called by a parser after each page to extend its time: a long report is not a hostile file."""
    if report := _on_step.get():
        report()


def confine(memory_bytes: int, input_bytes: int, seconds: float, taken_bytes: int | None = None) -> None:
    """From here on, this process can only compute and answer; this cannot be undone. `taken_bytes` is the address space
    that the interpreter and its libraries already use, if the process cannot look it up itself."""
    first = int(CPU_SECONDS_A_STEP + input_bytes / _INPUT_BYTES_A_SECOND)
    _limit_cpu(first, int(seconds) + 1)
    _on_step.set(lambda: _limit_cpu(CPU_SECONDS_A_STEP, int(seconds) + 1))
    taken_bytes = address_space() if taken_bytes is None else taken_bytes
    with suppress(OSError, ImportError, ValueError):
        _limit_resources(taken_bytes + memory_bytes + 3 * input_bytes if taken_bytes else None)
    sys.addaudithook(_refuse)


def _limit_cpu(more: int, ceiling: int) -> None:
    with suppress(OSError, ImportError, ValueError):
        import resource

        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (min(int(used) + more, ceiling), ceiling))


def _limit_resources(address_space: int | None) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    if address_space:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))


def address_space() -> int:
    """The address space of this process in bytes; 0 if the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        flags = arguments[2]
        if isinstance(flags, int) and flags & _WRITING:
            raise PermissionError("a file that is being read may not write")
    elif event.startswith(_FORBIDDEN):
        raise PermissionError(f"a file that is being read may not use {event}")


def leave_network() -> None:
    """Moves to an empty network namespace. Root can do that alone; others need a user namespace with it."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None)
            if libc.unshare(_CLONE_NEWNET) != 0:
                libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def die_with(parent: int) -> None:
    """Ends this process when its parent ends, however that happens."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def volunteer_for_oom() -> None:
    """If the machine runs out of memory, this process is the one to end."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
