"""Files of questions and of answers: CSV, JSON lines and Parquet, read and written row by row."""

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from masis.errors import InvalidInput
from masis.settings import QUESTION_CEILING
from masis.types import EVERYWHERE, SearchFilters

FORMATS = (".csv", ".jsonl", ".parquet")
_TOGETHER = 1000
"""Rows of a Parquet file kept in memory at once."""
_NAMES = {
    "question": ("question", "query", "user_query"),
    "id": ("id", "question_id"),
    "documents": ("documents", "document"),
    "file_types": ("file_types", "file_type", "type"),
    "since": ("since", "dated_from"),
    "until": ("until", "dated_to"),
    "max_retries": ("max_retries",),
}
"""Accepted column names; all other columns are copied to the answers."""
_KINDS = {"confidence": float, "likelihood": float, "requires_human_review": bool, "cost_usd": float} | dict.fromkeys(
    ("attempts", "model_requests", "input_tokens", "output_tokens"), int
)
ANSWER = (
    *("outcome", "answer", "confidence", "likelihood", "requires_human_review", "clarification_question", "sources"),
    *("conflicts", "attempts", "model_requests", "input_tokens", "output_tokens", "cost_usd", "run_id", "error"),
)
"""The columns that follow those of the question."""


@dataclass(frozen=True, slots=True)
class Question:
    row: int
    """Its row in the file, counted from 1 without the header of a CSV."""
    question: str
    given_id: str | None = None
    filters: SearchFilters = EVERYWHERE
    max_retries: int | None = None
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    """The original row."""

    @property
    def key(self) -> str:
        """Identical for the same question with the same id and scope."""
        asked = [self.given_id, self.question, asdict(self.filters)]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class BadRow:
    row: int
    reason: str


def require_format(path: Path) -> None:
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(
            f"{path.name} does not have the extension of a file of questions or answers.",
            advice=f"Its name must end with one of {', '.join(FORMATS)}.",
        )
    if path.suffix.lower() == ".parquet":
        _parquet()


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise InvalidInput(
            "Support for Parquet is not installed.", advice="Install it with: pip install 'masis[parquet]'"
        ) from None
    return pyarrow.parquet


def read_questions(path: Path) -> Iterator[Question | BadRow]:
    """Yields the rows one by one, in the order of the file."""
    require_format(path)
    ids: dict[str, str] = {}
    for number, row in enumerate(_rows(path), start=1):
        made = BadRow(number, row) if isinstance(row, str) else _question(number, row)
        if isinstance(made, Question) and made.given_id and ids.setdefault(made.given_id, made.key) != made.key:
            made = BadRow(number, f"The id {made.given_id[:80]!r} is already used by another question above.")
        yield made


def _rows(path: Path) -> Iterator[dict[str, Any] | str]:
    """Yields each row, or the reason why it cannot be read."""
    try:
        if path.suffix.lower() == ".parquet":
            for batch in _parquet().ParquetFile(path).iter_batches(_TOGETHER):
                yield from batch.to_pylist()
        elif path.suffix.lower() == ".jsonl":
            with path.open("rb") as lines:
                yield from (_json_row(line) for line in lines if line.strip())
        else:
            with path.open(encoding="utf-8-sig", errors="replace", newline="") as text:
                yield from _csv_rows(text)
    except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
        raise InvalidInput(f"{path} cannot be read: {error}", advice="Check the file.") from None


def _json_row(line: bytes) -> dict[str, Any] | str:
    try:
        row = json.loads(line)
    except ValueError as error:
        return f"Not JSON: {error}."
    return row if isinstance(row, dict) else "Not a JSON object."


def _csv_rows(text: IO[str]) -> Iterator[dict[str, Any] | str]:
    header = text.readline()
    text.seek(0)
    rows = csv.reader(text, delimiter=max(",;\t", key=header.count))
    names = [name.strip() for name in next(rows, [])]
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"Not CSV: {error}."
            continue
        if len(cells) > len(names):
            yield f"It has {len(cells)} cells, but the header has {len(names)}: does a text with a comma lack quotes?"
        elif any(cells):
            yield dict(zip(names, cells, strict=False))


def _question(number: int, row: dict[str, Any]) -> Question | BadRow:
    lower = {name.lower(): value for name, value in row.items() if value not in (None, "", [])}
    found = {name: next((lower[each] for each in called if each in lower), None) for name, called in _NAMES.items()}
    question = str(found["question"] or "").strip()
    if not question or len(question) > QUESTION_CEILING:
        reason = f"longer than {QUESTION_CEILING} characters" if question else "missing"
        return BadRow(number, f"Its question is {reason}.")
    try:
        retries = None if found["max_retries"] is None else int(found["max_retries"])
    except (TypeError, ValueError):
        return BadRow(number, f"max_retries is not a number: {str(found['max_retries'])[:40]!r}.")
    since, until = (None if found[name] is None else str(found[name]) for name in ("since", "until"))
    filters = SearchFilters(_several(found["documents"]), _several(found["file_types"]), since, until)
    given_id = None if found["id"] is None else str(found["id"])
    return Question(number, question, given_id, filters, retries, row)


def _several(value: Any) -> tuple[str, ...]:
    """Accepts a list, or names separated by semicolons."""
    listed = value if isinstance(value, list) else str(value or "").split(";")
    return tuple(str(each).strip() for each in listed if str(each).strip())


def write_answers(path: Path, rows: Iterable[dict[str, Any]], columns: list[str]) -> None:
    """Replaces the file only once it is complete."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    if path.suffix.lower() == ".parquet":
        _write_parquet(unfinished, rows, columns)
    else:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            if path.suffix.lower() == ".jsonl":
                file.writelines(f"{json.dumps(row, ensure_ascii=False, default=str)}\n" for row in rows)
            else:
                writer = csv.writer(file)
                writer.writerow(columns)
                writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    unfinished.replace(path)


def _write_parquet(path: Path, rows: Iterable[dict[str, Any]], columns: list[str]) -> None:
    import pyarrow

    types = {float: pyarrow.float64(), int: pyarrow.int64(), bool: pyarrow.bool_()}
    known = {name: types[kind] for name, kind in _KINDS.items()}
    schema = pyarrow.schema([(name, known.get(name, pyarrow.string())) for name in columns])
    with _parquet().ParquetWriter(path, schema) as writer:
        for some in _batches(rows):
            cells = [{n: row.get(n) if n in known else _cell(row.get(n)) for n in columns} for row in some]
            writer.write_table(pyarrow.Table.from_pylist(cells, schema))


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    some: list[dict[str, Any]] = []
    for row in rows:
        some.append(row)
        if len(some) == _TOGETHER:
            yield some
            some = []
    yield some


def _cell(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
