import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from masis.errors import ModelUnavailable
from masis.reasoning.engines import engines_for
from masis.reasoning.llm import fitness
from masis.reasoning.llm.chat_model import ModelClient
from masis.settings import Role, Settings
from tests.support.fake_openai import Drop, FakeOpenAI, Recorded, Reply, Say

MakeClient = Callable[..., ModelClient]


def audit(hallucination: bool, unsupported: list[str]) -> str:
    return json.dumps({"unsupported_claims": unsupported, "hallucination_detected": hallucination, "confidence": 0.9})


def scores(faithfulness: float) -> str:
    return json.dumps({"faithfulness": faithfulness, "relevance": 0.9, "completeness": 0.9, "reasoning_quality": 0.9})


def by_answer(right: str, wrong: str) -> Callable[[Recorded], Reply]:
    return lambda request: Say(wrong if fitness.WRONG in request.prompt else right)


@pytest.mark.parametrize(
    ("role", "answers", "reason"),
    [
        ("writer", by_answer("47 people, since 2019.", ""), None),
        ("writer", by_answer("47 people.", ""), "left out 2019"),
        ("auditor", by_answer(audit(False, []), audit(True, ["74 people"])), None),
        ("auditor", by_answer(audit(False, []), audit(False, ["74 people"])), None),
        ("auditor", by_answer(audit(True, ["47"]), audit(True, ["74"])), "took a right answer for a wrong one"),
        ("auditor", by_answer(audit(False, []), audit(False, [])), "let two wrong figures pass"),
        ("auditor", by_answer("It is fine.", "It is fine."), "no usable Audit"),
        ("judge", by_answer(scores(0.95), scores(0.2)), None),
        ("judge", by_answer(scores(0.9), scores(0.9)), "as faithful as a right one"),
    ],
)
async def test_a_model_is_tried_at_its_role(
    make_client: MakeClient,
    fake_openai: FakeOpenAI,
    role: Role,
    answers: Callable[[Recorded], Reply],
    reason: str | None,
) -> None:
    fake_openai.answer_with(answers)
    found = await fitness.cannot_fill(role, make_client(role))
    assert (found is None) if reason is None else (found is not None and reason in found)


async def test_a_model_that_is_down_is_not_called_unfit(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(lambda _: Drop())
    with pytest.raises(ModelUnavailable):
        await fitness.cannot_fill("judge", make_client("judge"))


def settings(home: Path, **changes: Any) -> Settings:
    roles = {"writer_model": "llama3.1", "auditor_model": "llama3.1", "judge_model": "llama3.1"}
    return Settings(**{"home": home, "model_base_url": "http://127.0.0.1:1/v1", **roles, **changes})


def test_what_was_found_decides_who_plays_until_it_is_tried_again(tmp_path: Path) -> None:
    fitness.keep(settings(tmp_path), {"writer": None, "auditor": "it let two wrong figures pass"})
    assert [engine.name for engine in engines_for(settings(tmp_path))] == ["llama3.1", "offline", "llama3.1"]
    assert fitness.named(settings(tmp_path)) == "writer llama3.1, auditor embedded, judge llama3.1"
    fitness.keep(settings(tmp_path), {"auditor": None})
    assert [engine.name for engine in engines_for(settings(tmp_path))] == ["llama3.1"] * 3


def test_it_is_known_of_one_model_at_one_address(tmp_path: Path) -> None:
    fitness.keep(settings(tmp_path), {"auditor": "no"})
    assert fitness.unfit_reasons(settings(tmp_path, auditor_model="gpt-4o")) == {}
    assert fitness.unfit_reasons(settings(tmp_path, model_base_url="http://other/v1")) == {}


@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_a_broken_record_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "models.json").write_text(content)
    assert fitness.unfit_reasons(settings(tmp_path)) == {}
