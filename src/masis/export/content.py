"""The content of a report: sections, citations and footnotes, in plain blocks that every format renders."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, cast

from masis._version import __version__
from masis.language.citation_marks import CitationMark, find_citations
from masis.language.measures import percent
from masis.numbering import Source, Sources, quote_words
from masis.runs.events import RunEvent
from masis.runs.feedback import Feedback
from masis.runs.records import RunRecord, RunResult
from masis.settings import OFFLINE
from masis.types import Claim, Conflict, ConflictSide, place
from masis.wording import (
    AGENTS,
    CONFLICT_KINDS,
    OUTCOMES,
    REPAIRS,
    SCORES,
    STATUSES,
    Term,
    counted,
    decision_words,
    person,
    removed_sentences,
    scope_words,
    step_words,
    verdict_of,
)


@dataclass(frozen=True, slots=True)
class Pack:
    run: RunRecord
    result: RunResult
    events: Sequence[RunEvent]
    feedback: Sequence[Feedback] = ()

    @property
    def question(self) -> str:
        """The question that was answered, which a person may have refined."""
        refined = [each["question"] for each in self.result.decisions if each["action"] == "refine"]
        return refined[-1] if refined else self.run.question


def as_json(pack: Pack) -> bytes:
    """Everything as stored, in ASCII only, so that invisible characters cannot mislead a reader."""
    content = {
        "masis_version": __version__,
        # The question that was answered; `run` has the original.
        "question": pack.question,
        "run": asdict(pack.run),
        "result": pack.result.as_dict(),
        "events": list(pack.events),
        "feedback": [asdict(each) for each in pack.feedback],
    }
    return json.dumps(content, indent=2, default=str).encode()


@dataclass(frozen=True, slots=True)
class Span:
    text: str
    strong: bool = False
    notes: tuple[int, ...] = ()
    """The footnotes that follow it."""


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    spans: Sequence[Span]
    style: Literal["plain", "item", "quote", "small"] = "plain"


@dataclass(frozen=True, slots=True)
class Table:
    rows: Sequence[Sequence[Sequence[Span]]]
    """The first row is the header. A cell has footnotes as a sentence does."""


Block = Heading | Paragraph | Table


@dataclass(frozen=True, slots=True)
class Note:
    """A source: the footnote with this number."""

    number: int
    source: str
    """The document, and the place in it."""
    quote: str | None
    verdict: str

    @property
    def text(self) -> str:
        quoted = f": “{self.quote}”" if self.quote else ""
        return f"{self.source}{quoted} ({self.verdict})"


@dataclass(frozen=True, slots=True)
class Report:
    title: str
    blocks: Sequence[Block]
    notes: Sequence[Note]


SOURCES = "Sources"
"""The heading above the notes, for formats without footnotes."""


def said(text: str, style: Literal["plain", "item", "quote", "small"] = "plain", *, strong: bool = False) -> Paragraph:
    return Paragraph((Span(text, strong),), style)


def tabled(rows: Iterable[Sequence[str]]) -> Table:
    return Table([[(Span(cell),) for cell in row] for row in rows])


_TURNING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""Embeddings, overrides and isolates, which can make a text read like another."""
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"
    r"\ufffe\uffff\U000e0000-\U000e0fff]"
)
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def plain(text: str) -> str:
    """Shows characters that change the text direction by their code, so that a reader notices the attempt."""
    text = _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))
    text = _TURNING.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
    return _SURROGATES.sub("\ufffd", text)


def one_line(text: str) -> str:
    return " ".join(plain(text).split())


_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_RULE = re.compile(r"[\s|:-]+")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")


class Footnotes:
    def __init__(self, result: RunResult) -> None:
        self._sources = Sources(result.claims)
        self._known = {chunk["chunk_id"] for chunk in result.evidence}
        self._known |= {source.citation["chunk_id"] for source in self._sources}

    @property
    def notes(self) -> list[Note]:
        return [_note(source) for source in self._sources]

    def of_claim(self, claim: Claim) -> tuple[int, ...]:
        return self._sources.of(claim)

    def answer(self, text: str) -> Iterator[Block]:
        marks = find_citations(text, self._known)
        start, rows = 0, list[list[list[Span]]]()
        for line in text.split("\n"):
            if is_row := line.lstrip().startswith("|"):
                rows += self._row(text, start, start + len(line), marks)
            elif rows:
                yield Table(rows)
                rows = []
            if line.strip() and not is_row:
                yield self._line(text, start, start + len(line), marks)
            start += len(line) + 1
        if rows:
            yield Table(rows)

    def _row(self, text: str, start: int, end: int, marks: Sequence[CitationMark]) -> list[list[list[Span]]]:
        """The cells of a Markdown row with their citations; empty for the rule below the header."""
        spans = self._line(text, start, end, marks).spans
        if all(_RULE.fullmatch(span.text) and not span.notes for span in spans):
            return []
        cells = list[list[Span]]([[]])
        for span in spans:
            *closed, last = span.text.split("|")
            for words in closed:
                cells[-1].append(Span(words))
                cells.append([])
            cells[-1].append(Span(last, notes=span.notes))
        _, *inner = map(_trimmed, cells)
        if len(inner) > 1 and not any(span.text for span in inner[-1]):
            # Citations after the last bar belong to the last cell.
            behind = inner.pop()
            inner[-1] += behind
        return [inner]

    def _line(self, text: str, start: int, end: int, marks: Sequence[CitationMark]) -> Paragraph:
        head, item = _HEADING.match(text, start, end), _ITEM.match(text, start, end)
        at = found.end() if (found := head or item) else start
        spans = []
        for mark in marks:
            if at <= mark.start and mark.end <= end:
                spans.append(Span(_words(text[at : mark.start]).rstrip(), bool(head), self._sources.at(mark)))
                at = mark.end
        if rest := _words(text[at:end]):
            spans.append(Span(rest, bool(head)))
        return Paragraph(spans, "item" if item else "plain")


