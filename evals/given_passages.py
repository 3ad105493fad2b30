"""Questions that come with their passages: measures the answer, or the silence, without a search.

SQuAD 2.0 (half of it, questions written to look answerable), CLAPnq dev (the part that no model of ours was trained
on), MTRAG-UN (half, questions that do not refer back), PolicyQA (a sample, answerable ones only), and excerpts and
whole documents that we wrote ourselves, which are searched. A hash of the question's id splits the set: one half may
be inspected and fitted on, the other is reported.
"""

import asyncio
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evals.answer_data import CACHE
from evals.tables import shared_data
from masis import Masis, Settings
from masis.language.question_patterns import REFERS_BACK
from masis.language.words import content_stems, words
from masis.orchestrator.evidence import select_evidence
from masis.reasoning.ports import Passage, as_passage
from training.candidates import written_documents
from training.figures import hash_half
from training.selections import SelectionExample, held_out_here
from training.sets import held_out, lines
from training.written import own_questions

SEED = 4
POLICIES_ASKED = 300
ASKED_OF_EACH = 4
"""Questions per excerpt."""
ASKED_OF_A_DOCUMENT = 6
DOZEN = 12
"""Excerpts or documents per workspace."""


@dataclass(frozen=True, slots=True)
class Given:
    set: str
    key: str
    question: str
    passages: tuple[Passage, ...]
    gold: tuple[str, ...]
    """Wordings, one of which must be in the answer; empty if the passages do not answer."""
    whole: bool = True
    """Whether all words of the wording must occur in sequence; otherwise half of them, in any order."""

    @property
    def half(self) -> int:
        return hash_half(self.key)

    def is_right(self, answer: str) -> bool:
        return any(self._holds(answer, wording) for wording in self.gold)

    def _holds(self, answer: str, wording: str) -> bool:
        if self.whole:
            return f" {' '.join(words(wording))} " in f" {' '.join(words(answer))} "
        wanted = set(content_stems(wording))
        return bool(wanted) and len(wanted & set(content_stems(answer))) >= 0.5 * len(wanted)


@cache
def given() -> list[Given]:
    """From the sets that are next to the repository. The search for our own takes minutes."""
    makers = {"squad2_half": _squad, "clapnq_dev": _clapnq, "mtrag_un_half": _mtrag, "policyqa_dev": _policies}
    public = [one for name, make in makers.items() if (data := shared_data(name)) for one in make(data)]
    return [*public, *_own(), *_documents()]


def _squad(data: Path) -> Iterator[Given]:
    for entry in lines(data / "questions.jsonl.gz"):
        if not held_out_here(f"squad2-{sha256(entry['context'].encode()).hexdigest()[:12]}"):
            continue
        gold = () if entry["is_impossible"] else tuple(entry["answers"])
        yield Given("SQuAD 2.0", entry["id"], entry["question"], (_passage(0, "", entry["context"]),), gold)


def _clapnq(data: Path) -> Iterator[Given]:
    for name in ("clapnq_dev_answerable.jsonl.gz", "clapnq_dev_unanswerable.jsonl.gz"):
        for entry in lines(data / name):
            if not held_out(f"clapnq-{entry['id']}"):
                continue
            passages = tuple(_passage(n, p["title"], p["text"]) for n, p in enumerate(entry["passages"]))
            gold = [s for one in entry["output"] for s in one.get("selected_sentences") or []]
            answerable = "unanswerable" not in name
            yield Given("CLAPnq", str(entry["id"]), entry["input"], passages, tuple(gold) if answerable else (), False)


def _mtrag(data: Path) -> Iterator[Given]:
    """Unanswerable questions come without passages and get those of the next conversation on the same subject."""
    entries = [e for e in lines(data / "tasks.jsonl.gz") if not REFERS_BACK.search(e["input"][-1]["text"])]
    contexts = {e["Collection"]: e["contexts"] for e in entries if e["contexts"]}
    for entry in entries:
        kind = entry["answerability"][0]
        found = entry["contexts"] or contexts[entry["Collection"]]
        if kind not in ("ANSWERABLE", "UNANSWERABLE") or was_read(entry):
            continue
        passages = tuple(_passage(n, c.get("title") or "", c["text"]) for n, c in enumerate(found))
        gold = (entry["targets"][0]["text"],) if kind == "ANSWERABLE" else ()
        yield Given("MTRAG", entry["task_id"], entry["input"][-1]["text"], passages, gold, False)


