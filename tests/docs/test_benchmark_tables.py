from pathlib import Path

import pytest

from evals import tables
from evals.tables import NotMeasured, Section, update_page


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
