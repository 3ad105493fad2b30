"""Caches the verifier's figures between runs of an evaluation, because reading thousands of sentences takes minutes.

One file for each version of the code that reads them; delete .cache/support to read everything again.
"""

import sqlite3
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from math import exp
from pathlib import Path

from evals.tables import PAGE
from masis.audit.checks.second_opinion import Question
from masis.embedded import adapted, selector
from masis.embedded.adapted import TRAINED
from masis.reasoning.offline import verifier
from masis.reasoning.offline.verifier import as_read, likelier_places, support_logit

FOLDER = PAGE.parent.parent / ".cache" / "support"


def remembered_logit(claim: str, passage: str, before: str = "") -> float:
    return _remembered((claim, passage, before), lambda: support_logit(claim, passage, before))


def _remembered(read: Sequence[str], figure: Callable[[], float]) -> float:
    key = sha256("\0".join(read).encode()).hexdigest()
    known = _database().execute("SELECT figure FROM figures WHERE key = ?", (key,)).fetchone()
    if known is None:
        known = (figure(),)
        with _database() as database:
            database.execute("INSERT OR REPLACE INTO figures VALUES (?, ?)", (key, known[0]))
    return float(known[0])


def remembered_opinion(questions: Sequence[Question]) -> list[float]:
    return [_remembered_place(q) if q.held else 1 / (1 + exp(-remembered_logit(*as_read(q)))) for q in questions]


def _remembered_place(question: Question) -> float:
    texts = (part for chunk in question.chunks for part in (chunk["chunk_id"], chunk["text"]))
    return _remembered((question.claim, *texts, repr(sorted(question.held))), lambda: likelier_places(question))


@cache
def _database() -> sqlite3.Connection:
    trained = [TRAINED / f"{task}.npz" for task in ("verifier", "selector")]
    read_by = [*trained, Path(verifier.__file__), Path(selector.__file__), Path(adapted.__file__)]
    version = sha256(b"".join(file.read_bytes() for file in read_by)).hexdigest()[:12]
    FOLDER.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(FOLDER / f"{version}.db", check_same_thread=False, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("CREATE TABLE IF NOT EXISTS figures (key TEXT PRIMARY KEY, figure REAL)")
    return database
