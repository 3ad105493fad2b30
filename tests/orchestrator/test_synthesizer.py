from dataclasses import replace
from typing import Any

import pytest

from masis.audit.citations.extraction import cited_sentences
from masis.orchestrator.graph import graph
from masis.orchestrator.synthesizer import left_out, renamed_passages
from masis.reasoning.offline.writer import OfflineWriter
from masis.reasoning.ports import AuditFinding
from masis.settings import Settings
from tests.support.engines import (
    GOOD_ANSWER,
    GOOD_FINDING,
    ScriptedAuditor,
    ScriptedSearch,
    ScriptedWriter,
    Stage,
    asked,
    chunk,
)


def evidence(count: int, length: int) -> list[Any]:
    said = "Revenue was $12 million in 2025."
    texts = [f"{said} No {i:02} ".ljust(length, "x") for i in range(1, count + 1)]
    return [chunk(f"c{i}", text, score=0.99 - i / 100) for i, text in enumerate(texts, start=1)]


def run(found: list[Any], summaries: Any = None, **stage: Any) -> tuple[dict[str, Any], Stage]:
    made = Stage(
        search=ScriptedSearch([found]),
        writer=ScriptedWriter(summaries=summaries or {}),
        settings=Settings(context="summaries"),
        **stage,
    )
    return graph.invoke(asked(), context=made.services), made


@pytest.mark.parametrize(("total", "compressed"), [(6000, False), (6001, True)])
def test_context_is_compressed_above_6000_characters(total: int, compressed: bool) -> None:
    found = [*evidence(5, 1000), chunk("c6", "y" * (total - 5000), score=0.6)]
    state, stage = run(found)
    assert len(stage.writer.summarized) == int(compressed)
    assert state["trace"][1]["context_compressed"] is compressed


def test_the_three_best_stay_whole_and_the_rest_are_at_most_200_characters() -> None:
    summaries = {"c4": "Revenue was $4 million.", "c5": "z" * 900}
    _, stage = run(evidence(7, 1000), summaries)
    shown = {p.chunk_id: p for p in stage.writer.briefs[0].passages}
    assert [len(shown[f"c{i}"].text) for i in (1, 2, 3)] == [1000, 1000, 1000]
    assert shown["c4"].text == "Revenue was $4 million."
    assert shown["c5"].text == "z" * 200
    assert [shown[i].shortened for i in ("c3", "c4")] == [None, "summary"]


def test_a_summary_that_did_not_come_back_is_the_chunks_first_200_characters() -> None:
    found = evidence(7, 1000)
    _, stage = run(found, {"c4": "  "})
    shown = {p.chunk_id: p.text for p in stage.writer.briefs[0].passages}
    assert shown["c7"] == found[6]["text"][:200]
    assert "c4" not in shown  # the model says that nothing in it bears on the question


def test_compression_metrics() -> None:
    state, _ = run(evidence(10, 1000), {f"c{i}": "s" * 100 for i in range(4, 11)})
    metrics = state["metrics"]
    assert (metrics["original_context_chars"], metrics["compressed_context_chars"]) == (10_000, 3700)
    assert (metrics["compression_ratio"], metrics["over_compression_flag"]) == (0.37, False)
    assert metrics["compression_latency_ms"] >= 0


@pytest.mark.parametrize(("length", "flagged"), [(72, False), (71, True)])
def test_below_35_percent_is_over_compressed_and_the_critic_cannot_overlook_it(length: int, flagged: bool) -> None:
    # 3 × 1000 + 7 × length of 10 000: 72 gives 3504, 71 gives 3497.
    summaries = {f"c{i}": "s" * length for i in range(4, 11)}
    state, _ = run(evidence(10, 1000), summaries, auditor=ScriptedAuditor([GOOD_FINDING]))
    assert state["metrics"]["over_compression_flag"] is flagged
    assert state["critique"]["needs_retry"] is flagged
    assert any("compressed" in gap for gap in state["critique"]["logical_gaps"]) is flagged
    assert state["retry_count"] == (2 if flagged else 0)


def test_a_retry_hands_the_critique_to_the_writer() -> None:
    poor = AuditFinding(0.4, True, ["Margins doubled."], ["Which year?"], (), ["12 or 14?"], True)
    stage = Stage(auditor=ScriptedAuditor([poor, GOOD_FINDING]))
    graph.invoke(asked(), context=stage.services)
    first, second = stage.writer.briefs
    assert first.previous_critique is None
    assert second.previous_critique is not None
    assert second.previous_critique["hallucination_detected"] is True
    assert second.previous_critique["unsupported_claims"] == ["Margins doubled."]
    assert second.previous_critique["logical_gaps"] == ["Which year?"]
    assert second.previous_critique["conflicting_evidence"] == ["12 or 14?"]


