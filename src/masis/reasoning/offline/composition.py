"""Puts an answer into words: sentences with citations, both sides of a conflict, and what is missing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.language.characters import BRACKETED
from masis.language.periods import period_spans
from masis.language.quantities import Quantity, periods, quantities
from masis.language.question import Question, read_question
from masis.language.sentences import split_sentences
from masis.language.statements import Statement
from masis.language.table_headers import GROUP
from masis.language.words import WORD, content_stems, plain
from masis.reasoning.offline.selection import Candidate
from masis.reasoning.offline.shapes import Shown, are_halves
from masis.reasoning.offline.tables.cell_names import GENERIC
from masis.reasoning.offline.tables.cell_names import UNIT as TABLE_UNIT
from masis.types import Conflict, ConflictSide

UNIT = re.compile(r"\(in [^()]{2,40}\)", re.IGNORECASE)
"""The unit that a caption states once for the whole table: “(in million US dollars)”."""
LIST_MARK = re.compile(r"^(?:[-*•–] )+")
SHOWN_WORDS = 4
WIDE = 5
"""A row with more cells is not quoted as a whole."""
DIGITS = re.compile(r"^\D+|\D+$")
"""Everything around a number's digits."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A part of the question and its answer, which is empty if the passages say nothing."""

    part: Question
    shown: tuple[Shown, ...] = ()
    absent: tuple[str, ...] = ()
    """Words of the question that no document of the workspace contains."""
    told: tuple[str, ...] = ()
    """Sentences made from table cells, with their citations."""
    verdict: str = ""
    """“Yes” or “No”, if the question asks for it and the answer is clear."""

    @property
    def is_silent(self) -> bool:
        return not (self.shown or self.told)


def compose(answered: Sequence[Answered], conflicts: Sequence[Conflict], candidates: Sequence[Candidate]) -> str:
    asked = answered[0].part if answered else read_question("")
    paragraphs = [_disagreement(conflict, asked, candidates) for conflict in conflicts]
    told = {side["quote"] for conflict in conflicts for side in conflict["sides"]}
    figures = [q for quote in told for q in quantities(quote)]
    for one in answered:
        said = _part(one, told, figures)
        paragraphs += [said, _unconverted(one, said)]
        told |= {c.statement.text for group in one.shown for c in group.statements} | set(one.told)
    paragraphs += [_limit(one, whole=len(answered) == 1) for one in answered if one.is_silent]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


CURRENCY = re.compile(r"(?<![A-Z])[A-Z]{3}(?![A-Z])|[$€£]|\b(?:dollars|euros|pounds)\b")


def _unconverted(one: Answered, said: str) -> str:
    """A note if the amount is in another currency than asked for: the documents do not have that day's exchange
    rate."""
    wanted = CURRENCY.search(one.part.directives.unit or "")
    asked = next((q.currency for q in quantities(f"{wanted[0]} 1" if wanted else "") if q.currency), None)
    given = {q.currency for q in quantities(said) if q.currency}
    return f"The documents do not give it in {asked}." if asked and given and asked not in given else ""


def _part(one: Answered, told: set[str], figures: Sequence[Quantity]) -> str:
    written = " ".join(told)
    if new := [s for s in one.told if s not in told and not (figures and _is_written(s, written))]:
        return _after_verdict(one, "\n".join(f"- {s}" for s in new) if len(new) > 1 else new[0])
    paragraphs = [
        f"**{group.title}**\n\n{said}" if group.title else said
        for group in one.shown
        if (said := _group(group, one.part, told, figures))
    ]
    said = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
    return _after_verdict(one, said)


def _after_verdict(one: Answered, said: str) -> str:
    return f"**{one.verdict}**\n\n{said}" if one.verdict and said else said


def _group(group: Shown, part: Question, told: set[str], figures: Sequence[Quantity]) -> str:
    """Writes consecutive list items as a list and everything else as prose."""
    new = [c for c in group.statements if c.statement.text not in told and not _adds_no_figure(c, figures)]
    is_list = len(new) > 1 or group.introduction is not None
    pieces = [_introduced(group.introduction)] if group.introduction and new else []
    for before, one, after in zip([None, *new], new, [*new[1:], None], strict=False):
        is_item = is_list and (one.statement.is_item or one.statement.is_row or group.introduction is not None)
        begins = is_item and not (before and _same_item(before, one))
        said = cited(one, part)
        if after and _is_cut(one, after):
            said = f"{' '.join(one.statement.text.split())} [{one.passage.chunk_id}]"
        pieces.append(f"\n- {said}" if begins else f" {said}")
    return "".join(pieces).strip()


def _is_cut(one: Candidate, after: Candidate) -> bool:
    """Whether the end of a page cuts the sentence in two."""
    if are_halves(one, after):
        return True
    is_apart = one.passage.chunk_id != after.passage.chunk_id
    return is_apart and after.statement.text[:1].islower() and one.statement.text[-1:].isalnum()


def _same_item(before: Candidate, one: Candidate) -> bool:
    """Two sentences on one line belong to one item, and so do the two halves of a cut sentence."""
    if _is_cut(before, one):
        return True
    together = before.passage.chunk_id == one.passage.chunk_id and before.statement.is_item
    return together and "\n" not in before.passage.text[before.statement.end : one.statement.start]


def _introduced(introduction: Candidate) -> str:
    line = " ".join(introduction.statement.text.split())
    mark = f"[{introduction.passage.chunk_id}]"
    return f"{line[:-1].rstrip()} {mark}:" if line.endswith(":") else f"{sentence(line)} {mark}"


