"""Documents on a Ray cluster by our actors and by Ray Data: speed and memory in turn, and three faults."""

import json
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from evals.bench_ray import PYTHON, WORDS, Rows, Site, a_site
from evals.peers.ray_ingest import DEADLY
from evals.tables import NotMeasured, Section, machine, table
from masis import Masis
from tests.support.ray_cluster import WORKSPACE, Place, actors, another_node, cluster, end_all, until
from tests.support.service import clean_environment

WAYS = {"actors": "ray::MortalReader.read", "data": "ray::MapWorker(MapBatches(BatchReader)).submit"}
"""With what Ray calls a worker that is at work."""
NAMES = {
    "actors": "our actors",
    "data": "Ray Data",
    "data-limited": "Ray Data, told to give up a task after five deaths, and to go on",
}
PAGES, ROUNDS = 384, 5
WAIT_SECONDS = 180.0
"""What has not ended by then, several times as long as it takes undisturbed, is not waited for."""


def measure() -> Section:
    if not PYTHON.exists():
        raise NotMeasured("Ray is not installed; `make .cache/ray/.ready` installs it")
    done = subprocess.run([PYTHON, "-m", "evals.bench_ray_data"], stdout=subprocess.PIPE, text=True, check=True)
    return _section(*json.loads(done.stdout.splitlines()[-1]))


def _section(speed: Rows, faults: Rows) -> Section:
    body = (
        f"{PAGES} pages of {WORDS} words on a cluster of two cores, read by the same class in the workers, eight files "
        "at a time, into PostgreSQL and Qdrant: by our actors (`masis ingest --on`), and by Ray Data (`from_items`, "
        f"`map_batches` with a pool of actors). {ROUNDS} rounds in turn on {machine()}, which all of it shares; the "
        "time for a single page is taken off, and given as the start. Medians, with the lowest and highest. *Memory*: "
        "of the driver, at its highest.\n\n"
        + table(["", "pages per second", "pages per second against the actors", "start", "memory MB"], speed)
        + "\n\nFaults in the middle, compared point by point with one process that nothing disturbed.\n\n"
        + table(["fault", "by", "ended after", "files reported as failed", "passages lost", "doubled or other"], faults)
    )
    return Section("ray-data", "Ray Data beside the actors", body)


@dataclass(frozen=True, slots=True)
class Round:
    start: float
    seconds: float
    megabytes: float

    @property
    def rate(self) -> float:
        return PAGES / (self.seconds - self.start)


def _driver(way: str, address: str, place: Place, folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "evals.peers.ray_ingest", way, address, str(folder)]
    environment = clean_environment() | place.environment
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _said(driver: "subprocess.Popen[bytes]") -> dict[str, Any]:
    said, _ = driver.communicate()
    assert driver.returncode == 0
    told: dict[str, Any] = json.loads(said.splitlines()[-1])
    return told


def _speed(held: Site) -> Rows:
    rounds: dict[str, list[Round]] = {way: [] for way in WAYS}
    with cluster(held.folder, 2) as address:
        for number in range(ROUNDS):
            for way in WAYS if number % 2 else reversed(WAYS):
                one = _said(_driver(way, address, held.place(), held.one_page))
                all_pages = _said(_driver(way, address, held.place(), held.pages))
                assert all_pages["ready"] == PAGES
                rounds[way].append(Round(one["seconds"], all_pages["seconds"], all_pages["megabytes"]))
                print(way, rounds[way][-1], file=sys.stderr)
    return [_row(way, rounds[way], rounds["actors"]) for way in WAYS]


def _row(way: str, own: list[Round], ours: list[Round]) -> list[object]:
    ratios = [mine.rate / other.rate for mine, other in zip(own, ours, strict=True)]
    start, megabytes = (statistics.median(getattr(each, name) for each in own) for name in ("start", "megabytes"))
    return [NAMES[way], _spread([each.rate for each in own]), _spread(ratios), f"{start:.1f} s", round(megabytes)]


def _spread(figures: list[float]) -> str:
    return f"{statistics.median(figures):.2f} ({min(figures):.2f} to {max(figures):.2f})"


def _faults(held: Site) -> Rows:
    undisturbed = held.place()
    with Masis(undisturbed.settings) as masis:
        masis.ingest([held.pages], WORKSPACE)
    rows: Rows = []
    for name, disturbed, ways in (
        ("a worker is killed (SIGKILL)", _worker_killed, WAYS),
        ("a machine is gone, and no other has a free core", _node_killed, WAYS),
        ("a file that kills every worker", _deadly_file, NAMES),
    ):
        for way in ways:
            place = held.place()
            rows.append([name, NAMES[way], *disturbed(held, way, place), *_compared(place, undisturbed)])
            print(rows[-1], file=sys.stderr)
    return rows


def _worker_killed(held: Site, way: str, place: Place) -> list[object]:
    def kill() -> None:
        until(lambda: any(map(_killed, actors(WAYS[way])[:1])))

    with cluster(held.folder, 2) as address:
        return _disturbed(way, address, place, held.pages, kill)


def _killed(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGKILL)
        return True
    return False


def _node_killed(held: Site, way: str, place: Place) -> list[object]:
    with cluster(held.folder, 1) as address, another_node(held.folder, address) as node:
        return _disturbed(way, address, place, held.pages, lambda: end_all(node))


def _deadly_file(held: Site, way: str, place: Place) -> list[object]:
    deadly = held.pages / f"047-{DEADLY}"
    deadly.write_text("# A page that no worker survives\n")
    try:
        with cluster(held.folder, 2) as address:
            return _disturbed(way, address, place, held.pages, lambda: None)
    finally:
        deadly.unlink()


def _disturbed(way: str, address: str, place: Place, folder: Path, fault: Callable[[], None]) -> list[object]:
    driver = _driver(way, address, place, folder)
    until(lambda: len(place.points()) > PAGES // 3)
    assert driver.poll() is None
    fault()
    try:
        driver.wait(WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        end_all(driver)
        return [f"not within {WAIT_SECONDS:g} s", ""]
    if driver.returncode:
        return ["an error", ""]
    said = _said(driver)
    return [f"{said['seconds']:.0f} s", len(said["failed"])]


def _compared(place: Place, undisturbed: Place) -> list[object]:
    mine, theirs = place.points(), undisturbed.points()
    return [len(theirs.keys() - mine.keys()), sum(mine[each] != theirs.get(each) for each in mine)]


def main() -> None:
    with a_site(PAGES) as held:
        print(json.dumps([_speed(held), _faults(held)]))


if __name__ == "__main__":
    main()
