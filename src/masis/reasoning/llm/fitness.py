"""Tests which roles a model can fill, on a case with a known answer, and stores the result for later runs.

`masis doctor` runs the tests. The embedded engine fills the roles that a model failed at until it is tested again.
"""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from masis.errors import BadModelOutput, ModelError, ModelRejected, ModelSilent, ModelTruncated, ModelUnavailable
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.engine import UNSURE, LLMAuditor, LLMJudge, LLMWriter, PlainWriter
from masis.reasoning.llm.prompts import PLAIN_CONTEXT_CHARS, asking
from masis.reasoning.llm.structured import Flag, Output, Rung
from masis.reasoning.llm.wire import Message
from masis.reasoning.ports import Guidance, Passage, WritingBrief
from masis.settings import OFFLINE, ROLES, Role, Settings
from masis.types import CitationAudit, EvidenceChunk

_GREETING: list[Message] = [{"role": "user", "content": "Reply with the one word: ready"}]
_QUESTION: list[Message] = [
    {
        "role": "user",
        "content": 'Is 7 larger than 3? Answer in JSON with the field "is_larger", true or false.',
    }
]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    model: str
    answers: bool
    rung: Rung | None = None
    """How structured output works with this model; None if it does not."""
    latency_seconds: float | None = None
    """Time until the first answer."""
    error: str | None = None
    """What went wrong, in a sentence."""
    advice: str | None = None
    is_silent: bool = False
    """Whether the model was reached but said nothing in time."""


class _Comparison(Output):
    is_larger: Flag


async def probe(client: ModelClient) -> ProbeResult:
    """Sends two small requests, more if the server needs another dialect. Never raises a ModelError."""
    started = time.perf_counter()
    try:
        await client.complete(_GREETING)
    except (ModelTruncated, BadModelOutput):
        pass  # it answers, if not in one word: a reasoning model may spend its whole budget thinking
    except ModelError as error:
        is_silent = isinstance(error, ModelSilent)
        return ProbeResult(client.name, False, error=str(error), advice=error.advice, is_silent=is_silent)
    latency = time.perf_counter() - started
    try:
        await client.structured(_QUESTION, _Comparison)
    except ModelError as error:
        return ProbeResult(client.name, True, None, latency, str(error), error.advice)
    return ProbeResult(client.name, True, client.rung, latency)


FILE = "models.json"
BY_WORD = "auditor by yes or no"
PLAINLY = "writer by the short prompt"
QUESTION = "How many people work at Kestrel Mill, and since when does it belong to Harlow?"
TEXT = "Kestrel Mill employs 47 people. It has belonged to the Harlow group since 2019."
BESIDE = """\
Water mills along the Arrow were built for cloth before they were turned to corn. Most of them closed when the railway
reached Marlbrook and cheaper flour came with it. A mill race needs cleaning every spring, and the sluices are checked
after each flood. Visitors may walk the towpath from the lower weir to the old dye house, which has been a café for some
years. School parties are asked to book a fortnight ahead. The county keeps a list of buildings that may not be altered,
and two of the mills are on it. Repairs to a listed building need consent even where nothing can be seen from outside.
Stone ground flour is sold at the gate on Saturdays. The miller turns down orders that would take the wheel above its
safe speed. Swallows nest in the drying loft, so that its doors stay open until August.
"""
"""Reads like a document, so that the trial is like a run: of lines that are all alike a small model makes a list."""
RIGHT = "Kestrel Mill employs 47 people and has belonged to Harlow since 2019 [k1]."
WRONG = "Kestrel Mill employs 74 people and has belonged to Harlow since 2009 [k1]."
_CHUNK: EvidenceChunk = {
    "chunk_id": "k1", "file_name": "mill.txt", "text": TEXT, "score": 1.0, "document_id": "k", "page": 1, "start": 0,
    "end": len(TEXT),
}  # fmt: skip
_AUDIT: CitationAudit = {
    "invalid_citations": [], "uncited_claim_count": 0, "uncited_claim_sentences": [], "hallucination_detected": False,
    "unsupported_claims": [],
}  # fmt: skip


async def cannot_fill(role: Role, client: ModelClient) -> str | None:
    """Why the model is unfit for the role; None if it is fit. A model that cannot be reached is not judged."""
    try:
        return await {"writer": _writes, "auditor": _audits, "judge": _judges}[role](client)
    except (ModelRejected, ModelUnavailable):
        raise
    except ModelError as error:
        return str(error)


async def _writes(client: ModelClient) -> str | None:
    brief = WritingBrief(QUESTION, [Passage("k1", "mill.txt", 1, TEXT)])
    return _left_out((await LLMWriter(client).write(brief)).value)


