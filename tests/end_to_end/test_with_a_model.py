"""The whole pipeline with chat models on the wire: what is asked, how often, and what happens when it goes wrong."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from masis import Masis, RunResult, Settings
from masis.orchestrator.graph import graph
from masis.orchestrator.state import MASISInput
from masis.reasoning.llm import prompts
from tests.support.fake_openai import Fail, FakeOpenAI, Recorded, Reply, Say

QUESTION = "What was revenue in fiscal 2025?"
AUDIT = {
    "confidence": 92,
    "hallucination_detected": False,
    "unsupported_claims": [],
    "logical_gaps": [],
    "conflicting_evidence": [],
    "needs_retry": False,
}
SCORES = {
    "faithfulness": 0.9,
    "relevance": 0.9,
    "completeness": 0.8,
    "reasoning_quality": 0.7,
    "improvement_suggestions": [],
}


class Model:
    """Answers each role in turn; what it is told to say for a role can be changed."""

    def __init__(self) -> None:
        self.answer = "Revenue in fiscal 2025 was $184.1 million. [{id}]"
        self.audit: Any = AUDIT
        self.scores: Any = SCORES

    def __call__(self, request: Recorded) -> Reply:
        if request.body["model"] == "gpt-4o-mini":
            chunk_id = re.search(r"\bc[0-9a-z]{10}\b", request.prompt)
            assert chunk_id
            return Say(self.answer.format(id=chunk_id[0]))
        return _told(self.audit if self._is_audit(request) else self.scores)

    @staticmethod
    def _is_audit(request: Recorded) -> bool:
        return "needs_retry" in json.dumps(request.body)


def _told(said: Any) -> Reply:
    return said if isinstance(said, Fail) else Say(json.dumps(said))


@pytest.fixture
def model(fake_openai: FakeOpenAI) -> Model:
    made = Model()
    fake_openai.answer_with(made)
    return made


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one report, which each test gets a copy of."""
    folder = tmp_path_factory.mktemp("ingested")
    (folder / "report.md").write_text(
        "# Annual report\n\nRevenue in fiscal 2025 was $184.1 million, after $163.8 million in fiscal 2024."
    )
    with Masis(Settings(home=folder / "home")) as masis:
        masis.ingest([folder / "report.md"], "w")
    return folder / "home"


@pytest.fixture
def masis(fake_openai: FakeOpenAI, ingested: Path, tmp_path: Path) -> Iterator[Masis]:
    shutil.copytree(ingested, tmp_path / "home")
    settings = Settings(
        home=tmp_path / "home",
        model_base_url=fake_openai.base_url,
        openai_api_key="sk-secret",
        rate_limit_calls=1000,
        model_deadline_seconds=2,
        model_timeout_seconds=1,
    )
    with Masis(settings) as made:
        yield made


def ask(masis: Masis) -> RunResult:
    return masis.ask(QUESTION, "w")


def test_writer_auditor_and_judge_are_asked_once_each(masis: Masis, model: Model, fake_openai: FakeOpenAI) -> None:
    result = ask(masis)
    assert [chat.body["model"] for chat in fake_openai.chats] == ["gpt-4o-mini", "gpt-4o", "gpt-4o"]
    assert (result.outcome, result.confidence) == ("answered", 0.92)
    assert result.metrics["model_calls"] == result.metrics["model_requests"] == 3
    assert result.metrics["input_tokens"] == 300
    assert result.metrics["cost_usd"] == pytest.approx((100 * 0.15 + 20 * 0.60 + 2 * (100 * 2.50 + 20 * 10.00)) / 1e6)
    assert result.claims[0]["verdict"] in ("verbatim", "supported")
    assert result.evaluation["judged_by"] == "gpt-4o"


def test_the_trail_says_which_words_the_models_were_asked_with(
    masis: Masis, model: Model, fake_openai: FakeOpenAI
) -> None:
    result = ask(masis)
    stamps = {entry["node"]: entry.get("prompt") for entry in result.trace}
    roles: dict[str, prompts.PromptRole] = {"synthesizer": "writer", "critic": "auditor", "evaluator": "judge"}
    for node, role in roles.items():
        assert stamps[node] == {"version": prompts.PROMPT_VERSION, "hash": prompts.prompt_hash(role)}
    assert stamps["researcher"] is stamps["supervisor"] is None
    assert result.as_dict()["prompts"] == {"version": prompts.PROMPT_VERSION, "hash": prompts.prompt_hash()}
    assert all(chat.body["temperature"] == 0 for chat in fake_openai.chats)


