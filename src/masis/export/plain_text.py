"""Foreign text made harmless for any reader: nothing that is invisible, and nothing that turns the order of letters."""

import re

_TURNING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""Embeddings, overrides and isolates: with them a text can be made to read as another."""
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"
    r"\ufffe\uffff\U000e0000-\U000e0fff]"
)
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def plain(text: str) -> str:
    """What turns the order of letters is shown by its number, so that a reader sees that somebody tried."""
    text = _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))
    text = _TURNING.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
    return _SURROGATES.sub("\ufffd", text)


def one_line(text: str) -> str:
    return " ".join(plain(text).split())
