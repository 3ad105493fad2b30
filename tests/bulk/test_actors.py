"""What becomes of work whose actors die, without a cluster."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from masis.bulk import Job, on_ray
from masis.bulk.on_ray import Actors
from masis.errors import InvalidInput
from masis.knowledge.ingestion.incoming import IncomingFile
from masis.settings import Settings
from masis.sources.remote.listing import Wanted, ignore_for, listed
from masis.types import Document, IngestReport


class Gone(Exception):
    def __init__(self, words: str, actor_init_failed: bool = False) -> None:
        super().__init__(words)
        self.actor_init_failed = actor_init_failed


class Method:
    def __init__(self, call: Callable[..., Awaitable[object]]) -> None:
        self.remote = call


class Actor:
    """Dies of a file that is called so, and is started again as often as Ray is asked to."""

    def __init__(self, comes_back: bool = True) -> None:
        self.comes_back = comes_back
        self.is_there, self.read, self.ask = Method(self._is_there), Method(self._read), Method(self._is_there)

    async def _is_there(self) -> bool:
        if not self.comes_back:
            raise Gone("No module named masis", actor_init_failed=True)
        return True

    async def _read(self, files: Sequence[IncomingFile], workspace: str) -> IngestReport:
        if any(file.name == "deadly.pdf" for file in files):
            raise Gone("killed for its memory")
        if not self.comes_back:
            await self._is_there()
        return IngestReport(workspace, notes=[file.name for file in files])


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "LOOK_SECONDS", 0.01)


class Slow(Actor):
    """Reads one group after the other, and notes how many tasks there are meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks = 0

    async def _read(self, files: Sequence[IncomingFile], workspace: str) -> IngestReport:
        await asyncio.sleep(0)
        self.tasks = max(self.tasks, len(asyncio.all_tasks()))
        return await super()._read(files, workspace)


async def read(actor: Actor, *names: str, together: int = 1) -> list[IngestReport]:
    files = [IncomingFile(name, bytes) for name in names]
    groups = [files[first : first + together] for first in range(0, len(files), together)]
    async with asyncio.timeout(10):
        return await on_ray._Reading(Actors([actor], Gone), groups, "acme", None).run()


async def test_files_that_every_actor_dies_of_are_reported_and_the_others_are_read() -> None:
    deadly, other = await read(Actor(), "deadly.pdf", "other.pdf")
    assert [(each.file_name, each.status) for each in deadly.failed] == [("deadly.pdf", "FAILED")]
    assert "died" in (deadly.failed[0].reason or "")
    assert (other.notes, other.failed) == (["other.pdf"], [])


async def test_files_beside_one_that_every_actor_dies_of_are_read() -> None:
    [report] = await read(Actor(), "a.pdf", "deadly.pdf", "b.pdf", together=3)
    assert [each.file_name for each in report.failed] == ["deadly.pdf"]
    assert report.notes == ["a.pdf", "b.pdf"]


def test_actors_are_counted_by_machine_where_each_needs_a_share_of_a_gpu() -> None:
    machines = [{"CPU": 16.0, "GPU": 2.0}, {"CPU": 2.0, "GPU": 1.0}, {"CPU": 64.0}]
    nodes = [{"Alive": True, "Resources": each} for each in machines]
    gone = {"Alive": False, "Resources": {"CPU": 8.0, "GPU": 8.0}}
    assert on_ray._beside_gpus([*nodes, gone], per_gpu=4) == 8 + 2
    with pytest.raises(InvalidInput, match="no machine of the cluster has a GPU"):
        on_ray._beside_gpus(nodes[2:], per_gpu=4)


async def test_however_many_groups_there_are_only_one_task_for_each_actor_waits() -> None:
    actor, names = Slow(), [f"{number}.md" for number in range(1000)]
    before = len(asyncio.all_tasks())
    reports = await read(actor, *names)
    assert [name for report in reports for name in report.notes] == names
    assert actor.tasks <= before + 1


def test_the_limit_of_a_sync_is_not_one_of_bulk_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        (tmp_path / f"{number}.md").write_text("A pier.")
    address, settings = f"file://{tmp_path}", Settings(home=tmp_path, sync_max_files=2)
    with pytest.raises(InvalidInput, match="more than 2 files"):
        listed(Wanted(address, ignore_for(address, ()), settings))
    files, close = on_ray._files_of([address], settings)
    assert [file.name for file in files] == ["0.md", "1.md", "2.md"]
    close()
    monkeypatch.setattr(on_ray, "MOST_FILES", 2)
    with pytest.raises(InvalidInput, match="more than 2 files"):
        on_ray._files_of([address], settings)


@pytest.mark.parametrize("name", ["any.pdf", "deadly.pdf"], ids=["at first", "when it is started again"])
async def test_a_machine_that_cannot_start_an_actor_ends_the_work_with_the_cause(name: str) -> None:
    with pytest.raises(InvalidInput, match="No module named masis"):
        await read(Actor(comes_back=False), name, "other.pdf")


async def test_nor_are_questions_left_waiting_for_it(tmp_path: Path) -> None:
    actors = Actors([Actor(comes_back=False)] * 2, Gone)
    job = Job(tmp_path / "q.csv", "acme", tmp_path / "a.csv")
    job.questions.write_text("question\n" + "".join(f"Why {number}?\n" for number in range(20)))
    async with asyncio.timeout(10):
        with pytest.raises(InvalidInput, match="No module named masis"):
            await job.run(lambda *_: actors.call(lambda actor: actor.ask.remote()), parallel=actors.places)


async def test_a_document_read_again_does_not_read_the_deadly_file_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two actors read the same bytes at once, one of them in a group with a file that every actor dies of."""

    async def has_two_names(*_: object) -> bool:
        return False

    deleted: list[str] = []

    async def delete(_: str, document_id: str) -> None:
        deleted.append(document_id)

    monkeypatch.setattr(on_ray, "_has_one_name", has_two_names)
    groups = [[IncomingFile("a.md", bytes)], [IncomingFile("b.md", bytes), IncomingFile("deadly.pdf", bytes)]]
    same = [Document("w", "same", group[0].name, status="READY") for group in groups]
    reports = [IngestReport("w", ready=[document]) for document in same]
    masis: Any = SimpleNamespace(library=SimpleNamespace(delete_document=delete))
    await on_ray._put_right(masis, Actors([Actor()], Gone), groups, reports, "w")
    assert deleted == ["same"]
    assert [([d.file_name for d in r.ready], [d.file_name for d in r.duplicates]) for r in reports] == [
        (["a.md"], []),
        ([], ["b.md"]),
    ]
