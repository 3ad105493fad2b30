"""Is a sentence a claim, or does it state what the evidence lacks? Sentences of a chat model that were not trained
on."""

import json
from collections.abc import Callable
from pathlib import Path

from evals.intervals import share
from evals.tables import Section, table
from masis.audit.citations.hedges import READS_AS_A_LIMIT, reads_as_a_limit, states_a_limit
from masis.embedded import limit_share
from masis.language.words import is_negated

TITLE = "Limits of the evidence, in a chat model's words"
LABELS = ("limit", "claim")
HEADER = ("", "sentences", "limits found", "claims taken for limits")
SENTENCES = Path(__file__).with_name("limit_sentences.jsonl")


def _either(sentence: str) -> bool:
    return states_a_limit(sentence) or reads_as_a_limit(sentence)


WAYS: dict[str, Callable[[str], bool]] = {
    "always a claim": lambda sentence: False,
    "has a negation": is_negated,
    "learnt alone": lambda sentence: limit_share(sentence) >= READS_AS_A_LIMIT,
    "patterns": states_a_limit,
    "patterns or learnt": _either,
}


def measure() -> Section:
    told = [json.loads(line) for line in SENTENCES.read_text().splitlines()]
    body = (
        f"{len(told)} sentences for some sixty questions and documents, by another writer than those that the "
        "weights were fitted on (`training/limits.py`): limits that are found, and claims, half of them negative or "
        "mixed with a limit, that are taken for limits. What is learnt counts where a sentence cites nothing."
    )
    groups = {"all": told, "that cite nothing": [each for each in told if "[" not in each["sentence"]]}
    rows = [
        [name, which, *(share([found(e["sentence"]) for e in group if e["label"] == label]) for label in LABELS)]
        for which, group in groups.items()
        for name, found in WAYS.items()
    ]
    return Section("limits", TITLE, f"{body}\n\n{table(HEADER, rows)}")
