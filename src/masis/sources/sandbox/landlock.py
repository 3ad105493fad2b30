"""Landlock, Linux's own fence for a process: from here on it may read Python and its libraries, and nothing else.

It also holds where containers forbid a network of one's own, and for libraries in C, which audit hooks do not see.
"""

import ctypes
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38
_READ_FILE, _READ_DIRECTORY = 1 << 2, 1 << 3
_SYSTEM_LIBRARIES = ("/usr", "/lib", "/lib64", "/nix/store")


def read_nothing_else() -> bool:
    """Whether the kernel could be asked; an older one, or another system, has no Landlock."""
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
    """All that this version of Landlock can forbid: files, from the fourth on TCP, from the sixth on signals."""
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
