"""The part of a long text that a claim or a question should be read against: its closest sentences, in their order."""

from collections import Counter
from collections.abc import Collection, Sequence

from masis.language.statements import Statement, statements
from masis.language.words import content_stems

LONGEST = 1_800
"""Characters; with the claim this fits into what the embedded model reads at once."""
_TOLD_AGAIN = 0.3
"""What a word counts for once a chosen sentence has it."""


def excerpt(wanted: str, text: str, longest: int = LONGEST) -> str:
    if len(text) <= longest:
        return text
    parts = statements(text)
    said = [frozenset(content_stems(part.text)) for part in parts]
    chosen = _choose(frozenset(content_stems(wanted)), parts, said, longest)
    return "\n".join(parts[number].text for number in sorted(chosen)) or text[:longest]


def _choose(
    wanted: Collection[str], parts: Sequence[Statement], said: Sequence[frozenset[str]], longest: int
) -> set[int]:
    """The sentence that adds most of the wanted words, rare ones first, and the one before it, as long as they fit."""
    often = Counter(word for words in said for word in words)
    worth = {word: 1 / often[word] ** 0.5 for word in wanted if often[word]}
    chosen: set[int] = set()
    left = longest
    while True:
        gains = {
            n: sum(worth.get(word, 0.0) for word in words)
            for n, words in enumerate(said)
            if n not in chosen and len(parts[n].text) < left
        }
        best = max(gains, key=lambda n: (gains[n], -n), default=None)
        if best is None or gains[best] <= 0:
            return chosen
        for word in said[best]:
            worth[word] = worth.get(word, 0.0) * _TOLD_AGAIN
        for number in (best, best - 1):
            # The sentence before says who “it” is.
            if number >= 0 and number not in chosen and len(parts[number].text) < left:
                chosen.add(number)
                left -= len(parts[number].text) + 1
