"""Does the offline writer answer what its passages answer, and stay silent where they are silent? And is its word on
how likely it is right worth anything?"""

from collections.abc import Sequence
from dataclasses import replace

from evals.fit_likelihood import Answer, answered, fitted_on
from evals.given_passages import Given, given, halves
from evals.intervals import share
from evals.retrieval_systems import Keywords
from evals.tables import Section, table
from masis.language.sentences import split_sentences
from masis.reasoning.offline.auditor import ENOUGH, mean_likelihood
from training.figures import auroc

REPORTED = 1
BINS = 10
HEADER = ["", "n (with / without an answer)", "answered", "right", "refused", "audit stands by it: right", "refused"]


def measure() -> Section:
    title = "Answer or silence, passages given"
    items = halves(given(), REPORTED)
    if not items:
        return Section("silence", title, "Not measured: the data sets are not at ../shared/data.")
    answers = answered(items)
    rows = [row for name in dict.fromkeys(i.set for i in items) for row in _rows(name, answers)]
    return Section("silence", title, f"{_explained(answers)}\n\n{table(HEADER, rows)}\n\n{_likelihood(answers)}")


def _explained(answers: Sequence[Answer]) -> str:
    return (
        f"{len(answers)} questions that no model of ours was trained on, the half not looked at, each with its own "
        "passages. “Right”: the answer has the gold words (SQuAD 2.0), or half of those of a gold sentence "
        "(CLAPnq, PolicyQA) or of the reference (MTRAG, whose references are longer than any quotation). "
        f"“Audit stands by it”: the likelihood is {ENOUGH} or more; below it the draft goes to a person."
    )


def _rows(name: str, answers: Sequence[Answer]) -> list[list[object]]:
    ours = [a for a in answers if a.item.set == name]
    quoted = [replace(a, text=_best_sentence(a.item)) for a in ours]
    return [
        [f"**{name}**", *_counts(ours), *_counts(ours, stood_by=True)[2:]],
        [f"{name}: best BM25 sentence, always answers", *_counts(quoted, always=True)],
    ]


def _counts(answers: Sequence[Answer], *, stood_by: bool = False, always: bool = False) -> list[object]:
    def is_given(a: Answer) -> bool:
        return always or (bool(a.signs) and (not stood_by or (mean_likelihood(a.signs) or 0.0) >= ENOUGH))

    good, bad = [a for a in answers if a.item.gold], [a for a in answers if not a.item.gold]
    return [
        f"{len(good)} / {len(bad)}",
        share([is_given(a) for a in good]),
        share([is_given(a) and a.item.is_right(a.text) for a in good]),
        share([not is_given(a) for a in bad]),
    ]


def _best_sentence(item: Given) -> str:
    sentences = [s.text for passage in item.passages for s in split_sentences(passage.text)]
    best = Keywords(sentences).best(item.question, 1)
    return sentences[best[0]] if best else ""


def _likelihood(answers: Sequence[Answer]) -> str:
    given_out = [(mean_likelihood(a.signs) or 0.0, a.is_right) for a in answers if a.signs and a.item.set in fitted_on]
    told, right = [p for p, _ in given_out], [int(r) for _, r in given_out]
    return (
        f"Likelihood, of {len(told)} answers to {' and '.join(fitted_on)} (right: {sum(right) / len(right):.2f}): area "
        f"under the curve, right against wrong, {auroc(told, right):.2f}; calibration error {_error(told, right):.2f}."
    )


def _error(told: Sequence[float], right: Sequence[int]) -> float:
    """By tenths: how far what was said is from what was right, on average."""
    groups = [[(p, r) for p, r in zip(told, right, strict=True) if int(p * BINS) == tenth] for tenth in range(BINS + 1)]
    return sum(abs(sum(p - r for p, r in group)) for group in groups) / len(told)
