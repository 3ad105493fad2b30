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

from masis.errors import DataFolderError, IndexMismatch
from masis.knowledge import edge
from masis.knowledge.data_folder import MIN_FREE_BYTES
from masis.knowledge.edge import EdgeStore
from masis.knowledge.sparse import sparse_query
from tests.knowledge.stores import NamedEmbedder, indexed, vector_of

ROOT = Path(__file__).parents[2]

HOLD_THE_INDEX = """
import asyncio, sys, pathlib
from masis.knowledge.edge import EdgeStore
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
    assert len(await store.query("a", vector_of("x"), sparse_query("passage 7"), 10)) == 10


async def test_a_second_store_in_this_process_finds_it_locked(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [indexed("x")])
    with pytest.raises(DataFolderError, match="in use"):
        await EdgeStore(home, NamedEmbedder()).count("a")
    store.close()
    second = EdgeStore(home, NamedEmbedder())
    assert await second.count("a") == 1
    second.close()


async def test_a_forked_child_is_told_to_keep_off(store: EdgeStore) -> None:
    await store.upsert("a", [indexed("x")])
    store._process = os.getpid() + 1  # a real fork of a process with threads may hang the test
    with pytest.raises(DataFolderError, match="forked") as error:
        await store.count("a")
    assert "spawn" in error.value.advice
    store._process = os.getpid()


async def test_the_home_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = EdgeStore(tmp_path / "file" / "home", NamedEmbedder())
    assert await store.count("a") == 0
    with pytest.raises(DataFolderError, match="cannot be used") as error:
        await store.upsert("a", [indexed("x")])
    assert "MASIS_HOME" in error.value.advice


def test_the_index_is_a_file(store: EdgeStore, home: Path) -> None:
    home.mkdir()
    (home / "index").write_text("not a folder")
    with pytest.raises(DataFolderError):
        asyncio.run(store.upsert("a", [indexed("x")]))
    assert (home / "index").read_text() == "not a folder"


def test_a_folder_that_may_not_be_written(home: Path) -> None:
    home.mkdir(mode=0o500)
    code = """
import asyncio, fcntl, os, pathlib, sys
import qdrant_edge
from masis.errors import DataFolderError
from masis.knowledge.edge import EdgeStore
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
        ("index/edge_config.json", b"{"),
        ("index/segments/*/segment.json", b"garbage"),
        ("index/segments/*/version.info", b"\x00\x01"),
        ("index/segments/*/payload_storage/config.json", b""),
        ("index/segments/*/vector_storage-dense/vectors/status.dat", b""),
        ("index/wal/first-index", b"?"),
    ],
)
def test_a_damaged_index_is_refused_and_not_touched(home: Path, name: str, content: bytes) -> None:
    write_index(home)
    [victim] = home.glob(name)
    victim.write_bytes(content)
    store = EdgeStore(home, NamedEmbedder())
    with pytest.raises(DataFolderError, match="damaged and was left as it is") as error:
        asyncio.run(store.query("a", vector_of("x"), sparse_query("passage"), 5))
    assert "ingest the documents again" in error.value.advice
    assert victim.read_bytes() == content
    store.close()


def test_damage_that_only_a_query_meets(home: Path) -> None:
    write_index(home)
    [victim] = home.glob("index/segments/*/payload_storage/page_0.dat")
    victim.write_bytes(b"\xff" * victim.stat().st_size)
    store = EdgeStore(home, NamedEmbedder())
    with pytest.raises(DataFolderError, match="damaged"):
        asyncio.run(store.query("a", vector_of("x"), sparse_query("passage"), 5))
    store.close()


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"embedder": "x"}', '{"embedder": 1, "dimension": 8, "format": 1}']
)
def test_a_damaged_description_is_refused(home: Path, content: str) -> None:
    write_index(home)
    (home / "index.json").write_text(content)
    with pytest.raises(IndexMismatch, match="not an index of MASIS, or its description is damaged"):
        asyncio.run(EdgeStore(home, NamedEmbedder()).count("a"))
    assert (home / "index.json").read_text() == content


