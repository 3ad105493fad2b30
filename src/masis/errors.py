"""Every error MASIS raises on purpose.

MASISError
├── InvalidInput            the question, a name or a setting cannot be used
│   ├── UnknownWorkspace
│   ├── UnknownRun
│   ├── UnknownDocument
│   ├── UnknownPassage
│   ├── UnknownKey
│   ├── UnknownIngestion
│   ├── UnknownDecision
│   ├── UnknownSource
│   ├── RunNotWaiting       it has been answered already, or never asked
│   ├── IndexBusy           the index is being rebuilt
│   └── DuplicateDocument
├── SourceUnavailable       a folder, storage, site or mailbox could not be listed
├── UnreadableFile          a file could not be read as a document
│   └── ScannedFile         its pages are pictures of text
├── DataFolderError         the data folder cannot be used (read-only, full, locked by another process)
│   └── IndexMismatch       the index was built by another embedder, or is not an index
├── StoreUnavailable        the vector store did not respond
│   └── IndexLost           the store responds, but the passages are missing
├── DatabaseUnavailable     PostgreSQL did not respond, or cannot be used as it is
├── Unauthorized            no key, or one that is not valid
├── Forbidden               a valid key that may not do this
├── RateLimited             more requests than a key may make
└── ModelError              a model call did not give a usable result
    ├── ModelRejected       the provider refused the request (400, 401, 403, 404): retrying will not help
    ├── ModelUnavailable    429 or 5xx until the deadline, or unreachable
    │   └── ModelSilent     it was reached and did not say a word in time
    ├── ModelRefused        the model declined to answer
    ├── ModelTruncated      the output was cut off before its end
    └── BadModelOutput      the output did not fit the schema, after a second try

Each says what happened (`str(error)`) and what to do (`error.advice`). `error.code` is stable, for programs.
"""

from masis.types import Usage


class MASISError(Exception):
    """What happened, in one sentence. `advice` says what to do about it."""

    code = "error"
    advice = "Run `masis doctor` to see what is configured."

    def __init__(self, message: str, *, advice: str | None = None) -> None:
        super().__init__(message)
        if advice is not None:
            self.advice = advice


class InvalidInput(MASISError):
    code = "invalid_input"
    advice = "Correct the input and try again; nothing was changed."


class UnknownWorkspace(InvalidInput):
    code = "unknown_workspace"
    advice = (
        "List the workspaces with `masis workspaces`, or create this one with `masis ingest PATH --workspace NAME`."
    )


class UnknownKey(InvalidInput):
    code = "unknown_key"
    advice = "List the keys with `masis keys list`; the id is the part of a key between its two underscores."


class UnknownRun(InvalidInput):
    code = "unknown_run"
    advice = "List the runs with `masis runs`."


class RunNotWaiting(InvalidInput):
    code = "conflict"
    advice = "It may have been answered just now: look at it with `masis runs show`."


class IndexBusy(InvalidInput):
    code = "conflict"
    advice = "Wait until the index is rebuilt, then try again."


class UnknownIngestion(InvalidInput):
    code = "unknown_ingestion"
    advice = "Use the id returned by the upload."


class UnknownDecision(InvalidInput):
    code = "unknown_decision"
    advice = "List the decisions with `masis decisions`."


class UnknownSource(InvalidInput):
    code = "unknown_source"
    advice = "List the sources with `masis sources`."


class UnknownDocument(InvalidInput):
    code = "unknown_document"
    advice = "List the documents with `masis documents`."


class UnknownPassage(InvalidInput):
    code = "unknown_passage"
    advice = "Use the chunk_id of a citation or search result, with its document_id, start and end."


class DuplicateDocument(InvalidInput):
    code = "duplicate_document"
    advice = "The file is already in this workspace; no action needed."


class UnreadableFile(MASISError):
    code = "unreadable_file"
    advice = "Open the file to see whether it is intact, or save it in another format."


class SourceUnavailable(MASISError):
    """The source could not be listed. Its documents stay."""

    code = "source_unavailable"
    advice = "Its documents stay. Check that it exists, is mounted and can be read, then sync again."


