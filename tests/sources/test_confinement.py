import subprocess
import sys
from pathlib import Path

import pytest

CONFINED = "from masis.sources.sandbox.confinement import confine\nconfine({memory}, 0, 300)\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="the limits of Linux")


def run_confined(code: str, memory: int = 1 << 30) -> subprocess.CompletedProcess[str]:
    whole = CONFINED.format(memory=memory) + code
    return subprocess.run([sys.executable, "-B", "-c", whole], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "act",
    [
        "import socket; socket.socket()",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
        "import os; os.execv('/bin/true', ['true'])",
        "import os; os.fork()",
        "import os; os.kill(os.getppid(), 0)",
        "import os; os.open('{path}', os.O_RDWR)",
        "import os; os.remove('{path}')",
        "import os; os.rename('{path}', '{path}2')",
        "import os; os.mkdir('{path}2')",
        "open('{path}', 'w')",
        "open('{path}', 'ab')",
        "open('{path}2', 'x')",
    ],
)
def test_a_confined_process_cannot(act: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("untouched")
    done = run_confined(act.format(path=path))
    assert "PermissionError: a file that is being read may not" in done.stderr
    assert path.read_text() == "untouched"
    assert len(list(tmp_path.iterdir())) == 1


def test_it_can_read_its_own_modules_and_answer() -> None:
    assert run_confined("import wave, json; print(json.dumps([1]))").stdout == "[1]\n"


@linux
def test_memory_is_limited() -> None:
    assert run_confined("print(len(bytes(200_000_000)))", memory=1 << 28).stdout == "200000000\n"
    assert "MemoryError" in run_confined("bytes(300_000_000)", memory=1 << 28).stderr


@linux
def test_no_file_grows_even_through_a_library_in_c(tmp_path: Path) -> None:
    """Audit hooks see Python only; the kernel sees all."""
    write = (
        "import ctypes, sys; libc = ctypes.CDLL(None); f = libc.open(sys.argv[1].encode(), 65, 0o600)\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); print(libc.write(f, b'x', 1))"
    )
    whole = CONFINED.format(memory=1 << 30) + write
    path = tmp_path / "out"
    done = subprocess.run([sys.executable, "-c", whole, str(path)], capture_output=True, text=True, check=False)
    assert done.stdout == "-1\n"
    assert path.stat().st_size == 0


@linux
def test_each_step_has_its_seconds() -> None:
    """A long report is not a hostile file, but one page may not take for ever."""
    code = (
        "import resource, time\nfrom masis.sources.sandbox.confinement import step_done\n"
        "first = resource.getrlimit(resource.RLIMIT_CPU)[0]\n"
        "while time.process_time() < 1.2: pass\n"
        "step_done()\nprint(resource.getrlimit(resource.RLIMIT_CPU)[0] - first)"
    )
    assert int(run_confined(code).stdout) >= 1


@linux
def test_the_network_is_empty() -> None:
    code = (
        "from masis.sources.sandbox.confinement import leave_network\nleave_network()\n"
        "print(*(line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = Path("/proc/net/dev").read_text().splitlines()
    if done.stdout.split() == [line.split(":")[0].strip() for line in ours if ":" in line]:
        pytest.skip("this kernel lets nobody leave the network")
    assert done.stdout.split() == ["lo"]


def test_outside_a_sandbox_a_step_is_nothing() -> None:
    code = "from masis.sources.sandbox.confinement import step_done\nstep_done()"
    subprocess.run([sys.executable, "-c", code], check=True)
