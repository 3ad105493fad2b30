"""Documents on a Ray cluster: pages per second with one and two actors, against one process; and what faults lose."""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evals.tables import NotMeasured, Section, machine, table
from tests.support.ray_cluster import Place, another_node, cluster, end_all, until
from tests.support.relay import Relay
from tests.support.servers import PostgresServer, QdrantServer

PYTHON = Path(__file__).parents[1] / ".cache" / "ray" / "bin" / "python"
PAGES, WORDS = 96, 300
HERE = "one process"
AWAY_SECONDS = 6.0
"""Twice the lease."""
Rows = list[list[object]]
Fault = Callable[["subprocess.Popen[bytes]"], None]
"""The faults, injected into a cluster at work or into the driver."""


def measure() -> Section:
    title = "Documents on a Ray cluster"
    if not PYTHON.exists():
        raise NotMeasured("Ray is not installed; `make .cache/ray/.ready` installs it")
    # Ray has its own environment.
    done = subprocess.run([PYTHON, "-m", "evals.bench_ray"], stdout=subprocess.PIPE, text=True, check=True)
    speed, faults = json.loads(done.stdout.splitlines()[-1])
    body = (
        f"`masis ingest` of {PAGES} pages of {WORDS} words, on PostgreSQL and Qdrant, the embedded embedder; "
        f"{machine()}, which Ray, the servers and the actors share. The time of the same command for a single page, in "
        "which processes start and models are loaded, is taken off. An actor has one core. *Efficiency*: of two "
        "actors, against twice the speed of one. *Overhead*: the time on Ray beyond that of one process with as many "
        "cores.\n\n"
        + table(["", "cores", "pages per second", "efficiency", "overhead", "start"], speed)
        + "\n\nFaults in the middle, compared point by point with one process that nothing disturbed. *Commands*: how "
        "often the same command was given until it reported no failed file.\n\n"
        + table(["fault", "commands", "pages", "lost", "doubled or other"], faults)
    )
    return Section("ray", title, body)


@dataclass(frozen=True, slots=True)
class Timed:
    start: float
    whole: float

    @property
    def rate(self) -> float:
        return PAGES / (self.whole - self.start)


@dataclass(slots=True)
class Site:
    folder: Path
    postgres: PostgresServer
    qdrant: QdrantServer
    pages: Path
    one_page: Path
    _made: int = 0

    def place(self) -> Place:
        self._made += 1
        name = f"place{self._made}"
        return Place(name, self.folder / name, self.postgres.database(name), self.qdrant.url)

    def kill_postgres(self, _: object) -> None:
        self.postgres.kill()
        time.sleep(2)
        self.postgres.start()

    def kill_qdrant(self, _: object) -> None:
        self.qdrant.kill()
        time.sleep(2)
        self.qdrant.start()

    def timed(self, cores: int, address: str | None = None) -> tuple[Timed, Place]:
        start, _ = self._ingested(self.one_page, cores, address)
        whole, place = self._ingested(self.pages, cores, address)
        return Timed(start, whole), place

    def _ingested(self, source: Path, cores: int, address: str | None) -> tuple[float, Place]:
        place, on = self.place(), ("--on", address) if address else ()
        own = {} if address else {"OMP_NUM_THREADS": str(cores), "MASIS_PARSE_PROCESSES": str(cores)}
        started = time.perf_counter()
        assert place.started("ingest", source, *on, said=subprocess.DEVNULL, **own).wait() == 0
        return time.perf_counter() - started, place


