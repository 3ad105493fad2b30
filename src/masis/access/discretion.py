"""What a caller is told of an error that is about the inside of the service."""

from masis.errors import DatabaseUnavailable, DataFolderError, MASISError, StoreUnavailable

_INSIDE: dict[type[MASISError], str] = {
    DataFolderError: "The data folder of the service cannot be used as it is.",
    DatabaseUnavailable: "The database of the service does not answer.",
    StoreUnavailable: "The index of the service does not answer.",
}
_ADVICE = "Try again in a moment: what was saved is kept. The service's log says why."


def is_inside(error: MASISError) -> bool:
    """Where the folder or a server is, and what is wrong with it, is for whoever runs the service alone."""
    return isinstance(error, tuple(_INSIDE))


def told(error: MASISError) -> tuple[str, str]:
    """What happened, and what to do."""
    for kind, words in _INSIDE.items():
        if isinstance(error, kind):
            return words, _ADVICE
    return str(error), error.advice
