"""The sample workspace: questions with the expected outcome, facts and documents."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "examples"
SAMPLE = EXAMPLES / "tolmerick"

Alternatives = list[str]


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    id: str
    type: str
    question: str
    expected_outcome: str
    facts: list[Alternatives]
    """Each must appear in the answer, in one of its wordings."""
    documents: list[Alternatives]

    def missing_facts(self, answer: str) -> list[Alternatives]:
        said = " ".join(answer.lower().split())
        return [fact for fact in self.facts if not any(wording.lower() in said for wording in fact)]

    def missing_documents(self, cited: set[str]) -> list[Alternatives]:
        return [names for names in self.documents if not cited & set(names)]


def questions() -> list[SampleQuestion]:
    lines = (EXAMPLES / "questions.jsonl").read_text().splitlines()
    return [_question(json.loads(line)) for line in lines]


def _question(entry: dict[str, Any]) -> SampleQuestion:
    return SampleQuestion(
        str(entry["id"]),
        str(entry["type"]),
        str(entry["question"]),
        str(entry["expected_outcome"]),
        [_alternatives(fact) for fact in entry["facts"]],
        [_alternatives(name) for name in entry["documents"]],
    )


def _alternatives(entry: str | list[str]) -> Alternatives:
    return [entry] if isinstance(entry, str) else entry
