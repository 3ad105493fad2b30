"""`python -m evals.fit_tables`: fits the weights of masis.reasoning.offline.tables and writes them next to its code.

Fitted on the development halves of WikiTableQuestions and TAT-QA (evals.table_data), with some questions repeated for
other tables, and those of TAT-QA repeated for their own table among others. The answer to a question is known, but not
how to find it, so all trials that give it count as right; if none does, saying nothing counts. One table in six is left
out of this and of the training of the network that reads trials (training/tables.py); on it, the weight of the
network's output is fitted, and the probability that the best trial is right. `--only-reading` fits only these.
"""

import argparse
import hashlib
import multiprocessing
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evals.table_data import (
    TableQuestion,
    among_others,
    report_questions,
    wiki_questions,
    with_strangers,
    written_questions,
)
from masis.reasoning.offline.tables.anchors import TableQuery
from masis.reasoning.offline.tables.features import CLASS_PLACE, FORM_PLACE, NAMES, grams
from masis.reasoning.offline.tables.grid import tables_of
from masis.reasoning.offline.tables.weighing import (
    UNREAD,
    WEIGHTS,
    Pool,
    Read,
    Weights,
    pool_of,
    read,
    surest,
    weights,
    without_the_network,
)

Vector = np.ndarray[Any, np.dtype[np.float64]]
LEAST_SEEN = 5
"""A word that occurs in fewer questions is a name."""
RATE = 0.1
EPOCHS = 5
RIDGE = {"forms": 1e-3, "words": 1e-2}
STRANGERS = 0.25
UNREACHED = 0.5
"""The weight of a question whose answer no trial gives although the table contains it."""


@dataclass(frozen=True, slots=True)
class Seen:
    question: TableQuestion
    grams: list[str]
    pool: Pool
    right: "np.ndarray[Any, np.dtype[np.bool_]]"
    """One for each trial, and one for saying nothing."""
    counts: float


def seen(question: TableQuestion) -> Seen | None:
    asked = TableQuery(question.text)
    pool = pool_of(asked, tables_of(question.passages))
    if pool is None:
        return None
    right = [question.is_answered_by(trial) for trial in pool.trials]
    counts = UNREACHED if question.answers and not any(right) else 1.0
    # Without the trials themselves, whose tables would have to be sent between the processes.
    light = Pool([], pool.features.astype(np.float16), pool.forms, pool.classes)
    return Seen(question, grams(asked), light, np.array([*right, not any(right)]), counts)


def all_seen(questions: Sequence[TableQuestion], processes: int) -> list[Seen]:
    with multiprocessing.Pool(processes) as workers:
        return [one for one in workers.map(seen, questions, chunksize=25) if one]


class Fit:
    """Adagrad on the log-probability of the right trials."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.words = {word: n for n, word in enumerate(vocabulary)}
        self.values = [
            np.zeros((len(FORM_PLACE), len(NAMES))),
            np.zeros(len(NAMES)),
            np.zeros((len(vocabulary), len(FORM_PLACE))),
            np.zeros((len(vocabulary), len(CLASS_PLACE))),
        ]
        self._squares = [np.full_like(value, 1e-2) for value in self.values]

    @property
    def weights(self) -> Weights:
        forms, every, form_words, class_words = self.values
        return Weights(forms + every, form_words, class_words, self.words, np.zeros(0), np.zeros(0), np.zeros(0))

    def learn(self, one: Seen) -> float:
        features, forms, classes = one.pool.features.astype(np.float32), one.pool.forms, one.pool.classes
        known = [self.words[gram] for gram in one.grams if gram in self.words]
        shares = self._shares(features, forms, classes, known)
        mass = float(shares[one.right].sum()) + 1e-12
        error = (shares - np.where(one.right, shares, 0) / mass) * one.counts
        by_form = np.zeros((len(FORM_PLACE), len(error)), dtype=np.float32)
        by_form[forms, np.arange(len(error))] = error
        self._step(0, slice(None), by_form @ features + RIDGE["forms"] * self.values[0])
        self._step(1, slice(None), features.T @ error)
        for place, (index, length) in {2: (forms, len(FORM_PLACE)), 3: (classes, len(CLASS_PLACE))}.items():
            gradient = np.bincount(index, error, length)[None, :]
            self._step(place, known, gradient + RIDGE["words"] * self.values[place][known])
        return -float(np.log(mass))

    def _shares(self, features: Vector, forms: Vector, classes: Vector, known: list[int]) -> Vector:
        by_form, every, form_words, class_words = self.values
        logits = np.einsum("ij,ij->i", features, by_form[forms] + every)
        logits = logits + form_words[known].sum(axis=0)[forms] + class_words[known].sum(axis=0)[classes]
        raised = np.exp(logits - logits.max())
        return np.asarray(raised / raised.sum())

    def _step(self, place: int, at: Any, gradient: Vector) -> None:
        self._squares[place][at] += gradient**2
        self.values[place][at] -= RATE * gradient / np.sqrt(self._squares[place][at])


def fitted(data: Sequence[Seen], epochs: int = EPOCHS) -> Fit:
    counted = Counter(gram for one in data for gram in one.grams)
    fit = Fit(sorted(gram for gram, number in counted.items() if number >= LEAST_SEEN))
    order = np.random.default_rng(0)
    for epoch in range(epochs):
        loss = sum(fit.learn(data[n]) for n in order.permutation(len(data))) / len(data)
        print(f"  epoch {epoch + 1}: {loss:.3f}", flush=True)
    return fit


@dataclass(frozen=True, slots=True)
class Reading:
    question: TableQuestion
    read: Read
    right: "np.ndarray[Any, np.dtype[np.bool_]]"
    """One for each trial that was read, and one for saying nothing."""


def reading(question: TableQuestion) -> Reading | None:
    found = read(question.as_read, tables_of(question.passages))
    if found is None:
        return None
    right = [question.is_answered_by(trial) for trial in found.trials]
    return Reading(question, found, np.array([*right, not any(right)]))


def weights_of_reading(data: Sequence[Reading], steps: int = 300) -> Vector:
    """Adagrad on the same log-probability, starting from the log-linear model's shares."""
    by = np.array([1.0, 0.3, 0.3, 0.0, 1.0, 0.0])
    squares = np.full(6, 1e-6)
    for _ in range(steps):
        slope = np.zeros(6)
        for one in data:
            shares = one.read.shares(by)
            error = shares - np.where(one.right, shares, 0) / (shares[one.right].sum() + 1e-12)
            slope[:4] += error[:-1] @ one.read.told
            slope[4:] += error[-1] * np.array([one.read.nothing, 1.0])
        slope /= len(data)
        squares += slope**2
        by = by - 0.1 * slope / np.sqrt(squares)
    return by


