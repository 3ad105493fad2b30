"""What every peer is given and gives back: a JSON job on standard input, ranked spans on standard output."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from embedding import Model

Ranked = list[tuple[str, int, int]]
"""Document, start and end of each passage, best first."""


@dataclass
class Job:
    documents: dict[str, str]
    questions: list[str]
    limit: int
    model: Model


Search = Callable[[str, int], Ranked]


def serve(build: Callable[[Job], Search]) -> None:
    given = json.load(sys.stdin)
    model = Model(Path(given["model_folder"]), Path(given["cache"]))
    job = Job(given["documents"], given["questions"], given["limit"], model)
    start = time.perf_counter()
    search = build(job)
    built = time.perf_counter()
    ranked = [search(question, job.limit) for question in job.questions]
    seconds = {"index_seconds": built - start, "query_seconds": time.perf_counter() - built}
    json.dump({"ranked": ranked, **seconds}, sys.stdout)