async def cannot_write_plainly(client: ModelClient) -> str | None:
    """Tests the short prompt, with as much to read as in a run: that alone may make a model too slow."""
    beside = (BESIDE * (PLAIN_CONTEXT_CHARS // len(BESIDE) + 1))[: PLAIN_CONTEXT_CHARS - len(TEXT)]
    others = Passage("k2", "mills.txt", 1, beside)
    brief = WritingBrief(QUESTION, [Passage("k1", "mill.txt", 1, TEXT), others])
    try:
        return _left_out((await PlainWriter(client).write(brief)).value)
    except (ModelTruncated, BadModelOutput) as error:
        return str(error)


def _left_out(answer: str) -> str | None:
    missing = [fact for fact in ("47", "2019") if fact not in answer]
    return f"it left out {' and '.join(missing)} of a passage that says so" if missing else None


async def _audits(client: ModelClient) -> str | None:
    auditor = LLMAuditor(client)
    right = (await auditor.audit(QUESTION, RIGHT, [_CHUNK], Guidance(), ())).value
    if right.hallucination_detected or right.unsupported_claims:
        return "it took a right answer for a wrong one"
    wrong = (await auditor.audit(QUESTION, WRONG, [_CHUNK], Guidance(), ())).value
    passed = not (wrong.hallucination_detected or wrong.unsupported_claims)
    return "it let two wrong figures pass" if passed else None


async def tells_yes_from_no(client: ModelClient) -> bool:
    """Whether the probability of the first token separates a right sentence from a wrong one."""
    right, wrong = [(await client.chance_of_yes(asking(said, [_CHUNK]))).value for said in (RIGHT, WRONG)]
    return right is not None and wrong is not None and right >= UNSURE[1] and wrong <= UNSURE[0]


async def _judges(client: ModelClient) -> str | None:
    judge = LLMJudge(client)
    right = (await judge.judge(QUESTION, RIGHT, [_CHUNK], _AUDIT, ())).value
    wrong = (await judge.judge(QUESTION, WRONG, [_CHUNK], _AUDIT, ())).value
    told_apart = right.faithfulness > wrong.faithfulness
    return None if told_apart else "it found a wrong answer as faithful as a right one"


def unfit_reasons(settings: Settings) -> dict[Role, str]:
    """The results of the last test for the models configured now."""
    known = _read(settings)
    found = {role: known.get(_key(settings, role), {}).get(role) for role in ROLES}
    return {role: reason for role, reason in found.items() if reason}


def says_yes_or_no(settings: Settings) -> bool:
    return bool(_read(settings).get(_key(settings, "auditor"), {}).get(BY_WORD))


def writes_plainly(settings: Settings) -> bool:
    """Whether the writer gets the short prompt."""
    return bool(_read(settings).get(_key(settings, "writer"), {}).get(PLAINLY))


def keep(settings: Settings, found: Mapping[Role, str | None], *, by_word: bool = False, plainly: bool = False) -> None:
    """Stores the results. `by_word`: the auditor is unfit but can answer yes or no. `plainly`: the writer gets the
    short prompt."""
    known = _read(settings)
    ways: dict[Role, tuple[str, bool]] = {"auditor": (BY_WORD, by_word), "writer": (PLAINLY, plainly)}
    for role, (way, is_so) in ways.items():
        if role in found:
            known.setdefault(_key(settings, role), {})[way] = "yes" if is_so else None
    for role, reason in found.items():
        known.setdefault(_key(settings, role), {})[role] = reason
    settings.home.mkdir(parents=True, exist_ok=True)
    (settings.home / FILE).write_text(json.dumps(known, indent=1, ensure_ascii=False), encoding="utf-8")


def _key(settings: Settings, role: Role) -> str:
    return f"{settings.model_for(role)} at {settings.model_base_url or 'OpenAI'}"


def _read(settings: Settings) -> dict[str, dict[str, str | None]]:
    with suppress(OSError, ValueError):
        known = json.loads((settings.home / FILE).read_text(encoding="utf-8"))
        return known if isinstance(known, dict) else {}
    return {}


def named(settings: Settings) -> str:
    """The engine of each role: “writer llama3.1, auditor embedded, judge embedded”."""
    unfit = unfit_reasons(settings)

    def player(role: Role) -> str:
        model = settings.model_for(role)
        if role == "auditor" and role in unfit and says_yes_or_no(settings):
            return f"{model}, by yes or no"
        if role == "writer" and role not in unfit and writes_plainly(settings):
            return f"{model}, by the short prompt"
        return "embedded" if role in unfit or model == OFFLINE else model

    return ", ".join(f"{role} {player(role)}" for role in ROLES)
