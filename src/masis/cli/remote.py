"""The command line beside a running service: what needs the index is asked of the service that holds it."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from masis.errors import InvalidInput, MASISError

if TYPE_CHECKING:
    from masis.runs.events import RunEvent
    from masis.runs.records import RunResult
    from masis.settings import Settings
    from masis.types import SearchFilters

ADDRESS_FILE = "service.url"
_LOOK_SECONDS = 2.0


class ServiceRefused(MASISError):
    """A running service said no."""

    code = "service_refused"


@contextmanager
def announced(settings: "Settings", address: str) -> Iterator[None]:
    """The address of the service stands in its data folder while it runs."""
    file = settings.home / ADDRESS_FILE
    file.write_text(address, encoding="utf-8")
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def service_beside(settings: "Settings") -> "Remote | None":
    """The service at MASIS_URL, or the one that holds the data folder; None where no service answers."""
    if url := os.environ.get("MASIS_URL"):
        return Remote(url)
    if settings.uses_qdrant_server:
        return None
    try:
        found = Remote((settings.home / ADDRESS_FILE).read_text(encoding="utf-8").strip())
    except OSError:
        return None
    return found if found.answers() else None  # one that was killed leaves its address behind


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
        max_retries: int | None,
        filters: "SearchFilters | None",
        thread: str | None,
        on_event: "Callable[[RunEvent], None] | None",
    ) -> "RunResult":
        from masis.runs.records import RunResult

        asked = {"query": question, "max_retries": max_retries, "thread_id": thread, "filters": _as_json(filters)}
        run = self._call("POST", f"/masis/workspaces/{workspace}/runs", json=asked)
        path = f"/masis/workspaces/{workspace}/runs/{run['run_id']}"
        for event in self._events(f"{path}/events"):
            if on_event and event["event"] in ("started", "finished"):
                on_event(event)
        return RunResult(**self._call("GET", f"{path}/result"))

    def search(self, question: str, workspace: str, limit: int, filters: "SearchFilters") -> list[Any]:
        pages = {"first_page": filters.pages[0], "last_page": filters.pages[1]} if filters.pages else {}
        given = {"q": question, "limit": limit, **(_as_json(filters) or {}), **pages}
        given.pop("pages", None)
        found: list[Any] = self._call("GET", f"/masis/workspaces/{workspace}/search", params=given)
        return [{**each, "focus": each["focus"] or [each["start"], each["end"]]} for each in found]

    def upload(self, files: Sequence[Path], workspace: str) -> dict[str, Any]:
        """What became of each file."""
        parts = [("files", (file.name, file.read_bytes())) for file in files]
        path = f"/masis/workspaces/{workspace}/documents"
        accepted: dict[str, Any] = self._call("POST", path, params={"wait": "true"}, files=parts)
        return accepted

    def _call(self, method: str, path: str, **given: Any) -> Any:
        import httpx2

        try:
            answer = httpx2.request(method, f"{self.url}{path}", headers=self._headers, timeout=None, **given)
        except httpx2.HTTPError as error:
            raise ServiceRefused(f"{self.url} does not answer: {error}.", advice="Check MASIS_URL.") from None
        if answer.status_code >= 400:
            raise _refusal(
                answer.json() if "json" in answer.headers.get("content-type", "") else {}, answer.status_code
            )
        return answer.json()

    def _events(self, path: str) -> "Iterator[RunEvent]":
        import httpx2

        with httpx2.stream("GET", f"{self.url}{path}", headers=self._headers, timeout=None) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))


def _as_json(filters: "SearchFilters | None") -> dict[str, Any] | None:
    from dataclasses import asdict

    return None if filters is None else {name: value for name, value in asdict(filters).items() if value}


def _refusal(problem: Mapping[str, Any], status: int) -> MASISError:
    said = str(problem.get("detail") or problem.get("title") or f"The service answered with status {status}.")
    advice = "Set MASIS_KEY to a key of the service." if status in (401, 403) else str(problem.get("advice") or "")
    return ServiceRefused(said, advice=advice)


def files_below(paths: Sequence[Path]) -> list[Path]:
    found = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    files = [file for file in found if file.is_file() and not file.name.startswith(".")]
    if not files:
        raise InvalidInput("There are no files to read.", advice="Name files, or folders that hold some.")
    return files
