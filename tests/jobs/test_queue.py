"""Whose turn it is: every job is done by one owner at a time, and by another when that one is gone."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest

from masis.database import Database, open_database, postgres
from masis.errors import DatabaseUnavailable
from masis.jobs.queue import Job, JobQueue, new_owner
from masis.runs.tables import RUNS
from masis.settings import Settings
from tests.jobs.conftest import LEASE_SECONDS, Clock, put
from tests.support.deployment import until

RUN_A = ("run", "a")


def open_jobs(queue: JobQueue) -> list[tuple[str, str, str | None, int]]:
    with queue.database.reading() as db:
        rows = db.execute("SELECT subject, status, owner, cancel_requested FROM jobs ORDER BY created_at, subject")
        return [tuple(row) for row in rows.fetchall()]


def test_the_same_thing_is_waited_for_once(queue: JobQueue) -> None:
    assert put(queue, "a")
    assert not put(queue, "a")
    assert put(queue, "a", "ingest")
    assert queue.counts() == {("run", "queued"): 1, ("ingest", "queued"): 1}


def test_what_was_put_in_a_transaction_that_failed_is_not_there(queue: JobQueue) -> None:
    def put_and_fail() -> None:
        with queue.database.writing() as db:
            queue.put(db, Job("run", "a", "w"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        put_and_fail()
    assert queue.claim("worker", {"run": 9}) == []


def test_the_oldest_come_first_as_many_of_each_kind_as_there_is_room_for(queue: JobQueue, clock: Clock) -> None:
    for number, (subject, kind) in enumerate([("c", "run"), ("x", "ingest"), ("a", "run"), ("b", "run")]):
        clock.now += number
        put(queue, subject, kind)
    claimed = queue.claim("worker", {"run": 2, "ingest": 0})
    assert claimed == [Job("run", "c", "w", 1), Job("run", "a", "w", 1)]
    assert [job.subject for job in queue.claim("worker", {"run": 2, "ingest": 1})] == ["b", "x"]
    assert queue.counts() == {("run", "running"): 3, ("ingest", "running"): 1}


def test_one_with_an_owner_is_claimed_from_the_start(queue: JobQueue) -> None:
    put(queue, "a", owner="me")
    assert queue.claim("worker", {"run": 9}) == []
    assert queue.claim_one("worker", RUN_A) is None
    assert queue.renew("me", [RUN_A]) == {RUN_A: False}


def test_claimers_at_the_same_moment_never_get_the_same_job(queue: JobQueue) -> None:
    for number in range(60):
        put(queue, f"{number:02}")
    together = Barrier(6)

    def claim_all(owner: str) -> list[str]:
        together.wait()
        mine: list[str] = []
        while jobs := queue.claim(owner, {"run": 3}):
            mine += [job.subject for job in jobs]
        return mine

    with ThreadPoolExecutor(6) as threads:
        claimed = list(threads.map(claim_all, [f"worker {number}" for number in range(6)]))
    assert sorted(subject for mine in claimed for subject in mine) == [f"{number:02}" for number in range(60)]


def test_a_lease_that_is_renewed_stays_and_one_that_is_not_goes_to_another(queue: JobQueue, clock: Clock) -> None:
    put(queue, "a")
    put(queue, "b")
    queue.claim("slow", {"run": 2})
    clock.now += LEASE_SECONDS - 1
    assert queue.renew("slow", [RUN_A]) == {RUN_A: False}
    clock.now += 2
    assert queue.claim("other", {"run": 2}) == [Job("run", "b", "w", 2)]
    assert queue.renew("slow", [RUN_A, ("run", "b")]) == {RUN_A: False}


@pytest.mark.parametrize("fast_by", [-3600.0, 3600.0])
def test_a_machine_whose_clock_is_wrong_gets_and_takes_no_more_than_others(
    database: Database, monkeypatch: pytest.MonkeyPatch, fast_by: float
) -> None:
    """All times are the database's: in this process the clock is wrong, in the database it is not."""
    real, real_now = time.time, datetime.now
    wrong = type("Wrong", (datetime,), {"now": lambda tz=None: real_now(tz) + timedelta(seconds=fast_by)})
    monkeypatch.setattr(time, "time", lambda: real() + fast_by)
    monkeypatch.setattr("datetime.datetime", wrong)
    queue = JobQueue(database, LEASE_SECONDS)
    for subject in ("a", "b"):
        put(queue, subject)
    assert [job.subject for job in queue.claim("first", {"run": 1})] == ["a"]
    assert [job.subject for job in queue.claim("second", {"run": 9})] == ["b"]
    queue.give_back("second", [("run", "b")], delay=LEASE_SECONDS)
    assert queue.claim("third", {"run": 9}) == []
    assert queue.renew("first", [RUN_A]) == {RUN_A: False}
    with database.reading() as db:
        left = f"SELECT lease_until - {database.now}, not_before - {database.now} FROM jobs ORDER BY subject"
        (lease, _), (_, rest) = db.execute(left).fetchall()
    assert 0 < lease <= LEASE_SECONDS
    assert 0 < rest <= LEASE_SECONDS


