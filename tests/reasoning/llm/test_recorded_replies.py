"""Whole runs on replies that a large model wrote to these prompts: what MASIS does with them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from masis.audit.checks.support import REFUTED
from masis.orchestrator.graph import build_graph
from masis.orchestrator.services import Services
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.engine import LLMAuditor, LLMJudge, LLMWriter
from masis.reasoning.llm.structured import Audit, Scorecard
from masis.settings import Settings
from masis.types import EvidenceChunk
from tests.support.engines import ScriptedSearch, asked
from tests.support.fake_openai import FakeOpenAI, Recorded, Say

MakeClient = Callable[..., ModelClient]
Play = Callable[[str], tuple[dict[str, Any], ScriptedSearch, list[Recorded]]]
RECORDED = Path(__file__).parent / "recorded"
ONE_RUN: Any = {"configurable": {"thread_id": "1"}}


def reading(name: str) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    return recorded


def evidence(passages: list[dict[str, Any]]) -> list[EvidenceChunk]:
    places = {"score": 0.9, "start": 0}
    return [
        {**places, **p, "document_id": p["file_name"], "end": len(p["text"])}  # type: ignore[typeddict-item]
        for p in passages
    ]


@pytest.fixture
def play(make_client: MakeClient, fake_openai: FakeOpenAI) -> Play:
    def run(name: str) -> tuple[dict[str, Any], ScriptedSearch, list[Recorded]]:
        recorded = reading(name)
        replies = {role: iter(recorded[role]) for role in ("writer", "auditor", "judge")}

        def answer(request: Recorded) -> Say:
            reply = next(replies[request.body["model"]])
            return Say(reply if isinstance(reply, str) else json.dumps(reply))

        fake_openai.answer_with(answer)
        search = ScriptedSearch([evidence(found) for found in recorded["searches"]])
        clients = {role: make_client(role, **{f"{role}_model": role}) for role in ("writer", "auditor", "judge")}
        engines = LLMWriter(clients["writer"]), LLMAuditor(clients["auditor"]), LLMJudge(clients["judge"])
        services = Services(Settings(**recorded.get("settings", {})), search, *engines)
        graph = build_graph(InMemorySaver())
        state = graph.invoke(asked(recorded["question"]), ONE_RUN, context=services)
        if decision := recorded.get("decision"):
            assert state["outcome"] == "conflict", "a person is asked first"
            state = graph.invoke(Command(resume=decision), ONE_RUN, context=services)
        assert not [role for role, left in replies.items() if next(left, None)], "all replies were needed"
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


@pytest.mark.parametrize("name", sorted(file.stem for file in RECORDED.glob("*.json")))
def test_the_replies_have_every_field_that_the_prompts_ask_for_now(name: str) -> None:
    recorded = reading(name)
    assert {frozenset(reply) for reply in recorded["auditor"]} == {frozenset(Audit.model_fields)}
    assert {frozenset(reply) for reply in recorded["judge"]} == {frozenset(Scorecard.model_fields)}


def passed_at_once(state: dict[str, Any], chats: list[Recorded], calls: int = 3, outcome: str = "answered") -> None:
    """The first draft stands as it was written, and nobody is asked."""
    assert (state["outcome"], state["retry_count"], len(chats)) == (outcome, 0, calls)
    assert not state["requires_human_review"]
    assert not [claim for claim in state["claims"] if claim["verdict"] in (REFUTED | {"uncited"})]
    assert not [entry for entry in state["trace"] if entry.get("repairs")]


def test_a_revision_is_explained_with_the_final_figure_and_nobody_has_to_choose(play: Play) -> None:
    state, _, chats = play("revision")
    passed_at_once(state, chats, outcome="answered_with_caveat")
    assert state["final_answer"].startswith("Operating profit for 2023 was €3.1 million")
    (conflict,) = state["conflicts"]
    assert conflict["kind"] == "revision"
    assert [side["value"] for side in conflict["sides"]] == ["€3.4 million", "€3.1 million"]


def test_what_follows_from_cited_statements_may_be_concluded(play: Play) -> None:
    state, _, chats = play("conclusion")
    passed_at_once(state, chats, outcome="answered_with_caveat")
    (concluded,) = [claim for claim in state["claims"] if claim["text"].startswith("It follows that")]
    assert concluded["verdict"] == "supported"
    assert [claim["kind"] for claim in state["claims"]][-1] == "limit"


def test_a_fiscal_year_is_the_one_that_the_document_means(play: Play) -> None:
    state, _, chats = play("fiscal_year")
    passed_at_once(state, chats)
    assert state["conflicts"] == []
    assert "about 10.9 %" in state["final_answer"]


def test_a_question_that_fits_several_companies_is_answered_for_each(play: Play) -> None:
    state, _, chats = play("several_companies")
    passed_at_once(state, chats, outcome="answered_with_caveat")
    assert state["critique"]["conflicting_evidence"] == []
    assert all(company in state["final_answer"] for company in ("Tarn Water", "Ellwood Rail"))


def test_heading_file_name_and_date_are_evidence(play: Play) -> None:
    state, _, chats = play("heading_and_file_name")
    passed_at_once(state, chats)
    assert "file: travel-policy-v3.2.docx" in chats[0].prompt
    assert "heading: Travel policy, in force from 1 June 2024" in chats[1].prompt


def test_a_decision_is_asked_for_told_to_writer_and_auditor_and_named(play: Play) -> None:
    state, _, chats = play("decision")
    before, after = chats[:6], chats[6:]
    assert not [chat for chat in before if "A person has decided" in chat.prompt]
    assert ["A person has decided" in chat.prompt for chat in after] == [True, True, False]
    assert "board-memo" not in after[0].prompt.split("<<<overruled files")[0], "an overruled document is not read"
    assert state["outcome"] == "answered"
    assert state["final_answer"].startswith("Kelso Mills had 412 employees")
    assert "the decision of Ada to trust hr-report-2024.xlsx over board-memo-january.docx" in state["final_answer"]


def test_an_explained_conflict_of_unknown_kind_without_a_period_needs_nobody(play: Play) -> None:
    state, _, chats = play("explained_conflict_of_unknown_kind")
    passed_at_once(state, chats)
    (conflict,) = state["conflicts"]
    assert (conflict["kind"], conflict["period"]) == ("different_definition", None)


def test_a_passage_with_an_empty_summary_is_left_out_and_one_without_a_summary_is_cut(play: Play) -> None:
    state, _, chats = play("empty_summary")
    passed_at_once(state, chats, calls=4)
    writing = chats[1].prompt
    assert "brent-canteen.pdf" not in writing
    assert writing.count(" (summary) ") == 2
    assert "Like-for-like sales of the shops rose by 4 % in 2024." in writing
    assert "Brent Bakery: net sales of £17.1 million in 2023" in writing
    assert "which was close\n" in writing  # cut after 200 characters
    assert state["metrics"]["over_compression_flag"] is False
    assert "brent-canteen.pdf" in chats[2].prompt, "the auditor reads the passages themselves"
