"""Changes to a sentence: those that make it say something else, with the characters that do, and those that do not."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from masis.language.quantities import quantities
from training.thesaurus import Thesaurus

Span = tuple[int, int]

NAME = re.compile(r"\b[A-Z][\w.&'-]*(?:\s+(?:of|the|de|and|for)?\s*[A-Z][\w.&'-]*)*")
WORD = re.compile(r"[A-Za-z][a-z]{2,}")
VERBS = r"\b(is|are|was|were|has|have|had|will|can|could|should|would|may|might|does|did|do)\b"
STRONGER = {
    "may": "will", "might": "will", "can": "must", "could": "would", "some": "all", "many": "all", "most": "all",
    "often": "always", "sometimes": "always", "usually": "never", "rarely": "always", "about": "exactly",
    "few": "many", "several": "no", "all": "some", "every": "no", "always": "sometimes", "before": "after",
    "after": "before", "more": "less", "less": "more", "increase": "decrease", "increased": "decreased",
    "higher": "lower", "lower": "higher", "rose": "fell", "fell": "rose", "up": "down", "first": "last",
    "largest": "smallest", "best": "worst", "over": "under", "above": "below", "least": "most", "only": "also",
    "both": "neither", "with": "without", "and": "or", "because": "although", "during": "before",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edited:
    text: str
    wrong: tuple[Span, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    passage: str
    elsewhere: str
    """Another text, for names and clauses that the passage does not have."""
    thesaurus: Thesaurus
    rng: random.Random


def _replaced(text: str, start: int, end: int, new: str, kind: str) -> Edited:
    return Edited(text[:start] + new + text[end:], ((start, start + len(new)),), kind)


def number(text: str, around: Surroundings) -> Edited | None:
    found = [m for m in re.finditer(r"\d[\d,.]*\d|\d", text) if quantities(m.group()) or len(m.group()) == 4]
    if not found:
        return None
    match = around.rng.choice(found)
    others = [n for n in re.findall(r"\d[\d,.]*\d|\d", around.passage) if n not in text]
    new = (
        around.rng.choice(others) if others and around.rng.random() < 0.5 else _other_digits(match.group(), around.rng)
    )
    return _replaced(text, match.start(), match.end(), new, "number") if new != match.group() else None


def _other_digits(digits: str, rng: random.Random) -> str:
    places = [n for n, c in enumerate(digits) if c.isdigit()]
    place = rng.choice(places)
    new = rng.choice([d for d in "123456789" if d != digits[place]])
    return digits[:place] + new + digits[place + 1 :]


def _names(text: str) -> list[re.Match[str]]:
    return [m for m in NAME.finditer(text) if m.start() > 0 or " " in m.group()]


def name_from(source: Callable[[Surroundings], str], kind: str) -> "Change":
    def change(text: str, around: Surroundings) -> Edited | None:
        found = _names(text)
        others = sorted({m.group() for m in _names(source(around))} - {m.group() for m in found})
        others = [other for other in others if other not in text]
        if not found or not others:
            return None
        match = around.rng.choice(found)
        return _replaced(text, match.start(), match.end(), around.rng.choice(others), kind)

    return change


def swapped_roles(text: str, around: Surroundings) -> Edited | None:
    found = _names(text)
    if len(found) < 2:
        return None
    a, b = sorted(around.rng.sample(found, 2), key=lambda m: m.start())
    if a.group() in b.group() or b.group() in a.group():
        return None
    made = text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]
    moved = a.start() + len(b.group()) + (b.start() - a.end())
    return Edited(made, ((a.start(), a.start() + len(b.group())), (moved, moved + len(a.group()))), "roles")


def negation(text: str, around: Surroundings) -> Edited | None:
    if match := re.search(r"\b(?:not|never)\s", text):
        return Edited(text[: match.start()] + text[match.end() :], (_word_at(text, match.start()),), "negation")
    match = re.search(VERBS, text)
    if not match:
        return None
    new = f"{match.group()} {around.rng.choice(['not', 'not', 'never'])}"
    return _replaced(text, match.start(), match.end(), new, "negation")


def _word_at(text: str, place: int) -> Span:
    return max(0, place - 8), place


def stronger(text: str, around: Surroundings) -> Edited | None:
    found = [m for m in WORD.finditer(text) if m.group().lower() in STRONGER]
    if not found:
        return None
    match = around.rng.choice(found)
    return _replaced(text, match.start(), match.end(), STRONGER[match.group().lower()], "turn")


def clause_of_another(text: str, around: Surroundings) -> Edited | None:
    clauses = re.findall(
        r"\b(?:which|who|because|in order|such as|including|with|by|for|due|at|on)\s[^,.;\n]{12,70}", around.elsewhere
    )
    if not clauses or not text.rstrip().endswith("."):
        return None
    clause = around.rng.choice(clauses).strip()
    places = [m.start() for m in re.finditer(r",\s", text)] + [len(text.rstrip()) - 1]
    place = around.rng.choice(places)
    made = f"{text[:place]} {clause}{text[place:]}"
    return Edited(made, ((place + 1, place + 1 + len(clause)),), "insertion")


def tail_of_another(text: str, around: Surroundings) -> Edited | None:
    """Subject of one sentence, the rest of another."""
    others = [s for s in re.split(r"(?<=[.!?])\s+", around.elsewhere) if 30 < len(s) < 200]
    heads = [m.end() for m in re.finditer(VERBS, text)]
    if not others or not heads:
        return None
    tails = [s[m.end() :] for s in others for m in [re.search(VERBS, s)] if m]
    if not tails:
        return None
    head, tail = heads[0], around.rng.choice(tails)
    return Edited(text[:head] + tail, ((head + 1, head + len(tail)),), "tail")


def _forms(word: str) -> list[tuple[str, str]]:
    """What a dictionary may list it under, with the ending it had."""
    found = [(word, "")]
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            base = word[: -len(ending)]
            found += [(base, ending), (base + "e", ending)] if ending in ("ing", "ed") else [(base, ending)]
    return found


def _with_ending(word: str, ending: str) -> str:
    if not ending:
        return word
    if ending in ("s", "es"):
        return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
    return (word[:-1] if word.endswith("e") else word) + ending


def _exchanged(text: str, around: Surroundings, how: str, kinds: str) -> tuple[int, int, str] | None:
    found = [m for m in WORD.finditer(text) if m.group().islower() and len(m.group()) > 3]
    around.rng.shuffle(found)
    for match in found:
        for base, ending in _forms(match.group()):
            for kind in around.rng.sample(kinds, len(kinds)):
                others = [w for w in getattr(around.thesaurus, how)(base, kind) if w.replace(" ", "").isalpha()]
                if others:
                    return match.start(), match.end(), _with_ending(around.rng.choice(others[:6]), ending)
    return None


def opposite(text: str, around: Surroundings) -> Edited | None:
    found = _exchanged(text, around, "opposite", "nvar")
    return _replaced(text, *found, "opposite") if found else None


def sister(text: str, around: Surroundings) -> Edited | None:
    found = _exchanged(text, around, "others", "nv")
    return _replaced(text, *found, "sister") if found else None


def synonym(text: str, around: Surroundings) -> Edited | None:
    found = _exchanged(text, around, "same", "nvar")
    return Edited(text[: found[0]] + found[2] + text[found[1] :], (), "synonym") if found else None


def shortened(text: str, around: Surroundings) -> Edited | None:
    cut = re.sub(r"\s*\([^)]*\)", "", text)
    if cut == text:
        cut = re.sub(r",\s(?:which|who|where|including|such as)\s[^,.]*(?=[,.])", "", text)
    if cut == text:
        cut = re.sub(
            r"^(?:In|On|At|During|After|For|However|Also|Additionally)\b[^,]{0,40},\s*(\w)",
            lambda m: m[1].upper(),
            text,
        )
    return Edited(cut, (), "shortened") if cut != text else None


Change = Callable[[str, Surroundings], Edited | None]

WRONG: Sequence[tuple[Change, float]] = (
    (number, 1.6),
    (name_from(lambda a: a.passage, "name nearby"), 1.6),
    (name_from(lambda a: a.elsewhere, "name foreign"), 0.6),
    (swapped_roles, 1.0),
    (negation, 0.7),
    (stronger, 0.8),
    (clause_of_another, 1.0),
    (tail_of_another, 0.8),
    (opposite, 1.2),
    (sister, 1.6),
)
HARMLESS: Sequence[Change] = (synonym, shortened)


def make_wrong(text: str, around: Surroundings) -> Edited | None:
    for _ in range(4):
        change = around.rng.choices([c for c, _ in WRONG], [w for _, w in WRONG])[0]
        if edited := change(text, around):
            return edited
    return None


def make_harmless(text: str, around: Surroundings) -> Edited:
    edited = Edited(text, (), "as it is")
    for change in HARMLESS:
        if around.rng.random() < 0.35 and (made := change(edited.text, around)):
            edited = made
    return edited