def was_read(entry: dict[str, Any]) -> bool:
    """Whether it was used in training, which took the first question of each conversation."""
    return len(entry["input"]) == 1 and not held_out(f"mtrag-{entry['conversation_id']}")


def _policies(data: Path) -> Iterator[Given]:
    entries = lines(data / "questions.jsonl.gz")
    for number, entry in enumerate(random.Random(SEED).sample(entries, POLICIES_ASKED)):
        gold = tuple(answer["text"] for answer in entry["answers"])
        passage = _passage(0, entry["document"], entry["context"])
        yield Given("PolicyQA", f"{entry['document']}-{number}", entry["question"], (passage,), gold, False)


def _own() -> list[Given]:
    """Excerpts of business documents that we wrote, those that no model was trained on: a dozen per workspace, with the
    search results for each question."""
    by_group: dict[str, list[SelectionExample]] = defaultdict(list)
    for example in own_questions():
        if held_out(example.group):
            by_group[example.group].append(example)
    groups = sorted(by_group)
    random.Random(SEED).shuffle(groups)
    with searched_in({group: by_group[group][0].passage for group in groups}) as search:
        return [_searched(f"{g}-{n}", e, search(g, e.question)) for g in groups for n, e in _some(by_group[g])]


def _some(examples: Sequence[SelectionExample]) -> list[tuple[int, SelectionExample]]:
    return sorted(random.Random(SEED).sample(list(enumerate(examples)), min(ASKED_OF_EACH, len(examples))))


def _searched(key: str, example: SelectionExample, passages: Sequence[Passage]) -> Given:
    gold = tuple(example.passage[a:b] for a, b in example.marks or ())
    return Given("business excerpts", key, example.question, tuple(passages), gold, False)


def _documents() -> list[Given]:
    """Whole documents that we wrote, those that no model was trained on, searched in the same way."""
    documents = sorted((d for d in written_documents() if held_out(d.group)), key=lambda d: d.group)
    random.Random(SEED).shuffle(documents)
    with searched_in({d.group: d.text for d in documents}) as search:
        return [
            Given("whole documents", f"{d.group}-{n}", asked, tuple(search(d.group, asked)), said, False)
            for d in documents
            for n, (asked, said) in random.Random(SEED).sample([*enumerate(d.questions)], ASKED_OF_A_DOCUMENT)
        ]


@contextmanager
def searched_in(texts: Mapping[str, str]) -> Iterator[Callable[[str, str], list[Passage]]]:
    """A search in the workspace of a text, as in a retry. The library is made once."""
    workspaces = {group: f"texts-{number // DOZEN}" for number, group in enumerate(texts)}
    with Masis(Settings(home=CACHE / sha256("".join(texts.values()).encode()).hexdigest()[:12])) as masis:
        known = {workspace.workspace_id for workspace in masis.workspaces()}
        for workspace in dict.fromkeys(workspaces.values()):
            if workspace not in known:
                _ingest(masis, workspace, {g: t for g, t in texts.items() if workspaces[g] == workspace})
        least, limit = Settings().retry_relevance_threshold, Settings().retry_candidates

        def search(group: str, question: str) -> list[Passage]:
            searched = masis.library.search(workspaces[group], question, limit, at_least=least)
            found = asyncio.run(searched)
            chosen = select_evidence(question, [*found.candidates, *found.further], least, limit)
            return [as_passage(chunk) for chunk in chosen]

        yield search


def _ingest(masis: Masis, workspace: str, texts: Mapping[str, str]) -> None:
    with TemporaryDirectory() as folder:
        for group, text in texts.items():
            title = re.sub(r"\W+", "-", text.partition("\n")[0][:50]).strip("-").lower()
            (Path(folder) / f"{group}-{title}.md").write_text(text)
        masis.ingest([folder], workspace)


def _passage(number: int, title: str, text: str) -> Passage:
    return Passage(f"c{number + 1:010}", title or "passage.txt", 1, text, title or None)


def halves(items: Sequence[Given], half: int) -> list[Given]:
    return [item for item in items if item.half == half]
