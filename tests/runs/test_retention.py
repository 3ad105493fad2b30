"""Old runs go when an operator says so; a run that waits or works never does."""

from collections.abc import Awaitable, Callable

import pytest

from masis.client import Masis
from masis.errors import DatabaseUnavailable, InvalidInput, UnknownRun
from masis.runs.checkpoints import open_checkpointer
from masis.runs.execution import config_of
from masis.settings import Settings
from tests.support.engines import masis_with
from tests.support.play import Play


async def has_checkpoints(masis: Masis, run_id: str) -> bool:
    async with open_checkpointer(masis.settings) as saver:
        return await saver.aget_tuple(config_of(run_id)) is not None


async def test_old_runs_go_and_the_waiting_stay(masis: Masis) -> None:
    waits = await masis.aask("What was revenue?", "w", max_retries=1)
    over = await masis.aask("What was revenue in 2025?", "w", max_retries=1)
    await masis.aanswer(over.run_id, {"action": "stop"})
    queued = await masis.aask_in_background("What was revenue in 2024?", "w")
    assert (await masis.aprune()).runs == 0
    assert (await masis.aprune(1)).runs == 0
    assert (await masis.aprune(0)).runs == 1
    with pytest.raises(UnknownRun):
        await masis.aget_run(over.run_id)
    assert not await has_checkpoints(masis, over.run_id)
    assert (await masis.aget_run(waits.run_id)).status == "waiting"
    assert await has_checkpoints(masis, waits.run_id)
    assert (await masis.aget_run(queued.run_id)).status == "queued"


async def test_checkpoints_of_a_run_that_is_over_go_and_its_answer_stays(stored: Settings) -> None:
    settings = stored.model_copy(update={"checkpoint_retention_days": 0.0})
    masis = masis_with(Play(settings).services)
    try:
        masis.library.catalog.create_workspace("w")
        paused = await masis.aask("What was revenue?", "w", max_retries=1)
        over = await masis.aanswer(paused.run_id, {"action": "accept"})
        assert (await masis.aprune()).checkpoints == 1
        assert (await masis.aprune()).checkpoints == 0
        assert not await has_checkpoints(masis, over.run_id)
        assert await masis.aresult(over.run_id) == over
        assert (await masis.aevents(over.run_id))[-1]["event"] == "ended"
    finally:
        masis.close()


async def test_no_negative_age(masis: Masis) -> None:
    with pytest.raises(InvalidInput, match="-1 is not a valid number"):
        await masis.aprune(-1)


async def test_two_who_prune_at_once_do_not_stop_each_other(masis: Masis, monkeypatch: pytest.MonkeyPatch) -> None:
    over = [await masis.aask(question, "w", max_retries=1) for question in ("What was revenue?", "And in 2025?")]
    for run in over:
        await masis.acancel(run.run_id)
    listed = [run.run_id for run in over]
    monkeypatch.setattr(masis._parts.runs, "ended_before", lambda _: listed)
    await masis.adelete_run(listed[0])
    assert (await masis.aprune(0)).runs == 1
    assert not await has_checkpoints(masis, listed[1])


@pytest.fixture
def interrupted(masis: Masis, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Awaitable[None]]:
    """Deletes a run, and dies before its checkpoints are gone."""

    async def delete(run_id: str) -> None:
        async def die(*_: object) -> None:
            raise DatabaseUnavailable("Gone.")

        with monkeypatch.context() as patch:
            patch.setattr("masis.runs.deletion.delete_threads", die)
            with pytest.raises(DatabaseUnavailable):
                await masis.adelete_run(run_id)

    return delete


async def test_checkpoints_that_a_crash_left_go_with_the_next_look(
    masis: Masis, interrupted: Callable[[str], Awaitable[None]]
) -> None:
    run = await masis.aask("What was revenue?", "w", max_retries=1)
    await interrupted(run.run_id)
    assert await has_checkpoints(masis, run.run_id)
    assert masis._parts.runs.with_checkpoints_to_go() == [run.run_id]
    assert (await masis.aprune()).runs == 0
    assert not await has_checkpoints(masis, run.run_id)
    assert masis._parts.runs.with_checkpoints_to_go() == []


async def test_checkpoints_that_a_crash_left_go_with_their_workspace(
    masis: Masis, interrupted: Callable[[str], Awaitable[None]]
) -> None:
    run = await masis.aask("What was revenue?", "w", max_retries=1)
    await interrupted(run.run_id)
    await masis.adelete_workspace("w")
    assert not await has_checkpoints(masis, run.run_id)
    assert masis._parts.runs.with_checkpoints_to_go() == []


async def test_checkpoints_without_any_record_go_with_their_workspace(masis: Masis) -> None:
    masis.library.catalog.create_workspace("other")
    lost, kept = [await masis.aask("What was revenue?", name, max_retries=1) for name in ("w", "other")]
    with masis._parts.database.writing() as db:
        db.execute("DELETE FROM runs")
    assert (await masis.adelete_workspace("w")).runs == 1
    assert not await has_checkpoints(masis, lost.run_id)
    assert await has_checkpoints(masis, kept.run_id)
