from pathlib import Path

import pytest

from evals import tables
from evals.bench_capacity import Stored, stored_in
from evals.tables import NotMeasured, Section, table, update_page


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    page = tmp_path / "benchmarks.md"
    page.write_text(f"# Benchmarks\n\n{Section('ray', 'Ray', '| 7 pages |').markdown}\n")
    monkeypatch.setattr(tables, "PAGE", page)
    return page


def test_a_table_is_replaced_by_the_next_measurement(page: Path) -> None:
    update_page("ray", lambda: Section("ray", "Ray", "| 8 pages |"))
    assert "8 pages" in page.read_text()
    assert "7 pages" not in page.read_text()


@pytest.mark.parametrize("missing", [NotMeasured("Ray is not installed"), pytest.skip.Exception("no Qdrant server")])
def test_a_table_stays_where_nothing_could_be_measured(
    page: Path, missing: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    before = page.read_text()

    def measure() -> Section:
        raise missing

    update_page("ray", measure)
    assert page.read_text() == before
    assert f"ray was not measured: {missing}" in capsys.readouterr().out


def test_capacity_reads_what_a_passage_takes_from_the_table_of_the_server() -> None:
    rows = [["50,000", 5.4, "395", "226"], ["1,000,000", 7.1, "3,950", "2,260"]]
    measured = Section("store-server", "Qdrant", table(["passages", "p50", "memory MB", "disk MB"], rows))
    assert stored_in(f"# Benchmarks\n\n{measured.markdown}\n") == Stored(1_000_000, 3950, 2260)
    with pytest.raises(NotMeasured):
        stored_in("# Benchmarks\n")
