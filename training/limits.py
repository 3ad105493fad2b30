"""`python -m training.limits`: fits what tells a stated limit of the evidence from a claim, and writes its weights.

A logistic regression on the mean vector of the embedding model that installs with MASIS, from 1,000 sentences as a chat
model writes them (`limit_sentences.jsonl`). What it is worth on others is in docs/benchmarks.md (`python -m evals eval
limits`)."""

import json
from pathlib import Path

import numpy as np

from evals.strength_fit import logistic
from masis.embedded import LIMITS, sentence_vector

SENTENCES = Path(__file__).with_name("limit_sentences.jsonl")


def main() -> None:
    told = [json.loads(line) for line in SENTENCES.read_text().splitlines()]
    vectors = np.array([sentence_vector(each["sentence"]) for each in told])
    is_limit = np.array([each["label"] == "limit" for each in told], dtype=float)
    weights, bias = logistic(vectors, is_limit, np.zeros(vectors.shape[1]))
    np.savez(LIMITS, weights=np.array([*weights, bias], dtype=np.float32))


if __name__ == "__main__":
    main()
