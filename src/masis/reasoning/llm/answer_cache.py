"""What models said before, to the same words: kept in the data folder, each workspace apart."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from masis.reasoning.llm.wire import Completion

FILE = "model_answers.db"
_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, completion TEXT NOT NULL)"


class AnswerCache:
    """A file that cannot be used is as good as an empty one: a cache must never be why a run fails."""

    def __init__(self, home: Path, endpoint: str) -> None:
        self._path = home / FILE
        self._endpoint = endpoint

    def get(self, workspace_id: str, body: dict[str, Any]) -> Completion | None:
        try:
            with self._open() as db:
                row = db.execute(
                    "SELECT completion FROM answers WHERE key = ?", (self._key(workspace_id, body),)
                ).fetchone()
        except (OSError, sqlite3.Error):
            return None
        # Nothing was sent, so nothing was spent.
        return Completion(**(json.loads(row[0]) | {"input_tokens": 0, "output_tokens": 0})) if row else None

    def put(self, workspace_id: str, body: dict[str, Any], completion: Completion) -> None:
        kept = (self._key(workspace_id, body), json.dumps(asdict(completion)))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as db, db:
                db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", kept)
        except (OSError, sqlite3.Error):
            return

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=5)) as db:
            db.execute(_SCHEMA)
            yield db

    def _key(self, workspace_id: str, body: dict[str, Any]) -> str:
        said = json.dumps([workspace_id, self._endpoint, body], sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(said.encode()).hexdigest()
