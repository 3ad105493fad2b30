"""The command line. Nothing heavy is imported before a command needs it: help must be instant."""


def main() -> None:
    from masis.cli.app import app

    app()
