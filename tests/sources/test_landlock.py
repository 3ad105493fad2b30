import subprocess
import sys
from pathlib import Path

import pytest

FENCED = (
    "import sys, ctypes\nfrom masis.sources.sandbox.confinement import read_nothing_else\n"
    "if not read_nothing_else(): sys.exit(77)\nlibc = ctypes.CDLL(None)\n"
)


def run_fenced(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-B", "-c", FENCED + code, *arguments], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip("this system has no Landlock")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_other_files_are_out_of_reach_also_for_libraries_in_c(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    assert run_fenced("print(libc.open(sys.argv[1].encode(), 0))", str(secret)) == "-1"
    assert run_fenced("print(libc.open(sys.argv[1].encode(), 65, 0o600))", str(tmp_path / "new.txt")) == "-1"
    assert [path.name for path in tmp_path.iterdir()] == ["secret.txt"]


def test_python_and_its_libraries_are_within_reach() -> None:
    assert run_fenced("import wave, lxml.html, docx\nprint('read')") == "read"


def test_nothing_can_be_started() -> None:
    assert run_fenced("print(libc.execl(b'/usr/bin/env', b'env', None))") == "-1"


def test_no_connection() -> None:
    code = (
        "import socket\nserver = socket.socket()\n"
        "try: server.connect(('127.0.0.1', 9))\nexcept OSError as error: print(error.errno)"
    )
    refused = run_fenced(code)
    if refused == "111":
        pytest.skip("this version of Landlock does not know TCP")
    assert refused == "13"
