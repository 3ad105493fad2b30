"""A chat model behind MASIS, beside the same model with bare retrieval, and beside no model at all.

    python -m evals.eval_llm [MODEL] [N]

MODEL is a GGUF file (served by llama.cpp on loopback), or NAME@ADDRESS of any OpenAI-compatible endpoint (the key comes
from OPENAI_API_KEY); without one the small model of `make eval-llm` shows that the wire works. N questions (20) each of
the sample, the articles and the filings; the section `llm` of docs/benchmarks.md is written.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.answer_data import WORKSPACE, AnswerSet, Posed, answer_sets, opened
from evals.answer_scoring import Scored, compared, scored
from evals.small_model import NAME, is_installed, served
from evals.tables import Section, machine, table, write_sections
from masis import Masis, Settings
from masis.audit.citations.extraction import is_abstention
from masis.reasoning.engines import clients_for
from masis.reasoning.llm.wire import Message
from masis.types import Usage

QUESTIONS = 20
SETS = ("Sample", "Articles", "Filings")
BARE_PASSAGES = 8
BARE = (
    "Answer the question from the passages below, in a few sentences. If they do not contain the answer, say that the"
    " documents do not say."
)
"""What thirty lines with LangChain or LlamaIndex would send, in one call."""


@dataclass(frozen=True, slots=True)
class Asked:
    score: Scored
    seconds: float
    calls: int = 0
    tokens: int = 0
    false_alarm: bool = False
    """A right answer of which the audit refuted a sentence, or that ended with a person."""


Answerer = Callable[[Posed], Asked]


def measure(model: str | None = None, count: int = QUESTIONS) -> Section:
    name = Path(model).stem if model and model.endswith(".gguf") else (model or NAME).split("@")[0]
    title = f"With a chat model ({name})"
    if model is None and not is_installed():
        return Section("llm", title, "Not measured: `make eval-llm` installs a small model and measures.")
    with _address(model) as address:
        chosen = [s for s in answer_sets(count) if s.name.split()[0] in SETS]
        rows = [row for answer_set in chosen for row in _rows(answer_set, name, address)]
    header = ["questions", "who answers", "right", "answered although nothing says it", "false alarms", "calls"]
    body = (
        f"{machine()}. Per question, medians: calls, tokens, seconds. A false alarm is a right answer that the audit"
        f" refuted in part or put to a person.\n\n{table([*header, 'tokens', 's'], rows)}"
    )
    return Section("llm", title, body)


@contextmanager
def _address(model: str | None) -> Iterator[str]:
    if model and "@" in model:
        yield model.split("@", 1)[1]
        return
    with served(Path(model) if model else None) as address:
        yield address


def _rows(answer_set: AnswerSet, name: str, address: str) -> list[list[object]]:
    plain = opened(answer_set)
    with_model = Masis(_settings(plain.settings.home, name, address))
    answerers: dict[str, Answerer] = {
        f"MASIS with {name}": lambda posed: _by_masis(with_model, posed),
        f"retrieval and {name}, one call": lambda posed: _bare(with_model, posed),
        "MASIS, no model": lambda posed: _by_masis(plain, posed),
    }
    rows = [_row(answer_set.name, who, _all(answer_set.posed, answer)) for who, answer in answerers.items()]
    with_model.close()
    plain.close()
    return rows


def _settings(home: Path, name: str, address: str) -> Settings:
    """Patient with a slow machine: what is measured is the answer."""
    return Settings(
        home=home,
        model_base_url=address,
        writer_model=name,
        auditor_model=name,
        judge_model=name,
        rate_limit_calls=1000,
        model_timeout_seconds=600,
        model_deadline_seconds=600,
        max_output_tokens=768,
    )


def _all(posed: Sequence[Posed], answer: Answerer) -> list[Asked]:
    asked = []
    for number, question in enumerate(posed, start=1):
        asked.append(answer(question))
        print(f"{number}/{len(posed)} {asked[-1].seconds:.0f} s {question.text[:80]}", flush=True)
    return asked


def _by_masis(masis: Masis, posed: Posed) -> Asked:
    started = time.perf_counter()
    result = masis.ask(posed.text, WORKSPACE)
    score = scored(posed, result)
    refuted = result.critique["hallucination_detected"] or result.requires_human_review
    right = compared(posed, result.answer).right
    tokens = result.metrics["input_tokens"] + result.metrics["output_tokens"]
    calls = result.metrics["model_requests"]
    alarmed = right and refuted
    return Asked(score, time.perf_counter() - started, calls, tokens, alarmed)


def _bare(masis: Masis, posed: Posed) -> Asked:
    started = time.perf_counter()
    passages = masis.search(posed.text, WORKSPACE, limit=BARE_PASSAGES)
    evidence = "\n\n".join(chunk["text"] for chunk in passages)
    prompt: list[Message] = [{"role": "user", "content": f"{BARE}\n\n{evidence}\n\nQuestion: {posed.text}"}]
    text, usage = asyncio.run(_completed(masis.settings, prompt))
    refused = is_abstention(text, [])
    score = compared(posed, "" if refused else text)
    return Asked(score, time.perf_counter() - started, usage.requests, usage.input_tokens + usage.output_tokens)


async def _completed(settings: Settings, prompt: list[Message]) -> tuple[str, Usage]:
    reply = await clients_for(settings)["writer"].complete(prompt)
    return reply.value, reply.usage


def _row(questions: str, who: str, asked: Sequence[Asked]) -> list[object]:
    answerable = [a for a in asked if a.score.answerable]
    unanswerable = [a for a in asked if not a.score.answerable]

    def median(of: Callable[[Asked], float]) -> str:
        return f"{statistics.median(map(of, asked)):,.0f}" if asked else ""

    def share(some: Sequence[Any], of: Sequence[Any]) -> str:
        return f"{len(some)} of {len(of)}" if of else "none asked"

    return [
        questions,
        who,
        share([a for a in answerable if a.score.right], answerable),
        share([a for a in unanswerable if a.score.answered], unanswerable),
        len([a for a in asked if a.false_alarm]),
        median(lambda a: a.calls),
        median(lambda a: a.tokens),
        median(lambda a: a.seconds),
    ]


if __name__ == "__main__":
    given = sys.argv[1:]
    asked_for = int(given.pop()) if given and given[-1].isdecimal() else QUESTIONS
    section = measure(given[0] if given else None, asked_for)
    print(section.markdown)
    write_sections([section])
