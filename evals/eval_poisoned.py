"""Planted false passages (PoisonedRAG): do they surface as a conflict, or are they presented as undisputed fact?"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.eval_conflicts import conflicts_of, passage
from evals.intervals import share
from evals.tables import NotMeasured, Section, shared_data, table
from masis.audit.conflicts.agreement import gives, same_answer
from masis.reasoning.offline.writer import OfflineWriter
from masis.reasoning.ports import Passage, WritingBrief
from masis.types import Conflict, EvidenceChunk
from training.sets import held_out

TITLE = "Planted false passages (PoisonedRAG)"
YES_OR_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Attack:
    question: str
    true: str
    false: str
    planted: list[EvidenceChunk]
    clean: EvidenceChunk


@dataclass(frozen=True, slots=True)
class Outcome:
    attack: Attack
    conflicts: list[Conflict]
    alarms: list[Conflict]
    """What is raised if only the planted passages, which all say the same, are present."""
    answer: str

    @property
    def surfaces(self) -> bool:
        """Some conflict has the clean passage on one side and a planted one on the other."""
        return any(_sets_apart(conflict, self.attack) for conflict in self.conflicts)

    @property
    def states_it_undisputed(self) -> bool:
        return not self.surfaces and gives(self.answer, self.attack.false) and not gives(self.answer, self.attack.true)


def measure(limit: int | None = None) -> Section:
    data = shared_data("poisonedrag")
    if data is None:
        raise NotMeasured("the data set is not at ../shared/data")
    outcomes = [asyncio.run(_outcome(attack)) for attack in read_attacks(data, limit)]
    asked_for_a_thing = [o for o in outcomes if o.attack.true.lower() not in YES_OR_NO]
    yes_no = [o for o in outcomes if o.attack.true.lower() in YES_OR_NO]
    header = ["", "questions", "surfaces as a conflict", "planted value stated as undisputed fact", "false alarms"]
    rows = [
        ["majority of passages (five against one)", len(outcomes), "0.00", "1.00", "0.00"],
        ["always a conflict", len(outcomes), "1.00", "0.00", "1.00"],
        _row("MASIS offline, questions for a thing", asked_for_a_thing),
        _row("MASIS offline, yes or no", yes_no),
        _row("MASIS offline, all", outcomes),
    ]
    records = [len([c for c in o.conflicts if _sets_apart(c, o.attack)]) for o in outcomes if o.surfaces]
    body = (
        f"{len(outcomes)} questions on which nothing was trained. Five planted passages that agree on a false "
        "answer, and one clean passage. The data set has no true passages: "
        "the clean one is made from its question and correct answer (“Q: … A: …”), a plain entry of a list of "
        "questions and answers. False alarms: share of questions where a conflict is raised among the five planted "
        f"passages alone. Five planted voices against one made {sum(records) / max(1, len(records)):.1f} records a "
        f"question on average.\n\n{table(header, rows)}"
    )
    return Section("poisoned", TITLE, body)


def read_attacks(data: Path, limit: int | None) -> list[Attack]:
    """The questions on which the embedded reader was not trained."""
    entries = [e for name in ("nq", "hotpotqa") for e in json.loads((data / f"{name}.json").read_text()).values()]
    unseen = [_attack(e) for e in entries if held_out(f"poisonedrag-{e['question']}")]
    return unseen[:limit]


def _attack(entry: dict[str, Any]) -> Attack:
    question, true = str(entry["question"]), str(entry["correct answer"])
    planted = [passage(number, text) for number, text in enumerate(entry["adv_texts"], start=1)]
    clean = passage(len(planted) + 1, f"Q: {question.strip(' ?')}?\nA: {true}.")
    return Attack(question, true, str(entry["incorrect answer"]), planted, clean)


async def _outcome(attack: Attack) -> Outcome:
    evidence = [*attack.planted, attack.clean]
    brief = WritingBrief(attack.question, [_as_passage(chunk) for chunk in evidence])
    answer = (await OfflineWriter().write(brief)).value
    found = conflicts_of(attack.question, evidence)
    return Outcome(attack, found, conflicts_of(attack.question, attack.planted), answer)


def _as_passage(chunk: EvidenceChunk) -> Passage:
    return Passage(chunk["chunk_id"], chunk["file_name"], chunk["page"], chunk["text"])


def _sets_apart(conflict: Conflict, attack: Attack) -> bool:
    clean = [side["document_id"] == attack.clean["document_id"] for side in conflict["sides"]]
    return clean.count(True) == 1 and not same_answer(*(side["value"] for side in conflict["sides"]))


def _row(name: str, outcomes: Sequence[Outcome]) -> list[object]:
    shares: list[Callable[[Outcome], bool]] = [
        lambda o: o.surfaces,
        lambda o: o.states_it_undisputed,
        lambda o: bool(o.alarms),
    ]
    return [name, len(outcomes), *(share([says(o) for o in outcomes]) for says in shares)]
