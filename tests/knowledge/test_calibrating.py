import json
import random
from pathlib import Path

import pytest

from masis.errors import DataFolderError, InvalidInput
from masis.knowledge.calibration.fitting import THRESHOLDS, Scores, calibrate, compare, fit, save, scores_of
from masis.knowledge.calibration.profiles import Calibration, calibration_for
from masis.knowledge.calibration.questions import LEAST, Question, Sample
from masis.knowledge.embedding.port import Vector


class Dial:
    """An embedder in two dimensions: every text says its own angle, and this one bends all cosines the same way."""

    dimension = 2

    def __init__(self, name: str, bend: float) -> None:
        self.name = name
        self._bend = bend

    async def ready(self) -> int:
        return 2

    async def embed_passages(self, texts: list[str]) -> list[Vector]:
        return [[1.0, 0.0] for _ in texts]

    async def embed_query(self, text: str) -> Vector:
        cosine = float(text) ** self._bend
        return [cosine, (1 - cosine * cosine) ** 0.5]

    def close(self) -> None: ...


REFERENCE, OTHER = Dial("reference", 1.0), Dial("other", 3.0)


def sample(on_topic: int = 150, off_topic: int = 150) -> Sample:
    chance = random.Random(7)
    answered = [Question(f"{chance.uniform(0.55, 0.95)}", (0,)) for _ in range(on_topic)]
    others = [Question(f"{chance.uniform(0.35, 0.68)}") for _ in range(off_topic)]
    return Sample(tuple(f"passage {number}" for number in range(60)), (*answered, *others), "made up")


async def test_a_scale_that_was_bent_is_bent_back() -> None:
    profile = await calibrate(OTHER, REFERENCE, sample(), "2026-01-01")
    scale = Calibration(profile.points)
    for threshold in (0.50, 0.55, 0.60, 0.65, 0.70):
        assert scale.relevance(threshold**3) == pytest.approx(threshold, abs=0.01)
    assert (profile.on_topic, profile.off_topic, profile.passages) == (150, 150, 60)


async def test_the_same_shares_pass_as_with_the_reference() -> None:
    profile = await calibrate(OTHER, REFERENCE, sample(), "2026-01-01")
    assert [rates.threshold for rates in profile.rates] == list(THRESHOLDS)
    for rates in profile.rates:
        assert rates.calibrated == pytest.approx(rates.reference, abs=0.03)
    at_60 = next(rates for rates in profile.rates if rates.threshold == 0.60)
    assert at_60.uncalibrated[0] < at_60.reference[0] - 0.2


async def test_an_answer_counts_by_its_best_passage_and_the_rest_by_the_nearest() -> None:
    class Line(Dial):
        async def embed_passages(self, texts: list[str]) -> list[Vector]:
            return [[float(text), 0.0] for text in texts]

    asked = Sample(("0.1", "0.5", "0.9"), (Question("1.0", (0, 1)), Question("1.0")), "made up")
    assert await scores_of(Line("line", 1.0), asked) == Scores((pytest.approx(0.5),), (pytest.approx(0.9),))


def test_points_always_rise() -> None:
    chance = random.Random(3)
    for _ in range(50):
        kinds = [Scores(*(tuple(chance.random() for _ in range(40)) for _ in range(2))) for _ in range(2)]
        points = fit(kinds[0], kinds[1])
        assert points == tuple(sorted(points)) == tuple(sorted(points, key=lambda point: point[1]))
        assert len({cosine for cosine, _ in points}) == len(points)


def test_what_says_nothing_is_refused() -> None:
    same = Scores((0.95,) * 50, (0.05,) * 50)
    with pytest.raises(InvalidInput, match="cannot be compared"):
        fit(same, same)


def test_rates_before_and_after() -> None:
    reference, other = Scores((0.9, 0.5), (0.4, 0.7)), Scores((0.5, 0.2), (0.1, 0.3))
    at_60 = compare(reference, other, ((0.0, 0.0), (0.3, 0.6), (1.0, 1.0)))[3]
    assert (at_60.reference, at_60.uncalibrated, at_60.calibrated) == ((0.5, 0.5), (0.0, 0.0), (0.5, 0.5))


@pytest.mark.parametrize(("on_topic", "off_topic", "missing"), [(LEAST - 1, 80, "answer"), (80, 3, "off-topic")])
async def test_too_little_is_refused(on_topic: int, off_topic: int, missing: str) -> None:
    with pytest.raises(InvalidInput, match=missing) as error:
        await calibrate(OTHER, REFERENCE, sample(on_topic, off_topic), "2026-01-01")
    assert f"{LEAST} of each" in str(error.value)


async def test_the_reference_needs_no_calibration() -> None:
    with pytest.raises(InvalidInput, match="is the reference"):
        await calibrate(REFERENCE, REFERENCE, sample(), "2026-01-01")


async def test_what_was_saved_is_used(tmp_path: Path) -> None:
    home = tmp_path / "new"
    profile = await calibrate(OTHER, REFERENCE, sample(), "2026-01-01")
    save(profile, home)
    save(await calibrate(Dial("third", 2.0), REFERENCE, sample(), "2026-01-02"), home)
    scale = calibration_for("other", home)
    assert (scale.points, scale.is_calibrated) == (profile.points, True)
    assert "fitted on 150 questions and 150 off-topic ones (made up), 2026-01-01" in scale.source
    assert calibration_for("third", home).points != profile.points
    kept = json.loads((home / "calibration.json").read_text())["profiles"]["other"]
    assert kept["rates"][0].keys() == {"threshold", "reference", "uncalibrated", "calibrated"}
    assert [entry.name for entry in home.iterdir()] == ["calibration.json"]


async def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataFolderError, match="cannot be"):
        save(await calibrate(OTHER, REFERENCE, sample(), "2026-01-01"), tmp_path / "file")
