"""What can go wrong with an index in the data folder; what it does right is in tests/contract."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from masis.data_folder import MIN_FREE_BYTES
from masis.errors import DataFolderError, IndexMismatch
from masis.knowledge.store import edge, edge_shard
from masis.knowledge.store.edge import EdgeStore
from masis.knowledge.store.port import IndexedChunk
from tests.knowledge.stores import NamedEmbedder, ask, indexed, is_index_locked, keyword_only, question
from tests.support.disk import small_disk

ROOT = Path(__file__).parents[2]

HOLD_THE_INDEX = """
import asyncio, sys, pathlib
from masis.knowledge.store.edge import EdgeStore
from tests.knowledge.stores import NamedEmbedder, indexed
store = EdgeStore(pathlib.Path(sys.argv[1]), NamedEmbedder())
asyncio.run(store.upsert("a", [indexed(f"Passage {n}.") for n in range(200)]))
print("holding", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Iterator[EdgeStore]:
    store = EdgeStore(home, NamedEmbedder())
    yield store
    store.close()


def write_index(home: Path) -> None:
    store = EdgeStore(home, NamedEmbedder())
    asyncio.run(store.upsert("a", [indexed(f"Passage {n}.") for n in range(100)]))
    store.close()


@pytest.fixture
def holder(home: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has written to the index and keeps it open."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_THE_INDEX, str(home)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "holding\n"
    yield process
    process.kill()
    process.communicate()


async def test_another_process_has_the_folder(store: EdgeStore, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(DataFolderError, match="in use by another MASIS process") as error:
        await store.count("a")
    assert "QDRANT_HOST" in error.value.advice
    with pytest.raises(DataFolderError, match="in use"):
        await store.upsert("a", [indexed("x")])
    holder.communicate("", timeout=30)
    assert await store.count("a") == 200, "free as soon as the other one ends"


async def test_a_killed_process_loses_nothing_and_leaves_no_lock(
    store: EdgeStore, holder: subprocess.Popen[str]
) -> None:
    holder.kill()
    holder.wait()
    assert await store.count("a") == 200
    assert len(await ask(store, "passage 7")) == 10


async def test_stores_of_one_process_share_the_index_and_the_last_one_closes_it(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [indexed("x")])
    second = EdgeStore(home, NamedEmbedder())
    assert await second.count("a") == 1
    store.close()
    store.close()  # a second time it is nobody's
    assert await second.count("a") == 1
    assert is_index_locked(home)
    second.close()
    assert not is_index_locked(home)


async def test_another_embedder_is_told_although_the_index_is_open(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [indexed("x")])
    with pytest.raises(IndexMismatch):
        await EdgeStore(home, NamedEmbedder("another")).count("a")


async def test_what_others_have_open_is_not_rebuilt(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [indexed("x")])
    second = EdgeStore(home, NamedEmbedder())
    assert await second.count("a") == 1
    with pytest.raises(DataFolderError, match="another Masis"):
        await store.rebuild()
    second.close()
    await store.rebuild()
    with pytest.raises(DataFolderError, match="being rebuilt"):
        await second.upsert("a", [indexed("y")])


async def test_a_forked_child_is_told_to_keep_off(store: EdgeStore) -> None:
    await store.upsert("a", [indexed("x")])
    store._index.process = os.getpid() + 1  # a real fork of a process with threads may hang the test
    with pytest.raises(DataFolderError, match="forked") as error:
        await store.count("a")
    assert "spawn" in error.value.advice
    store._index.process = os.getpid()


async def test_the_home_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = EdgeStore(tmp_path / "file" / "home", NamedEmbedder())
    assert await store.count("a") == 0
    with pytest.raises(DataFolderError, match="cannot be used") as error:
        await store.upsert("a", [indexed("x")])
    assert "MASIS_HOME" in error.value.advice


def test_the_index_is_a_file(store: EdgeStore, home: Path) -> None:
    home.mkdir()
    (home / "index-1").write_text("not a folder")
    with pytest.raises(DataFolderError):
        asyncio.run(store.upsert("a", [indexed("x")]))
    assert (home / "index-1").read_text() == "not a folder"


def test_a_folder_that_may_not_be_written(home: Path) -> None:
    home.mkdir(mode=0o500)
    code = """
import asyncio, fcntl, os, pathlib, sys
import qdrant_edge
from masis.errors import DataFolderError
from masis.knowledge.store.edge import EdgeStore
from tests.knowledge.stores import NamedEmbedder, indexed
item = indexed("x")
asyncio.run(asyncio.to_thread(int))
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere; all is imported by now, as nobody may not read it
try:
    asyncio.run(EdgeStore(pathlib.Path(sys.argv[1]), NamedEmbedder()).upsert("a", [item]))
except DataFolderError as error:
    print(error, error.advice)
"""
    assert "this user may not write there. Set MASIS_HOME" in output_of(code, home)


def output_of(code: str, home: Path) -> str:
    command = [sys.executable, "-c", code, str(home)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("index-1/edge_config.json", b"{"),
        ("index-1/segments/*/segment.json", b"garbage"),
        ("index-1/segments/*/version.info", b"\x00\x01"),
        ("index-1/segments/*/payload_storage/config.json", b""),
        ("index-1/segments/*/vector_storage-dense/vectors/status.dat", b""),
        ("index-1/wal/first-index", b"?"),
    ],
)
def test_a_damaged_index_is_refused_and_not_touched(home: Path, name: str, content: bytes) -> None:
    write_index(home)
    [victim] = home.glob(name)
    victim.write_bytes(content)
    store = EdgeStore(home, NamedEmbedder())
    with pytest.raises(DataFolderError, match="damaged and was left as it is") as error:
        asyncio.run(ask(store, "passage"))
    assert "ingest the documents again" in error.value.advice
    assert victim.read_bytes() == content
    store.close()


def test_damage_that_only_a_query_meets(home: Path) -> None:
    write_index(home)
    [victim] = home.glob("index-1/segments/*/payload_storage/page_0.dat")
    victim.write_bytes(b"\xff" * victim.stat().st_size)
    store = EdgeStore(home, NamedEmbedder())
    with pytest.raises(DataFolderError, match="damaged"):
        asyncio.run(ask(store, "passage"))
    store.close()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[]",
        '{"embedder": "x", "folder": "index-1"}',
        '{"embedder": 1, "dimension": 8, "language": "english", "format": 3, "folder": "index-1"}',
        '{"embedder": "test-embedder", "dimension": 8, "language": "english", "format": 3, "folder": 1}',
    ],
)
def test_a_damaged_description_is_refused(home: Path, content: str) -> None:
    write_index(home)
    (home / "index.json").write_text(content)
    with pytest.raises(IndexMismatch, match="not an index of MASIS, or its description is damaged"):
        asyncio.run(EdgeStore(home, NamedEmbedder()).count("a"))
    assert (home / "index.json").read_text() == content


