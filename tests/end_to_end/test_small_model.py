"""A small model on this machine: what `masis doctor` finds, and what a run does with it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from masis import Masis, Settings
from masis.reasoning.llm import fitness
from masis.reasoning.llm.engine import PlainWriter
from masis.reasoning.llm.prompts import PLAIN_CONTEXT_CHARS, PLAIN_OUTPUT_TOKENS, prompt_hash
from masis.reasoning.offline.writer import OfflineWriter
from masis.reasoning.ports import Listener, WritingBrief
from masis.runs.planning import examine
from tests.support.fake_openai import FakeOpenAI, Hang, Recorded, Reply, Say

Answers = Callable[[Recorded], Reply]
QUESTION = "What was revenue in fiscal 2025?"
FILLER = " ".join(f"Paragraph {n} describes the canteen, the garden and the parking places." for n in range(120))
REPORT = f"# Annual report\n\nRevenue in fiscal 2025 was $184.1 million.\n\n## Premises\n\n{FILLER}"
NO_FAULT = {"unsupported_claims": [], "hallucination_detected": False, "confidence": 0.9}
FULL_MARKS = dict.fromkeys(("faithfulness", "relevance", "completeness", "reasoning_quality"), 0.9)


def is_audit(request: Recorded) -> bool:
    return "needs_retry" in json.dumps(request.body)


def is_long(request: Recorded) -> bool:
    return "strategic intelligence analyst" in request.prompt


def lenient(request: Recorded) -> Reply:
    """Writes well, and finds no fault in anything: unfit as an auditor and as a judge."""
    if "response_format" not in request.body:
        mill = "It employs 47 people and has belonged to Harlow since 2019."
        return Say(mill if fitness.QUESTION in request.prompt else "Revenue in fiscal 2025 was $184.1 million.")
    return Say(json.dumps(NO_FAULT if is_audit(request) else FULL_MARKS))


def slow(request: Recorded) -> Reply:
    """Too slow for every long message."""
    return Hang() if is_long(request) or len(request.prompt) > 5200 else lenient(request)


def settings(home: Path, address: str, **changes: Any) -> Settings:
    names = {f"{role}_model": "qwen" for role in ("writer", "auditor", "judge")}
    usual = {"model_timeout_seconds": 0.5, "model_deadline_seconds": 1.0, "rate_limit_calls": 1000}
    return Settings(**{"home": home, "model_base_url": address, **names, **usual, **changes})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "report.md").write_text(REPORT)
    with Masis(Settings(home=tmp_path / "home")) as masis:
        masis.ingest([tmp_path / "report.md"], "w")
    return tmp_path / "home"


async def doctor(home: Path, fake_openai: FakeOpenAI, answers: Answers, **changes: Any) -> dict[str, Any]:
    fake_openai.answer_with(answers)
    given = settings(home, fake_openai.base_url, **changes)
    with Masis(given) as masis:
        return {finding.part: finding for finding in await examine(given, masis._parts.library)}


def ask(home: Path, fake_openai: FakeOpenAI, answers: Answers) -> Any:
    fake_openai.answer_with(answers)
    fake_openai.requests.clear()
    with Masis(settings(home, fake_openai.base_url)) as masis:
        return masis.ask(QUESTION, "w")


def stood_in(result: Any) -> list[str]:
    return [line for entry in result.trace for line in entry.get("stood_in", [])]


async def test_a_model_that_writes_and_cannot_audit_gets_the_short_prompt(home: Path, fake_openai: FakeOpenAI) -> None:
    found = await doctor(home, fake_openai, lenient)
    assert found["roles"].found == "writer qwen, by the short prompt, auditor embedded, judge embedded"
    result = ask(home, fake_openai, lenient)
    asked = fake_openai.chats
    assert len(asked) == 1
    assert not is_long(asked[0])
    assert len(asked[0].prompt) < PLAIN_CONTEXT_CHARS + 2500
    assert result.outcome == "answered"
    assert [claim.get("repaired") for claim in result.claims] == ["added"]
    writing = next(entry for entry in result.trace if entry["node"] == "synthesizer")
    assert writing["prompt"]["hash"] == prompt_hash("plain_writer")
    assert writing["context_chars"] <= PLAIN_CONTEXT_CHARS


async def test_a_small_model_writes_one_draft_and_the_embedded_engine_the_next(
    home: Path, fake_openai: FakeOpenAI
) -> None:
    await doctor(home, fake_openai, lenient)
    result = ask(home, fake_openai, lambda _: Say("Revenue in fiscal 2025 was $914.7 million."))
    assert len(fake_openai.chats) == 1
    assert result.outcome == "answered"
    assert "$184.1 million" in result.answer
    assert "writer embedded, in place of qwen: a small model writes one draft, and its draft was sent back" in (
        stood_in(result)
    )


async def test_an_embedded_writer_that_stands_in_selects_from_all_the_evidence(
    home: Path, fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    await doctor(home, fake_openai, lenient)
    read: list[int] = []
    by_offline = OfflineWriter.write

    async def write(self: OfflineWriter, brief: WritingBrief, on_token: Listener | None = None) -> Any:
        read.append(sum(len(passage.text) for passage in brief.passages))
        return await by_offline(self, brief, on_token)

    monkeypatch.setattr(OfflineWriter, "write", write)
    monkeypatch.setattr(PlainWriter, "reads_at_most", 300)
    result = ask(home, fake_openai, lambda _: Say("Revenue in fiscal 2025 was $914.7 million."))
    assert [e["context_chars"] <= 300 for e in result.trace if e["node"] == "synthesizer"] == [True, True]
    assert read[0] == sum(len(chunk["text"]) for chunk in result.evidence) > 1000


async def test_of_a_small_models_answer_that_is_cut_off_the_complete_sentences_count(
    home: Path, fake_openai: FakeOpenAI
) -> None:
    await doctor(home, fake_openai, lenient)
    said = "Revenue in fiscal 2025 was $184.1 million. Revenue in fiscal 2025 was $184.1 million. The canteen is"
    result = ask(home, fake_openai, lambda _: Say(said, finish_reason="length"))
    assert fake_openai.chats[0].body["max_tokens"] == PLAIN_OUTPUT_TOKENS
    assert result.outcome == "answered"
    assert [claim["text"].split(" [")[0] for claim in result.claims] == ["Revenue in fiscal 2025 was $184.1 million"]
    assert not any("writer" in line for line in stood_in(result))


async def test_a_small_model_cut_off_in_its_first_sentence_is_replaced(home: Path, fake_openai: FakeOpenAI) -> None:
    await doctor(home, fake_openai, lenient)
    result = ask(home, fake_openai, lambda _: Say("Revenue in fiscal 2025, as far as", finish_reason="length"))
    assert "writer embedded, in place of qwen: qwen was cut off before the end of its answer" in stood_in(result)
    assert "$184.1 million" in result.answer


async def test_a_model_elsewhere_that_writes_well_keeps_the_long_prompt(
    home: Path, fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Settings, "models_run_here", property(lambda _: False))
    found = await doctor(home, fake_openai, lenient)
    assert found["roles"].found == "writer qwen, auditor embedded, judge embedded"


async def test_a_model_too_slow_for_the_long_prompt_writes_by_the_short_one(
    home: Path, fake_openai: FakeOpenAI
) -> None:
    found = await doctor(home, fake_openai, slow)
    assert (found["writer"].state, found["auditor"].state) == ("ok", "note")
    assert "too slow on this machine" in found["auditor"].found
    assert "MASIS_MODEL_TIMEOUT_SECONDS" in found["auditor"].advice
    result = ask(home, fake_openai, slow)
    assert (result.outcome, len(fake_openai.chats)) == ("answered", 1)


async def test_a_model_that_says_nothing_at_all_is_known_to_be_too_slow(home: Path, fake_openai: FakeOpenAI) -> None:
    found = await doctor(home, fake_openai, lambda _: Hang())
    assert {found[role].state for role in ("writer", "auditor", "judge")} == {"note"}
    assert found["roles"].found == "writer embedded, auditor embedded, judge embedded"
    result = ask(home, fake_openai, lambda _: Hang())
    assert (result.outcome, fake_openai.chats) == ("answered", [])
    assert all("too slow on this machine" in line for line in stood_in(result))
    assert len(stood_in(result)) == 3


async def test_a_model_elsewhere_that_says_nothing_is_down(
    home: Path, fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Settings, "models_run_here", False)
    found = await doctor(home, fake_openai, lambda _: Hang())
    assert {found[role].state for role in ("writer", "auditor", "judge")} == {"bad"}
    assert not (home / fitness.FILE).exists()


def test_a_run_goes_on_without_a_model_of_this_machine_that_falls_silent(home: Path, fake_openai: FakeOpenAI) -> None:
    result = ask(home, fake_openai, lambda _: Hang())
    assert result.outcome == "answered"
    assert "$184.1 million" in result.answer
    assert len(fake_openai.chats) == 1, "one model plays all roles, and is not waited for again"
    first, *others = stood_in(result)
    assert first == "writer embedded, in place of qwen: qwen did not respond in time"
    assert [line.split(" embedded")[0] for line in others] == ["auditor", "judge"]
    assert result.metrics["silent_models"] == ["qwen"]


def test_a_model_that_was_silent_when_a_question_was_completed_is_not_waited_for_again(
    home: Path, fake_openai: FakeOpenAI
) -> None:
    fake_openai.answer_with(lambda _: Hang())
    with Masis(settings(home, fake_openai.base_url)) as masis:
        first = masis.ask(QUESTION, "w")
        fake_openai.requests.clear()
        second = masis.ask("And in fiscal 2024?", "w", thread=first.run_id)
    assert len(fake_openai.chats) == 1
    assert stood_in(second)[0] == "writer embedded, in place of qwen: it did not respond in time before"


def test_a_run_ends_when_a_model_elsewhere_falls_silent(
    home: Path, fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Settings, "models_run_here", False)
    assert ask(home, fake_openai, lambda _: Hang()).outcome == "unavailable"


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://localhost:11434/v1", True),
        ("http://[::1]:1/v1", True),
        ("https://api.example.com/v1", False),
        ("http://10.0.0.7/v1", False),
        ("http://[oops/v1", False),
        (None, False),
    ],
)
def test_models_of_this_machine_are_known_by_their_address(address: str | None, is_here: bool) -> None:
    assert Settings(model_base_url=address).models_run_here is is_here
