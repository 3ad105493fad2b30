"""The command line. Nothing heavy is imported before a command needs it: help must be instant."""


def main() -> None:
    import os
    import sys

    # Piped, help and errors are plain text. Typer reads this when it is imported.
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        os.environ.setdefault("TYPER_USE_RICH", "0")

    # Matrices are small here: threads that wait for each other cost a second of work at each start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from masis.cli.app import app

    app()