@dataclass(frozen=True, slots=True)
class Outcome:
    question: TableQuestion
    said: list[float]
    right: bool


def outcomes(data: Sequence[Reading], by: Vector) -> Iterator[Outcome]:
    """The most probable answer to each question, and whether it is right."""
    for one in data:
        best, said = surest(one.read, by)
        yield Outcome(one.question, said, bool(one.right[best]))


def surety(found: Sequence[Outcome]) -> Vector:
    """Logistic regression by Newton's method."""
    rows = np.array([o.said for o in found])
    labels = np.array([float(o.right) for o in found])
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        made = 1 / (1 + np.exp(-rows @ weights))
        curve = (rows * (made * (1 - made))[:, None]).T @ rows + np.eye(len(weights))
        weights = weights - np.linalg.solve(curve, rows.T @ (made - labels) + weights)
    return np.asarray(weights)


def is_left_out(table: str) -> bool:
    return int(hashlib.md5(table.encode(), usedforsecurity=False).hexdigest(), 16) % 6 == 0


def summary(name: str, found: Sequence[Outcome], weights: Vector, at_least: float = 0.5) -> None:
    sure = [1 / (1 + np.exp(-float(np.dot(weights, o.said)))) for o in found]
    for group in sorted({o.question.set for o in found}):
        pairs = [(o, s >= at_least) for o, s in zip(found, sure, strict=True) if o.question.set == group]
        known = [(o, a) for o, a in pairs if o.question.answers]
        foreign = [a for o, a in pairs if not o.question.answers]
        answered = [o.right for o, a in known if a]
        print(
            f"{name} {group}: n {len(known)}, best is right {np.mean([o.right for o, _ in known]):.3f}, answered "
            f"{np.mean([a for _, a in known]):.3f}, right {sum(answered) / len(known):.3f}, right of answered "
            f"{np.mean(answered):.3f}; without an answer n {len(foreign)}, answered {np.mean(foreign):.3f}"
        )


def save(weights: Weights) -> None:
    np.savez_compressed(
        WEIGHTS,
        forms=weights.forms.astype(np.float16),
        form_words=weights.form_words.astype(np.float16),
        class_words=weights.class_words.astype(np.float16),
        words=np.frombuffer("\n".join(weights.words).encode(), dtype=np.uint8),
        reading=weights.reading.astype(np.float32),
        surety=weights.surety.astype(np.float32),
        alone=weights.alone.astype(np.float32),
    )


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--limit", type=int, help="questions of WikiTableQuestions, for trying out")
    arguments.add_argument("--processes", type=int, default=2)
    arguments.add_argument("--only-reading", action="store_true", help="keep the log-linear model")
    chosen = arguments.parse_args()
    wiki, reports, own = wiki_questions(to_fit=True), report_questions(to_fit=True), written_questions()
    random.Random(0).shuffle(wiki)
    asked = [q for some in (wiki[: chosen.limit], reports, own) for q in with_strangers(some, STRANGERS)]
    asked += among_others(reports)
    linear = weights()
    if not chosen.only_reading:
        kept = [q for q in asked if q.set != "written" and not is_left_out(q.table)]
        made = fitted(all_seen(kept, chosen.processes)).weights
        linear = replace(
            linear, forms=made.forms, form_words=made.form_words, class_words=made.class_words, words=made.words
        )
        save(linear)  # `read` loads them from there
        weights.cache_clear()
    left = [one for q in asked if is_left_out(q.table) and (one := reading(q))]
    by = weights_of_reading(left)
    print("reading", by.round(3))
    found = list(outcomes(left, by))
    sure = surety(found)
    summary("left out", found, sure)
    unread = [replace(o, said=without_the_network(o.said)) for o in outcomes(left, np.array(UNREAD))]
    save(replace(linear, reading=by, surety=sure, alone=surety(unread)))


if __name__ == "__main__":
    main()
