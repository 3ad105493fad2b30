"""Every code has its words, and every door uses them."""

import json
from typing import get_args

from masis.reasoning.offline.auditor import DISPUTED
from masis.reasoning.offline.writer import ENOUGH
from masis.runs.records import RunStatus
from masis.settings import Settings
from masis.types import CheckedBy, ClaimKind, ConflictKind, Outcome, Repair, ReviewCause, Verdict
from masis.wording import (
    LIKELIHOODS,
    decision_words,
    removed_sentences,
    step_words,
    sure_words,
    verdict_of,
    vocabulary,
)


def test_every_code_has_words() -> None:
    words = vocabulary(Settings())
    codes = {
        "verdicts": Verdict,
        "claim_kinds": ClaimKind,
        "outcomes": Outcome,
        "statuses": RunStatus,
        "conflict_kinds": ConflictKind,
        "review_causes": ReviewCause,
        "checked_by": CheckedBy,
        "repairs": Repair,
    }
    for table, known in codes.items():
        assert set(words[table]) == set(get_args(known)), table
    assert json.loads(json.dumps(words)) == words


def test_verdicts_can_be_told_apart() -> None:
    words = [term["word"] for term in vocabulary(Settings())["verdicts"].values()]
    assert len(set(words)) == len(words)
    claim = {"text": "", "start": 0, "end": 0, "kind": "limit", "citations": [], "verdict": None, "reason": ""}
    assert verdict_of(claim).word == "limit"
    assert verdict_of({**claim, "verdict": "fabricated_citation"}).tone == "bad"


def test_how_sure_an_answer_is_stands_in_one_word_with_one_number() -> None:
    claim = {"text": "", "start": 0, "end": 0, "kind": "claim", "citations": [], "verdict": "verbatim", "reason": ""}
    assert [sure_words(value, 0.9, [claim]) for value in (1.0, 0.75, 0.7451, 0.7449, 0.7, 0.0, None)] == [
        "likely right (100%)",
        "likely right (75%)",
        "likely right (75%)",
        "check it (74%)",
        "check it (70%)",
        "weak (0%)",
        "high confidence (90%)",
    ]
    assert sure_words(0.7, 0.9, [{**claim, "kind": "limit"}]) == "", "silence is sure of nothing"
    assert LIKELIHOODS[0][0] > DISPUTED, "documents that contradict each other are worth a look"
    assert LIKELIHOODS[1][0] == ENOUGH, "what the Supervisor does not accept is called weak"
    assert [each["at_least"] for each in vocabulary(Settings())["likelihoods"]] == [least for least, _ in LIKELIHOODS]


def test_removed_sentences_are_found_in_the_trail_each_once() -> None:
    cut = {"repaired": "cut", "sentence": "Sales doubled."}
    critic = {"node": "critic", "confidence": 0.9, "repairs": [cut, {"repaired": "added", "sentence": "Churn fell."}]}
    assert removed_sentences([{"node": "researcher"}, critic, critic]) == ["Sales doubled."]
    assert step_words(critic) == "2 repairs"
    assert step_words({"node": "critic", "confidence": 0.9}) == "no objections"


def test_a_step_of_the_trail_is_a_line() -> None:
    found = {"node": "researcher", "chunks": 1, "filtered_out": 9, "set_aside": {"another_period": 9}}
    assert step_words(found) == "1 passage, 9 set aside: about another year"
    stood_in = {"node": "evaluator", "overall_score": 0.9, "stood_in": ["judge embedded, in place of gpt: too dear"]}
    assert step_words(stood_in) == "overall score 90% (judge embedded, in place of gpt: too dear)"
    decided = {"node": "supervisor", "decision": "retry", "reason": "answered_by_person"}
    assert step_words(decided) == "continues: a person decided"
    unknown = {"node": "supervisor", "decision": "retry", "reason": "of_tomorrow"}
    assert step_words(unknown) == "tries again: of tomorrow"
    assert step_words({"node": "somebody"}) == ""


def test_a_decision_names_who_and_why() -> None:
    decision = {"action": "prefer", "prefer": ["a.pdf"], "over": ["b.md"], "by": "Ada", "note": "It is audited."}
    assert decision_words(decision) == "Ada trusts a.pdf over b.md: It is audited."
    assert decision_words({"action": "stop", "by": "local"}) == "The person at this machine ended the run"
    assert decision_words({"action": "explain_both", "by": "Ada", "decision_id": "d1"}).endswith("an earlier run)")


def test_the_page_shows_the_weights_that_are_set() -> None:
    scores = vocabulary(Settings(weight_faithfulness=0.5, weight_relevance=0.1))["scores"]
    assert {name: score["weight"] for name, score in scores.items()} == {
        "faithfulness": 0.5,
        "relevance": 0.1,
        "completeness": 0.25,
        "reasoning_quality": 0.15,
        "overall_score": None,
    }
