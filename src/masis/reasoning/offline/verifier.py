"""The verifier: does the passage support the claim?

An embedded cross-encoder, trained by us on answers with marked errors, decides what code cannot: paraphrases.
docs/benchmarks.md has its results.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from math import fsum
from typing import Literal

from masis.audit.checks import second_opinion as audit
from masis.audit.checks.turns import flipped
from masis.embedded import on_all_cores
from masis.embedded.adapted import Figures, adapted, as_share
from masis.embedded.selector import select
from masis.language.question import Question
from masis.language.sentences import clauses
from masis.language.statements import Statement, statements
from masis.language.words import content_stems, is_negated

LONGEST = 1_800
"""In characters; together with the claim, this fits into one input of the embedded model."""
_TOLD_AGAIN = 0.3
"""Factor for the weight of a word that a chosen sentence already has."""


def excerpt(wanted: str, text: str, longest: int = LONGEST) -> str:
    if len(text) <= longest:
        return text
    parts = statements(text)
    said = [frozenset(content_stems(part.text)) for part in parts]
    chosen = _choose(frozenset(content_stems(wanted)), parts, said, longest)
    return "\n".join(parts[number].text for number in sorted(chosen)) or text[:longest]


def _choose(
    wanted: Collection[str], parts: Sequence[Statement], said: Sequence[frozenset[str]], longest: int
) -> set[int]:
    """Picks the sentence that adds the most of the wanted words, rare ones first, and the sentence before it, as long
    as they fit."""
    often = Counter(word for words in said for word in words)
    worth = {word: 1 / often[word] ** 0.5 for word in wanted if often[word]}
    chosen: set[int] = set()
    left = longest
    while True:
        gains = {
            n: fsum(worth.get(word, 0.0) for word in words)
            for n, words in enumerate(said)
            if n not in chosen and len(parts[n].text) < left
        }
        best = max(gains, key=lambda n: (gains[n], -n), default=None)
        if best is None or gains[best] <= 0:
            return chosen
        for word in said[best]:
            worth[word] = worth.get(word, 0.0) * _TOLD_AGAIN
        for number in (best, best - 1):
            # The sentence before says what “it” refers to.
            if number >= 0 and number not in chosen and len(parts[number].text) < left:
                chosen.add(number)
                left -= len(parts[number].text) + 1


Pair = tuple[str, str]
_MARKS = re.compile(r"\*\*|__|`")


def second_opinion(questions: Sequence[audit.Question]) -> list[float]:
    """Judges claims for the audit. All passages that a claim cites are read together."""
    for task in ("verifier", "selector"):
        adapted(task)  # load it here once: threads that find none would each load their own
    return on_all_cores(lambda q: likelier_places(q) if q.held else as_share(support_logit(*as_read(q))), questions)


def likelier_places(question: audit.Question) -> float:
    """How much higher the selector marks the places of the rival figures than the places of the figure itself."""
    marks: dict[tuple[str, int], float] = {}
    for chunk in question.chunks:
        parts = statements(chunk["text"], chunk.get("heading"))
        found = select(question.claim, chunk["text"], [(part.start, part.end) for part in parts])
        marks |= {(chunk["chunk_id"], part.start): mark for part, mark in zip(parts, found.marks, strict=False)}
    held, rivals = (
        max((marks.get(place, 0.0) for place in some), default=0.0) for some in (question.held, question.rivals)
    )
    return rivals - held


def as_read(question: audit.Question) -> tuple[str, str, str]:
    """The claim, the passage and the sentence before the claim, as the verifier reads them."""
    claim, before = (_MARKS.sub("", text) for text in (question.claim, question.before))
    # “The second-quarter report says” is supported by the file name, which the reader sees.
    seen = (part for chunk in question.chunks for part in (chunk["file_name"], chunk.get("heading")) if part)
    above = "\n".join(dict.fromkeys(seen))[: LONGEST // 4]
    text = "\n".join(chunk["text"] for chunk in question.chunks)
    return claim, f"{above}\n{excerpt(f'{before} {claim}', text, LONGEST - len(above) - 1)}", before


def support_scores(pairs: Sequence[Pair]) -> list[float]:
    """For each pair of claim and passage, the probability from 0 to 1 that the passage supports the claim."""
    adapted("verifier")  # load it here once: threads that find none would each load their own
    return on_all_cores(lambda pair: as_share(support_logit(pair[0], pair[1])), pairs)


@lru_cache(maxsize=20_000)
def support_logit(claim: str, passage: str, before: str = "") -> float:
    """`before` is the sentence before the claim. It shows what “it” refers to and is not judged."""
    said = f"{before} {claim}" if before else claim
    figures = adapted("verifier").run(said, excerpt(said, passage))
    return (float(figures.values[0, 0]) - _worst_token(figures, len(said) - len(claim))) / 2


def _worst_token(figures: Figures, first: int) -> float:
    """The verifier's score against the token that it doubts most."""
    judged = [
        float(values[1])
        for values, (_, end), which in zip(figures.values, figures.offsets, figures.texts, strict=True)
        if which == 0 and end > first
    ]
    return max(judged, default=0.0)


AFFIRMS = 0.6
"""Least support with which a statement counts as confirming what the question asks."""


def stand_on(asked: Question, statement: Statement) -> Literal["yes", "no"] | None:
    """Whether a statement answers a yes-or-no question with yes or no; None if it does not decide it."""
    denied = is_negated(clause_on(asked, statement)) != is_negated(asked.stated)
    if denied != bool(flipped(asked.stated, statement.text)):
        return "no"
    [borne_out] = support_scores([(asked.stated, statement.in_context)])
    return "yes" if borne_out >= AFFIRMS else None


def clause_on(asked: Question, statement: Statement) -> str:
    """The clause with the most words of the question: what the other clauses deny was not asked."""
    spans = [statement.text[start:end] for start, end in clauses(statement.text)]
    return max(spans, key=lambda clause: len(asked.subject & set(content_stems(clause))))
