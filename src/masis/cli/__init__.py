"""The command line. Nothing heavy is imported before a command needs it: help must be instant."""


def main() -> None:
    import os

    # Matrices are small here: threads that wait for each other cost a second of work at each start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from masis.cli.app import app

    app()
