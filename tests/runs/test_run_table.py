"""One row a run: written by whoever holds it, answered once, found again page by page."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import cast

import pytest

from masis.database import Connection, Database
from masis.errors import InvalidInput, UnknownRun
from masis.jobs.queue import JobKey, JobQueue
from masis.orchestrator.state import MASISState
from masis.runs.events import RunEvent
from masis.runs.records import Ending, NewRun, result_of
from masis.runs.run_table import News, RunTable
from masis.runs.tables import StandingDecisions
from masis.types import LOCAL, Caller, DecisionMade
from tests.support.engines import asked

ADA = Caller("Ada", "k1")
ANSWER = {"action": "stop", "by": "Ada"}


METRICS = {"cost_usd": 0.25, "iterations": 2, "evaluation": {}}
RESULT = result_of("", cast(MASISState, {"outcome": "answered", "confidence": 0.75, "metrics": METRICS}))


def started(seq: int, agent: str = "critic") -> RunEvent:
    return {"seq": seq, "at": "2026-01-01", "event": "started", "agent": agent, "attempt": 1}


def create(runs: RunTable, question: str = "What was revenue?", owner: str | None = None) -> str:
    return runs.create([NewRun(asked(question), LOCAL, owner)])[0].run_id


def waiting(runs: RunTable) -> str:
    run_id = create(runs, owner="me")
    assert runs.settled([Ending(run_id, "me", "waiting", [])]) == [True]
    return run_id


def test_a_run_its_job_and_its_first_event_come_together(runs: RunTable, queue: JobQueue) -> None:
    record = runs.create([NewRun(asked("What was revenue?"), ADA)])[0]
    assert runs.get(record.run_id, "w") == record
    assert (record.status, record.asked_by, record.key_id) == ("queued", "Ada", "k1")
    assert [event["event"] for event in runs.events.after(record.run_id, -1)] == ["queued"]
    assert [job.subject for job in queue.claim("worker", {"run": 9})] == [record.run_id]
    assert runs.inputs([record.run_id])[0].state["user_query"] == "What was revenue?"


def test_many_are_begun_and_ended_at_once_and_each_by_its_owner(runs: RunTable, queue: JobQueue) -> None:
    """What several runs have to say comes in one transaction: nobody's word is taken for another's."""
    made = runs.create([NewRun(asked(f"Question {number}?"), ADA) for number in range(4)])
    ids = [record.run_id for record in made]
    assert [job.subject for job in queue.claim("me", {"run": 3})] == ids[:3]
    assert runs.inputs(ids[::-1])[0].state["user_query"] == "Question 3?"
    runs.began([(ids[0], "me"), (ids[1], "stranger"), (ids[2], "me"), (ids[3], "me")])
    assert [runs.get(run_id).status for run_id in ids] == ["running", "queued", "running", "queued"]
    result, other = (replace(RESULT, run_id=run_id, answer=run_id) for run_id in (ids[0], ids[1]))
    endings = [
        Ending(ids[0], "me", "finished", [started(20)], result),
        Ending(ids[0], "me", "cancelled", [started(30)]),
        Ending(ids[1], "stranger", "finished", [started(20)], other),
        Ending(ids[1], "me", "waiting", [], other),
        Ending(ids[2], "me", "cancelled", []),
    ]
    assert runs.settled(endings) == [True, False, False, True, True]
    ended = [runs.get(run_id) for run_id in ids]
    assert [record.status for record in ended] == ["finished", "waiting", "cancelled", "queued"]
    assert [record.requires_human_review for record in ended] == [False, True, False, False]
    assert (ended[0].confidence, ended[0].cost_usd, ended[0].attempts) == (0.75, 0.25, 2)
    assert [(runs.result(run_id) or {}).get("answer") for run_id in ids] == [ids[0], ids[1], None, None]
    assert [len(runs.events.after(run_id, 0)) for run_id in ids] == [1, 0, 0, 0]
    assert [job.subject for job in queue.claim("me", {"run": 9})] == ids[3:]


def test_another_workspace_does_not_see_it(runs: RunTable) -> None:
    run_id = create(runs)
    for reach in (runs.get, runs.cancel, runs.delete):
        with pytest.raises(UnknownRun):
            reach(run_id, "elsewhere")
    assert runs.page("elsewhere") == []
    assert runs.get(run_id).status == "queued"


def test_only_who_holds_the_run_writes_to_it(runs: RunTable) -> None:
    run_id = create(runs, owner="me")
    runs.progressed([News(run_id, "stranger", [started(10)], (0, "half a sent"))])
    assert runs.settled([Ending(run_id, "stranger", "finished", [started(20)])]) == [False]
    assert len(runs.events.after(run_id, 0)) == 0
    assert runs.seen([(run_id, -1)])[0][2] is None
    runs.progressed([News(run_id, "me", [started(10)], (0, "half a sent"))])
    assert runs.seen([(run_id, -1)])[0][2] == (0, "half a sent")
    assert (runs.get(run_id).agent, runs.get(run_id).attempts) == ("critic", 2)
    assert runs.settled([Ending(run_id, "me", "finished", [started(20)])]) == [True]
    assert runs.seen([(run_id, -1)])[0][2] is None
    runs.progressed([News(run_id, "me", [started(30)])])
    assert [event["seq"] for event in runs.events.after(run_id, 0)] == [10, 20]
    assert runs.get(run_id).agent is None


def test_news_of_many_runs_at_once_reach_each_of_them(runs: RunTable) -> None:
    mine, other, lost = (create(runs, owner=owner) for owner in ("me", "you", "me"))
    news = [
        News(mine, "me", [started(10)], (0, "half")),
        News(other, "you", [started(10), started(20, "evaluator")]),
        News(lost, "stranger", [started(10)], (0, "not mine")),
    ]
    runs.progressed(news)
    looked = runs.seen([(mine, 0), (other, 10), (other, 0), (lost, 0), (mine, 0)])
    assert [[event["seq"] for event in events] for _, events, _ in looked] == [[10], [20], [10, 20], [], [10]]
    assert [draft for _, _, draft in looked] == [(0, "half"), None, None, None, (0, "half")]
    assert [runs.get(run).agent for run in (mine, other, lost)] == ["critic", "evaluator", None]


def test_a_step_done_again_is_one_event(runs: RunTable) -> None:
    run_id = create(runs, owner="me")
    runs.progressed([News(run_id, "me", [started(10), started(20)])])
    runs.progressed([News(run_id, "me", [started(20, "evaluator")])])
    assert [(e["seq"], e["agent"]) for e in runs.events.after(run_id, 0)] == [(10, "critic"), (20, "evaluator")]


def test_a_run_cancelled_between_claim_and_start_stays_cancelled(runs: RunTable, queue: JobQueue) -> None:
    run_id = create(runs)
    assert runs.cancel(run_id, None).status == "cancelled"
    runs.began([(run_id, "worker")])
    assert runs.get(run_id).status == "cancelled"
    assert queue.claim("worker", {"run": 9}) == []
    assert runs.events.after(run_id, 0)[-1]["event"] == "cancelled"


def test_cancelling_one_at_work_only_asks_for_it(runs: RunTable, queue: JobQueue) -> None:
    run_id = create(runs, owner="me")
    assert runs.cancel(run_id, None).status == "running"
    assert queue.renew("me", [("run", run_id)]) == {("run", run_id): True}


def test_cancelling_what_has_ended_changes_nothing(runs: RunTable) -> None:
    run_id = create(runs, owner="me")
    runs.settled([Ending(run_id, "me", "finished", [])])
    assert runs.cancel(run_id, None).status == "finished"


def test_of_many_answers_at_once_one_counts(runs: RunTable, queue: JobQueue) -> None:
    run_id = waiting(runs)

    def answer(number: int) -> bool:
        try:
            runs.answered(run_id, {**ANSWER, "by": f"person {number}"})
        except InvalidInput:
            return False
        return True

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(answer, range(6))) == 1
    assert runs.inputs([run_id])[0].answers == 1
    assert len(queue.claim("worker", {"run": 9})) == 1


def test_a_run_that_failed_can_be_opened_again_and_no_other(runs: RunTable) -> None:
    run_id = create(runs, owner="me")
    with pytest.raises(InvalidInput, match="running"):
        runs.resumed(run_id)
    runs.failed(run_id, "stranger", [], "It broke.")
    assert runs.get(run_id).status == "running"
    runs.failed(run_id, "me", [], "It broke.")
    assert runs.get(run_id).error == "It broke."
    runs.resumed(run_id)
    assert (runs.get(run_id).status, runs.get(run_id).error) == ("queued", None)
    assert runs.inputs([run_id])[0].has_failed


def test_one_at_work_is_not_deleted(runs: RunTable) -> None:
    run_id = create(runs, owner="me")
    with pytest.raises(InvalidInput, match="is running"):
        runs.delete(run_id, None)
    runs.settled([Ending(run_id, "me", "finished", [])])
    runs.delete(run_id, None)
    with pytest.raises(UnknownRun):
        runs.get(run_id)
    assert runs.events.after(run_id, -1) == []


def test_pages_newest_first_without_gap_or_repetition(runs: RunTable) -> None:
    run_ids = [create(runs, f"question {number}") for number in range(7)]
    seen: list[str] = []
    while page := runs.page("w", limit=3, before=seen[-1] if seen else None):
        seen += [record.run_id for record in page]
    assert sorted(seen) == sorted(run_ids)
    assert len(seen) == 7
    times = [runs.get(run_id).created_at for run_id in seen]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize(
    ("words", "found"), [("REVENUE", 2), ("100%", 1), ("a_b", 0), ("%", 1), ("!", 0), ("'; DROP TABLE runs", 0)]
)
def test_search_takes_words_as_they_are(runs: RunTable, words: str, found: int) -> None:
    create(runs, "Is revenue up by 100%?")
    create(runs, "What was revenue in a-b?")
    assert len(runs.page("w", search=words)) == found


def test_filters(runs: RunTable) -> None:
    create(runs)
    run_id = waiting(runs)
    assert [record.run_id for record in runs.page(status="waiting")] == [run_id]
    assert runs.page(outcome="answered") == []
    assert runs.get(run_id).requires_human_review


def test_usage_by_who_asked(runs: RunTable) -> None:
    runs.create([NewRun(asked(), ADA), NewRun(asked(), ADA)])
    create(runs)
    assert [(row.asked_by, row.key_id, row.runs) for row in runs.usage("w")] == [("Ada", "k1", 2), ("local", None, 1)]
    assert runs.usage("elsewhere") == []


def test_a_cancellation_that_comes_too_late_leaves_the_result(
    runs: RunTable, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker ends the run after the one who cancels has looked at it, and before its job could be locked."""
    if not queue.database.row_lock:
        pytest.skip("here one writes after the other")
    run_id = create(runs, owner="me")
    ask_for_it = queue.request_cancel

    def later(db: Connection, key: JobKey) -> str:
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(runs.settled, [Ending(run_id, "me", "finished", [started(20)])]).result(10) == [True]
        return ask_for_it(db, key)

    monkeypatch.setattr(queue, "request_cancel", later)
    assert runs.cancel(run_id, None).status == "finished"
    assert [event["event"] for event in runs.events.after(run_id, -1)] == ["queued", "started"]