def test_the_secret_is_sent_and_never_shown(masis: Masis, model: Model, fake_openai: FakeOpenAI) -> None:
    result = ask(masis)
    assert fake_openai.chats[0].headers["authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in json.dumps(result.as_dict())
    assert "sk-secret" not in repr(masis.settings)


def test_a_fabricated_citation_is_retried_and_then_corrected_where_a_passage_bears_the_sentence_out(
    masis: Masis, model: Model, fake_openai: FakeOpenAI
) -> None:
    model.answer = "Revenue in fiscal 2025 was $184.1 million. [c0zzzzzzz99]"
    result = ask(masis)
    assert len(fake_openai.chats) == 6, "the second attempt changed nothing, so there is no third"
    audits = [entry for entry in result.trace if entry["node"] == "critic"]
    assert all(entry["hallucination"] and entry["confidence"] <= 0.5 for entry in audits)
    assert (result.status, result.claims[0]["repaired"]) == ("success", "corrected")
    assert "c0zzzzzzz99" not in result.answer


def test_a_fabricated_citation_that_nothing_bears_out_ends_with_a_person(
    masis: Masis, model: Model, fake_openai: FakeOpenAI
) -> None:
    model.answer = "Revenue in fiscal 2025 was $999.9 million. [c0zzzzzzz99]"
    result = ask(masis)
    assert result.status == "needs_clarification"
    assert result.critique["hallucination_detected"] is True
    assert result.evaluation["faithfulness"] <= 0.4


def test_a_swapped_number_counts_whatever_the_models_say(masis: Masis, model: Model) -> None:
    model.answer = "Revenue in fiscal 2025 was $148.1 million. [{id}]"
    result = ask(masis)
    assert result.claims[0]["verdict"] == "numbers_differ"
    assert (result.status, result.confidence) == ("needs_clarification", 0.46)
    assert result.critique["hallucination_detected"] is True
    assert result.evaluation["faithfulness"] == 0.4


def test_the_critique_reaches_the_writer_on_the_retry(masis: Masis, model: Model, fake_openai: FakeOpenAI) -> None:
    model.audit = AUDIT | {"confidence": 0.3, "unsupported_claims": ["The moon is made of cheese."]}
    ask(masis)
    writer = [chat.prompt for chat in fake_openai.chats if chat.body["model"] == "gpt-4o-mini"]
    assert "made of cheese" not in writer[0]
    assert "made of cheese" in writer[1]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_an_auditor_that_fails_ends_in_review_with_the_draft(masis: Masis, model: Model, status: int) -> None:
    model.audit = Fail(status, headers={"retry-after": "60"})
    result = ask(masis)
    assert (result.status, result.outcome) == ("needs_clarification", "unavailable")
    assert "184.1" in result.answer
    assert result.critique["needs_retry"] is True
    assert set(result.evaluation) >= {"faithfulness", "overall_score"}


def test_a_judge_that_fails_ends_in_review_with_measured_scores(masis: Masis, model: Model) -> None:
    model.scores = Fail(401)
    result = ask(masis)
    assert result.outcome == "unavailable"
    assert result.evaluation["judged_by"].startswith("offline (gpt-4o")


def test_a_conflict_the_auditor_reports_goes_to_a_person(masis: Masis, model: Model) -> None:
    model.audit = AUDIT | {"conflicting_evidence": ["Table 1 says 184.1, the letter says 182.4"]}
    result = ask(masis)
    assert result.outcome == "conflict"
    assert "the letter says 182.4" in (result.clarification_question or "")


def test_graph_invoke_needs_no_other_set_up(
    masis: Masis, model: Model, fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    masis.close()
    monkeypatch.setenv("MASIS_HOME", str(masis.settings.home))
    monkeypatch.setenv("MASIS_MODEL_BASE_URL", fake_openai.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    state = graph.invoke(MASISInput(user_query=QUESTION, workspace_id="w", max_retries=2).to_state())
    assert state["final_answer"].startswith("Revenue in fiscal 2025 was $184.1 million.")
    assert len(fake_openai.chats) == 3
