"""What the score filter keeps and what it stops, threshold by threshold, for each measure of relevance."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evals import retrieval_data as data
from evals.retrieval_cache import CachedEmbedder
from evals.retrieval_data import Collection, Question, Span
from evals.retrieval_metrics import mean
from evals.retrieval_systems import Index
from evals.tables import NotMeasured, Section, table
from masis.knowledge.calibration.profiles import calibration_for
from masis.knowledge.embedding.onnx_embedder import BUILT_IN_NAME
from masis.knowledge.search.keywords import QueryWords
from masis.settings import Settings

TITLE = "The score filter: what is kept, what ends in “nothing usable”"
THRESHOLDS = tuple(step / 100 for step in range(40, 81, 5))
SENTENCES_PER_SET = 300
_SENTENCE = re.compile(r"[A-Z][^.!?\n|]{40,200}[.!?](?=\s)")


@dataclass(frozen=True, slots=True)
class Candidate:
    is_gold: bool
    meaning: float
    """Calibrated cosine."""
    words: float
    """Keyword relevance."""
    is_named: bool = False
    """A heading, a row's label or an exact phrase contains what was asked: never lost to the filter."""


Asked = list[Candidate]
"""What one question found."""
Rule = Callable[[Candidate], float]

RULES: dict[str, Rule] = {
    "meaning alone": lambda candidate: candidate.meaning,
    "keywords alone": lambda candidate: candidate.words,
    "MASIS (the better of both, and the very words asked for)": lambda candidate: (
        1.0 if candidate.is_named else max(candidate.meaning, candidate.words)
    ),
}


def measure() -> Section:
    passages, articles = data.clapnq(), data.articles()
    if passages is None or articles is None:
        raise NotMeasured("the data sets are not at ../shared/data")
    groups = asked_groups(passages, articles, CachedEmbedder())
    parts = [_table(name, rule, groups) for name, rule in RULES.items()]
    return Section("threshold", TITLE, "\n\n".join([_introduction(groups), *parts]))


def asked_groups(passages: Collection, articles: Collection, embedder: CachedEmbedder) -> dict[str, list[Asked]]:
    """Questions by what should happen to them, each with its candidates."""
    candidates = Settings().candidates
    groups: dict[str, list[Asked]] = {}
    for own, other, name in ((passages, articles, "CLAPnq"), (articles, passages, "articles")):
        answered = [question for question in own.questions if question.gold]
        silent = [question for question in own.questions if not question.gold]
        groups[f"{name}: gold kept"] = _ask(own, answered, embedder, candidates)
        groups[f"{name}: own words kept"] = _ask(own, list(_sentences(own)), embedder, candidates)
        groups[f"{name}: no answer, on topic"] = _ask(own, silent, embedder, candidates)
        groups[f"{name}: off topic"] = _ask(other, _without_gold(own.questions), embedder, candidates)
    return groups


def _introduction(groups: dict[str, list[Asked]]) -> str:
    counts = ", ".join(f"{name} {len(asked)}" for name, asked in groups.items())
    return (
        "For each threshold: share of answerable questions whose gold passage (CLAPnq) or article stays among the "
        "evidence; share of sentences taken from the documents themselves that, asked as questions, keep the passage "
        "they stand in; share of questions without an answer that end in “nothing usable”, asked of their own "
        "documents (the filter is a gate on topic: these are the Critic's to refuse) and of the other set's "
        f"(off topic). The first attempt filters at 0.60, a retry at 0.55. Questions: {counts}."
    )


def _table(name: str, rule: Rule, groups: dict[str, list[Asked]]) -> str:
    rows = [
        [f"{threshold:.2f}", *(f"{_share(group, asked, rule, threshold):.3f}" for group, asked in groups.items())]
        for threshold in THRESHOLDS
    ]
    return f"### {name}\n\n" + table(["threshold", *groups], rows)


def _share(group: str, asked: Sequence[Asked], rule: Rule, threshold: float) -> float:
    if group.endswith("kept"):
        return mean(any(each.is_gold and rule(each) >= threshold for each in found) for found in asked)
    return mean(not any(rule(each) >= threshold for each in found) for found in asked)


def _without_gold(questions: Sequence[Question]) -> list[Question]:
    return [replace(question, gold=()) for question in questions]


def _sentences(collection: Collection) -> Iterator[Question]:
    """Sentences spread evenly over the documents, as questions that must find their own passage."""
    all_of_them = [
        Question(match.group(), (Span(name, match.start(), match.end()),))
        for name, parsed in collection.documents.items()
        for match in _SENTENCE.finditer(parsed.text)
    ]
    return iter(all_of_them[:: max(1, len(all_of_them) // SENTENCES_PER_SET)][:SENTENCES_PER_SET])


def _ask(collection: Collection, questions: list[Question], embedder: CachedEmbedder, candidates: int) -> list[Asked]:
    index = Index(replace(collection, questions=questions), embedder)
    scale = calibration_for(BUILT_IN_NAME)
    asked: list[Asked] = []
    for number, question in enumerate(questions):
        words, named = QueryWords(question.text), index.named(number)
        asked.append(
            [
                Candidate(
                    _holds(question, index, found),
                    scale.relevance(float(index.similarity[number][found])),
                    words.relevance(index.chunks[found], named.known(index.chunks[found].document_id)),
                    words.is_named_in(index.chunks[found], named.known(index.chunks[found].document_id)),
                )
                for found in index.fused(number, candidates)
            ]
        )
    return asked


def _holds(question: Question, index: Index, found: int) -> bool:
    chunk = index.chunks[found]
    return any(
        gold.document == chunk.file_name and gold.start < chunk.end and chunk.start < gold.end for gold in question.gold
    )
