"""Questions on tables with the ways in which their tables could answer: `python -m training.tables`.

From the halves of WikiTableQuestions and TAT-QA that may be fitted on (evals.table_data) and from documents that were
written for it (training/questions): each question with the likeliest trials, those that the selector's rows give, some
others, and which of them give the answer. One table in six is left out, to measure with and to fit the weights of
`weighing` on.
"""

import argparse
import gzip
import json
import multiprocessing
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evals.fit_tables import is_left_out
from evals.table_data import (
    TableQuestion,
    among_others,
    report_questions,
    wiki_questions,
    with_strangers,
    written_questions,
)
from masis.reasoning.offline.tables.anchors import TableQuery
from masis.reasoning.offline.tables.grid import tables_of
from masis.reasoning.offline.tables.reading import in_words
from masis.reasoning.offline.tables.weighing import pool_of, probabilities, weights

OUT = Path(".cache/training/tables.jsonl.gz")
LIKELIEST, BY_READING, OTHERS, RIGHT = 24, 8, 4, 8
STRANGERS = 0.2
READ_CLOSELY = 1_200
"""Questions of WikiTableQuestions that the selector reads: each takes it a tenth of a second."""


def group(task: tuple[TableQuestion, bool]) -> dict[str, Any] | None:
    question, is_read = task
    asked = question.as_read if is_read else TableQuery(question.text)
    pool = pool_of(asked, tables_of(question.passages))
    if pool is None:
        return None
    right = [question.is_answered_by(trial) for trial in pool.trials]
    order = np.argsort(-probabilities(asked, pool, weights())[:-1])
    chosen = dict.fromkeys(_chosen(order, right, [any(a.kind == "read" for a in t.filters) for t in pool.trials]))
    told: dict[str, bool] = {}
    for n in chosen:
        words = in_words(pool.trials[n], asked)
        told[words] = told.get(words, False) or right[n]
    return {
        "set": question.set,
        "question": question.text,
        "texts": list(told),
        "right": list(told.values()),
        "held_out": is_left_out(question.table),
        "is_unreached": bool(question.answers) and not any(right),
    }


def _chosen(order: Any, right: Sequence[bool], by_reading: Sequence[bool]) -> Iterator[int]:
    yield from (int(n) for n in order[:LIKELIEST])
    yield from [int(n) for n in order if by_reading[n]][:BY_READING]
    yield from [int(n) for n in order if right[n]][:RIGHT]
    yield from random.Random(len(order)).sample(range(len(order)), min(OTHERS, len(order)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only-written", action="store_true", help="none of the public sets")
    parser.add_argument("--sample", type=int, help="so many of each set, to try it out")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    wiki, reports = ([], []) if given.only_written else (wiki_questions(to_fit=True), report_questions(to_fit=True))
    own = written_questions()
    random.Random(0).shuffle(wiki)
    wiki, reports = wiki[: given.sample], reports[: given.sample]
    asked = [(q, n < READ_CLOSELY) for n, q in enumerate(with_strangers(wiki, STRANGERS))]
    asked += [(q, True) for q in (*with_strangers(reports, STRANGERS), *with_strangers(own, STRANGERS))]
    asked += [(q, False) for q in among_others(reports)]
    with multiprocessing.Pool(2) as workers:
        made = [one for one in workers.imap(group, asked, chunksize=20) if one]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(given.out, "wt") as file:
        file.writelines(json.dumps(one) + "\n" for one in made)
    for name in dict.fromkeys(one["set"] for one in made):
        of_set = [one for one in made if one["set"] == name]
        reached = sum(any(one["right"]) for one in of_set)
        print(name, len(of_set), "with a right trial", reached, "unreached", sum(o["is_unreached"] for o in of_set))


if __name__ == "__main__":
    main()
