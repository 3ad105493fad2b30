"""Files of questions as people have them, and files of answers."""

import csv
import json
from pathlib import Path

import pytest

from masis.bulk.files import ANSWER, BadRow, Question, read_questions, write_answers
from masis.errors import InvalidInput
from masis.types import SearchFilters


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_bad_rows_are_named_and_the_others_read(tmp_path: Path) -> None:
    lines = [
        '{"id": 7, "question": "What was revenue?", "documents": ["a.pdf", "b.pdf"], "owner": "Ada"}',
        '{"question": "  "}',
        "not json",
        "[1]",
        '{"id": "7", "question": "Another question"}',
        '{"query": "And churn?", "since": "2024", "max_retries": "many"}',
        '{"query": "And churn?", "since": "2024"}',
    ]
    read = list(read_questions(written(tmp_path / "q.jsonl", "\n".join(lines))))
    first, last = read[0], read[6]
    assert isinstance(first, Question)
    assert isinstance(last, Question)
    assert (first.given_id, first.filters, first.given["owner"]) == ("7", SearchFilters(("a.pdf", "b.pdf")), "Ada")
    assert (last.question, last.filters.dated_from) == ("And churn?", "2024")
    assert [each.row for each in read if isinstance(each, BadRow)] == [2, 3, 4, 5, 6]
    assert first.key != last.key


def test_a_table_from_a_spreadsheet(tmp_path: Path) -> None:
    """With the mark that Excel sets, semicolons, a line break in a cell and a cell too many."""
    text = '\ufeffQuestion;Documents;Note\n"What was\nrevenue?";a.pdf;x\nWhat; was; this; all\nAnd churn?\n\n'
    read = list(read_questions(written(tmp_path / "q.csv", text)))
    good = [each for each in read if isinstance(each, Question)]
    assert [each.question for each in good] == ["What was\nrevenue?", "And churn?"]
    assert good[0].filters.documents == ("a.pdf",)
    assert [(each.row, "4 cells" in each.reason) for each in read if isinstance(each, BadRow)] == [(2, True)]


def test_the_same_rows_in_every_format(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rows = [
        {
            "id": "1",
            "question": "é?",
            "outcome": "answered",
            "confidence": 0.5,
            "sources": [{"page": 3}],
            "attempts": 2,
        },
        {"id": "2", "question": "b", "outcome": None, "error": "It failed."},
    ]
    columns = ["id", "question", *ANSWER]
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        write_answers(tmp_path / name, rows, columns)
        read = [each for each in read_questions(tmp_path / name) if isinstance(each, Question)]
        assert [(each.given_id, each.question) for each in read] == [("1", "é?"), ("2", "b")]
    first = next(read_questions(tmp_path / "a.parquet"))
    assert isinstance(first, Question)
    assert (first.given["confidence"], first.given["attempts"]) == (0.5, 2)
    assert json.loads(first.given["sources"]) == [{"page": 3}]
    table = list(csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["error"] for row in table] == ["", "It failed."]
    assert list(tmp_path.glob("*.unfinished")) == []


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not have the extension"):
        list(read_questions(tmp_path / "q.xlsx"))
    with pytest.raises(InvalidInput, match="cannot be read"):
        list(read_questions(tmp_path / "absent.csv"))