class ScannedFile(UnreadableFile):
    code = "scanned_file"
    advice = "Run text recognition (OCR) on it, with `masis[ocr]` or `ocrmypdf` for example, and ingest it again."

    def __init__(self, message: str, *, pages: int) -> None:
        super().__init__(message)
        self.pages = pages


class DataFolderError(MASISError):
    code = "data_folder"
    advice = "Set MASIS_HOME to a folder this user can write to."


class IndexMismatch(DataFolderError):
    code = "index_mismatch"
    advice = "Use the embedder the index was built with, or rebuild the index for this one with `masis reindex`."


class StoreUnavailable(MASISError):
    """The vector store did not respond. Nothing was lost."""

    code = "store_unavailable"
    advice = "Check QDRANT_HOST and QDRANT_PORT (or QDRANT_URL) and that the server is running, then ask again."


class IndexLost(StoreUnavailable):
    """The documents exist but their index does not, so an empty search result would be wrong."""

    code = "index_lost"
    advice = "`masis serve` and `masis worker` rebuild it from the stored documents; `masis reindex` does so at once."


class DatabaseUnavailable(MASISError):
    """PostgreSQL did not respond. Everything it confirmed is safe."""

    code = "database_unavailable"
    advice = "Check MASIS_DATABASE_URL and that the server is running, then try again; nothing was left half done."


class ModelError(MASISError):
    code = "model_error"
    advice = "Ask again; the best draft so far is saved."
    usage = Usage()
    """What the call had cost before it failed."""


class ModelRejected(ModelError):
    code = "model_rejected"
    advice = "Check OPENAI_API_KEY, MASIS_MODEL_BASE_URL and the model names with `masis doctor`."


class ModelUnavailable(ModelError):
    code = "model_unavailable"
    advice = "The provider is overloaded or unreachable: wait a moment and ask again."


class ModelSilent(ModelUnavailable):
    advice = (
        "Check whether the provider is up, or use another model. If the model needs longer for its first word,"
        " because the machine is slow or the model thinks first, raise MASIS_MODEL_TIMEOUT_SECONDS and"
        " MASIS_MODEL_DEADLINE_SECONDS."
    )


class ModelRefused(ModelError):
    code = "model_refused"
    advice = "Rephrase the question, or choose another model."


class ModelTruncated(ModelError):
    code = "model_truncated"
    advice = "Raise MASIS_MAX_OUTPUT_TOKENS, or ask a narrower question."
    said = ""
    """What the model had written when it was cut off."""


class BadModelOutput(ModelError):
    code = "bad_model_output"
    advice = "Choose a model that follows a JSON schema; `masis doctor` tests it."


class Unauthorized(MASISError):
    code = "unauthorized"
    advice = "Send a key as `Authorization: Bearer masis_…`; an admin can create one with `masis keys create`."


class Forbidden(MASISError):
    code = "forbidden"
    advice = "Ask an admin of the workspace for a key with the missing rights."


class RateLimited(MASISError):
    code = "rate_limited"
    advice = "Wait for the time in Retry-After, then continue; MASIS_KEY_RATE_CALLS sets the limit for a key."

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds."""


AWAY = (DataFolderError, DatabaseUnavailable, StoreUnavailable)
"""Temporary conditions, such as a full disk or an unreachable server: the work is done once they end."""


def will_pass(error: BaseException) -> bool:
    return isinstance(error, (*AWAY, IndexBusy)) and not isinstance(error, IndexMismatch)


_INSIDE: dict[type[MASISError], str] = {
    DataFolderError: "The service's data folder cannot be used as it is.",
    DatabaseUnavailable: "The service's database is not responding.",
    IndexLost: "The service's index was lost and must be rebuilt; the documents are intact.",
    StoreUnavailable: "The service's index is not responding.",
}
_ADVICE = "Try again in a moment; nothing saved is lost. The service's log says why."


def is_inside(error: MASISError) -> bool:
    """Whether the details (paths, servers) are for the administrator only."""
    return isinstance(error, tuple(_INSIDE))


def public_words(error: MASISError) -> tuple[str, str]:
    """What happened and what to do, without details that only the administrator may see."""
    for kind, words in _INSIDE.items():
        if isinstance(error, kind):
            return words, _ADVICE
    return str(error), error.advice
