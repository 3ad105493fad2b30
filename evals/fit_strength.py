"""`python -m evals.fit_strength`: fits the weights of masis.reasoning.offline.strength and prints them.

On the questions of CLAPnq dev that the reader was not trained on, all of them; evals.eval_silence fits on one half and
reports on the other.
"""

import asyncio
from dataclasses import fields

from evals.eval_silence import unread_questions
from evals.strength_fit import fitted, rates
from masis.reasoning.offline.strength import Features


def main() -> None:
    questions = asyncio.run(unread_questions())
    weights, bias = fitted(questions)
    named = zip(fields(Features), weights, strict=True)
    print(f"WEIGHTS = Features({', '.join(f'{field.name}={weight:.2f}' for field, weight in named)})")
    print(f"BIAS = {bias:.2f}")
    kept, refused = rates(questions, weights, bias)
    print(f"{len(questions)} questions, fitted on: kept {kept:.3f}, refused {refused:.3f}")


if __name__ == "__main__":
    main()
