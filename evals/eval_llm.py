"""The whole pipeline with a small real model behind the OpenAI-compatible path: what happened, not how good it was.

`python -m evals.eval_llm [N]` asks N questions of the sample and writes the section `llm` of docs/benchmarks.md.
"""

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.sample import SAMPLE, SampleQuestion, questions
from evals.small_model import NAME, is_installed, served
from evals.tables import Section, machine, table, write_sections
from masis import Masis, RunResult, Settings
from masis.reasoning.engines import clients_for
from masis.reasoning.llm.engine import LLMAuditor, LLMJudge, LLMWriter
from masis.settings import Role

QUESTIONS = 3
SECONDS = 600.0
"""No new question is begun after this long."""
WORKSPACE = "tolmerick"


@dataclass(frozen=True, slots=True)
class Asked:
    question: SampleQuestion
    result: RunResult
    seconds: float


def measure(count: int = QUESTIONS) -> Section:
    title = f"A real model on the wire ({NAME})"
    if not is_installed():
        return Section("llm", title, "Not measured: `make eval-llm` installs the model and measures.")
    with served() as address, tempfile.TemporaryDirectory() as home:
        settings = _settings(address, Path(home))
        clients = clients_for(settings)
        masis = Masis(
            settings,
            writer=LLMWriter(clients["writer"]),
            auditor=LLMAuditor(clients["auditor"]),
            judge=LLMJudge(clients["judge"]),
        )
        masis.ingest([SAMPLE], WORKSPACE)
        asked = _ask_all(masis, _spread(questions(), count))
        rungs = {role: client.rung for role, client in clients.items()}
        masis.close()
    return Section("llm", title, _body(asked, rungs))


def _settings(address: str, home: Path) -> Settings:
    return Settings(
        home=home,
        model_base_url=address,
        writer_model=NAME,
        auditor_model=NAME,
        judge_model=NAME,
        rate_limit_calls=1000,
        max_output_tokens=768,
        model_timeout_seconds=240,
        model_deadline_seconds=300,
        # Its window is small, and every token is read on one core.
        candidates=3,
        retry_candidates=4,
    )


def _spread(all_questions: Sequence[SampleQuestion], count: int) -> list[SampleQuestion]:
    """One of each type before a second of any."""
    seen: Counter[str] = Counter()
    ranked = []
    for number, question in enumerate(all_questions):
        ranked.append((seen[question.type], number, question))
        seen[question.type] += 1
    return [question for _, _, question in sorted(ranked, key=lambda r: r[:2])][:count]


def _ask_all(masis: Masis, chosen: Sequence[SampleQuestion]) -> list[Asked]:
    asked: list[Asked] = []
    begun = time.perf_counter()
    for number, question in enumerate(chosen, start=1):
        if time.perf_counter() - begun > SECONDS:
            print(f"stopped after {len(asked)} questions: {SECONDS:.0f} s are over", flush=True)
            break
        print(f"{number}/{len(chosen)} {question.question}", flush=True)
        started = time.perf_counter()
        result = masis.ask(question.question, WORKSPACE, max_retries=1, on_event=_show)
        asked.append(Asked(question, result, time.perf_counter() - started))
    return asked


def _show(event: dict[str, Any]) -> None:
    if event.get("event") == "finished":
        trace = event["trace"]
        told = trace.get("warning") or trace.get("decision") or trace.get("confidence") or ""
        print(f"    {event['agent']}: {trace.get('duration_ms', 0) / 1000:.1f} s {told}", flush=True)


def _body(asked: Sequence[Asked], rungs: Mapping[Role, str]) -> str:
    header = ["question", "outcome", "attempts", "verdicts", "citations that resolve", "errors", "tokens in/out", "s"]
    spoken = ", ".join(f"{role} {rung}" for role, rung in rungs.items() if role != "writer")
    calls, requests = (sum(a.result.metrics[key] for a in asked) for key in ("model_calls", "model_requests"))
    answered = sum(a.result.outcome.startswith("answered") for a in asked)
    return (
        f"{len(asked)} question(s) of the sample, asked through the OpenAI-compatible path of a model with 135 million "
        f"parameters ({machine()}, one thread fewer than cores). It is far too small to answer or to audit; "
        "the point is that every path ends, and that code does not let its words pass for an answer: "
        f"{answered} of {len(asked)} ended as answered.\n\n{table(header, [_row(a) for a in asked])}\n\n"
        f"Structured output ended on: {spoken}. Model calls {calls}, requests {requests} (more where a reply had to be "
        "asked for again). Not part of `make eval`; `make eval-llm N=…` asks more."
    )


def _row(asked: Asked) -> list[object]:
    result, metrics = asked.result, asked.result.metrics
    verdicts = Counter(claim["verdict"] for claim in result.claims if claim["verdict"])
    cited = [citation for claim in result.claims for citation in claim["citations"]]
    resolved = sum(citation["document_id"] is not None for citation in cited)
    errors = Counter(str(entry["warning"]) for entry in result.trace if entry.get("warning") or entry.get("error"))
    return [
        asked.question.question,
        result.outcome,
        metrics["iterations"],
        _counted(verdicts),
        f"{resolved} of {len(cited)}",
        _counted(errors),
        f"{metrics['input_tokens']:,} / {metrics['output_tokens']:,}",
        f"{asked.seconds:.0f}",
    ]


def _counted(counts: Counter[Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


if __name__ == "__main__":
    section = measure(int(sys.argv[1]) if len(sys.argv) > 1 else QUESTIONS)
    print(section.markdown)
    write_sections([section])
