"""Answers in a strong chat model's manner over passages of many kinds, all right, and one wrong word in each.

    python -m evals.eval_written_answers [KIND …]      # what of the cases looked at is refuted, and missed, and why

All cases but those marked `held_out` were looked at while the audit was built; the figures are of the marked ones.
"""

import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest.mock import patch

from evals.evidence import as_evidence
from evals.intervals import share
from evals.support_memory import remembered_opinion
from evals.tables import Section, table
from masis.audit.checks import support
from masis.audit.checks.support import CHECKS, REFUTED
from masis.audit.verdicts import judge_claims
from masis.types import Claim, EvidenceChunk

CASES = Path(__file__).with_name("written_answers.toml")
TITLE = "Answers in a chat model's manner, audited"
LOOKED_AT, REPORTED = 0, 1
FIGURES = ("number", "derived", "row", "column", "swap", "scale", "unit")


@dataclass(frozen=True)
class Case:
    question: str
    answer: str
    evidence: tuple[EvidenceChunk, ...]
    wrong: tuple[tuple[str, str, str], ...]
    """The kind of error, words of the answer, the words instead."""
    half: int


@cache
def cases() -> tuple[Case, ...]:
    listed = tomllib.loads(CASES.read_text())["case"]
    return tuple(_case(f"{number:04}", entry) for number, entry in enumerate(listed))


def _case(name: str, entry: dict[str, object]) -> Case:
    passages: list[dict[str, str]] = entry["passages"]  # type: ignore[assignment]
    ids = {f"[{at}]": f"c{name}{at:06}" for at in range(1, len(passages) + 1)}
    evidence = [_passage(p, i) for p, i in zip(passages, ids.values(), strict=True)]

    def cited(text: str) -> str:
        for mark, chunk_id in ids.items():
            text = text.replace(mark, f"[{chunk_id}]")
        return text

    changes = tuple((kind, cited(old), cited(new)) for kind, old, new in entry["wrong"])  # type: ignore[attr-defined]
    return Case(
        str(entry["question"]),
        cited(str(entry["answer"]).strip()),
        tuple(evidence),
        changes,
        REPORTED if entry.get("held_out") else LOOKED_AT,
    )


def _passage(entry: dict[str, str], chunk_id: str) -> EvidenceChunk:
    made = as_evidence(entry["text"].strip(), chunk_id, entry["file"], entry["file"])
    return {**made, "heading": entry["heading"], "date": entry.get("date")}


def audited(answer: str, case: Case) -> list[Claim]:
    return judge_claims(answer, case.evidence, remembered_opinion, (), case.question)


@dataclass(frozen=True, slots=True)
class Changed:
    kind: str
    old: str
    new: str
    claims: Sequence[Claim]
    """Those of the wrong answer that the right one does not have."""

    @property
    def caught(self) -> bool:
        return any(claim["verdict"] in REFUTED for claim in self.claims)

    @property
    def passed(self) -> bool:
        return all(claim["verdict"] in ("supported", "verbatim") for claim in self.claims)


def right_claims(half: int) -> list[list[Claim]]:
    return [audited(case.answer, case) for case in cases() if case.half == half]


def wrong_claims(half: int) -> Iterator[Changed]:
    for case in (c for c in cases() if c.half == half):
        right = {claim["text"] for claim in audited(case.answer, case)}
        for kind, old, new in case.wrong:
            claims = audited(case.answer.replace(old, new), case)
            yield Changed(kind, old, new, [c for c in claims if c["text"] not in right])


def measure() -> Section:
    body = (
        "Written by hand in the manner of a strong chat model from MASIS's prompts: every claim is right, paraphrased, "
        "derived, rounded or merged from several rows; then one thing is changed. Code and embedded verifier, no key; "
        "what the verifier alone refutes is left open where a chat model audits and does not object. "
        "Cases that were written last; before they were looked at, code refuted 2 of their 32 right claims. "
        "95 % intervals."
        f"\n\n{_alarms(REPORTED)}\n\n{_caught(REPORTED)}"
    )
    return Section("written-answers", TITLE, body)


def _alarms(half: int) -> str:
    answers = right_claims(half)
    claims = [c for answer in answers for c in answer if c["verdict"]]
    by_answer = [any(c["verdict"] in REFUTED for c in answer) for answer in answers]
    rows: list[list[object]] = [
        ["right claims, refuted by code", len(claims), share([_by_code(c) for c in claims])],
        ["answers with such a claim", len(answers), share([any(map(_by_code, answer)) for answer in answers])],
        ["right claims, refuted by code or verifier", len(claims), share([c["verdict"] in REFUTED for c in claims])],
        ["answers with such a claim", len(answers), share(by_answer)],
        ["right claims, unverified", len(claims), share([c["verdict"] == "unverified" for c in claims])],
        ["right claims or limits, taken for uncited", len(claims), share([c["verdict"] == "uncited" for c in claims])],
    ]
    return table(["", "n", "share"], rows)


def _caught(half: int) -> str:
    found = list(wrong_claims(half))
    kinds = list(dict.fromkeys(one.kind for one in found))
    groups = {kind: [kind] for kind in kinds} | {
        "all figures": FIGURES,
        "all others": [kind for kind in kinds if kind not in FIGURES],
    }
    rows = []
    for name, members in groups.items():
        mine = [one for one in found if one.kind in members]
        rows.append([name, len(mine), share([m.caught for m in mine]), share([not m.passed for m in mine])])
    return table(["changed", "n", "refuted", "refuted or unverified"], rows)


def _by_check(half: int) -> str:
    """Each check alone: what it refutes of the right claims and of the wrong ones, with nobody else asked."""
    rows: list[list[object]] = []
    for check in CHECKS:
        with (
            patch.object(support, "CHECKS", (check,)),
            patch.object(support.first_refutation, "__defaults__", ((check,),)),
        ):
            right = [c for a in right_claims(half) for c in a if _by_code(c)]
            wrong = [one for one in wrong_claims(half) if any(_by_code(c) for c in one.claims)]
        rows.append([check.__name__, len(right), len(wrong)])
    return table(["check", "right claims refuted", "wrong ones"], rows)


def _by_code(claim: Claim) -> bool:
    return claim["verdict"] in REFUTED and claim.get("checked_by") == "code"


def _look(kinds: Sequence[str]) -> None:
    print(_alarms(LOOKED_AT), _caught(LOOKED_AT), sep="\n\n")
    for answer in right_claims(LOOKED_AT):
        for c in answer:
            if c["verdict"] in REFUTED or c["verdict"] in ("uncited", "unverified"):
                print(f"\n{str(c['verdict']).upper()} ({c['reason']}, {c.get('checked_by')})\n   {c['text']}")
    for one in wrong_claims(LOOKED_AT):
        if not one.caught and one.kind in kinds:
            print(f"\nMISSED {one.kind}: {one.old} → {one.new}")
            for c in one.claims:
                print(f"   {c['verdict']} ({c['reason']}) {c['text']}")


if __name__ == "__main__":
    if sys.argv[1:] == ["checks"]:
        print(_by_check(LOOKED_AT))
    else:
        _look(sys.argv[1:])
