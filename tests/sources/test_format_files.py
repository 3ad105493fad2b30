"""Real files of every format, good and hostile, from a data set beside the repository."""

from typing import Any

import pytest

from evals.eval_formats import judge, manifest
from evals.tables import shared_data
from masis.sources.sandbox.pool import Sandbox

FOLDER = shared_data("formats")
FILES = manifest(FOLDER) if FOLDER else []
FLOOR = 0.95
LOWER = {
    # The reference repeats a merged cell in every column it spans, and numbers lists and headings that Word numbers.
    "good/docling__word_tables.docx": 0.90,
    "good/docling__unit_test_headers_numbered.docx": 0.75,
    "good/docling__powerpoint_sample.pptx": 0.85,
    # The reference reads a chart's data a second time, beside the sheet that holds them.
    "good/docling__xlsx_03_chartsheet.xlsx": 0.50,
    # The reference repeats merged cells.
    "good/docling__xlsx_07_gap_tolerance_.xlsx": 0.80,
    # The reference has the authors and the times of comments.
    "good/docling__xlsx_comments.xlsx": 0.70,
    # The reference has the page's menus and writes & as &amp;.
    "good/docling__wiki_duck.html": 0.94,
}


@pytest.mark.skipif(FOLDER is None, reason="the data set is not at ../shared/data/formats")
@pytest.mark.parametrize("entry", FILES, ids=[entry["file"] for entry in FILES])
def test_a_file_behaves_as_expected(sandbox: Sandbox, entry: dict[str, Any]) -> None:
    assert FOLDER
    judged = judge(sandbox, FOLDER, entry)
    assert judged.is_as_expected, judged.outcome
    if judged.words_found is not None:
        assert judged.words_found >= LOWER.get(judged.file, FLOOR)


@pytest.mark.skipif(FOLDER is None, reason="the data set is not at ../shared/data/formats")
def test_the_data_set_is_whole() -> None:
    assert len(FILES) == 167
    assert {entry["expect"] for entry in FILES} >= {"text", "encrypted", "empty", "bounded", "no_external_fetch"}
