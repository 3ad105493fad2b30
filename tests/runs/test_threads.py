"""A question under an answer belongs to its thread: it is completed from it, and looks where the thread looked."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from masis.client import Masis
from masis.database import Database, open_database
from masis.errors import ModelUnavailable, UnknownRun
from masis.language.follow_up import Turn
from masis.reasoning.ports import Reply
from masis.runs.tables import RUNS
from masis.settings import Settings
from masis.types import SearchFilters, Usage
from tests.support.play import Play

FIRST = "What was revenue in 2025?"
PDFS = SearchFilters(file_types=("pdf",))


def test_each_turn_is_a_run_of_its_own_with_the_completed_question_and_the_scope_of_its_thread(masis: Masis) -> None:
    first = masis.ask(FIRST, "w", filters=PDFS)
    second = masis.ask("And the year before?", "w", thread=first.thread_id)
    third = masis.ask("And the year before?", "w", thread=second.run_id)
    wide = masis.ask("Why?", "w", thread=second.run_id, filters=SearchFilters(), complete=False)
    assert (second.question, third.question) == ("What was revenue in 2024?", "What was revenue in 2023?")
    assert len({each.run_id for each in (first, second, third)}) == 3
    assert second.thread_id == third.thread_id == first.run_id
    record = masis.get_run(third.run_id)
    assert (record.asked, record.filters) == ("And the year before?", {"file_types": ["pdf"]})
    assert (wide.question, masis.get_run(wide.run_id).filters, masis.get_run(wide.run_id).asked) == ("Why?", {}, None)
    assert [run.run_id for run in masis.runs("w", thread_id=first.run_id)][-1] == first.run_id
    masis.delete_run(first.run_id)
    assert masis.ask("And the year before?", "w", thread=first.thread_id).thread_id == first.thread_id


def test_a_thread_of_another_workspace_is_not_there(masis: Masis) -> None:
    run = masis.ask(FIRST, "w")
    masis.create_workspace("other")
    with pytest.raises(UnknownRun):
        masis.ask("And the year before?", "other", thread=run.run_id)


class Completing(Play):
    async def complete_question(self, question: str, turns: Sequence[Turn]) -> Reply[str]:
        if "fail" in question:
            raise ModelUnavailable("The model does not respond.")
        assert (turns[0].question, "million" in turns[0].answer) == (FIRST, True)
        return Reply(
            "What was revenue in 2019?" if "ramble" not in question else "Well,\nlet me see", Usage(1, 50, 5, 0.5)
        )


def test_a_model_completes_it_and_what_that_costs_is_the_runs(masis: Masis) -> None:
    masis._parts.services = replace(masis._parts.services, writer=Completing(masis.settings))
    first = masis.ask(FIRST, "w")
    second = masis.ask("And six years before?", "w", thread=first.run_id)
    assert second.question == "What was revenue in 2019?"
    by_agents = sum(row["cost_usd"] for row in second.metrics["receipt"])
    assert second.metrics["cost_usd"] == pytest.approx(by_agents + 0.5)
    for question in ("Do fail", "Do ramble"):
        assert masis.ask(question, "w", thread=first.run_id).question.startswith(question)


def test_a_run_of_an_earlier_version_is_a_thread_of_its_own(stored: Settings) -> None:
    before = replace(RUNS, steps=RUNS.steps[:4])
    database: Database = open_database(stored, before)
    row = "('r1', 'w', 'q', 'finished', NULL, NULL, '2025', NULL, NULL, 1, NULL, 0, 'Ada', NULL, 0, 0, 0, 0, NULL)"
    with database.writing() as db:
        db.execute(f"INSERT INTO runs VALUES {row}")
    database.close()
    masis = Masis(stored)
    try:
        record = masis.get_run("r1")
        assert (record.thread_id, record.asked, record.filters) == ("r1", None, {})
    finally:
        masis.close()