def test_what_is_given_up_is_over_and_says_so(runs: RunTable, queue: JobQueue) -> None:
    run_id = create(runs, owner="me")
    runs.given_up(run_id, "stranger")
    assert runs.get(run_id).status == "running"
    runs.given_up(run_id, "me")
    assert runs.get(run_id).status == "cancelled"
    assert [event["event"] for event in runs.events.after(run_id, -1)] == ["queued", "cancelled"]
    assert queue.claim("worker", {"run": 9}) == []


def test_an_answer_and_what_is_remembered_of_it_are_kept_together(
    runs: RunTable, database: Database, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = waiting(runs)
    decision: DecisionMade = {
        "workspace_id": "w",
        "action": "prefer",
        "about": "revenue",
        "period": "2025",
        "prefer": ["a.pdf"],
        "over": ["b.pdf"],
        "documents": ["a.pdf", "b.pdf"],
        "note": None,
        "by": "Ada",
        "run_id": run_id,
        "created_at": "2026-01-01",
    }
    with monkeypatch.context() as broken:
        broken.setattr(queue, "put", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            runs.answered(run_id, ANSWER, None, [decision])
    assert StandingDecisions(database).of("w") == []
    assert runs.get(run_id).status == "waiting"
    runs.answered(run_id, ANSWER, None, [decision])
    assert [one["about"] for one in StandingDecisions(database).of("w")] == ["revenue"]


def test_a_look_at_a_run_sees_one_moment(runs: RunTable) -> None:
    run_id = create(runs, owner="me")
    runs.progressed([News(run_id, "me", [started(10), started(20), started(20, "evaluator")], (1, "half"))])
    [(status, events, draft)] = runs.seen([(run_id, 0)])
    assert (status, [(e["seq"], e["agent"]) for e in events], draft) == (
        "running",
        [(10, "critic"), (20, "evaluator")],
        (1, "half"),
    )
    assert runs.seen([(run_id, 20)])[0][1] == []
    with pytest.raises(UnknownRun):
        runs.seen([("nothing", -1)])


def test_a_page_goes_on_after_a_run_that_was_deleted(runs: RunTable) -> None:
    for number in range(4):
        create(runs, f"question {number}")
    listed = runs.page("w")
    border = listed[1]
    runs.delete(border.run_id, None)
    assert runs.page("w", before=border.position) == listed[2:]
    assert runs.page("w", before=listed[2].run_id) == listed[3:]
    for garbage in ("nothing", "yesterday x", f"{border.created_at} ", border.run_id):
        with pytest.raises(InvalidInput, match="to continue after") as refused:
            runs.page("w", before=garbage)
        assert type(refused.value) is InvalidInput