def test_trace_and_metrics_of_a_draft() -> None:
    answer = "Revenue was $12 million. [c1] It rose. [c1, c2]"
    found = [chunk("c1"), chunk("c2", "It rose.")]
    stage = Stage(search=ScriptedSearch([found]), writer=ScriptedWriter([answer]))
    state = graph.invoke(asked(), context=stage.services)
    entry = state["trace"][1]
    assert entry["node"] == "synthesizer"
    assert entry["context_chars"] == sum(len(c["text"]) for c in found)
    assert (entry["answer_length"], entry["citations"]) == (len(answer), 3)
    assert entry["compression_latency_ms"] == 0.0
    assert state["metrics"]["citation_count"] == 3
    assert state["metrics"]["answer_length"] == len(answer)
    assert state["draft_answer"] == answer


def tokens(stage: Stage) -> list[Any]:
    events = graph.stream(asked(), context=stage.services, stream_mode="custom")
    return [event for event in events if event["event"] == "token"]


def test_whoever_follows_reads_along_attempt_by_attempt() -> None:
    stage = Stage(ScriptedSearch(), ScriptedWriter(stubborn=True), ScriptedAuditor([AuditFinding(0.4), GOOD_FINDING]))
    heard = tokens(stage)
    assert {event["agent"] for event in heard} == {"synthesizer"}
    for attempt in (0, 1):
        pieces = [event["text"] for event in heard if event["attempt"] == attempt]
        assert len(pieces) > 1
        assert "".join(pieces).strip() == GOOD_ANSWER


def test_the_offline_writer_is_heard_at_once_and_whole() -> None:
    stage = Stage()
    services = replace(stage.services, writer=OfflineWriter())
    events = list(graph.stream(asked(), context=services, stream_mode=["custom", "values"]))
    heard = [part["text"] for mode, part in events if mode == "custom" and part["event"] == "token"]
    assert heard == [events[-1][1]["draft_answer"]]
    assert "[c1]" in heard[0]


def test_the_writer_sees_the_draft_that_was_criticised() -> None:
    stage = Stage(
        writer=ScriptedWriter(["Revenue was $13 million. [c1]", GOOD_ANSWER]),
        auditor=ScriptedAuditor([AuditFinding(0.4), GOOD_FINDING]),
    )
    graph.invoke(asked(), context=stage.services)
    assert [brief.previous_draft for brief in stage.writer.briefs] == [None, "Revenue was $13 million. [c1]"]


def test_a_cited_passage_found_again_in_a_longer_one_has_its_id() -> None:
    citation = {"chunk_id": "c1", "document_id": "d1", "start": 100, "end": 140}
    claim: Any = {"citations": [citation, {**citation, "chunk_id": "gone", "document_id": "other"}]}
    longer = chunk("c8", "x" * 900, start=50, end=950)
    assert renamed_passages([claim], [chunk("c2", start=100, end=120), longer]) == {"c1": "c8"}


def test_evidence_that_fits_is_not_pruned() -> None:
    found = [chunk(f"c{i}", f"{i:02} " + "x" * 1597, score=0.9 - i / 100) for i in range(10)]
    stage = Stage(search=ScriptedSearch([found]))
    state = graph.invoke(asked(), context=stage.services)
    assert [p.text for p in stage.writer.briefs[0].passages] == [c["text"] for c in found]
    assert state["trace"][1]["context_compressed"] is False


def test_longer_evidence_is_pruned_without_a_model_call() -> None:
    filler = " ".join(f"Gardeners planted tulip bed number {n} in spring." for n in range(60))
    found = [chunk(f"c{i}", f"{filler} Revenue was ${i} million in 2025.", score=0.9 - i / 100) for i in range(1, 9)]
    stage = Stage(search=ScriptedSearch([found]))
    state = graph.invoke(asked(), context=stage.services)
    shown = stage.writer.briefs[0].passages
    assert stage.writer.summarized == []
    assert sum(len(p.text) for p in shown) <= 16_000
    assert all(f"Revenue was ${i} million in 2025." in p.text for i, p in enumerate(shown, start=1))
    assert {p.shortened for p in shown} == {"shortened"}
    assert state["metrics"]["over_compression_flag"] is False
    assert state["metrics"]["compressed_context_chars"] < state["metrics"]["original_context_chars"]


def test_a_summary_says_by_name_which_documents_it_says_nothing_of() -> None:
    names = [f"minutes_{n}_of_the_finance_committee.pdf" for n in range(12)]
    found = [chunk(f"c{n}", "Sales rose.", file_name=name) for n, name in enumerate(names[:9])]
    written = "**Minutes**\n\nSales rose [c1]. Sales rose [c2, c3]."
    said = left_out(written, {"evidence": found, "summed_up": names})
    assert all(name in said for name in (names[0], *names[4:])), "found and not cited, or not found"
    assert not any(name in said for name in names[1:4])
    assert said.startswith("This summary covers 3 of 12 documents and leaves out")
    assert {sentence.kind for sentence in cited_sentences(said, [])} == {"heading"}, (
        "it speaks of the answer, and claims nothing of the documents"
    )
    assert left_out("Sales rose [c1].", {"evidence": found, "summed_up": names[1:2]}) == ""
    assert left_out("Sales rose [c1].", {"evidence": found}) == "", "an answer to another question leaves nothing out"
