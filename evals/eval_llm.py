"""A chat model behind MASIS, beside the same model with bare retrieval, and beside no model at all.

    python -m evals.eval_llm [MODEL] [N]

MODEL is a GGUF file (served by llama.cpp on loopback), or NAME@ADDRESS of any OpenAI-compatible endpoint (the key comes
from OPENAI_API_KEY); without one the small model of `make eval-llm` shows that the wire works. N questions (20) each of
the sample, the articles and the filings, two of three with an answer in the documents. The model gets the roles that
`masis doctor` finds it fit for. Every answer is stored under .cache/llm at once: a run that was stopped resumes, and a
larger N adds to a smaller one. The section `llm` of docs/benchmarks.md is written.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from evals.answer_data import SEED, WORKSPACE, AnswerSet, Posed, answer_sets, filing_sets
from evals.answer_scoring import compared, scored
from evals.small_model import NAME, is_installed, served
from evals.tables import PAGE, NotMeasured, Section, machine, table, update_page
from masis import Masis, Settings
from masis.audit.citations.extraction import is_abstention
from masis.errors import ModelTruncated, ModelUnavailable
from masis.reasoning.engines import clients_for
from masis.reasoning.llm.fitness import cannot_fill, cannot_write_plainly, keep, tells_yes_from_no
from masis.reasoning.llm.wire import Message
from masis.settings import ROLES, Role
from masis.types import Usage

QUESTIONS = 20
PATIENCE_SECONDS = 1800
"""A model that reads 5,000 tokens on one busy core is silent for minutes."""
CACHE = PAGE.parent.parent / ".cache" / "llm"
BARE_PASSAGES = 8
BARE = (
    "Answer the question from the passages below, in a few sentences. If they do not contain the answer, say that the"
    " documents do not say."
)
"""What thirty lines with LangChain or LlamaIndex would send, in one call."""
MASIS_WITH, ALONE, NO_MODEL = "MASIS with {}", "retrieval and {}, one call", "MASIS, no model"


@dataclass(frozen=True, slots=True)
class Asked:
    answerable: bool
    answered: bool
    right: bool
    seconds: float
    calls: int = 0
    tokens: int = 0
    false_alarm: bool = False
    """A right answer in which the audit refuted a sentence, or that ended with a person."""
    text: str = ""


Answerer = Callable[[Posed], Asked]


def measure(model: str | None = None, count: int = QUESTIONS) -> Section:
    name = Path(model).stem if model and model.endswith(".gguf") else (model or NAME).split("@")[0]
    title = f"With a chat model ({name})"
    if model is None and not is_installed():
        raise NotMeasured("there is no model; `make eval-llm` installs a small one")
    with _address(model) as address:
        roles = _roles(name, address)
        rows = [row for answer_set in _sets(count) for row in _rows(answer_set, name, address, roles)]
    header = ["questions", "who answers", "right", "refused although answerable", "answered although nothing says it"]
    body = (
        f"{machine()}. Per question, medians: calls, tokens, seconds. A false alarm is a right answer that the audit"
        f" refuted in part or put to a person. {_played(name, roles)}\n\n"
        f"{table([*header, 'false alarms', 'calls', 'tokens', 's'], rows)}"
    )
    return Section("llm", title, body)


def _sets(count: int) -> list[AnswerSet]:
    """Two of three questions have an answer. The questions of a smaller number are the first ones of a larger."""
    known = {s.name.split()[0]: s for s in answer_sets()}
    filings = filing_sets()
    if filings:
        posed = [p for s in filings for p in s.posed]
        known["Filings"] = AnswerSet("Filings (SEC 10-Q)", posed, filings[0].write_documents)
    # The sample, on which the engine was built, says least and comes last.
    ordered = sorted(known.values(), key=lambda s: s.name.startswith("Sample"))
    return [AnswerSet(s.name, _drawn(s.posed, count), s.write_documents) for s in ordered]


def _drawn(posed: Sequence[Posed], count: int) -> list[Posed]:
    answerable, others = ([p for p in posed if p.answerable is wanted] for wanted in (True, False))
    for some in (answerable, others):
        Random(SEED).shuffle(some)
    silent = min(count // 3, len(others))
    return [*answerable[: count - silent], *others[:silent]]


@dataclass(frozen=True, slots=True)
class Roles:
    unfit: dict[Role, str | None]
    """For each role, why the model is unfit; None if it is fit."""
    by_word: bool
    """Whether it can tell yes from no as an auditor."""
    plainly: bool = False
    """Whether it gets the short prompt as a writer."""


def _roles(name: str, address: str) -> Roles:
    """What `masis doctor` says of the model."""
    file = CACHE / name / "roles.json"
    if not file.exists():
        settings = _settings(CACHE / name, name, address)
        found: dict[Role, str | None] = {}
        for role in ROLES:
            started = time.perf_counter()
            try:
                found[role] = asyncio.run(cannot_fill(role, clients_for(settings)[role]))
            except ModelUnavailable as error:
                found[role] = f"{error}"
            print(f"{role}: {found[role] or 'fit'}, {time.perf_counter() - started:.0f} s", flush=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        by_word = bool(found["auditor"]) and asyncio.run(tells_yes_from_no(clients_for(settings)["auditor"]))
        is_small = bool(found["writer"] or found["auditor"])
        plainly = is_small and asyncio.run(cannot_write_plainly(clients_for(settings)["writer"])) is None
        unfit = found | ({"writer": None} if plainly else {})
        file.write_text(json.dumps({"unfit": unfit, "by_word": by_word, "plainly": plainly}))
    return Roles(**json.loads(file.read_text()))


def _played(name: str, roles: Roles) -> str:
    fit = ", ".join(role for role, reason in roles.unfit.items() if reason is None) or "no role"
    unfit = "".join(f"; not {role}: {reason}" for role, reason in roles.unfit.items() if reason)
    unfit += "; it audits doubtful sentences by yes or no" if roles.by_word else ""
    unfit += "; it writes by the short prompt" if roles.plainly else ""
    return f"As `masis doctor` found, {name} fills: {fit}{unfit}."


@contextmanager
def _address(model: str | None) -> Iterator[str]:
    if model and "@" in model:
        yield model.split("@", 1)[1]
        return
    with served(Path(model) if model else None) as address:
        yield address


def _rows(answer_set: AnswerSet, name: str, address: str, roles: Roles) -> list[list[object]]:
    plain = _opened(answer_set, name)
    settings = _settings(plain.settings.home, name, address)
    keep(settings, roles.unfit, by_word=roles.by_word, plainly=roles.plainly)
    with_model = Masis(settings)
    answerers: dict[str, Answerer] = {
        MASIS_WITH: lambda posed: _by_masis(with_model, posed),
        ALONE: lambda posed: _bare(with_model, posed),
        NO_MODEL: lambda posed: _by_masis(plain, posed),
    }
    store = Store(plain.settings.home.parent / "answers.jsonl")
    # Question by question, so that a stopped run has whole rows.
    for number, posed in enumerate(answer_set.posed, start=1):
        for who, answer in answerers.items():
            is_new = store.answered(who, posed, answer)
            if is_new:
                asked = store.known[who, posed.text]
                said = f"{asked.seconds:.0f} s, {asked.calls} calls, right {asked.right}, answered {asked.answered}"
                print(f"{answer_set.name} {number}/{len(answer_set.posed)} {who.format(name)}: {said}", flush=True)
    with_model.close()
    plain.close()
    found = {who: [store.known[who, posed.text] for posed in answer_set.posed] for who in answerers}
    return [_row(answer_set.name, who.format(name), asked) for who, asked in found.items()]


class Store:
    """Every answer, saved to disk at once."""

    def __init__(self, file: Path) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        entries = [json.loads(line) for line in lines if line.endswith("}")]
        self.known = {(e["who"], e["question"]): Asked(**e["asked"]) for e in entries}

    def answered(self, who: str, posed: Posed, answer: Answerer) -> bool:
        if (who, posed.text) in self.known:
            return False
        asked = self.known[who, posed.text] = answer(posed)
        with self._file.open("a", encoding="utf-8") as file:
            entry = {"who": who, "question": posed.text, "asked": asdict(asked)}
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        return True


def _opened(answer_set: AnswerSet, name: str) -> Masis:
    """A separate library, because that of the other evaluations is read again whenever the parsers change."""
    home = CACHE / name / answer_set.name.split()[0].lower() / "home"
    masis = Masis(Settings(home=home))
    if not (home / "complete").exists():
        if not (home / "documents").exists():
            answer_set.write_documents(home / "documents")
        masis.ingest([home / "documents"], WORKSPACE)
        (home / "complete").touch()
    return masis


def _settings(home: Path, name: str, address: str) -> Settings:
    """Patient with a slow machine, because the answer is measured and not the speed."""
    return Settings(
        home=home,
        model_base_url=address,
        writer_model=name,
        auditor_model=name,
        judge_model=name,
        rate_limit_calls=1000,
        model_timeout_seconds=PATIENCE_SECONDS,
        model_deadline_seconds=PATIENCE_SECONDS,
        max_output_tokens=768,
    )


def _by_masis(masis: Masis, posed: Posed) -> Asked:
    started = time.perf_counter()
    result = masis.ask(posed.text, WORKSPACE)
    score = scored(posed, result)
    refuted = result.critique["hallucination_detected"] or result.requires_human_review
    alarmed = posed.answerable and refuted and compared(posed, result.answer).right
    tokens = result.metrics["input_tokens"] + result.metrics["output_tokens"]
    calls, seconds = result.metrics["model_requests"], time.perf_counter() - started
    return Asked(posed.answerable, score.answered, score.right, seconds, calls, tokens, alarmed, result.answer)


def _bare(masis: Masis, posed: Posed) -> Asked:
    started = time.perf_counter()
    passages = masis.search(posed.text, WORKSPACE, limit=BARE_PASSAGES)
    evidence = "\n\n".join(chunk["text"] for chunk in passages)
    prompt: list[Message] = [{"role": "user", "content": f"{BARE}\n\n{evidence}\n\nQuestion: {posed.text}"}]
    text, usage = asyncio.run(_completed(masis.settings, prompt))
    refused = is_abstention(text, [])
    right = compared(posed, "" if refused else text).right
    tokens, seconds = usage.input_tokens + usage.output_tokens, time.perf_counter() - started
    return Asked(posed.answerable, not refused, right, seconds, usage.requests, tokens, text=text)


async def _completed(settings: Settings, prompt: list[Message]) -> tuple[str, Usage]:
    try:
        reply = await clients_for(settings)["writer"].complete(prompt)
    except ModelTruncated as error:
        return error.said, error.usage  # what a user would see
    return reply.value, reply.usage


def _row(questions: str, who: str, asked: Sequence[Asked]) -> list[object]:
    answerable = [a for a in asked if a.answerable]
    unanswerable = [a for a in asked if not a.answerable]

    def median(of: Callable[[Asked], float]) -> str:
        return f"{statistics.median(map(of, asked)):,.0f}" if asked else ""

    def share(some: Sequence[Any], of: Sequence[Any]) -> str:
        return f"{len(some)} of {len(of)}" if of else "none asked"

    return [
        questions,
        who,
        share([a for a in answerable if a.right], answerable),
        share([a for a in answerable if not a.answered], answerable),
        share([a for a in unanswerable if a.answered], unanswerable),
        len([a for a in asked if a.false_alarm]),
        median(lambda a: a.calls),
        median(lambda a: a.tokens),
        median(lambda a: a.seconds),
    ]


if __name__ == "__main__":
    given = sys.argv[1:]
    asked_for = int(given.pop()) if given and given[-1].isdecimal() else QUESTIONS
    update_page("llm", lambda: measure(given[0] if given else None, asked_for))