def _adds_no_figure(candidate: Candidate, told: Sequence[Quantity]) -> bool:
    """Whether all numbers of the statement were already given with the two sides of a conflict, so it only repeats
    them."""
    own = quantities(candidate.statement.text)
    return bool(told and own) and all(any(q.agrees_with(other) for other in told) for q in own)


def _is_written(said: str, told: str) -> bool:
    """Whether the figures are already in the text. Only digits are compared: the quoted row has the cell without its
    unit."""
    own = quantities(BRACKETED.sub("", said))
    return bool(own) and all(re.search(rf"(?<![\d.,]){re.escape(DIGITS.sub('', q.text))}(?![\d,])", told) for q in own)


def cited(candidate: Candidate, part: Question) -> str:
    statement = candidate.statement
    text = row_sentence(statement, part) if statement.is_row else sentence(statement.text)
    # A cell may hold a paragraph, and each of its sentences is a claim.
    told = [one.text for one in split_sentences(text)] if statement.is_row else [text]
    return " ".join(f"{one} [{candidate.passage.chunk_id}]" for one in told)


def sentence(text: str) -> str:
    """One line that ends with a full stop."""
    line = LIST_MARK.sub("", " ".join(text.split())).rstrip(" ;,")
    return line if re.search(r"[.!?。！？…:][\"'”’)]*$", line) else f"{line}."


def row_sentence(statement: Statement, part: Question) -> str:
    """Writes a table row as a sentence: its label, then the columns that may be meant."""
    first_column, first = next((c, v) for c, v in statement.cells if c != GROUP)
    label = first.lstrip("*•- ").rstrip(": ")
    values = ", ".join(f"{_name(column)}{value}" for column, value in meant_cells(statement, part))
    over = next((v for c, v in statement.cells if c == GROUP), "")
    # “£ million” above the labels is the unit of the figures, not the name of the label column.
    is_unit = bool(TABLE_UNIT.search(first_column)) and not TABLE_UNIT.sub("", first_column).strip(" ,.:()")
    name = "" if is_unit else _name(first_column)
    lead = f"{over}, {label}" if over and GENERIC.fullmatch(label) else label and f"{name}{label}"
    said = f"{lead}: {values}" if lead and values else lead or values
    over_all = UNIT.search(statement.above)
    unit = over_all[0] if over_all else f"({first_column.strip(' ()')})" if is_unit else ""
    return sentence(f"{said} {unit}" if unit and quantities(values) else said)


def meant_cells(statement: Statement, part: Question) -> list[tuple[str, str]]:
    """The cells of a row that may be meant, without its label.

    These are the cells for the periods asked for, or all of them if the question compares with a period it does not
    name. Of a wide row, only the columns that the question mentions.
    """
    rest = [(c, v) for c, v in statement.cells if c != GROUP][1:]
    is_compared = part.shape == "explanation" and len(part.periods) < 2
    wanted = [(c, v) for c, v in rest if v and (is_compared or not _another_period(c, part))]
    wanted = wanted or [(c, v) for c, v in rest if v]
    if len(wanted) <= WIDE or not any(quantities(v) for c, v in wanted if _is_named(c, part)):
        return wanted
    return [(c, v) for c, v in wanted if _is_named(c if quantities(v) else f"{c} {v}", part)]


def _is_named(column: str, part: Question) -> bool:
    return not part.subject.isdisjoint(content_stems(column.replace("_", " ")))


def _name(column: str) -> str:
    readable = column.replace("_", " ").strip()
    return f"{readable} " if readable else ""


def _another_period(column: str, part: Question) -> bool:
    said = periods(column)
    return bool(said and part.periods) and all(p.excludes(q) for p in said for q in part.periods)


def _disagreement(conflict: Conflict, asked: Question, candidates: Sequence[Candidate]) -> str:
    sides = conflict["sides"]
    if conflict["kind"] == "contradiction":
        lead = "The documents do not agree on this:"
    else:
        sides = sorted(sides, key=lambda side: side["date"] or "", reverse=True)
        is_ordered = all(side["date"] for side in sides) and sides[0]["date"] != sides[-1]["date"]
        what = "date" if all(period_spans(side["value"]) for side in sides) else "figure"
        lead = (
            f"A preliminary {what} and a later one are on record{', the later document first' if is_ordered else ''}:"
        )
    return "\n".join([lead, *(f"- {_side(side, asked, candidates)}" for side in sides)])


def _side(side: ConflictSide, asked: Question, candidates: Sequence[Candidate]) -> str:
    source = next((c.statement for c in candidates if c.statement.text == side["quote"]), None)
    text = row_sentence(source, asked) if source and source.is_row else sentence(side["quote"])
    if source and side["value"] not in text:
        # Another part of the question asks for this period.
        text = row_sentence(source, read_question(""))
    return f"{text} [{side['chunk_id']}]"


def _as_asked(absent: Sequence[str], question: str) -> list[str]:
    """The missing words as the question writes them, adjacent ones joined: “New York”."""
    found: list[tuple[int, int]] = []
    for match in WORD.finditer(question):
        if plain(match.group()).lower() not in absent:
            continue
        if found and not question[found[-1][1] : match.start()].strip():
            found[-1] = found[-1][0], match.end()
        else:
            found.append(match.span())
    return list(dict.fromkeys(question[start:end] for start, end in found)) or list(absent)


def _limit(one: Answered, *, whole: bool) -> str:
    asked = one.part.text.strip(" ?.!")
    what = "this question" if whole else "this part of the question"
    wanted = one.part.directives.if_absent
    said = f"{f'{wanted}: the' if wanted else 'The'} documents do not answer {what}: “{asked}”."
    if one.absent:
        named = " or ".join(f"“{name}”" for name in _as_asked(one.absent, one.part.text)[:SHOWN_WORDS])
        said += f" No document in this workspace mentions {named}."
    return said
