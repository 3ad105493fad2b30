"""What lists of words and patterns are made of."""

# Words a pattern may skip: bounded, so that no pattern costs more than linear time.
GAP = r"[^.;]{0,80}?"
SHORT_GAP = r"[^.;]{0,40}?"


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def one_of(words: str, *phrases: str) -> str:
    """A group that matches any of the words (separated by spaces) or phrases."""
    return f"(?:{'|'.join([*words.split(), *phrases])})"
