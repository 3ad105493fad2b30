"""The cost of proving an answer: claims verified per second, and the audit's share of a run. No tokens: it is code."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from evals.planted_sources import Finished, human_answers
from evals.sample import SAMPLE, questions
from evals.tables import Section, machine, table
from masis import Masis, RunResult, Settings
from masis.audit.checks.second_opinion import SecondOpinion
from masis.audit.verdicts import judge_claims
from masis.reasoning.offline.verifier import second_opinion

AUDITING = ("critic", "evaluator")
ASKED = 12
ANSWERS = 60


def measure() -> Section:
    results = _runs()
    rows: list[list[object]] = [
        ["sample index, our answers", *_speed([Finished("", r.answer, r.evidence) for r in results], None)],
        ["CLAPnq, people's answers", *_speed(human_answers()[:ANSWERS], None)],
    ]
    rows.append(["CLAPnq, with the verifier", *_speed(human_answers()[:ANSWERS], second_opinion)])
    body = (
        "Each answer is judged once by code; the passages of the sample were read in the run before, those of CLAPnq "
        f"never. {machine()}. Tokens spent: 0.\n\n"
        f"{table(['answers', 'sentences', 'claims', 'claims per second', 'ms per claim'], rows)}\n\n"
        f"{_share_of_a_run(results)}"
    )
    return Section("audit-speed", "Speed of the audit", body)


def _runs() -> list[RunResult]:
    with tempfile.TemporaryDirectory() as home:
        masis = Masis(Settings(home=Path(home)))
        masis.ingest([SAMPLE], "tolmerick")
        asked = [q for q in questions() if q.expected_outcome == "answered"][:ASKED]
        results = [masis.ask(q.question, "tolmerick") for q in asked]
        masis.close()
    return results


def _speed(answers: Sequence[Finished], second_reader: SecondOpinion | None) -> list[object]:
    sentences = parts = 0
    started = time.perf_counter()
    for answer in answers:
        judged = [c for c in judge_claims(answer.answer, answer.evidence, second_reader) if c["verdict"]]
        sentences += len(judged)
        parts += sum(max(1, len(claim.get("parts", []))) for claim in judged)
    spent = time.perf_counter() - started
    return [sentences, parts, f"{parts / spent:.0f}", f"{1000 * spent / parts:.1f}"] if parts else [0, 0, "", ""]


def _share_of_a_run(results: Sequence[RunResult]) -> str:
    spent: dict[str, float] = {}
    for result in results:
        for entry in result.trace:
            spent[entry["node"]] = spent.get(entry["node"], 0.0) + float(entry.get("duration_ms", 0.0))
    total = sum(spent.values())
    audit = sum(spent.get(agent, 0.0) for agent in AUDITING)
    shares = ", ".join(f"{agent} {spent[agent] / total:.1%}" for agent in spent if spent[agent])
    return (
        f"Critic and Evaluator take {audit / total:.1%} of the agents' time in {len(results)} runs of the sample "
        f"({audit / len(results):.0f} ms of {total / len(results):.0f} ms a run): {shares}."
    )
