"""The command line. Imports nothing heavy until a command needs it, so that help is instant."""


def main() -> None:
    import os
    import sys

    # When piped, help and errors are plain text. Typer reads this on import.
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        os.environ.setdefault("TYPER_USE_RICH", "0")

    # Matrices are small here: threads waiting for each other would waste a second at each start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from masis.cli.app import app

    app()