def test_what_nobody_works_on_any_more_runs_out_though_its_owner_lives(queue: JobQueue, clock: Clock) -> None:
    """A worker may lose sight of a job. It must not hold it for ever by renewing the others."""
    put(queue, "a")
    put(queue, "forgotten")
    queue.claim("worker", {"run": 2})
    clock.now += LEASE_SECONDS + 1
    assert queue.renew("worker", [RUN_A]) == {RUN_A: False}
    assert [job.subject for job in queue.claim("other", {"run": 2})] == ["forgotten"]


def test_only_its_owner_says_that_a_job_is_done(queue: JobQueue, clock: Clock) -> None:
    put(queue, "a")
    queue.claim("first", {"run": 1})
    clock.now += LEASE_SECONDS + 1
    queue.claim("second", {"run": 1})
    with queue.database.writing() as db:
        assert not queue.holds(db, "first", RUN_A)
        assert not queue.done(db, "first", RUN_A)
        assert queue.holds(db, "second", RUN_A)
        assert queue.done(db, "second", RUN_A)
        assert not queue.is_open(db, RUN_A)
    assert put(queue, "a")


def test_what_is_given_back_rests_for_a_while(queue: JobQueue, clock: Clock) -> None:
    put(queue, "a")
    queue.claim("first", {"run": 1})
    queue.give_back("stranger", [RUN_A])
    assert queue.claim("second", {"run": 1}) == []
    queue.give_back("first", [RUN_A], delay=5)
    clock.now += 4
    assert queue.claim("second", {"run": 1}) == []
    clock.now += 1
    assert queue.claim("second", {"run": 1}) == [Job("run", "a", "w", 2)]


def test_cancelling(queue: JobQueue, clock: Clock) -> None:
    put(queue, "waits")
    put(queue, "works", owner="worker")
    put(queue, "abandoned", owner="worker")
    with queue.database.writing() as db:
        assert queue.request_cancel(db, ("run", "waits")) == "queued"
        assert queue.request_cancel(db, ("run", "works")) == "running"
        assert queue.request_cancel(db, ("run", "nowhere")) == "not_open"
    assert queue.renew("worker", [("run", "works")]) == {("run", "works"): True}
    assert [row[0] for row in open_jobs(queue)] == ["abandoned", "works"]
    clock.now += LEASE_SECONDS + 1
    with queue.database.writing() as db:
        assert queue.request_cancel(db, ("run", "abandoned")) == "queued"
    assert [row[0] for row in open_jobs(queue)] == ["works"]


def test_a_dead_process_of_this_machine_is_not_waited_for(queue: JobQueue) -> None:
    code = "from masis.jobs.queue import new_owner; print(new_owner())"
    dead = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    living = new_owner()
    put(queue, "a", owner=dead)
    put(queue, "b", owner=living)
    put(queue, "c", owner=dead.replace(dead.split("|")[0], "another machine"))
    with queue.database.writing() as db:
        assert not queue.is_running(db, RUN_A)
        assert queue.is_running(db, ("run", "b"))
    queue.free_the_dead()
    assert [job.subject for job in queue.claim("worker", {"run": 9})] == ["a"]


def test_open_jobs_of_a_workspace(queue: JobQueue) -> None:
    put(queue, "a")
    put(queue, "f", "ingest")
    assert queue.open_subjects("run", "w") == ["a"]
    assert queue.open_subjects("run", "elsewhere") == []


