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
    # The reference numbers headings that Word does not.
    "good/docling__unit_test_headers_numbered.docx": 0.85,
    # The reference has the words “author” and “time”, and the seconds, of each comment.
    "good/docling__xlsx_comments.xlsx": 0.80,
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
