from collections.abc import Iterator
from pathlib import Path

import pytest

from masis.knowledge import originals as module
from masis.knowledge.originals import FolderOriginals, Originals, StoredOriginals, originals_for
from masis.settings import Settings


@pytest.fixture
def originals(tmp_path: Path, database_url: str | None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Originals]:
    monkeypatch.setattr(module, "PART_BYTES", 10)
    originals = originals_for(Settings(home=tmp_path / "home", database_url=database_url))
    assert isinstance(originals, StoredOriginals if database_url else FolderOriginals)
    yield originals
    originals.close()


@pytest.mark.parametrize("data", [b"", b"\x00\xff", b"0123456789", b"0123456789" * 3 + b"rest"])
def test_bytes_come_back_as_they_went_in(originals: Originals, data: bytes) -> None:
    for _ in range(2):
        originals.save("acme", "d1", data)
    assert originals.read("acme", "d1") == data
    assert originals.has("acme", "d1")
    assert originals.delete("acme", "d1") == len(data)
    assert originals.read("acme", "d1") is None
    assert not originals.has("acme", "d1")
    assert originals.delete("acme", "d1") == 0


def test_what_was_kept_in_part_is_kept_anew(originals: Originals) -> None:
    originals.save("acme", "d1", b"0123456789 cut")
    originals.save("acme", "d1", b"0123456789 whole, and longer")
    assert originals.read("acme", "d1") == b"0123456789 whole, and longer"


def test_a_workspace_goes_alone(originals: Originals) -> None:
    for workspace in ("acme", "other"):
        originals.save(workspace, "d1", b"0123456789 abc")
        originals.save(workspace, "d2", b"x")
    assert originals.delete_workspace("acme") == 15
    assert not originals.has("acme", "d1")
    assert originals.read("other", "d1") == b"0123456789 abc"
    assert originals.delete_workspace("acme") == 0


def test_looking_makes_no_folder(tmp_path: Path) -> None:
    originals = originals_for(Settings(home=tmp_path / "home"))
    assert (originals.read("a", "b"), originals.delete("a", "b"), originals.delete_workspace("a")) == (None, 0, 0)
    assert not (tmp_path / "home").exists()
