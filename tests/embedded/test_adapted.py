"""The trained changes stand on the exact base file they were made for."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from masis.embedded import CROSS_ENCODER, BrokenModel, OnnxModel, installed
from masis.embedded.adapted import MAX_TOKENS, TRAINED, AdaptedModel, adapted

MEGABYTE = 1_000_000


def test_the_selector_is_the_only_large_one() -> None:
    sizes = {file.name: file.stat().st_size for file in TRAINED.iterdir()}
    assert sizes.pop("selector.npz") < 20 * MEGABYTE
    assert sum(sizes.values()) < 10 * MEGABYTE


def test_another_base_file_is_refused(tmp_path: Path) -> None:
    right = installed(CROSS_ENCODER)
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes((right.folder / name).read_bytes()[:-1] + b"x")
    with pytest.raises(BrokenModel, match="not the file"):
        AdaptedModel(OnnxModel(tmp_path, right.sha256), TRAINED / "reader.npz").run("a", "b")


def test_every_matrix_lies_where_it_is_said_to() -> None:
    """Each has its own bytes: none overlap, none runs past the end."""
    size = (installed(CROSS_ENCODER).folder / "model.onnx").stat().st_size
    places = sorted((p["start"], p["start"] + int(np.prod(p["shape"]))) for p in _places())
    assert all(end <= following for (_, end), (following, _) in itertools.pairwise(places))
    assert places[-1][1] <= size


@pytest.mark.parametrize("lengths", [(2000, 3), (2000, 2000), (3, 2000)])
def test_texts_of_any_length_are_read(lengths: tuple[int, int]) -> None:
    figures = adapted("selector").run(*("revenue " * length for length in lengths))
    assert len(figures.values) == len(figures.offsets) <= MAX_TOKENS
    assert {0, 1} <= set(figures.texts)


def _places() -> list[dict[str, object]]:
    return list(json.loads((TRAINED / "base.json").read_text()).values())