def _trimmed(cell: Sequence[Span]) -> list[Span]:
    spans = [span for span in cell if span.text.strip() or span.notes]
    if spans:
        spans[0] = replace(spans[0], text=spans[0].text.lstrip())
        spans[-1] = replace(spans[-1], text=spans[-1].text.rstrip())
    return spans


def _note(source: Source) -> Note:
    quote = one_line(quote_words(source.citation))
    return Note(source.number, one_line(source.where), quote or None, verdict_of(source.claim).word)


def without_citations(claim: Claim) -> str:
    text = claim["text"]
    known = [citation["chunk_id"] for citation in claim["citations"]]
    for mark in reversed(find_citations(text, known)):
        text = text[: mark.start].rstrip() + text[mark.end :]
    return _words(text).strip()


def _words(text: str) -> str:
    return plain(_STRONG.sub(r"\1", text))


def report_of(pack: Pack) -> Report:
    footnotes = Footnotes(pack.result)
    blocks = [
        *_facts(pack),
        *([] if pack.result.says_only_silence else [Heading("Answer"), *footnotes.answer(pack.result.answer)]),
        *_closest(pack.result),
        *_question(pack.result),
        *_decisions(pack.result),
        *_feedback(pack),
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
    if scope := scope_words(run.filters, result.evidence):
        yield said(f"Scope: {one_line(scope)}", "small")
    state = f" ({STATUSES['waiting'].word.lower()})" if result.requires_human_review else ""
    outcome = f"Outcome: {OUTCOMES[result.outcome].word}{state}"
    yield said(" · ".join(filter(None, (outcome, result.sure))), strong=True)


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
        yield said(f"{one_line(where)}: “{one_line(quote_words(passage))}”", "item")


def _decisions(result: RunResult) -> Iterator[Block]:
    if result.decisions:
        yield Heading("What people decided")
        yield from (said(one_line(decision_words(decision)), "item") for decision in result.decisions)


def _feedback(pack: Pack) -> Iterator[Block]:
    if pack.feedback:
        yield Heading("Feedback")
    for each in pack.feedback:
        of = f"sentence {each.claim + 1}: " if each.claim >= 0 else ""
        because = f" because {one_line(each.reason)}" if each.reason else ""
        yield said(f"{person(one_line(each.given_by))}: {of}{each.verdict}{because}", "item")


def _checked(result: RunResult, footnotes: Footnotes) -> Iterator[Block]:
    judged = [claim for claim in result.claims if claim["verdict"] or claim["kind"] != "heading"]
    passed = [claim for claim in judged if verdict_of(claim).tone == "good" and "repaired" not in claim]
    if judged:
        yield Heading("What was checked")
    if passed:
        # The answer has their text and the sources their verdicts: not repeated a third time.
        yield said(f"{len(passed)} of {counted(len(judged), 'sentence')} passed:")
        verdicts = Counter(map(verdict_of, passed))
        yield from (said(f"{count} {term.word}: {term.meaning}", "item") for term, count in verdicts.items())
    yield from (_claim(claim, footnotes) for claim in judged if claim not in passed)
    for sentence in removed_sentences(result.trace):
        word = Span(f" — {REPAIRS['cut'].word}", strong=True)
        yield Paragraph((Span(one_line(sentence)), word, Span(f": {REPAIRS['cut'].meaning}")), "item")


def _claim(claim: Claim, footnotes: Footnotes) -> Paragraph:
    verdict, reason = verdict_of(claim), one_line(claim["reason"])
    repair = f" {REPAIRS[claim['repaired']].meaning}" if "repaired" in claim else ""
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
    return Paragraph((value, Span(f" — {one_line(where)}: “{one_line(quote_words(side))}”")), "item")


def _scores(result: RunResult) -> Iterator[Block]:
    evaluation = result.evaluation
    # None if there was no draft to judge.
    if not evaluation:
        return
    yield Heading("Scores")
    scores = cast(dict[str, float], evaluation)
    yield tabled([("Measure", "Score"), *((_score(term), percent(scores[name])) for name, term in SCORES.items())])
    yield from (said(f"Capped: {one_line(clamp)}", "item") for clamp in evaluation["clamps"])
    yield from (said(f"To improve: {one_line(each)}", "item") for each in evaluation["improvement_suggestions"])
    judge = evaluation["judged_by"]
    yield said(f"Judged by {'the offline engine' if judge == OFFLINE else one_line(judge)}.", "small")


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
    yield tabled([("Attempt", "Agent", "Action", "Time"), *rows])
    run = pack.run
    spent = f"{run.model_calls} engine calls, {run.input_tokens + run.output_tokens} tokens, ${run.cost_usd:.4f}"
    yield said(f"Spent: {spent}.", "small")
