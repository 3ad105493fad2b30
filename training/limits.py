"""`python -m training.limits`: fits what tells a stated limit of the evidence from a claim, and writes its weights.

A logistic regression on the mean vector of the embedding model that installs with MASIS, from 1,000 sentences as a chat
model writes them (`limit_sentences.jsonl`), and those of whole answers, the half that is looked at: plain limits, and
claims without their citations. What it is worth on others is in docs/benchmarks.md (`python -m evals eval limits`)."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from evals import eval_model_answers, eval_written_answers
from evals.strength_fit import logistic
from masis.audit.citations.extraction import cited_sentences
from masis.audit.citations.hedges import states_a_limit
from masis.embedded import LIMITS, sentence_vector

SENTENCES = Path(__file__).with_name("limit_sentences.jsonl")


def main() -> None:
    told = [json.loads(line) for line in SENTENCES.read_text().splitlines()]
    read = [*((each["sentence"], each["label"] == "limit") for each in told), *_of_answers()]
    vectors = np.array([sentence_vector(sentence) for sentence, _ in read])
    is_limit = np.array([limit for _, limit in read], dtype=float)
    weights, bias = logistic(vectors, is_limit, np.zeros(vectors.shape[1]))
    np.savez(LIMITS, weights=np.array([*weights, bias], dtype=np.float32))


def _of_answers() -> Iterator[tuple[str, bool]]:
    model, written = eval_model_answers, eval_written_answers
    answers = [
        *((a.text, a.evidence, a.labels) for a in model.answers() if a.half == model.LOOKED_AT),
        *((c.answer, c.evidence, None) for c in written.cases() if c.half == written.LOOKED_AT),
    ]
    for text, evidence, labels in answers:
        for sentence in cited_sentences(text, [chunk["chunk_id"] for chunk in evidence]):
            bare = sentence.bare.strip()
            is_right = labels is None or labels.get(sentence.text) == "supported"
            if states_a_limit(bare) and not sentence.cited:
                yield bare, True
            elif sentence.kind == "claim" and sentence.cited and is_right:
                yield bare, False


if __name__ == "__main__":
    main()