def test_what_a_frozen_process_has_locked_is_free_again(
    postgres_url: str, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its transaction is open, and nothing more comes from it: the server has to end that."""
    monkeypatch.setattr(postgres, "FROZEN", "SET idle_in_transaction_session_timeout = '500ms'")
    database = open_database(Settings(home=tmp_path, database_url=postgres_url), RUNS)
    queue = JobQueue(database, LEASE_SECONDS, clock)
    put(queue, "a", owner="frozen")

    def freeze() -> None:
        with database.writing() as db:
            assert queue.holds(db, "frozen", ("run", "a"))
            clock.now += LEASE_SECONDS + 1
            assert queue.claim("other", {"run": 1}) == []
            until(lambda: queue.claim("other", {"run": 1}) == [Job("run", "a", "w", 2)])
            db.execute("DELETE FROM jobs")

    with pytest.raises(DatabaseUnavailable):
        freeze()
    assert open_jobs(queue) == [("a", "running", "other", 0)]
    database.close()


def test_renewing_does_not_wait_for_a_row_that_is_being_written(queue: JobQueue) -> None:
    """Both lock several rows: each waiting for the other, neither would go on."""
    if not queue.database.row_lock:
        pytest.skip("here one writes after the other")
    put(queue, "a", owner="me")
    put(queue, "b", owner="me")
    with ThreadPoolExecutor(1) as threads, queue.database.writing() as db:
        assert queue.holds(db, "me", ("run", "b"))
        renewed = threads.submit(queue.renew, "me", [RUN_A, ("run", "b")]).result(5)
    assert renewed == {RUN_A: False, ("run", "b"): False}


def test_what_another_is_just_taking_is_not_held_any_more(queue: JobQueue, clock: Clock) -> None:
    """A worker that was frozen until its time was over wakes up while another claims its job."""
    if not queue.database.row_lock:
        pytest.skip("here one writes after the other")
    put(queue, "a", owner="me")
    clock.now += LEASE_SECONDS + 1
    with ThreadPoolExecutor(1) as threads, queue.database.writing() as db:
        db.execute("SELECT 1 FROM jobs FOR UPDATE")
        assert threads.submit(queue.renew, "me", [RUN_A]).result(5) == {}


def died(queue: JobQueue, clock: Clock, times: int, *subjects: str) -> None:
    """With the worker that had them."""
    for number in range(times):
        for subject in subjects:
            assert queue.claim_one(f"dead {number}", ("run", subject))
        clock.now += LEASE_SECONDS + 1


def test_what_interrupted_a_job_before_it_advanced_does_not_count_against_it(queue: JobQueue, clock: Clock) -> None:
    put(queue, "a")
    died(queue, clock, 4, "a")
    (job,) = queue.claim("me", {"run": 1})
    assert job.deaths == 4
    with queue.database.writing() as db:
        assert queue.holds(db, "me", job.key, has_advanced=True)
    clock.now += LEASE_SECONDS + 1
    (job,) = queue.claim("next", {"run": 1})
    assert (job.tries, job.deaths) == (6, 1)


def test_of_those_that_a_worker_may_have_died_of_one_is_done_at_a_time(queue: JobQueue, clock: Clock) -> None:
    for subject in "abc":
        clock.now += 1
        put(queue, subject)
    died(queue, clock, 2, "a", "b")
    assert [job.subject for job in queue.claim("me", {"run": 5})] == ["c", "a"]
    assert queue.claim("me", {"run": 5}) == []
    with queue.database.writing() as db:
        queue.done(db, "me", ("run", "a"))
    assert [job.subject for job in queue.claim("me", {"run": 5})] == ["b"]


def test_a_worker_that_is_killed_while_it_stops_was_stopped(queue: JobQueue, clock: Clock) -> None:
    put(queue, "a", owner="me")
    queue.note_stop("me", [("run", "a")])
    clock.now += LEASE_SECONDS + 1
    (job,) = queue.claim("next", {"run": 1})
    assert job.deaths == 0


def test_leases_are_of_the_databases_time(database: Database) -> None:
    queue = JobQueue(database, LEASE_SECONDS)
    with database.reading() as db:
        began = db.execute(f"SELECT {database.now}").fetchone()[0]
    put(queue, "a", owner="me")
    assert queue.renew("me", [("run", "a")]) == {("run", "a"): False}
    with database.reading() as db:
        until, created_at, now = db.execute(f"SELECT lease_until, created_at, {database.now} FROM jobs").fetchone()
    assert began <= created_at <= until - LEASE_SECONDS <= now
    assert began == pytest.approx(time.time(), abs=60)
