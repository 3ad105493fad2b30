"""The command line next to a running service: the service owns the index and does the work that needs it."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from masis.data_folder import FolderLock, make_folder
from masis.errors import InvalidInput, MASISError

if TYPE_CHECKING:
    from masis.knowledge.ingestion.batch import IngestProgress
    from masis.knowledge.overview import Overview
    from masis.runs.events import RunEvent
    from masis.runs.records import RunResult
    from masis.settings import Settings
    from masis.types import Budget, SearchFilters

ADDRESS_FILE, SERVICE_LOCK = "service.url", "service.lock"
_LOOK_SECONDS = 2.0
_LOOK_AGAIN_SECONDS = 0.5
_TOGETHER = 100
"""Maximum files per request."""


class ServiceRefused(MASISError):
    """A running service refused a request."""

    code = "service_refused"

    def __init__(self, message: str, *, advice: str, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, advice=advice)
        self.problem = problem or {}


@contextmanager
def announced(settings: "Settings", address: str) -> Iterator[None]:
    """A running service writes its address to its data folder."""
    file = make_folder(settings.home) / ADDRESS_FILE
    file.write_text(address, encoding="utf-8")
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def service_beside(settings: "Settings") -> "Remote | None":
    """The service at MASIS_URL, or the one that holds the data folder; None if no service responds."""
    if url := os.environ.get("MASIS_URL"):
        return Remote(url)
    if settings.uses_qdrant_server:
        return None
    try:
        found = Remote((settings.home / ADDRESS_FILE).read_text(encoding="utf-8").strip())
    except OSError:
        return None
    # A killed service leaves its address behind, and another program may listen there now.
    is_gone = FolderLock(settings.home / SERVICE_LOCK).is_free()
    return found if not is_gone and found.answers() else None


class Remote:
    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        key = os.environ.get("MASIS_KEY")
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def answers(self) -> bool:
        import httpx2

        with suppress(httpx2.HTTPError):
            return httpx2.get(f"{self.url}/ready", timeout=_LOOK_SECONDS).status_code < 500
        return False

    def page_of(self, workspace: str, run_id: str) -> str:
        return f"{self.url}/w/{workspace}/runs/{run_id}"

    def ask(
        self,
        question: str,
        workspace: str,
        *,
        max_retries: int | None = None,
        filters: "SearchFilters | None",
        thread: str | None = None,
        budget: "Budget | None" = None,
        on_event: "Callable[[RunEvent], None] | None" = None,
        key: str | None = None,
    ) -> "RunResult":
        """With the same `key`, a repeated question is the same run."""
        from dataclasses import asdict

        from masis.runs.records import RunResult

        asked = {"query": question, "max_retries": max_retries, "thread_id": thread, "filters": _as_json(filters)}
        asked |= asdict(budget) if budget else {}
        headers = {"Idempotency-Key": key} if key else None
        run = self.call("POST", f"/masis/workspaces/{workspace}/runs", headers, json=asked)
        path = f"/masis/workspaces/{workspace}/runs/{run['run_id']}"
        for event in self._events(f"{path}/events"):
            if on_event and event["event"] in ("started", "finished"):
                on_event(event)
        return RunResult(**self.call("GET", f"{path}/result"))

    def search(self, question: str, workspace: str, limit: int, filters: "SearchFilters") -> list[Any]:
        pages = {"first_page": filters.pages[0], "last_page": filters.pages[1]} if filters.pages else {}
        given = {"q": question, "limit": limit, **(_as_json(filters) or {}), **pages}
        given.pop("pages", None)
        found: list[Any] = self.call("GET", f"/masis/workspaces/{workspace}/search", params=given)
        return [{**each, "focus": each["focus"] or [each["start"], each["end"]]} for each in found]

    def turns(self, workspace: str, run_id: str) -> list[dict[str, Any]]:
        """The runs of its thread, newest first."""
        path = f"/masis/workspaces/{workspace}/runs"
        thread = self.call("GET", f"{path}/{run_id}")["thread_id"]
        found: list[dict[str, Any]] = self.call("GET", path, params={"thread_id": thread})["items"]
        return found

    def file_names(self, workspace: str) -> set[str]:
        return {each["file_name"] for each in self._documents(workspace)}

    def overview(self, document: str, workspace: str) -> "Overview":
        """By its id or its file name."""
        from masis.knowledge.overview import overview_from

        listed = self._documents(workspace)
        ids = [each["document_id"] for each in listed if document in (each["document_id"], each["file_name"])]
        if len(ids) != 1:
            raise InvalidInput(
                f"{len(ids) or 'No'} documents of {workspace} are named {document[:80]!r}.",
                advice=f"The service lists them at {self.url}/masis/workspaces/{workspace}/documents.",
            )
        return overview_from(self.call("GET", f"/masis/workspaces/{workspace}/documents/{ids[0]}/overview"))

    def _documents(self, workspace: str) -> Iterator[dict[str, Any]]:
        given: dict[str, Any] = {"limit": 200}
        while True:
            found = self.call("GET", f"/masis/workspaces/{workspace}/documents", params=given)
            yield from found["items"]
            if not found["next_cursor"]:
                return
            given["cursor"] = found["next_cursor"]

    def upload(
        self, files: Sequence[Path], workspace: str, on_progress: "Callable[[IngestProgress], None] | None" = None
    ) -> dict[str, Any]:
        """Returns a result for each file. Files are sent and read in batches."""
        told: dict[str, Any] = {"files": [], "duplicates": []}
        for first in range(0, len(files), _TOGETHER):
            some = files[first : first + _TOGETHER]
            for name, listed in self._uploaded(some, workspace, _Counting(on_progress, first, len(files))).items():
                told[name] += listed
        return told

    def _uploaded(self, files: Sequence[Path], workspace: str, counting: "_Counting") -> dict[str, list[Any]]:
        path = f"/masis/workspaces/{workspace}/documents"
        with ExitStack() as open_files:
            parts = [("files", (file.name, open_files.enter_context(file.open("rb")))) for file in files]
            try:
                accepted = self.call("POST", path, files=parts)
            except ServiceRefused as refused:
                if refused.problem.get("code") == "duplicate_document":
                    return {"duplicates": list(refused.problem.get("documents", []))}
                raise
        latest = accepted
        for latest in self._events(f"/masis/workspaces/{workspace}/ingestions/{accepted['ingestion_id']}/events"):
            counting(latest["progress"])
        return {"files": latest["files"], "duplicates": accepted["duplicates"]}

    def call(self, method: str, path: str, headers: Mapping[str, str] | None = None, **given: Any) -> Any:
        import httpx2

        sent = {**self._headers, **(headers or {})}
        try:
            answer = httpx2.request(method, f"{self.url}{path}", headers=sent, timeout=None, **given)
        except httpx2.HTTPError as error:
            raise ServiceRefused(f"{self.url} does not respond: {error}.", advice="Check MASIS_URL.") from None
        if answer.status_code >= 400:
            raise _refusal(
                answer.json() if "json" in answer.headers.get("content-type", "") else {}, answer.status_code
            )
        return answer.json()

    def _events(self, path: str) -> "Iterator[Any]":
        import httpx2

        with httpx2.stream("GET", f"{self.url}{path}", headers=self._headers, timeout=None) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))


def synced(
    service: Remote,
    workspace: str,
    source: str | None,
    ignore: Sequence[str],
    every: str | None,
    allow_empty: bool,
    dry_run: bool,
) -> list[dict[str, Any]]:
    """Sources that the service syncs; it must be able to read them itself."""
    from masis.sources.remote.listing import scheme_of

    if dry_run or (source is not None and not scheme_of(source)):
        raise InvalidInput(
            "A remote service cannot see the folders of this machine and has no dry run.",
            advice="Upload files with `masis ingest`, or sync on the service's machine; addresses can be synced.",
        )
    path = f"/masis/workspaces/{workspace}/sources"
    if source is None:
        known = service.call("GET", path)
        for each in known:
            service.call("POST", f"{path}/{each['source_id']}/sync", json={"allow_empty": allow_empty})
        started = list(known)
    else:
        given = {"address": source, "ignore": list(ignore), "every": every, "allow_empty": allow_empty}
        started = [service.call("POST", path, json=given)]
    return [_when_synced(service, f"{path}/{each['source_id']}") for each in started]


def _when_synced(service: Remote, path: str) -> dict[str, Any]:
    while (found := service.call("GET", path))["is_syncing"]:
        time.sleep(_LOOK_AGAIN_SECONDS)
    if found["status"] == "failed":
        raise ServiceRefused(str(found["error"]), advice="")
    return dict(found)


def _as_json(filters: "SearchFilters | None") -> dict[str, Any] | None:
    from dataclasses import asdict

    return None if filters is None else {name: value for name, value in asdict(filters).items() if value}


def _refusal(problem: Mapping[str, Any], status: int) -> MASISError:
    said = str(problem.get("detail") or problem.get("title") or f"The service answered with status {status}.")
    advice = "Set MASIS_KEY to a key of the service." if status in (401, 403) else str(problem.get("advice") or "")
    return ServiceRefused(said, advice=advice, problem=problem)


class _Counting:
    """Reports the progress of one batch as part of the whole."""

    def __init__(self, on_progress: "Callable[[IngestProgress], None] | None", before: int, total: int) -> None:
        self._on_progress, self._before, self._total = on_progress, before, total

    def __call__(self, counts: Mapping[str, Any]) -> None:
        from masis.knowledge.ingestion.batch import IngestProgress

        if self._on_progress:
            total = max(self._total, self._before + counts["files_total"])
            done = {**counts, "files_done": self._before + counts["files_done"], "files_total": total}
            self._on_progress(IngestProgress("by the service", "reading", **done))


def files_below(paths: Sequence[Path]) -> list[Path]:
    found = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    files = [file for file in found if file.is_file() and not file.name.startswith(".")]
    if not files:
        raise InvalidInput("There are no files to read.", advice="Name files, or folders that contain files.")
    return files
