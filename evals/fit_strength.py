"""`python -m evals.fit_strength`: fits the weights of masis.reasoning.offline.selection and prints them.

Fitted on the best statement for each question of evals.given_passages that may be inspected. The bias is then set by
hand: the auditor holds back a writer that answers too much, but nothing corrects one that answers too little.
"""

from dataclasses import astuple, fields

import numpy as np

from evals.fit_likelihood import fitted_on
from evals.given_passages import given, halves
from evals.strength_fit import logistic
from masis.language.question import parsed
from masis.reasoning.offline.selection import Features, candidates_of, strength, weighed

SIGNS = np.array([1, 1, 1, -1, -1])


def main() -> None:
    rows, labels = [], []
    for item in (one for one in halves(given(), 0) if one.set in fitted_on):
        read = weighed(parsed(item.question).parts[0], candidates_of(item.passages))
        if read:
            best, features = max(read, key=lambda pair: strength(pair[1]))
            rows.append(astuple(features))
            labels.append(float(item.is_right(best.statement.text)))
    weights, bias = logistic(np.array(rows), np.array(labels), SIGNS)
    named = ", ".join(f"{f.name}={w:.2f}" for f, w in zip(fields(Features), weights, strict=True))
    print(f"WEIGHTS = Features({named})\nBIAS = {bias:.2f}, of {len(rows)} questions")


if __name__ == "__main__":
    main()
