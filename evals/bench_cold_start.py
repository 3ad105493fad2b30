"""Time until a fresh process shows something: help, and a first answer."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from evals.tables import Section, machine, table

ROUNDS = 7
SAMPLE = Path(__file__).parent.parent / "examples" / "tolmerick"
MASIS = str(Path(sys.executable).parent / "masis")
QUESTION = "When does the term loan from Lakehead Mutual Bank mature?"


def cpu_seconds(*command: str, home: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"MASIS_HOME": home})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure() -> Section:
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(
            [MASIS, "ingest", str(SAMPLE), "-w", "t"],
            check=True,
            capture_output=True,
            env=os.environ | {"MASIS_HOME": home},
        )
        commands = {
            "`python -c pass` (the interpreter alone)": (sys.executable, "-c", "pass"),
            "`python -c 'import typer, rich'` (the libraries of any such command line)": (
                sys.executable,
                "-c",
                "import typer, rich.console",
            ),
            "`masis ask --help` (target: under 0.5 s)": (MASIS, "ask", "--help"),
            "`masis ask …`, first answer of a fresh process": (MASIS, "ask", QUESTION, "-w", "t", "--json"),
        }
        rows = [
            [name, f"{statistics.median(cpu_seconds(*command, home=home) for _ in range(ROUNDS)):.2f}"]
            for name, command in commands.items()
        ]
    body = f"CPU seconds of the whole process, median of {ROUNDS}; {machine()}.\n\n{table(['', 'CPU s'], rows)}"
    return Section("cold-start", "Cold start", body)