@pytest.mark.parametrize("name", ["index", "index-1", "index-9"])
def test_a_folder_of_somebody_else_is_refused_and_left_alone(home: Path, name: str) -> None:
    (home / name).mkdir(parents=True)
    (home / name / "holiday.jpg").write_bytes(b"photo")
    with pytest.raises(IndexMismatch, match="not an index of MASIS"):
        asyncio.run(EdgeStore(home, NamedEmbedder()).upsert("a", [indexed("x")]))
    assert [path.name for path in (home / name).iterdir()] == ["holiday.jpg"]


def test_a_lost_description_is_not_replaced_by_an_empty_index(home: Path) -> None:
    write_index(home)
    description = home / "index.json"
    kept = description.read_text()
    description.unlink()
    with pytest.raises(IndexMismatch, match="its description is damaged"):
        asyncio.run(EdgeStore(home, NamedEmbedder()).upsert("a", [indexed("x")]))
    description.write_text(kept)
    store = EdgeStore(home, NamedEmbedder())
    assert asyncio.run(store.count("a")) == 100
    store.close()


def test_a_description_cannot_point_out_of_the_data_folder(home: Path, tmp_path: Path) -> None:
    write_index(home)
    shutil.move(home / "index-1", tmp_path / "elsewhere")
    described = json.loads((home / "index.json").read_text())
    (home / "index.json").write_text(json.dumps({**described, "folder": "../elsewhere"}))
    assert asyncio.run(EdgeStore(home, NamedEmbedder()).count("a")) == 0


def test_another_format_is_refused(home: Path) -> None:
    write_index(home)
    meta = json.loads((home / "index.json").read_text())
    (home / "index.json").write_text(json.dumps({**meta, "format": 4}))
    with pytest.raises(IndexMismatch, match="has format 4; this version of MASIS reads format 3"):
        asyncio.run(EdgeStore(home, NamedEmbedder()).count("a"))


