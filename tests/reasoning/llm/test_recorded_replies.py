"""Whole runs on replies that a large model wrote to these prompts: what MASIS does with them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from masis.audit.checks.support import REFUTED
from masis.orchestrator.graph import graph
from masis.orchestrator.services import Services
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.engine import LLMAuditor, LLMJudge, LLMWriter
from masis.settings import Settings
from masis.types import EvidenceChunk
from tests.support.engines import ScriptedSearch, asked
from tests.support.fake_openai import FakeOpenAI, Recorded, Say

MakeClient = Callable[..., ModelClient]
Play = Callable[[str], tuple[dict[str, Any], ScriptedSearch, list[Recorded]]]


def evidence(passages: list[dict[str, Any]]) -> list[EvidenceChunk]:
    places = {"score": 0.9, "start": 0}
    return [
        {**places, **p, "document_id": p["file_name"], "end": len(p["text"])}  # type: ignore[typeddict-item]
        for p in passages
    ]


@pytest.fixture
def play(make_client: MakeClient, fake_openai: FakeOpenAI) -> Play:
    def run(name: str) -> tuple[dict[str, Any], ScriptedSearch, list[Recorded]]:
        recorded = json.loads((Path(__file__).parent / "recorded" / f"{name}.json").read_text(encoding="utf-8"))
        replies = {role: iter(recorded[role]) for role in ("writer", "auditor", "judge")}

        def answer(request: Recorded) -> Say:
            reply = next(replies[request.body["model"]])
            return Say(reply if isinstance(reply, str) else json.dumps(reply))

        fake_openai.answer_with(answer)
        search = ScriptedSearch([evidence(found) for found in recorded["searches"]])
        clients = {role: make_client(role, **{f"{role}_model": role}) for role in ("writer", "auditor", "judge")}
        engines = LLMWriter(clients["writer"]), LLMAuditor(clients["auditor"]), LLMJudge(clients["judge"])
        state = graph.invoke(asked(recorded["question"]), context=Services(Settings(), search, *engines))
        return state, search, fake_openai.chats

    return run


def test_passages_from_the_wrong_part_of_the_document_are_searched_for_again(play: Play) -> None:
    state, search, chats = play("wrong_part_of_the_document")
    assert "table of net sales by reportable segment" in search.queries[1][1]
    assert state["outcome"] == "answered"
    assert state["retry_count"] == 1
    assert state["final_answer"].count("[c8mkwzdta01]") == 4
    rewriting = chats[3].prompt
    assert "<<<your previous draft" in rewriting
    assert "- a gap: “The amounts are not in these passages" in rewriting


def test_a_refusal_is_searched_for_once_more_and_stands(play: Play) -> None:
    state, search, chats = play("refusal")
    assert (state["outcome"], state["retry_count"]) == ("insufficient_evidence", 1)
    assert search.queries[1][2] == 20
    assert "searched again, more widely" in chats[3].prompt
    assert len(chats) == 6


def test_a_refusal_that_says_what_was_found_is_searched_for_once_more(play: Play) -> None:
    state, search, chats = play("refusal_with_what_was_found")
    assert (state["outcome"], state["retry_count"]) == ("answered", 1)
    assert search.queries[1][2] == 20
    assert "by $149,923.68" in state["final_answer"]
    assert len(chats) == 6


def test_rounded_derived_and_merged_figures_pass_at_the_first_draft(play: Play) -> None:
    state, _, chats = play("derived_figures")
    assert (state["outcome"], state["retry_count"], len(chats)) == ("answered_with_caveat", 0, 3)
    assert not [claim for claim in state["claims"] if claim["verdict"] in (REFUTED | {"uncited"})]
    assert not [entry for entry in state["trace"] if entry.get("repairs")]
