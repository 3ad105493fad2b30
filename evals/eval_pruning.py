"""Does the pruned evidence that a chat model receives still contain the answer? Sentences marked by people, no key."""

from random import Random

from evals.intervals import share
from evals.tables import NotMeasured, Section, shared_data, table
from masis.reasoning.ports import Passage
from masis.reasoning.pruning import pruned
from training.sets import held_out, lines

TITLE = "Evidence pruned for a chat model"
KEPT = 3
"""Evidence is pruned to one character in this many."""
OPENING = 40
"""Characters that identify a sentence."""


def measure() -> Section:
    folder = shared_data("clapnq_dev")
    if folder is None:
        raise NotMeasured("the data set is not at ../shared/data")
    found: list[bool] = []
    others = [e["passages"][0]["text"] for e in lines(folder / "clapnq_dev_unanswerable.jsonl.gz")]
    for entry in lines(folder / "clapnq_dev_answerable.jsonl.gz"):
        if held_out(f"clapnq-{entry['id']}"):
            text = entry["passages"][0]["text"]
            marked = [s for s in entry["output"][0]["selected_sentences"] if s in text]
            left = _pruned(entry["input"], [text, *Random(entry["id"]).sample(others, 2)])
            found += [sentence[:OPENING] in left for sentence in marked]
    body = (
        "Questions of CLAPnq that nothing was trained on: the passage that answers and two that do not, pruned to a "
        "third of their characters. Sentences that people marked as the answer and that are still there."
    )
    rows = [["sentences of the answer that are left", len(found), share(found)]]
    return Section("pruning", TITLE, f"{body}\n\n{table(['', 'n', 'share'], rows)}")


def _pruned(question: str, texts: list[str]) -> str:
    passages = [Passage(f"c{n}", "article", 1, text) for n, text in enumerate(texts)]
    return "\n".join(p.text for p in pruned(question, passages, sum(map(len, texts)) // KEPT))