async def test_an_index_that_was_removed_is_empty_and_made_again(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [indexed("x")])
    store.close()
    shutil.rmtree(home / "index-1")
    assert await store.count("a") == 0
    await store.upsert("a", [indexed("x")])
    assert await store.count("a") == 1


async def test_what_a_crash_left_of_making_an_index_does_not_matter(store: EdgeStore, home: Path) -> None:
    (home / "index-1.new" / "segments").mkdir(parents=True)
    (home / "index-1.new" / "edge_config.json").write_text("{")
    (home / "index-1").mkdir()
    (home / "index.json.new").write_text("{")
    await store.upsert("a", [indexed("x")])
    assert await store.count("a") == 1
    assert not (home / "index-1.new").exists()


async def test_what_a_crash_left_of_building_anew_is_swept(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [indexed("x")])
    rebuilt = await store.rebuild()
    await rebuilt.upsert("a", [indexed("y")])
    crashed = home.with_name("crashed")
    rebuilt.close()
    shutil.copytree(home, crashed)
    after = EdgeStore(crashed, NamedEmbedder())
    assert await after.count("a") == 1
    assert sorted(path.name for path in crashed.iterdir()) == ["index-1", "index.json", "index.lock"]
    after.close()


def test_an_index_of_the_first_format_is_replaced(store: EdgeStore, home: Path) -> None:
    write_index(home)
    (home / "index-1").rename(home / "index")
    first = {"embedder": "test-embedder", "dimension": 8, "format": 1}
    (home / "index.json").write_text(json.dumps(first))
    with pytest.raises(IndexMismatch, match="has format 1") as error:
        asyncio.run(store.count("a"))
    assert "masis reindex" in error.value.advice
    asyncio.run(replaced_by(store, [indexed("x")]))
    assert asyncio.run(store.count("a")) == 1
    assert sorted(path.name for path in home.iterdir()) == ["index-1", "index.json", "index.lock"]


async def replaced_by(store: EdgeStore, items: list[IndexedChunk]) -> None:
    rebuilt = await store.rebuild()
    await rebuilt.upsert("a", items)
    await store.adopt(rebuilt)


async def test_an_index_needs_a_dimension(home: Path) -> None:
    store = EdgeStore(home, NamedEmbedder(dimension=None))
    with pytest.raises(DataFolderError, match="dimension is known"):
        await store.upsert("a", [keyword_only("x")])
    await store.prepare(8)
    await store.upsert("a", [keyword_only("x")])
    assert await store.count("a") == 1
    store.close()


async def test_too_little_space_stops_writing_before_it_kills(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.upsert("a", [indexed("x")])
    usage = shutil.disk_usage(store._home)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=MIN_FREE_BYTES - 1))
    with pytest.raises(DataFolderError, match="Only 63 MB free") as error:
        await store.upsert("a", [indexed("y")])
    assert "another disk" in error.value.advice
    assert await store.count("a") == 1, "reading goes on"


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", megabytes=4) as folder:
        yield folder


async def test_a_disk_that_is_really_full(tiny_disk: Path) -> None:
    store = EdgeStore(tiny_disk / "home", NamedEmbedder())
    with pytest.raises(DataFolderError, match="MB free"):
        await store.upsert("a", [indexed("x")])
    (tiny_disk / "filler").write_bytes(b"x" * ((4 << 20) - (64 << 10)))
    with pytest.raises(DataFolderError):
        await store.upsert("a", [indexed("x")])
    store.close()


def test_a_limit_on_the_size_of_files(home: Path) -> None:
    code = """
import asyncio, pathlib, resource, signal, sys
from masis.errors import DataFolderError
from masis.knowledge.store.edge import EdgeStore
from tests.knowledge.stores import NamedEmbedder, indexed
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    asyncio.run(EdgeStore(pathlib.Path(sys.argv[1]), NamedEmbedder()).upsert("a", [indexed("x")]))
except DataFolderError as error:
    print(error, error.advice)
"""
    assert "no space left on the device. Free some space" in output_of(code, home)


def test_what_others_store_does_not_change_the_order_here(home: Path) -> None:
    """How rare a word is counts within the workspace."""

    async def by_words(store: EdgeStore) -> list[tuple[str, float]]:
        answer = await store.query("a", *question("alpha beta"), 10)
        return [(found.chunk.text, round(found.score, 5)) for found in answer.by_words]

    async def compare() -> None:
        store = EdgeStore(home, NamedEmbedder())
        own = ["alpha one.", "beta two.", "beta three.", "beta four.", "gamma five."]
        await store.upsert("a", [indexed(text) for text in own])
        before = await by_words(store)
        await store.upsert("b", [indexed(f"alpha and more alpha {n}.") for n in range(300)])
        assert await by_words(store) == before
        store.close()

    asyncio.run(compare())