@contextmanager
def a_site(pages: int = PAGES) -> Iterator[Site]:
    with tempfile.TemporaryDirectory() as name:
        folder, postgres = Path(name), PostgresServer()
        qdrant = QdrantServer(folder)
        chance = random.Random(1)
        words = [f"{first}{second}" for first in ("har", "fer", "lan", "mor", "tel") for second in ("bour", "ry", "d")]
        for kind, count in (("pages", pages), ("one", 1)):
            (folder / kind).mkdir()
            for number in range(count):
                text = " ".join(f"{chance.choice(words)} {chance.randrange(10_000)}" for _ in range(WORDS // 2))
                (folder / kind / f"{number:03}.md").write_text(f"# Page {number} of {kind}\n\n{text}.\n")
        postgres.start()
        qdrant.start()
        try:
            yield Site(folder, postgres, qdrant, folder / "pages", folder / "one")
        finally:
            qdrant.stop()
            postgres.close()


def _speed(site: Site) -> tuple[Rows, Place]:
    here = {cores: site.timed(cores) for cores in (1, 2)}
    on_ray: dict[int, Timed] = {}
    for cores in (1, 2):
        with cluster(site.folder, cores) as address:
            on_ray[cores] = site.timed(cores, address)[0]
    rows: Rows = [_row(HERE, cores, timed) for cores, (timed, _) in here.items()]
    for cores, timed in on_ray.items():
        efficiency = f"{timed.rate / (cores * on_ray[1].rate):.0%}" if cores > 1 else ""
        overhead = f"{here[cores][0].rate / timed.rate - 1:.0%}"
        rows.append(_row(f"Ray, actors: {cores}", cores, timed, efficiency, overhead))
    return rows, here[2][1]


def _row(name: str, cores: int, timed: Timed, efficiency: str = "", overhead: str = "") -> list[object]:
    return [name, cores, f"{timed.rate:.1f}", efficiency, overhead, f"{timed.start:.0f} s"]


def _faults(site: Site, undisturbed: Place) -> Rows:
    rows = [
        ["a node is killed (SIGKILL: the second raylet and its actor)", *_node_killed(site)],
        ["the driver is killed (SIGKILL)", *_with_two_actors(site, site.place(), end_all)],
        [
            "PostgreSQL is killed (SIGKILL), 2 s later started",
            *_with_two_actors(site, site.place(), site.kill_postgres),
        ],
        ["Qdrant is killed (SIGKILL), 2 s later started", *_with_two_actors(site, site.place(), site.kill_qdrant)],
        [f"the network to both stands still for {AWAY_SECONDS:g} s", *_network_paused(site)],
    ]
    return [[fault, commands, *_compared(place, undisturbed)] for fault, place, commands in rows]


def _node_killed(site: Site) -> tuple[Place, int]:
    with cluster(site.folder, 1) as address, another_node(site.folder, address) as node:
        return _disturbed(site, site.place(), address, lambda _: end_all(node))


def _network_paused(site: Site) -> tuple[Place, int]:
    relays = Relay(site.postgres.port), Relay(site.qdrant.port)

    def pause(_: "subprocess.Popen[bytes]") -> None:
        for relay in relays:
            relay.pause()
        time.sleep(AWAY_SECONDS)
        for relay in relays:
            relay.resume()

    place = site.place()
    database = str(place.settings.database_url).replace(str(site.postgres.port), str(relays[0].port))
    behind = {"database_url": database, "qdrant_url": relays[1].url}
    place.settings = place.settings.model_copy(update=behind)
    return _with_two_actors(site, place, pause)


def _with_two_actors(site: Site, place: Place, fault: Fault) -> tuple[Place, int]:
    with cluster(site.folder, 2) as address:
        return _disturbed(site, place, address, fault)


def _disturbed(site: Site, place: Place, address: str, fault: Fault) -> tuple[Place, int]:
    """Where it ran, and how often the command had to be run until it reported no failure."""
    command = ("ingest", site.pages, "--on", address)
    driver = place.started(*command, said=subprocess.PIPE)
    until(lambda: len(place.points()) > PAGES // 3)
    assert driver.poll() is None
    fault(driver)
    if _is_complete(driver):
        return place, 1
    assert _is_complete(place.started(*command, said=subprocess.PIPE))
    return place, 2


def _is_complete(driver: "subprocess.Popen[bytes]") -> bool:
    said, _ = driver.communicate()
    return driver.returncode == 0 and not json.loads(said)["failed"]


def _compared(place: Place, undisturbed: Place) -> list[object]:
    mine, theirs = place.points(), undisturbed.points()
    other = [each for each in mine if mine[each] != theirs.get(each)]
    assert place.documents() == undisturbed.documents()
    return [len(place.documents()), len(theirs.keys() - mine.keys()), len(other)]


def main() -> None:
    with a_site() as site:
        speed, undisturbed = _speed(site)
        print(table(["", "", "", "", "", ""], speed), file=sys.stderr)
        print(json.dumps([speed, _faults(site, undisturbed)]))


if __name__ == "__main__":
    main()
