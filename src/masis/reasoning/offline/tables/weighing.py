"""Decides which trial the question asks for.

A log-linear model rates all trials and the option of giving no answer; then a network reads the likeliest (`reading`).
`python -m evals.fit_tables` fits the weights and documents the data they were fitted on.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from masis.language.statements import Statement
from masis.language.words import content_stems, names
from masis.reasoning.offline.tables.anchors import ALIKE, TableQuery
from masis.reasoning.offline.tables.features import (
    CLASS_PLACE,
    FORM_PLACE,
    PLACE,
    Alignment,
    class_of,
    grams,
    matrix_of,
)
from masis.reasoning.offline.tables.grid import Table, tables_of
from masis.reasoning.offline.tables.reading import how_well, in_words
from masis.reasoning.offline.tables.trials import Trial, trials
from masis.reasoning.offline.tables.values import stems
from masis.reasoning.ports import Passage

if TYPE_CHECKING:
    import numpy as np

    Figures = np.ndarray[Any, Any]

WEIGHTS = Path(__file__).parent / "weights.npz"


@dataclass(frozen=True)
class Weights:
    forms: "Figures"
    """One weight per form and feature."""
    form_words: "Figures"
    """One weight per word of a question and form."""
    class_words: "Figures"
    """One weight per word of a question and class of answer."""
    words: dict[str, int]
    reading: "Figures"
    """Weights for a trial's share, for the network's score in favour and against, and for a row found by the selector;
    then the weight and the offset for the share of giving no answer."""
    surety: "Figures"
    """Coefficients of the logistic fit that turns the model's output into a probability of being right."""
    alone: "Figures"
    """The same, from the shared words alone."""


@lru_cache(maxsize=1)
def weights() -> Weights:
    import numpy as np

    with np.load(WEIGHTS) as kept:
        words = {word: n for n, word in enumerate(bytes(kept["words"]).decode().split("\n"))}
        figures = [kept[name].astype(np.float32) for name in ("forms", "form_words", "class_words")]
        return Weights(figures[0], figures[1], figures[2], words, kept["reading"], kept["surety"], kept["alone"])


@dataclass(frozen=True, slots=True)
class Weighed:
    trial: Trial
    strength: float
    """The probability that this trial is the right answer."""


@dataclass(frozen=True, slots=True)
class Pool:
    """All trials over all tables, with their features. The last row of each array is the option of giving no answer."""

    trials: list[Trial]
    features: "Figures"
    forms: "Figures"
    classes: "Figures"


_SEPARATED = re.compile(r"[_.-]")
_SHORT_NAMES = {"United States": "us", "United Kingdom": "uk", "European Union": "eu", "United Nations": "un"}
_NO_NAMES = frozenset(content_stems("group company corporation corp inc ltd limited plc holdings total net gross"))
MOST_READ = 50
INFLECTED = 5
"""Letters that two inflected forms such as “German” and “Germany” must share."""