def test_a_folder_of_somebody_else_is_refused_and_left_alone(home: Path) -> None:
    (home / "index").mkdir(parents=True)
    (home / "index" / "holiday.jpg").write_bytes(b"photo")
    with pytest.raises(IndexMismatch, match="not an index of MASIS"):
        asyncio.run(EdgeStore(home, NamedEmbedder()).upsert("a", [indexed("x")]))
    assert [path.name for path in (home / "index").iterdir()] == ["holiday.jpg"]


def test_another_format_is_refused(home: Path) -> None:
    write_index(home)
    meta = json.loads((home / "index.json").read_text())
    (home / "index.json").write_text(json.dumps({**meta, "format": 2}))
    with pytest.raises(IndexMismatch, match="has format 2; this version of MASIS reads format 1"):
        asyncio.run(EdgeStore(home, NamedEmbedder()).count("a"))


async def test_an_index_that_was_removed_is_empty_and_made_again(store: EdgeStore, home: Path) -> None:
    await store.upsert("a", [indexed("x")])
    store.close()
    shutil.rmtree(home / "index")
    assert await store.count("a") == 0
    await store.upsert("a", [indexed("x")])
    assert await store.count("a") == 1


async def test_what_a_crash_left_of_making_an_index_does_not_matter(store: EdgeStore, home: Path) -> None:
    (home / "index.new" / "segments").mkdir(parents=True)
    (home / "index.new" / "edge_config.json").write_text("{")
    (home / "index").mkdir()
    (home / "index.json.new").write_text("{")
    await store.upsert("a", [indexed("x")])
    assert await store.count("a") == 1
    assert not (home / "index.new").exists()


async def test_too_little_space_stops_writing_before_it_kills(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.upsert("a", [indexed("x")])
    usage = shutil.disk_usage(store._home)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=MIN_FREE_BYTES - 1))
    with pytest.raises(DataFolderError, match="has 63 MB left") as error:
        await store.upsert("a", [indexed("y")])
    assert "another disk" in error.value.advice
    assert await store.count("a") == 1, "reading goes on"


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a small disk here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


async def test_a_disk_that_is_really_full(tiny_disk: Path) -> None:
    store = EdgeStore(tiny_disk / "home", NamedEmbedder())
    with pytest.raises(DataFolderError, match="MB left"):
        await store.upsert("a", [indexed("x")])
    (tiny_disk / "filler").write_bytes(b"x" * ((4 << 20) - (64 << 10)))
    with pytest.raises(DataFolderError):
        await store.upsert("a", [indexed("x")])
    store.close()


def test_a_limit_on_the_size_of_files(home: Path) -> None:
    code = """
import asyncio, pathlib, resource, signal, sys
from masis.errors import DataFolderError
from masis.knowledge.edge import EdgeStore
from tests.knowledge.stores import NamedEmbedder, indexed
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    asyncio.run(EdgeStore(pathlib.Path(sys.argv[1]), NamedEmbedder()).upsert("a", [indexed("x")]))
except DataFolderError as error:
    print(error, error.advice)
"""
    assert "there is no space left to write. Free some space" in output_of(code, home)


def test_what_others_store_does_not_change_the_order_here(home: Path) -> None:
    """How rare a word is counts within the workspace."""

    async def ask(store: EdgeStore) -> list[tuple[str, float]]:
        hits = await store.query("a", vector_of("q"), sparse_query("alpha beta"), 10)
        return [(hit.chunk.text, hit.fused) for hit in hits]

    async def compare() -> None:
        store = EdgeStore(home, NamedEmbedder())
        own = ["alpha one.", "beta two.", "beta three.", "beta four.", "gamma five."]
        await store.upsert("a", [indexed(text) for text in own])
        before = await ask(store)
        await store.upsert("b", [indexed(f"alpha and more alpha {n}.") for n in range(300)])
        assert await ask(store) == before
        store.close()

    asyncio.run(compare())


def test_large_writes_go_in_batches(store: EdgeStore) -> None:
    items = [indexed(f"Passage {n}.") for n in range(3 * edge._BATCH + 1)]
    asyncio.run(store.upsert("a", items))
    assert asyncio.run(store.count("a")) == len(items)
