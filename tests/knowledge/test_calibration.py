import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.errors import DataFolderError
from masis.knowledge.calibration.profiles import Calibration, calibration_for, calibration_of, shipped_profiles
from masis.knowledge.embedding.onnx_embedder import BUILT_IN_NAME

NAMES = [
    BUILT_IN_NAME,
    "all-MiniLM-L6-v2-0123456789ab",
    "text-embedding-ada-002",
    "openai/text-embedding-3-small",
    "text-embedding-3-large",
    "nobody-knows",
]
PROFILE = {"points": [[0, 0], [0.4, 0.6], [1, 1]], "source": "calibrated on 99 questions"}


def write(home: Path, profiles: object) -> None:
    (home / "calibration.json").write_text(json.dumps({"profiles": profiles}))


@pytest.mark.parametrize("cosine", [0.0, 0.3, 0.55, 0.6, 0.99, 1.0])
@pytest.mark.parametrize("name", [BUILT_IN_NAME, "bge-small-en-v1.5-0123456789ab", "nobody-knows"])
def test_what_needs_no_change(name: str, cosine: float) -> None:
    assert calibration_for(name).relevance(cosine) == pytest.approx(cosine)


@pytest.mark.parametrize("profile", shipped_profiles(), ids=lambda profile: profile["names"][0])
def test_every_shipped_profile_goes_through_its_points(profile: dict[str, list[list[float]]]) -> None:
    scale = calibration_of(profile)
    assert (scale.points[0], scale.points[-1]) == ((0.0, 0.0), (1.0, 1.0))
    for cosine, relevance in profile["points"]:
        assert scale.relevance(cosine) == pytest.approx(relevance)


def test_only_measured_embedders_are_calibrated() -> None:
    assert [calibration_for(name).is_calibrated for name in NAMES] == [True, True, False, False, False, False]


def test_a_profile_from_published_figures_is_used_and_says_so() -> None:
    scale = calibration_for("text-embedding-ada-002")
    assert scale.relevance(0.75) < 0.55 < 0.60 < scale.relevance(0.85)
    assert "provisional" in scale.source


def test_the_reference_served_without_its_prefix_is_another_embedder() -> None:
    assert not calibration_for("BAAI/bge-small-en-v1.5").is_calibrated
    assert not calibration_for("bge-small-en-v1.5").is_calibrated


def test_a_profile_of_ones_own_goes_before_the_shipped_one(tmp_path: Path) -> None:
    assert calibration_for("text-embedding-3-small", tmp_path) == calibration_for("text-embedding-3-small")
    write(tmp_path, {"text-embedding-3-small": PROFILE})
    own = calibration_for("text-embedding-3-small", tmp_path)
    assert own == Calibration(((0.0, 0.0), (0.4, 0.6), (1.0, 1.0)), True, "calibrated on 99 questions")
    assert not calibration_for("text-embedding-3-large", tmp_path).is_calibrated, "it is another embedder's"


def test_a_new_profile_counts_at_once(tmp_path: Path) -> None:
    write(tmp_path, {"mine": PROFILE})
    assert calibration_for("mine", tmp_path).relevance(0.4) == pytest.approx(0.6)
    write(tmp_path, {"mine": {**PROFILE, "points": [[0, 0], [0.5, 0.6], [1, 1]]}})
    assert calibration_for("mine", tmp_path).relevance(0.5) == pytest.approx(0.6)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"profiles": []}',
        '{"profiles": {"m": {}}}',
        '{"profiles": {"m": {"points": [[0, 0], [0, 1]], "source": ""}}}',
        '{"profiles": {"m": {"points": [[0, 0.5], [1, 0]], "source": ""}}}',
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "calibration.json").write_text(content)
    with pytest.raises(DataFolderError, match="calibration") as error:
        calibration_for("m", tmp_path)
    assert "masis calibrate" in error.value.advice


@given(st.sampled_from(NAMES), st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_relevance_is_in_range_and_keeps_the_order(name: str, a: float, b: float) -> None:
    scale = calibration_for(name)
    low, high = sorted((a, b))
    assert 0.0 <= scale.relevance(low) <= scale.relevance(high) <= 1.0
