import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.knowledge.calibration import calibration_for
from masis.knowledge.onnx_embedder import BUILT_IN_NAME

NAMES = [BUILT_IN_NAME, "all-MiniLM-L6-v2-0123456789ab", "text-embedding-ada-002", "nobody-knows"]


@pytest.mark.parametrize("cosine", [0.0, 0.3, 0.55, 0.6, 0.99, 1.0])
@pytest.mark.parametrize("name", [BUILT_IN_NAME, "text-embedding-ada-002", "nobody-knows"])
def test_what_needs_no_change(name: str, cosine: float) -> None:
    assert calibration_for(name).relevance(cosine) == pytest.approx(cosine)


@pytest.mark.parametrize(
    ("cosine", "relevance"),
    [(0.0, 0.0), (0.15, 0.275), (0.30, 0.55), (0.335, 0.575), (0.37, 0.60), (1.0, 1.0)],
)
def test_minilm_goes_through_its_measured_points(cosine: float, relevance: float) -> None:
    assert calibration_for("all-MiniLM-L6-v2").relevance(cosine) == pytest.approx(relevance)


def test_only_measured_embedders_are_calibrated() -> None:
    assert [calibration_for(name).is_calibrated for name in NAMES] == [True, True, True, False]


@given(st.sampled_from(NAMES), st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_relevance_is_in_range_and_keeps_the_order(name: str, a: float, b: float) -> None:
    scale = calibration_for(name)
    low, high = sorted((a, b))
    assert 0.0 <= scale.relevance(low) <= scale.relevance(high) <= 1.0
