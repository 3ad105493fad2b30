"""What a report of a run says, section by section."""

from collections.abc import Iterator

from masis._version import __version__
from masis.export.footnotes import Footnotes, without_citations
from masis.export.pack import Pack
from masis.export.plain_text import one_line, plain
from masis.export.report import Block, Heading, Paragraph, Report, Span, Table, said
from masis.runs.result import RunResult
from masis.types import Claim, Conflict, ConflictSide, place
from masis.wording import (
    AGENTS,
    CONFLICT_KINDS,
    OUTCOMES,
    REPAIRS,
    SCORES,
    STATUSES,
    Term,
    decision_words,
    step_words,
    verdict_of,
)


def report_of(pack: Pack) -> Report:
    footnotes = Footnotes(pack.result)
    blocks = [
        *_facts(pack),
        Heading("Answer"),
        *footnotes.answer(pack.result.answer),
        *_closest(pack.result),
        *_question(pack.result),
        *_decisions(pack.result),
        *_checked(pack.result, footnotes),
        *_conflicts(pack.result),
        *_scores(pack.result),
        *_orders(pack.result),
        *_trail(pack),
    ]
    return Report(one_line(pack.question), blocks, footnotes.notes)


def _facts(pack: Pack) -> Iterator[Block]:
    run, result = pack.run, pack.result
    if pack.question != run.question:
        yield said(f"Asked first: {one_line(run.question)}", "small")
    asked = f"Asked by {one_line(run.asked_by)} on {run.created_at[:16].replace('T', ' at ')} UTC"
    yield said(f"{asked} · workspace {run.workspace_id} · run {run.run_id} · MASIS {__version__}", "small")
    state = f" ({STATUSES['waiting'].word.lower()})" if result.requires_human_review else ""
    outcome = f"Outcome: {OUTCOMES[result.outcome].word}{state}"
    likely = "" if result.likelihood is None else f" · likelihood of being right {result.likelihood:.0%}"
    yield said(f"{outcome} · confidence {result.confidence:.0%} (uncalibrated){likely}", strong=True)


def _question(result: RunResult) -> Iterator[Block]:
    if result.requires_human_review and result.clarification_question:
        yield Heading("Question to a person")
        for line in plain(result.clarification_question).split("\n"):
            if line.strip():
                yield said(line.strip().removeprefix("- "), "item" if line.startswith((" ", "-")) else "plain")


def _closest(result: RunResult) -> Iterator[Block]:
    if result.closest:
        yield Heading("The closest passages")
    for passage in result.closest:
        where = f"{passage['file_name']}, {place(passage['page'], passage['label'])}"
        yield said(f"{one_line(where)}: “{one_line(passage['quote'])}”", "item")


def _decisions(result: RunResult) -> Iterator[Block]:
    if result.decisions:
        yield Heading("What people decided")
        yield from (said(one_line(decision_words(decision)), "item") for decision in result.decisions)


def _checked(result: RunResult, footnotes: Footnotes) -> Iterator[Block]:
    judged = [claim for claim in result.claims if claim["verdict"] or claim["kind"] != "heading"]
    if judged:
        yield Heading("What was checked")
        yield from (_claim(claim, footnotes) for claim in judged)


def _claim(claim: Claim, footnotes: Footnotes) -> Paragraph:
    verdict, reason = verdict_of(claim), one_line(claim["reason"])
    repair = f" {REPAIRS[claim['repaired']]}" if "repaired" in claim else ""
    why = f": {reason or verdict.meaning}{repair}"
    text = Span(one_line(without_citations(claim)), notes=footnotes.of_claim(claim))
    return Paragraph((text, Span(f" — {verdict.word}", strong=True), Span(why)), "item")


def _conflicts(result: RunResult) -> Iterator[Block]:
    if result.conflicts:
        yield Heading("Where the documents disagree")
    for conflict in result.conflicts:
        yield from _conflict(conflict)


def _conflict(conflict: Conflict) -> Iterator[Block]:
    period = f" ({one_line(conflict['period'])})" if conflict["period"] else ""
    about = Span(f"{one_line(conflict['about'])}{period}: ", strong=True)
    yield Paragraph((about, Span(f"{CONFLICT_KINDS[conflict['kind']]}. {one_line(conflict['explanation'])}")))
    yield from (_side(side) for side in conflict["sides"])


def _side(side: ConflictSide) -> Paragraph:
    where = f"{side['file_name']}, {place(side['page'], side.get('label'))}, {side['date'] or 'undated'}"
    value = Span(one_line(side["value"]), strong=True)
    return Paragraph((value, Span(f" — {one_line(where)}: “{one_line(side['quote'])}”")), "item")


def _scores(result: RunResult) -> Iterator[Block]:
    evaluation = result.evaluation
    # None where nothing was drafted that could be judged.
    if not evaluation:
        return
    yield Heading("Scores")
    scores = {**evaluation}
    yield Table([("Score", "Of 1"), *((_score(term), f"{scores[name]:.2f}") for name, term in SCORES.items())])
    yield from (said(f"Capped: {one_line(clamp)}", "item") for clamp in evaluation["clamps"])
    yield from (said(f"To improve: {one_line(each)}", "item") for each in evaluation["improvement_suggestions"])
    yield said(f"Judged by {one_line(evaluation['judged_by'])}.", "small")


def _score(term: Term) -> str:
    return f"{term.word}: {term.meaning}" if term.meaning else term.word


def _orders(result: RunResult) -> Iterator[Block]:
    if result.instructions_seen:
        yield Heading("Orders found in the documents")
        yield said("Text addressed to the reader was found; it was read as data and not followed.")
    for one in result.instructions_seen:
        yield said(f"{one_line(one['file_name'])}: “{one_line(one['quote'])}”", "item")


def _trail(pack: Pack) -> Iterator[Block]:
    yield Heading("Trail")
    rows = [
        (
            str(entry.get("retry_count", 0) + 1),
            AGENTS[entry["node"]].word if entry["node"] in AGENTS else str(entry["node"]),
            one_line(step_words(entry)),
            f"{entry.get('duration_ms', 0.0) / 1000:.2f} s",
        )
        for entry in pack.result.trace
    ]
    yield Table([("Attempt", "Agent", "What it did", "Time"), *rows])
    run = pack.run
    spent = f"{run.model_calls} engine calls, {run.input_tokens + run.output_tokens} tokens, ${run.cost_usd:.4f}"
    yield said(f"Spent: {spent}.", "small")