@dataclass(frozen=True)
class NamesAsked:
    """The names that must be with a cell for it to answer: the group's profit does not answer “the profit of Road
    Freight”."""

    words: frozenset[str]
    passages: tuple[Passage, ...]
    initials: Mapping[str, str] = field(default_factory=dict)
    """For each word of a name, the initials of that name: “us-employment.csv” is about the United States."""

    @staticmethod
    def of(question: str, passages: Sequence[Passage]) -> "NamesAsked":
        called = names(question)
        said = {s for name in called for s in stems(name) if len(s) > 1 and not s[0].isdigit()} - _NO_NAMES
        # The table may spell out “PR”. The abbreviation is required only if some row or column has it as its name.
        short = {s for name in called if name.isupper() for s in stems(name)} & said
        initials = {s: short for name, short in _SHORT_NAMES.items() if name in question for s in stems(name)}
        every = NamesAsked(frozenset(said), tuple(passages), initials)
        return replace(every, words=every.words - (short - every._told_apart)) if short else every

    def meant(self, asked: TableQuery, tried: Sequence[Trial]) -> list[Trial]:
        """The trials with all names asked for. All trials must be over the same table."""
        left = self._beyond_the_title(tried[0].table) if self.words and tried else None
        return [t for t in tried if not _missing(left, set(_around(asked, t)))] if left else list(tried)

    def of_the_table(self, question: str, table: Table) -> str:
        """The names that the cells need not repeat because the whole document is about them."""
        if not self.words:
            return ""
        given = self.words - self._beyond_the_title(table)
        return " ".join(name for name in names(question) if (own := self.words & set(stems(name))) and own <= given)

    def are_lacking(self, row: Statement, passage: Passage) -> bool:
        """Whether a row quoted as a whole lacks one of the names."""
        cells = " ".join(f"{column} {cell}" for column, cell in row.cells)
        wanted = self.words - self._of_the_document(passage)
        missing = _missing(wanted, {*stems(cells), *_heads(row.above)})
        return bool(missing) and not self._are_of_other_rows(missing, wanted - missing)

    def _are_of_other_rows(self, missing: Collection[str], own: Collection[str]) -> bool:
        """“How far ahead of Iowa is Ohio”: no single row of a table of states has both names."""
        return bool(own) and any({*missing, *own} <= column for table in self._tables for column in table.names_in)

    def _beyond_the_title(self, table: Table) -> frozenset[str]:
        passage = table.rows[0].cells[0].passage
        return _missing(self.words, {*_heads(table.above), *table.document_stems}) - self._of_the_document(passage)

    def _of_the_document(self, passage: Passage) -> frozenset[str]:
        """The names that the document is about, or that most of the documents are about."""
        own = [said for name, said in self._texts if name == passage.file_name]
        # A single passage from the middle does not show what a document is about.
        is_known = len(own) > 1 or not passage.start
        title = self._titles[passage.file_name]
        return frozenset(
            word
            for word in self.words
            if word in title
            or self.initials.get(word, "") in title
            or 2 * sum(word in title for title in self._titles.values()) > len(self._titles)
            or (is_known and word not in self._told_apart and 2 * sum(word in said for said in own) > len(own))
        )

    @cached_property
    def _texts(self) -> list[tuple[str, frozenset[str]]]:
        return [(p.file_name, frozenset(stems(p.text))) for p in self.passages]

    @cached_property
    def _titles(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for p in self.passages:
            over = f"{p.title} {(p.heading or '').partition(chr(10))[0]} {p.about} {p.file_name}"
            found[p.file_name] = found.get(p.file_name, frozenset()) | frozenset(stems(_SEPARATED.sub(" ", over)))
        return found

    @cached_property
    def _tables(self) -> list[Table]:
        return tables_of(self.passages)

    @cached_property
    def _told_apart(self) -> frozenset[str]:
        """Names of rows and columns. A sentence near a table that mentions one of them does not name the whole
        table."""
        return frozenset(
            s
            for table in self._tables
            for named in (*table.column_stems, *(stems(r.group) for r in table.rows), table.label_stems)
            for s in named
        )


def _is_marked(trial: Trial) -> bool:
    return any(anchor.kind == "read" for anchor in trial.filters)


def _missing(wanted: Collection[str], said: Collection[str]) -> frozenset[str]:
    return frozenset(w for w in wanted if w not in said and ALIKE.get(w) not in said and not _is_inflected(w, said))


def _is_inflected(word: str, said: Collection[str]) -> bool:
    """“German” matches “Germany”."""
    return any(min(len(word), len(s)) >= INFLECTED and (s.startswith(word) or word.startswith(s)) for s in said)


def _heads(above: str) -> frozenset[str]:
    """The words of headings and captions; full sentences are left out."""
    return frozenset(s for line in above.splitlines() if not line.rstrip().endswith(".") for s in stems(line))


def _around(asked: TableQuery, trial: Trial) -> Iterator[str]:
    table = trial.table
    yield from (asked.stems[n] for anchor in trial.filters for n in anchor.places)
    for column in {trial.column, trial.by, *trial.columns, *(c.column for c in trial.cells)} - {-1}:
        yield from table.column_stems[column]
    for row in {cell.row for cell in trial.cells[:MOST_READ]}:
        yield from stems(table.rows[row].group)
        yield from (s for cell in table.rows[row].cells if cell.amount is None for s in cell.stems)


def pool_of(asked: TableQuery, tables: Sequence[Table], named: NamesAsked | None = None) -> Pool | None:
    import numpy as np

    tried: list[Trial] = []
    lines = []
    for table in tables:
        tried_here = trials(asked, table)
        if made := named.meant(asked, tried_here) if named else tried_here:
            tried += made
            lines.append(matrix_of(made, Alignment(asked, table)))
    if not tried:
        return None
    features = np.concatenate(lines)
    features = np.concatenate([features, features.max(axis=0, keepdims=True)])
    forms = np.array([*(FORM_PLACE[t.form] for t in tried), FORM_PLACE["none"]])
    classes = np.array([*(CLASS_PLACE[class_of(t)] for t in tried), CLASS_PLACE["none"]])
    return Pool(tried, features, forms, classes)


def probabilities(asked: TableQuery, pool: Pool, by: Weights) -> "Figures":
    import numpy as np

    known = [by.words[gram] for gram in grams(asked) if gram in by.words]
    logits = np.einsum("ij,ij->i", pool.features, by.forms[pool.forms])
    logits = logits + by.form_words[known].sum(axis=0)[pool.forms] + by.class_words[known].sum(axis=0)[pool.classes]
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())


@dataclass(frozen=True, slots=True)
class Read:
    """The likeliest trials of a pool after the network has read them."""

    trials: list[Trial]
    features: "Figures"
    """The features of the log-linear model."""
    told: "Figures"
    """Four figures per trial: the logarithm of its share, the network's score in favour, its score against, and whether
    the selector found the row."""
    nothing: float
    """The logarithm of the share of giving no answer."""

    def shares(self, by: "Figures | Sequence[float]") -> "Figures":
        """The probabilities of the trials; the last is that of giving no answer."""
        import numpy as np

        logits = np.append(self.told @ np.asarray(by[:4]), by[4] * self.nothing + by[5])
        raised = np.exp(logits - logits.max())
        return np.asarray(raised / raised.sum())


