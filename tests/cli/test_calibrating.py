import json
import math
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from masis.cli.maintenance import calibrate
from masis.knowledge.calibration import fitting
from masis.knowledge.calibration.profiles import calibration_for
from masis.knowledge.embedding.port import Embedder
from tests.support.fake_openai import FakeOpenAI, Raw, Recorded, Reply

SUBJECTS = ["churn", "revenue", "margin", "hiring", "pricing", "logistics", "warranty", "pensions", "patents", "energy"]
PLACES = ["Oslo", "Lagos", "Lima", "Perth", "Turin"]

app = typer.Typer()
app.command()(calibrate)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--json"])


def by_words(text: str) -> list[float]:
    """A crude embedding: texts that share words are near each other."""
    vector = [1.0] * 64
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % 64] += 6.0
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector]


def answer(request: Recorded) -> Reply:
    rows = [{"index": number, "embedding": by_words(text)} for number, text in enumerate(request.body["input"])]
    return Raw(json.dumps({"object": "list", "data": rows, "model": "by-words"}))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    about = [(subject, place) for subject in SUBJECTS for place in PLACES]
    entries = [
        {
            "question": f"How did {subject} develop in {place}?",
            "passage": f"In {place}, {subject} developed better than in the year before.",
        }
        for subject, place in about
    ]
    file.write_text("\n".join(map(json.dumps, entries)))
    return file


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_openai: FakeOpenAI) -> Path:
    fake_openai.answer_with(answer)
    monkeypatch.setenv("MASIS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MASIS_EMBEDDING_BASE_URL", fake_openai.base_url)
    monkeypatch.setenv("MASIS_EMBEDDING_MODEL", "by-words")
    monkeypatch.setenv("MASIS_RATE_LIMIT_CALLS", "10000")
    return tmp_path / "home"


def test_calibrating_on_labelled_questions(home: Path, questions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: dict[str, fitting.Scores] = {}

    async def measured_once(embedder: Embedder, sample: fitting.Sample) -> fitting.Scores:
        if embedder.name not in measured:
            measured[embedder.name] = await scores_of(embedder, sample)
        return measured[embedder.name]

    scores_of = fitting.scores_of
    monkeypatch.setattr(fitting, "scores_of", measured_once)
    tried = run("--questions", str(questions), "--dry-run")
    assert tried.exit_code == 0, tried.output
    assert not calibration_for("by-words", home).is_calibrated
    done = run("--questions", str(questions))
    shown = json.loads(done.stdout)
    assert (shown["embedder"], shown["on_topic"], shown["saved"]) == ("by-words", 50, True)
    scale = calibration_for("by-words", home)
    assert [list(point) for point in scale.points] == shown["points"]
    assert "50 questions" in scale.source


def test_nothing_to_calibrate_on(home: Path) -> None:
    done = run()
    assert done.exit_code == 1
    assert "too little" in json.loads(done.stdout)["error"]["message"]
    assert not (home / "calibration.json").exists()


def test_the_embedded_model_is_the_reference(questions: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path / "home"))
    done = run("--questions", str(questions))
    assert done.exit_code == 1
    assert "is the reference" in json.loads(done.stdout)["error"]["message"]


def test_a_workspace_that_is_not_there(home: Path) -> None:
    done = run("--workspace", "nowhere")
    assert json.loads(done.stdout)["error"]["code"] == "unknown_workspace"
