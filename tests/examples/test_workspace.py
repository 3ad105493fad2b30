"""The committed documents are what the generator writes, and are what a demo needs."""

import re
from pathlib import Path

import pytest

from examples.generator.workspace import TEMPLATES, WORKSPACE, write_documents

CONTRADICTION = r"Customer churn in fiscal 2025 was (\d\.\d%), measured as the share of customers at the start"
DATE_LINE = re.compile(r"(?:Date|Published): \d{1,2} [A-Z][a-z]+ 20\d\d\b")


def test_writing_the_documents_anew_gives_the_committed_bytes(tmp_path: Path) -> None:
    write_documents(tmp_path)
    committed = {path.name: path.read_bytes() for path in WORKSPACE.iterdir()}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == committed


def test_there_are_enough_documents_of_enough_formats() -> None:
    paths = list(WORKSPACE.iterdir())
    assert len(paths) >= 8
    assert len({path.suffix for path in paths}) >= 5
    assert sum(path.stat().st_size for path in paths) < 200_000


def test_every_document_but_the_figures_starts_with_a_title_and_a_date(texts: dict[str, str]) -> None:
    for name, text in texts.items():
        assert bool(DATE_LINE.search(text[:200])) == (not name.endswith(".csv")), name
        assert not DATE_LINE.match(text), name


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("*.md")), ids=lambda path: path.stem)
def test_amounts_and_percentages_come_from_the_figures(template: Path) -> None:
    assert not re.findall(r"\$ ?\d|\d ?%|\d million", template.read_text("utf-8"))


def test_two_documents_contradict_each_other_on_churn(texts: dict[str, str]) -> None:
    found = {name: match[1] for name, text in texts.items() if (match := re.search(CONTRADICTION, text))}
    assert found == {"annual-report-2025.pdf": "7.4%", "board-memo-2026-02.docx": "9.1%"}


def test_preliminary_revenue_is_only_in_the_press_release(texts: dict[str, str]) -> None:
    assert "Preliminary unaudited revenue in fiscal 2025 was $182.4 million" in texts["press-release-2026-01.html"]
    assert "Final audited revenue in fiscal 2025 was $184.1 million" in texts["annual-report-2025.pdf"]
    assert [name for name, text in texts.items() if "182.4" in text] == ["press-release-2026-01.html"]


def test_two_figures_differ_only_by_period_and_two_only_by_definition(texts: dict[str, str]) -> None:
    assert "Gross margin in fiscal 2024 was 38.9%" in texts["strategy-2026-2028.md"]
    assert "Gross margin in fiscal 2025 was 41.8%" in texts["annual-report-2025.pdf"]
    assert "612 employees on 31 December 2025, a headcount that excludes contractors" in texts["investor-faq.html"]
    assert "684 people at work, a headcount that includes 72 contractors" in texts["board-memo-2026-02.docx"]
