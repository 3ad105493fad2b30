"""Captions (WebVTT, SRT): what is said and by whom, without times and numbers."""

import re
from collections.abc import Iterator

_TIMES = re.compile(r"\s*(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}\s*-->\s*(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}.*")
_NOT_SPOKEN = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_VOICE = re.compile(r"<v(?:\.[^\s>]{1,100})?\s+([^<>]{1,200})>")
_TAG = re.compile(r"</?[^<>\n]{0,200}>|\{\\[^{}\n]{1,50}\}")


def caption_lines(text: str) -> Iterator[str]:
    last = ""
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        if _NOT_SPOKEN.match(block) and not any(_TIMES.fullmatch(line) for line in lines):
            continue
        start = next((index + 1 for index, line in enumerate(lines) if _TIMES.fullmatch(line)), 0)
        for line in lines[start:]:
            spoken = " ".join(_TAG.sub("", _VOICE.sub(r"\1: ", line)).split())
            # Captions that roll repeat their last line.
            if spoken and spoken != last:
                yield spoken
                last = spoken
