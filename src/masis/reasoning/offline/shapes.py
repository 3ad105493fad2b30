"""Chooses which statements an answer shows: a fact with its context, a list with its introduction, or the relevant part
of a section."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from masis.language.measures import NUMBER_WORDS
from masis.language.periods import periods
from masis.language.quantities import quantities
from masis.language.question import Question
from masis.language.salience import NOTICE, key_statements, telling_rows
from masis.language.statements import LEANS_BACK
from masis.language.titles import is_bare_title
from masis.language.words import content_stems, stem, words
from masis.reasoning.offline.relevance import OF_A_MESSAGE, headed
from masis.reasoning.offline.selection import Candidate
from masis.reasoning.ports import Passage

MARKED = 0.5
"""From this mark on, a further statement belongs to the answer."""
TIED = 0.65
"""How much weaker than the best a further statement may be. Of 194 questions written by people who did not know the
engine, 118 drafts contain the answer with .65 and with .8, which is four words longer in the median; 115 with .5."""
CLOSE = 1.2
"""How much weaker than the best a marked statement in another passage may be."""
MOST = {"fact": 3, "yes_no": 2, "explanation": 6, "list": 8}
ALMOST = -2.0
"""Least strength of a statement that completes an answer."""
NEAR = -1.0
"""Least strength of a statement added for a word of the question that the chosen ones lack."""
SAME_SUBJECT = 0.5
"""Share of the question's words that such a statement must have."""
ADDS_NOTHING = 2
"""A sentence with at most this many words besides the question's only repeats it."""
GOES_WITH = 0.5
"""Share of the best sentence's mark that the following sentences of an explanation must have."""
NOT_NOTHING = 0.05
"""Least mark of a following sentence under a heading that says what was asked."""
TOUCHING = 3
"""The most characters between two passages of which one continues the other."""
MOST_OF_ONE, FEWEST_OF_EACH = 5, 2
"""Number of key sentences for a single document, and the least for each of several."""
SAYS_SOMETHING = 5
"""Content words in a sentence worth quoting in an overview."""
FIELD = re.compile(r"\W*(?:[\w’'-]+ ){0,3}[\w’'-]+: ")
"""A label and its value, as found above the text of many documents."""
MOST_OF_ALL = re.compile(r"\b(?:most|least|\w{3,}est|best|worst|top|first|last|average|mean|total)\b", re.IGNORECASE)
MOST_ITEMS = 15
"""The most items shown of one list."""
FOLLOWING = re.compile(
    r"\bthe following\b(?!\s(?:day|week|month|quarter|year|morning))|\b(?:as follows|listed below)\b", re.IGNORECASE
)
OPEN_END = re.compile(r"\b(?:a|an|the|of|by|to|in|on|for|from|with|at|as|than|and|or|is|are|was|were|our|its|their)$")
LINES_BETWEEN = 1
"""How many lines may come between an introduction and its list."""
COUNT = re.compile(
    rf"\b(?:(?:top|main|key|first|the|name)\s+)+({'|'.join([*NUMBER_WORDS, r'[2-9]|1[0-9]'])})\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Shown:
    """Statements to quote together, in their order."""

    statements: tuple[Candidate, ...]
    introduction: Candidate | None = None
    """The line that introduces the items of a list."""
    title: str = ""
    """The document they come from, if several documents are summarised."""


def shown(part: Question, ranked: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Shown]:
    """The statements to show for an answered part; `ranked` begins with the strongest statement."""
    best = ranked[0]
    if part.directives.is_brief:
        return [Shown((best,))]
    if part.shape == "list" and (items := _list_of(part, best, candidates)):
        return [items]
    chosen = _chosen(part, ranked)
    if part.shape == "fact" and _are_of_one_list(chosen) and (items := _list_of(part, best, candidates)):
        return [items]
    told = _with_antecedents([*chosen, *_what_follows(part, best, ranked, chosen)], candidates)
    return [Shown(tuple(group)) for group in _in_order(_with_items(told, candidates), chosen)]


def _are_of_one_list(chosen: Sequence[Candidate]) -> bool:
    """“Which product groups spent most?” asks for a list without saying so: its items answer together."""
    lists = {(c.passage.chunk_id, c.statement.above) for c in chosen}
    return len(chosen) > 1 and len(lists) == 1 and all(c.statement.is_item for c in chosen)


def rows_asked_for(part: Question, ranked: Sequence[Candidate], candidates: Sequence[Candidate]) -> Shown | None:
    """“What actions were agreed?”, where a table has a column of actions: all its rows, unless the question names
    one."""
    is_limited = any(q.bound for q in quantities(part.text))
    if part.shape not in ("fact", "list") or "number" in part.kinds or is_limited or MOST_OF_ALL.search(part.text):
        return None
    asked = {stem(word) for word in words(part.for_reading) if word.endswith("s") and not word.endswith("ss")}
    close = (c for c in ranked if c.strength >= ranked[0].strength - CLOSE and c.statement.is_row)
    best = next((c for c in close if 0 < len(_called(c)) == len(_called(c) & asked)), None)
    if best is None:
        return None
    place = best.passage.chunk_id, best.statement.above
    rows = [c for c in candidates if c.statement.is_row and (c.passage.chunk_id, c.statement.above) == place]
    is_one = any(set(content_stems(c.statement.cells[0][1])) <= set(part.terms) for c in rows)
    return Shown(tuple(rows)) if 1 < len(rows) <= MOST_ITEMS and not is_one else None


def _called(row: Candidate) -> set[str]:
    return set(content_stems(row.statement.cells[0][0]))


def _with_items(told: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """Adds the items below a list's introduction, which says nothing without them."""
    known = {(c.passage.chunk_id, c.statement.start) for c in told}
    below = [item for c in told if _introduces(c) for item in _items_below(c, candidates)[:MOST_ITEMS]]
    return [*told, *(c for c in below if (c.passage.chunk_id, c.statement.start) not in known)]


def _introduces(candidate: Candidate) -> bool:
    text = candidate.statement.text
    return text.endswith(":") or FOLLOWING.search(text) is not None


def _items_below(introduction: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    passage, end = introduction.passage, introduction.statement.end
    after = [c for c in candidates if c.passage.chunk_id == passage.chunk_id and c.statement.start >= end]
    after.sort(key=lambda c: c.statement.start)
    # A remark or a line may come between: “must include the following: see a template here”.
    first = next((n for n, c in enumerate(after[: 1 + LINES_BETWEEN]) if c.statement.is_item), len(after))
    items = list(takewhile(lambda c: c.statement.is_item, after[first:]))
    is_all = len(items) == len(after[first:])
    return [*items, *(_going_on(items or [introduction], candidates) if is_all else [])]


def overview(candidates: Sequence[Candidate]) -> list[Shown]:
    """Summarises documents: the key sentences of each, or rows if it has no prose."""
    documents: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        documents.setdefault(candidate.passage.file_name, []).append(candidate)
    most = max(FEWEST_OF_EACH, MOST_OF_ONE - len(documents) + 1)
    found = {name: _key(given, most) for name, given in documents.items()}
    return [Shown(tuple(key), title=name if len(found) > 1 else "") for name, key in found.items() if key]


def _key(given: Sequence[Candidate], most: int) -> list[Candidate]:
    places = key_statements([c.statement for c in given], most, given[0].passage.title)
    if len(places) > 1:
        return [given[place] for place in places]
    rows = [given[place] for place in telling_rows([c.statement for c in given], most)]
    # “Author: Maren Oakhurst” says less than the first sentence or a figure does.
    told = [c for c in given if _is_told(c) and not FIELD.match(c.statement.text)]
    told.sort(key=lambda c: given.index(c) not in places)
    fields = [c for c in given if _is_told(c) and FIELD.match(c.statement.text) and quantities(c.statement.text)]
    kept = [*told[: 1 if rows else most], *rows, *fields][:most] or [c for c in given if _is_told(c)][:1]
    return sorted(kept, key=given.index)


def _is_told(candidate: Candidate) -> bool:
    """Whether it is prose worth quoting: not a row, a title, a mandatory notice or a line of a message header."""
    text = candidate.statement.text
    says_little = len(content_stems(text)) < SAYS_SOMETHING - 1 and not quantities(text)
    return not (candidate.statement.is_row or says_little or NOTICE.search(text) or OF_A_MESSAGE.match(text))


def _chosen(part: Question, ranked: Sequence[Candidate]) -> list[Candidate]:
    chosen = [ranked[0]]
    belonging = [c for c in ranked[1:] if _belongs(c, ranked[0])]
    for candidate in sorted(belonging, key=lambda c: -c.mark):
        if len(chosen) >= MOST[part.shape]:
            break
        if _goes_with(candidate, ranked[0]) and not any(repeats(candidate, other) for other in chosen):
            chosen.append(candidate)
    chosen += _for_words_left_out(part, ranked, chosen)
    return [*chosen, *_for_years_left_out(part, ranked, chosen)]


def _belongs(candidate: Candidate, best: Candidate) -> bool:
    """A row with a sentence, or a sentence with a row, belongs only if it is marked itself."""
    if candidate.statement.is_row != best.statement.is_row:
        return candidate.mark >= MARKED
    return candidate.mark >= MARKED or _is_tied(candidate, best)


def _is_tied(candidate: Candidate, best: Candidate) -> bool:
    return candidate.strength >= best.strength - TIED


def _goes_with(candidate: Candidate, best: Candidate) -> bool:
    """Whether a statement that belongs to the answer is close enough to the best one. A name without a verb or a full
    stop is only a title."""
    statement = candidate.statement
    says_little = len(content_stems(statement.text)) < SAYS_SOMETHING - 2 or is_bare_title(statement.text)
    if candidate.strength < ALMOST or (says_little and not statement.is_row):
        return False
    is_marked = candidate.mark >= MARKED and candidate.strength >= best.strength - CLOSE
    is_near = is_marked or _is_tied(candidate, best)
    return is_near or candidate.passage.chunk_id == best.passage.chunk_id


def _for_years_left_out(part: Question, ranked: Sequence[Candidate], chosen: Sequence[Candidate]) -> list[Candidate]:
    """“From 2024 to 2025”: the strongest statement on each year belongs in the answer."""
    asked = {p.year for p in part.periods if p.year}
    # The selector seldom takes half of a comparison for an answer. A statement that says the same about another year is
    # one.
    said = max((part.subject & set(content_stems(c.statement.text)) for c in chosen), key=len)
    about = [c for c in ranked if said and said <= set(content_stems(c.statement.text))]
    told = {p.year for c in chosen if c in about for p in periods(c.statement.text)}
    if len(asked) < 2 or not asked & told:
        return []
    found = [
        next((c for c in about if year in {p.year for p in periods(c.statement.text)}), None) for year in asked - told
    ]
    return [c for c in found if c]


def _for_words_left_out(part: Question, ranked: Sequence[Candidate], chosen: Sequence[Candidate]) -> list[Candidate]:
    """“Including and excluding contractors”: adds the strongest statement with a word of the question that the chosen
    ones lack, if it has most of the question's other words too."""
    said = {stem for c in chosen for stem in content_stems(c.statement.in_context)}
    asked = set(part.terms)
    if not asked - said or len(chosen) >= MOST[part.shape]:
        return []
    found = (
        c
        for c in ranked
        if c.strength >= NEAR
        and c.statement.is_row == chosen[0].statement.is_row
        and (own := set(content_stems(c.statement.text)) & asked) - said
        and len(own) >= SAME_SUBJECT * len(asked)
    )
    return [c for c in found if c not in chosen][:1]


def _what_follows(
    part: Question, best: Candidate, ranked: Sequence[Candidate], chosen: Sequence[Candidate]
) -> list[Candidate]:
    """For an explanation, the sentences after the best one: the rest of a section whose heading says what was asked,
    and the sentence after one that only repeats the question."""
    if part.shape not in ("explanation", "list"):
        return []
    echoes = len(set(content_stems(best.statement.text)) - set(part.terms)) <= ADDS_NOTHING
    after = sorted(
        (c for c in ranked if _same_section(c, best) and c.statement.start > best.statement.start),
        key=lambda c: c.statement.start,
    )
    room = MOST[part.shape] - len(chosen)
    wanted = [
        c
        for c in after
        if c.mark >= best.mark * GOES_WITH
        or (headed(part, best.statement) and (c.mark >= NOT_NOTHING or c is after[0]))
        or (echoes and c is after[0])
    ]
    return [c for c in wanted if c not in chosen][: max(room, 1 if echoes else 0)]


def _same_section(one: Candidate, other: Candidate) -> bool:
    """Whether both are under the same heading of the same passage and not in a table."""
    if one.passage.chunk_id != other.passage.chunk_id or one.statement.is_row:
        return False
    return _heading(one) == _heading(other)


def _heading(candidate: Candidate) -> str:
    statement = candidate.statement
    above = statement.above.rsplit("\n", 1)
    leans = LEANS_BACK.match(statement.text) or statement.above.rstrip().endswith(":")
    return (above[0] if len(above) > 1 else "") if leans else statement.above


def repeats(one: Candidate, other: Candidate) -> bool:
    ours, theirs = set(content_stems(one.statement.text)), set(content_stems(other.statement.text))
    return len(ours & theirs) >= 0.8 * min(len(ours), len(theirs))


def _with_antecedents(chosen: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """Adds the sentence before one that opens with a pronoun, as it names the subject."""
    told = list(chosen)
    for candidate in chosen:
        before = _before(candidate, candidates) if LEANS_BACK.match(candidate.statement.text) else None
        if before and all(before.statement != t.statement for t in told):
            told.append(before)
    return told


def are_halves(one: Candidate, two: Candidate) -> bool:
    """Whether the end of a page cuts a sentence in two: “impacted operating income by”, “$32 million in 2023.”"""
    if any(c.statement.is_row or c.statement.is_item for c in (one, two)) or two.statement.text[:1].isupper():
        return False
    is_next = one.passage.chunk_id == two.passage.chunk_id and one.statement.end <= two.statement.start
    return is_next and OPEN_END.search(one.statement.text.rstrip()) is not None


def _before(candidate: Candidate, candidates: Sequence[Candidate]) -> Candidate | None:
    """The sentence that the pronoun refers to; a sentence of another paragraph is about something else."""
    same_passage = [c for c in candidates if c.passage.chunk_id == candidate.passage.chunk_id]
    earlier = [c for c in same_passage if c.statement.end <= candidate.statement.start and not c.statement.is_row]
    before = max(earlier, key=lambda c: c.statement.start, default=None)
    return before if before and candidate.statement.above.endswith(before.statement.text) else None


def _in_order(told: Sequence[Candidate], chosen: Sequence[Candidate]) -> list[list[Candidate]]:
    """Groups by passage, surest first. Within a passage, or two that adjoin, the order is that of the document."""
    groups: list[list[Candidate]] = []
    for chunk_id in dict.fromkeys(c.passage.chunk_id for c in chosen):
        here = [c for c in told if c.passage.chunk_id == chunk_id]
        touching = next((group for group in groups if _touch(group[0].passage, here[0].passage)), None)
        if touching is None:
            groups.append(here)
        else:
            touching += here
    return [sorted(group, key=lambda c: (c.passage.start, c.statement.start)) for group in groups]


def _touch(one: Passage, other: Passage) -> bool:
    first, second = sorted((one, other), key=lambda passage: passage.start)
    return first.file_name == second.file_name and 0 <= second.start - first.start - len(first.text) <= TOUCHING


def _list_of(part: Question, best: Candidate, candidates: Sequence[Candidate]) -> Shown | None:
    """The list that the best statement introduces or belongs to, or else the section whose heading says what was
    asked."""
    here = [c for c in candidates if c.passage.chunk_id == best.passage.chunk_id]
    if best.statement.text.rstrip().endswith(":"):
        below = [c for c in here if c.statement.above.endswith(best.statement.text)]
        return _as_list(part, [*below, *_going_on(below, candidates)], best)
    kind, above = best.statement.is_item, best.statement.above
    same = [c for c in here if c.statement.above == above and c.statement.is_item == kind]
    if kind:
        return _as_list(part, [*same, *_going_on(same, candidates)], _introduction(same, here))
    return _as_list(part, same, None) if headed(part, best.statement) else None


def _going_on(items: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The items at the start of the next passage, if the list or one of its sentences is split there."""
    last = max(items, key=lambda c: c.statement.start, default=None)
    if last is None or last.passage.text[last.statement.end :].strip(" .;\n"):
        return []
    passage = last.passage
    after = [c for c in candidates if c.passage.start > passage.start and _touch(passage, c.passage)]
    after.sort(key=lambda c: c.statement.start)
    rest = after[:1] if after and after[0].statement.text[:1].islower() else []
    return [*rest, *takewhile(lambda c: c.statement.is_item, after[len(rest) :])]


def _introduction(items: Sequence[Candidate], here: Sequence[Candidate]) -> Candidate | None:
    """The line above the first item, if it introduces the list: directly above it, or under the same heading."""
    first = min(items, key=lambda c: c.statement.start).statement
    before = max(
        (c for c in here if c.statement.end <= first.start and not c.statement.is_row),
        key=lambda c: c.statement.start,
        default=None,
    )
    if before is None or before.statement.is_item:
        return None
    is_over = first.above.endswith(before.statement.text) or before.statement.above == first.above
    return before if is_over else None


def _as_list(part: Question, items: Sequence[Candidate], introduction: Candidate | None) -> Shown | None:
    if len(items) < 2 or any(c.statement.is_row for c in items):
        return None
    asked = COUNT.search(part.text)
    said = asked[1].lower() if asked else ""
    count = int(said) if said.isdigit() else NUMBER_WORDS.get(said, MOST_ITEMS)
    in_order = sorted(items, key=lambda c: (c.passage.start, c.statement.start))
    return Shown(tuple(in_order[: max(2, min(count, MOST_ITEMS))]), introduction)
