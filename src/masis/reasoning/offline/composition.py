"""The words of an answer: sentences with their citations, the two sides of a disagreement, what is missing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.language.quantities import Quantity, periods, quantities
from masis.language.statements import Statement
from masis.language.table_headers import GROUP
from masis.reasoning.offline.question import Question
from masis.reasoning.offline.selection import Candidate
from masis.reasoning.offline.tables.naming import GENERIC
from masis.types import Conflict, ConflictSide

UNIT = re.compile(r"\(in [^()]{2,40}\)", re.IGNORECASE)
"""The unit that a caption gives once for its whole table: “(in million US dollars)”."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A part of the question, and the statements that answer it: none when the passages are silent."""

    part: Question
    chosen: tuple[Candidate, ...]
    missing: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    """Sentences made from the cells of tables, with their citations."""


def compose(
    question: str,
    answered: Sequence[Answered],
    conflicts: Sequence[Conflict],
    candidates: Sequence[Candidate],
) -> str:
    paragraphs = [_disagreement(conflict, candidates) for conflict in conflicts]
    told = {side["quote"] for conflict in conflicts for side in conflict["sides"]}
    figures = [q for quote in told for q in quantities(quote)]
    for one in answered:
        new = [c for c in one.chosen if c.statement.text not in told and not _adds_no_figure(c, figures)]
        sentences = [*one.told, *(cited(c, one.part) for c in new)]
        told |= {c.statement.text for c in one.chosen}
        paragraphs.append(
            _paragraph(sentences, is_list=("list" in one.part.kinds or bool(one.told)) and len(sentences) > 1)
        )
    paragraphs += [_limit(one, whole=len(answered) == 1) for one in answered if not (one.chosen or one.told)]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _adds_no_figure(candidate: Candidate, told: Sequence[Quantity]) -> bool:
    """A statement whose numbers were all given with the two sides of a disagreement only repeats it."""
    own = quantities(candidate.statement.text)
    return bool(told and own) and all(any(q.agrees_with(other) for other in told) for q in own)


def _paragraph(sentences: Sequence[str], *, is_list: bool) -> str:
    return "\n".join(f"- {s}" for s in sentences) if is_list else " ".join(sentences)


def cited(candidate: Candidate, part: Question) -> str:
    statement = candidate.statement
    text = row_sentence(statement, part) if statement.is_row else sentence(statement.text)
    return f"{text} [{candidate.passage.chunk_id}]"


def sentence(text: str) -> str:
    """One line, closed by a full stop."""
    line = " ".join(text.split()).rstrip(" ;,")
    return line if re.search(r"[.!?。！？…:][\"'”’)]*$", line) else f"{line}."


def row_sentence(statement: Statement, part: Question) -> str:
    """A table row as a sentence: its label, then the columns that can be meant."""
    (first_column, label), *rest = [(c, v) for c, v in statement.cells if c != GROUP]
    wanted = [(c, v) for c, v in rest if v and not _another_period(c, part)] or rest
    values = ", ".join(f"{_name(column)}{value}" for column, value in wanted if value)
    over = next((v for c, v in statement.cells if c == GROUP), "")
    lead = f"{over}, {label}" if over and GENERIC.fullmatch(label) else label and f"{_name(first_column)}{label}"
    said = f"{lead}: {values}" if lead and values else lead or values
    unit = UNIT.search(statement.above) if quantities(values) else None
    return sentence(f"{said} {unit[0]}" if unit else said)


def _name(column: str) -> str:
    readable = column.replace("_", " ").strip()
    return f"{readable} " if readable else ""


def _another_period(column: str, part: Question) -> bool:
    said = periods(column)
    return bool(said and part.periods) and all(p.excludes(q) for p in said for q in part.periods)


def _disagreement(conflict: Conflict, candidates: Sequence[Candidate]) -> str:
    lead = (
        "The documents do not agree on this:"
        if conflict["kind"] == "contradiction"
        else "A preliminary figure and a later one are on record:"
    )
    return "\n".join([lead, *(f"- {_side(side, candidates)}" for side in conflict["sides"])])


def _side(side: ConflictSide, candidates: Sequence[Candidate]) -> str:
    source = next((c.statement for c in candidates if c.statement.text == side["quote"]), None)
    text = (
        row_sentence(source, Question(side["quote"], (), frozenset(), (), frozenset()))
        if source and source.is_row
        else sentence(side["quote"])
    )
    return f"{text} [{side['chunk_id']}]"


def _limit(one: Answered, *, whole: bool) -> str:
    asked = one.part.text.strip(" ?.!")
    what = "this question" if whole else "this part of the question"
    said = f"The documents do not answer {what}: “{asked}”."
    if one.missing:
        said += f" No passage that was found mentions {' or '.join(f'“{word}”' for word in one.missing[:4])}."
    return said