LIKELIEST, BY_READING, OF_A_FORM = 16, 16, 3
"""How many trials the network reads: the likeliest, those on rows that the selector marked, and of the latter per form.
The network takes about five milliseconds per trial."""
LOOKED_AT = 400
"""How many of the likeliest trials are candidates: a large table has thousands."""


def read(asked: TableQuery, tables: Sequence[Table], named: NamesAsked | None = None) -> Read | None:
    import numpy as np

    pool = pool_of(asked, tables, named)
    if pool is None:
        return None
    shares = probabilities(asked, pool, weights())
    whose = {id(t): named.of_the_table(asked.text, t) if named else "" for t in tables}
    likeliest: dict[str, int] = {}
    for n in np.argsort(-shares[:-1])[:LOOKED_AT]:
        likeliest.setdefault(in_words(pool.trials[n], asked, whose[id(pool.trials[n].table)]), int(n))
    order = list(likeliest.values())
    chosen = list(dict.fromkeys([*order[:LIKELIEST], *_by_reading(order, pool.trials)]))
    trials = [pool.trials[n] for n in chosen]
    in_short = {n: words for words, n in likeliest.items()}
    said = how_well(asked.text, [in_short[n] for n in chosen])
    logs = np.log(shares + 1e-6)
    told = np.array([logs[chosen], np.maximum(said, 0), np.minimum(said, 0), [float(_is_marked(t)) for t in trials]]).T
    return Read(trials, pool.features[chosen], told, float(logs[-1]))


def _by_reading(order: Sequence[int], trials: Sequence[Trial]) -> list[int]:
    """Trials on rows that the selector marked, a few of each form, since shared words do not show which form is
    meant."""
    found: dict[str, list[int]] = {}
    for n in order:
        if _is_marked(trials[n]):
            found.setdefault(trials[n].form, []).append(n)
    return [n for of_form in found.values() for n in of_form[:OF_A_FORM]][:BY_READING]


def weighed(asked: TableQuery, tables: Sequence[Table], named: NamesAsked | None = None) -> Weighed | None:
    """The surest trial. Trials that give the same answer add up."""
    seen = read(asked, tables, named)
    if seen is None:
        return None
    by = weights()
    chosen, said = surest(seen, by.reading)
    strength = _sure(said, by.surety)
    likeliest, said_alone = surest(seen, UNREAD)
    if seen.trials[likeliest].denoted == seen.trials[chosen].denoted:
        # Where network and word model disagree, the network is right more often, but not always.
        strength = max(strength, AGAINST_THE_NETWORK * _sure(without_the_network(said_alone), by.alone))
    return Weighed(seen.trials[chosen], strength)


UNREAD = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
"""With these weights, the shares are those of the log-linear model alone."""
AGAINST_THE_NETWORK = 0.5
"""On held-out tables, this factor gained four right answers and one wrong one."""
SAID = 4
"""Position of the network's score in `surety_features`."""


def without_the_network(said: Sequence[float]) -> list[float]:
    return [0.0 if n == SAID else value for n, value in enumerate(said)]


def surest(seen: Read, by: "Figures | Sequence[float]") -> tuple[int, list[float]]:
    """The index of the best trial, and the features that say how far it can be trusted."""
    shares = seen.shares(by)
    together: dict[tuple[str, ...], float] = {}
    for trial, share in zip(seen.trials, shares, strict=False):
        together[trial.denoted] = together.get(trial.denoted, 0.0) + float(share)
    best, mass = max(together.items(), key=lambda pair: pair[1])
    second = max((value for denoted, value in together.items() if denoted != best), default=0.0)
    chosen = max((n for n, t in enumerate(seen.trials) if t.denoted == best), key=lambda n: shares[n])
    return chosen, surety_features(
        mass, second, float(shares[-1]), float(seen.told[chosen, 1:3].sum()), seen.features[chosen]
    )


TELLING = (
    "covered", "covered with caption", "all exact", "best label", "a time is asked", "times met", "another time",
    "any firm word left", "words left", "numbers left", "headers left", "head left", "no filter", "by limit",
    "total row",
)  # fmt: skip
"""Features of the chosen trial that say how far its share can be trusted."""


def surety_features(mass: float, second: float, nothing: float, said: float, chosen: "Figures") -> list[float]:
    shares = [log(share + 1e-6) for share in (mass, second, nothing)]
    return [1.0, *shares, said, *(float(chosen[PLACE[name]]) for name in TELLING)]


def _sure(said: Sequence[float], by: "Figures") -> float:
    return 1 / (1 + exp(-sum(float(w) * x for w, x in zip(by, said, strict=True))))
