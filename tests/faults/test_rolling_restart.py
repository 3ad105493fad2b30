"""Every process is restarted, one after the other, while callers go on through nginx and Caddy: nobody notices."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.faults.topology import DOCUMENTS, QUESTION, RUNS, SEARCH, Topology, nothing_lost_or_doubled, of_two_workers
from tests.support.deployment import until
from tests.support.shipped_proxies import BEFORE


@dataclass
class Caller:
    """Somebody who asks, searches, uploads and follows, through one proxy, and notes what does not succeed."""

    name: str
    http: httpx.Client
    enough: threading.Event
    did: Counter[str] = field(default_factory=Counter[str])
    failed: list[str] = field(default_factory=list[str])
    runs: list[str] = field(default_factory=list[str])
    files: list[str] = field(default_factory=list[str])

    def call(self) -> None:
        while not self.enough.is_set():
            self._request("search", "GET", SEARCH)
            if answer := self._request("ask", "POST", "/masis/workspaces/acme", json=QUESTION):
                self.runs.append(answer.headers["Location"])
            if started := self._request("start", "POST", RUNS, json=QUESTION):
                self.runs.append(started.headers["Location"])
                self._follow(started.headers["Location"])
            name = f"{self.name}-{len(self.files)}.md"
            content = f"# Harbour {name}\n\nThe ferry carried {len(self.files)} cars.\n".encode()
            if self._request("upload", "POST", DOCUMENTS, files={"files": (name, content)}):
                self.files.append(name)

    def _request(self, what: str, method: str, path: str, **given: object) -> httpx.Response | None:
        try:
            answer = self.http.request(method, path, **given)  # type: ignore[arg-type]
        except httpx.HTTPError as error:
            self.failed.append(f"{what}: {error!r}")
            return None
        if not answer.is_success:
            self.failed.append(f"{what}: {answer.status_code} {answer.text[:200]}")
            return None
        self.did[what] += 1
        return answer

    def _follow(self, run: str) -> None:
        """As a browser does: where a stream ends before the run, from the event it had."""
        numbers, kind = [-1], ""
        try:
            while kind not in ("ended", "waiting", "failed"):
                seen = {"Last-Event-ID": str(numbers[-1])} if numbers[-1] >= 0 else {}
                with self.http.stream("GET", f"{run}/events", headers=seen) as stream:
                    stream.raise_for_status()
                    for line in stream.iter_lines():
                        if line.startswith("data:"):
                            event = json.loads(line.removeprefix("data:"))
                            kind = event["event"]
                            numbers += [event["seq"]] if event["seq"] is not None else []
        except httpx.HTTPError as error:
            self.failed.append(f"events: {error!r}")
        if numbers != sorted(set(numbers)) or kind != "ended":
            self.failed.append(f"events: {numbers}, {kind}")
        self.did["events"] += 1


@pytest.fixture
def topology(tmp_path: Path) -> Iterator[Topology]:
    with of_two_workers(tmp_path, MASIS_DRAIN_SECONDS="3") as made:  # as deploy/Caddyfile wants it
        yield made


@pytest.mark.timeout(600)
def test_nobody_notices_a_rolling_restart(topology: Topology, tmp_path_factory: pytest.TempPathFactory) -> None:
    topology.model.seconds = 0.2
    enough = threading.Event()
    with ExitStack() as stack, ThreadPoolExecutor(2 * len(BEFORE)) as threads:
        addresses = {
            name: stack.enter_context(run(topology.ports, tmp_path_factory.mktemp(name)))
            for name, run in BEFORE.items()
        }
        callers = [
            Caller(f"{name}-{number}", stack.enter_context(topology.client(address)), enough)
            for name, address in addresses.items()
            for number in range(2)
        ]
        calling = [threads.submit(caller.call) for caller in callers]
        try:
            _more_of_everything(callers)
            for number, api in enumerate(topology.apis):
                api.program.stop()
                _more_of_everything(callers)
                topology.apis[number] = topology.deployment.api("--no-worker", port=api.port)
                _more_of_everything(callers)
            for number, worker in enumerate(topology.workers):
                worker.stop()
                topology.workers[number] = topology.deployment.worker()
                _more_of_everything(callers)
        finally:
            enough.set()
        for call in calling:
            call.result()
    assert [failure for caller in callers for failure in caller.failed] == []
    runs, files = ([each for one in callers for each in getattr(one, name)] for name in ("runs", "files"))
    nothing_lost_or_doubled(topology, runs, files)


def _more_of_everything(callers: list[Caller]) -> None:
    before = [caller.did.copy() for caller in callers]
    kinds = ("search", "ask", "start", "events", "upload")
    until(
        lambda: (
            any(caller.failed for caller in callers)
            or all((c.did - b)[kind] for c, b in zip(callers, before, strict=True) for kind in kinds)
        )
    )
