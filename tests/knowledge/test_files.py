import os
from pathlib import Path

import pytest

from masis.errors import UnreadableFile
from masis.knowledge.ingestion.incoming import find_files, read_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.md", "a.txt", ".hidden.md", "sub/c.md", "sub/.git/d.md", ".cache/e.md", "sub/deep/f.md"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path


def names(*paths: Path) -> list[str]:
    return [file.name for file in find_files(paths, 100)]


def test_a_folder_is_walked_in_order_without_what_is_hidden(folder: Path) -> None:
    assert names(folder) == ["a.txt", "b.md", "sub/c.md", "sub/deep/f.md"]


def test_files_and_folders_in_the_order_given_each_once(folder: Path) -> None:
    assert names(folder / "sub", folder / "b.md", folder / "sub" / "c.md") == ["c.md", "deep/f.md", "b.md"]


def test_a_hidden_file_that_is_named_is_wanted(folder: Path) -> None:
    assert names(folder / ".hidden.md") == [".hidden.md"]


def test_what_cannot_be_used_is_an_entry_with_its_problem(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    missing, empty, odd, good = find_files(
        [tmp_path / "missing.md", tmp_path / "empty", Path("nul\x00byte"), folder / "b.md"], 100
    )
    for file, problem in ((missing, "does not exist"), (empty, "no files"), (odd, "nul")):
        assert file.source is None
        with pytest.raises(UnreadableFile, match=problem):
            file.read()
    assert (good.name, good.read(), good.source) == ("b.md", b"b.md", str((folder / "b.md").absolute()))


def test_a_circle_of_links_ends(folder: Path) -> None:
    (folder / "sub" / "up").symlink_to(folder, target_is_directory=True)
    (folder / "loop").symlink_to(folder / "loop")
    assert "sub/deep/f.md" in names(folder)
    assert len(names(folder)) < 10


def test_a_name_that_is_no_text_can_still_be_stored(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("text")
    (tmp_path / os.fsdecode(b"caf\xe8.txt")).write_text("other")
    found = find_files([tmp_path], 100)
    assert [file.name for file in found] == ["caf?.txt"] * 2
    assert [file.read() for file in found] == [b"other", b"text"]


def test_reading(folder: Path) -> None:
    assert read_file(folder / "a.txt", 100) == b"a.txt"
    with pytest.raises(UnreadableFile, match=r"larger than 4e-06 MB") as error:
        read_file(folder / "a.txt", 4)
    assert "MASIS_MAX_FILE_BYTES" in error.value.advice
    with pytest.raises(UnreadableFile, match="not a regular file"):
        read_file(Path("/dev/zero"), 100)
    with pytest.raises(UnreadableFile):
        read_file(folder / "gone", 100)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        read_file(tmp_path / "pipe.txt", 100)
