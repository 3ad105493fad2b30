"""Questions that come with their passages: is the answer right, and is there silence if they do not answer?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evals.fit_likelihood import answered, drawn
from evals.given_passages import Given, given, halves
from evals.intervals import share
from evals.retrieval_systems import Keywords
from evals.tables import NotMeasured, Section, table
from masis.language.sentences import split_sentences
from masis.reasoning.offline.auditor import mean_likelihood
from masis.reasoning.offline.writer import ENOUGH

TITLE = "Questions with their passages, offline engine"
BINS = (0.2, 0.4, 0.6, 0.8)
EXPLAINED = (
    "No search, but for our excerpts and whole documents, a dozen to a workspace: passages are given. Of "
    "every set, the half of the questions that was not looked at, and none that a model of ours was trained on. "
    "“Right”: the answer has the reference's words (SQuAD 2.0: all of them in order; the others: half of those that "
    "carry meaning), and the auditor lets it pass. SQuAD 2.0's unanswerable questions were written to look answerable. "
    "MTRAG's references are written freely, so that few quotations have half of their words. PolicyQA has answerable "
    "questions only. 95 % intervals."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    item: Given
    text: str
    """Empty: refused."""
    draft: str = ""
    """The writer's text before the auditor judged it."""
    likelihood: float | None = None
    """None if the writer was silent."""

    @property
    def is_right(self) -> bool:
        return bool(self.text) and self.item.is_right(self.text)


def measure(limit: int = 60, half: int = 1) -> Section:
    """`limit`: maximum number of questions of each set; half 0 is the one that may be inspected."""
    by_set: dict[str, list[Given]] = {}
    for item in halves(given(), half):
        by_set.setdefault(item.set, []).append(item)
    if not by_set:
        raise NotMeasured("the data sets are not at ../shared/data")
    asked = [item for items in by_set.values() for item in items[:limit]]
    ours = outcomes(asked)
    rows = [row for name in by_set for row in _rows(name, [o for o in ours if o.item.set == name])]
    header = ["set", "", "right of answerable", "answered of answerable", "refused of unanswerable", "words"]
    return Section("given", TITLE, f"{EXPLAINED}\n\n{table(header, rows)}\n\n{confidence(ours)}")


def outcomes(items: Sequence[Given]) -> list[Outcome]:
    """What the writer says and the auditor accepts."""
    found: list[Outcome] = []
    for answer in answered(items):
        likely = mean_likelihood(answer.signs)
        found.append(Outcome(answer.item, answer.text if (likely or 0.0) >= ENOUGH else "", answer.text, likely))
    return found


def _rows(name: str, ours: Sequence[Outcome]) -> list[list[object]]:
    items = [o.item for o in ours]
    always = [Outcome(item, " ".join(p.text for p in item.passages)) for item in items]
    return [
        [f"**{name}**, {_count(items)}", "MASIS", *_figures(ours)],
        ["", "best BM25 sentence", *_figures(_each(items, best_sentence))],
        ["", "always answer, with everything", *_figures(always)],
        ["", "always refuse", *_figures(_each(items, lambda _: ""))],
    ]


def _each(items: Sequence[Given], say: Callable[[Given], str]) -> list[Outcome]:
    return [Outcome(item, say(item)) for item in items]


def _count(items: Sequence[Given]) -> str:
    answerable = sum(bool(item.gold) for item in items)
    return f"{answerable} + {len(items) - answerable}"


def _figures(found: Sequence[Outcome]) -> list[object]:
    known = [o for o in found if o.item.gold]
    unknown = [o for o in found if not o.item.gold]
    said = [len(o.text.split()) for o in known if o.text]
    return [
        share([o.is_right for o in known]),
        share([bool(o.text) for o in known]),
        share([not o.text for o in unknown]),
        round(sum(said) / len(said)) if said else "",
    ]


def best_sentence(item: Given) -> str:
    sentences = [s.text for p in item.passages for s in split_sentences(p.text)]
    return next((sentences[best] for best in Keywords(sentences).best(item.question, 1)), "")


def measure_confidence(sentences: int = 70, tables: int = 50) -> Section:
    ours = outcomes(drawn(1, sentences, tables))
    names = dict.fromkeys(o.item.set for o in ours)
    lines = [confidence(ours), *(f"{name}: {confidence([o for o in ours if o.item.set == name])}" for name in names)]
    body = (
        "Answers of the offline writer to questions with their passages, and to questions on tables among other tables "
        "(some without the one that answers), of the halves that nothing was fitted on."
    )
    return Section("confidence", "Confidence, offline engine", "\n\n".join([body, *lines]))


def confidence(ours: Sequence[Outcome]) -> str:
    """Of everything the writer says, including what the auditor then holds back."""
    said = [o for o in ours if o.likelihood is not None]
    likely = np.array([o.likelihood for o in said], dtype=float)
    right = np.array([bool(o.item.gold) and o.item.is_right(o.draft) for o in said])
    if right.all() or not right.any():
        return ""
    above = (likely[right][:, None] > likely[~right][None, :]) + 0.5 * (likely[right][:, None] == likely[~right])
    bins = np.digitize(likely, BINS)
    off = sum((bins == b).mean() * abs(likely[bins == b].mean() - right[bins == b].mean()) for b in np.unique(bins))
    return (
        f"Likelihood that the auditor gives, of the {len(said)} answers the writer made: AUROC of right against wrong "
        f"{above.mean():.2f}, calibration error over five bins {off:.2f}."
    )
