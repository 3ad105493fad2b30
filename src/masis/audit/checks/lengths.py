"""How long a sentence may be to be checked: comparing costs more than its length, and a real sentence is short."""

import re

MOST_CHARACTERS = 4000
MOST_NUMBERS = 120
_NUMBER = re.compile(r"\d[\d.,]*+")


def is_too_long(sentence: str) -> bool:
    """Runs of white space, which blanked citation marks leave, are not counted."""
    return sum(map(len, sentence.split())) > MOST_CHARACTERS or len(_NUMBER.findall(sentence)) > MOST_NUMBERS
