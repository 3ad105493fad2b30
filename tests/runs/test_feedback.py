"""What people say of answers is kept with the run, and counted by how sure the answers were."""

import pytest

from masis.client import Masis
from masis.errors import InvalidInput, UnknownRun
from masis.export.content import Pack
from masis.export.formats import exported
from masis.types import Caller

ADA, BEA = Caller("Ada"), Caller("Bea")


def test_the_last_word_of_each_person_counts_and_none_takes_it_back(masis: Masis) -> None:
    run = masis.ask("What was revenue in 2025?", "w")
    masis.feedback.give(run.run_id, "right", by=ADA)
    masis.feedback.give(run.run_id, "wrong", by=ADA, reason="the figure is of 2024")
    given = masis.feedback.give(run.run_id, "wrong", by=BEA, claim=0)
    assert [(each.given_by, each.claim, each.verdict, each.reason) for each in given] == [
        ("Ada", -1, "wrong", "the figure is of 2024"),
        ("Bea", 0, "wrong", None),
    ]
    assert given[1].checked == run.claims[0]["verdict"]
    assert [each.given_by for each in masis.feedback.give(run.run_id, None, by=ADA)] == ["Bea"]
    with pytest.raises(InvalidInput, match="sentence"):
        masis.feedback.give(run.run_id, "right", claim=len(run.claims))
    with pytest.raises(UnknownRun):
        masis.feedback.give(run.run_id, "right", workspace="other")
    masis.delete_run(run.run_id)
    assert masis.feedback.of(run.run_id) == []


def test_the_track_record_counts_each_answer_once_by_how_sure_it_was(masis: Masis) -> None:
    runs = [masis.ask(f"What was revenue in 202{year}?", "w") for year in (3, 4, 5)]
    for run in runs:
        masis.feedback.give(run.run_id, "right", by=ADA)
    masis.feedback.give(runs[0].run_id, "wrong", by=BEA, reason="wrong period")
    masis.feedback.give(runs[1].run_id, "right", by=BEA, claim=0)
    record = masis.feedback.record("w")
    assert (record.answers, record.right) == (3, 2)
    assert sum(band.right + band.wrong for band in record.by_confidence) == 3
    assert record.by_likelihood == []
    assert [(band.right, band.wrong) for band in record.by_verdict] == [(1, 0)]
    assert [(each.run_id, each.reason) for each in record.wrong] == [(runs[0].run_id, "wrong period")]
    masis.create_workspace("other")
    assert masis.feedback.record("other").answers == 0


def test_exports_say_what_people_said(masis: Masis) -> None:
    run = masis.ask("What was revenue in 2025?", "w")
    given = masis.feedback.give(run.run_id, "wrong", by=ADA, reason="the figure is of 2024")
    pack = Pack(masis.get_run(run.run_id), run, [], given)
    assert "Ada: wrong because the figure is of 2024" in exported(pack, "md").decode()
    assert '"verdict": "wrong"' in exported(pack, "json").decode()