def test_large_writes_go_in_batches(store: EdgeStore) -> None:
    items = [indexed(f"Passage {n}.") for n in range(3 * edge._BATCH + 1)]
    asyncio.run(store.upsert("a", items))
    assert asyncio.run(store.count("a")) == len(items)


# What was deleted leaves the files.


def files_with(home: Path, words: str) -> list[str]:
    everywhere = (path for path in home.rglob("*") if path.is_file())
    return [str(path.relative_to(home)) for path in everywhere if words.encode() in path.read_bytes()]


def secret(document_id: str, count: int = 50) -> list[IndexedChunk]:
    return [indexed(f"The zanzibar of {document_id}, {n}.", document_id, start=n) for n in range(count)]


def public(count: int = 50) -> list[IndexedChunk]:
    """Each longer than the one before, so that no two match a question alike."""
    return [indexed(f"The mauritius passage {n}{' sugar' * n}.", "public", start=n) for n in range(count)]


async def found_by_words(store: EdgeStore) -> list[tuple[str, float]]:
    answer = await store.query("b", *question("mauritius passage 7"), 10)
    return [(found.chunk.chunk_id, round(found.score, 5)) for found in answer.by_words]


async def test_a_deleted_workspace_leaves_no_trace(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [keyword_only("The zanzibar without a vector.")])
    await store.upsert("a", secret("one"))
    await store.upsert("b", public())
    before = await store.chunks("b")
    answer = await found_by_words(store)
    assert files_with(home, "zanzibar")
    assert await store.delete_workspace("a") == 51
    assert files_with(home, "zanzibar") == []
    assert files_with(home, "mauritius")
    assert await store.chunks("b") == before
    assert await found_by_words(store) == answer
    await store.upsert("a", secret("two"))
    assert (await store.count("a"), await store.count("b")) == (50, 50), "and it can be written as before"
    await store.delete_workspace("a")
    assert files_with(home, "zanzibar") == []
    store.close()
    assert files_with(home, "zanzibar") == []
    assert await store.chunks("b") == before


async def test_a_deleted_document_leaves_no_trace_once_the_store_is_closed(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", secret("one", 10))
    await store.upsert("a", public(200))
    assert await store.delete_document("a", "one") == 10
    assert files_with(home, "zanzibar"), "rewriting the index for one small document can wait"
    store.close()
    assert files_with(home, "zanzibar") == []
    assert await store.count("a") == 200


async def test_a_large_share_of_deleted_passages_does_not_wait(
    store: EdgeStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masis.knowledge.store.edge._FEW", 10)
    await store.upsert("a", secret("one", 60))
    await store.upsert("a", public(200))
    await store.delete_document("a", "one")
    assert files_with(home, "zanzibar") == []


DELETE_AND_DIE = """
import asyncio, os, pathlib, sys
from masis.knowledge.store.edge import EdgeStore
from tests.knowledge.stores import NamedEmbedder
store = EdgeStore(pathlib.Path(sys.argv[1]), NamedEmbedder())
asyncio.run(store.delete_document("a", "one"))
os._exit(0)
"""


async def test_after_a_crash_the_next_close_removes_the_traces(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [*secret("one", 5), *public(200)])
    store.close()
    output_of(DELETE_AND_DIE, home)
    assert files_with(home, "zanzibar")
    assert await store.count("a") == 200
    store.close()
    assert files_with(home, "zanzibar") == []


async def test_a_large_index_is_purged_by_a_process_of_its_own(
    store: EdgeStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_shard, "_SMALL", 10)
    monkeypatch.setattr(edge_shard, "purge_here", None)
    await store.upsert("a", secret("one"))
    await store.upsert("b", public())
    await store.delete_workspace("a")
    assert files_with(home, "zanzibar") == []
    assert await store.count("b") == 50


async def test_the_old_index_leaves_no_trace_when_another_took_its_place(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", secret("one"))
    rebuilt = await store.rebuild()
    await rebuilt.upsert("a", public())
    await store.adopt(rebuilt)
    assert files_with(home, "zanzibar") == []
    assert await store.count("a") == 50
