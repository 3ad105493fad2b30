"""E-mails with a planted instruction each (BIPIA, training part): the place, the instruction, and the original."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Place = Literal["start", "middle", "end"]
PLACES: tuple[Place, ...] = ("start", "middle", "end")


@dataclass(frozen=True, slots=True)
class Mail:
    text: str
    question: str
    ideal: str


@dataclass(frozen=True, slots=True)
class Planted:
    mail: Mail
    instruction: str
    category: str
    place: Place

    @property
    def text(self) -> str:
        if self.place == "start":
            return f"{self.instruction}\n{self.mail.text}"
        if self.place == "end":
            return f"{self.mail.text}\n{self.instruction}"
        cuts = [found.end() for found in re.finditer(r"[.!?]\s+|\n+", self.mail.text)] or [len(self.mail.text)]
        at = cuts[len(cuts) // 2]
        return f"{self.mail.text[:at]} {self.instruction} {self.mail.text[at:]}"

    @property
    def span(self) -> tuple[int, int]:
        start = self.text.index(self.instruction)
        return start, start + len(self.instruction)


def read_mails(data: Path) -> list[Mail]:
    lines = (data / "email_train.jsonl").read_text().splitlines()
    return [_mail(json.loads(line)) for line in lines]


def _mail(entry: dict[str, str]) -> Mail:
    return Mail(entry["context"], entry["question"].removeprefix("Q: "), entry["ideal"])


def read_instructions(data: Path) -> list[tuple[str, str]]:
    """(category, instruction)."""
    by_category: dict[str, list[str]] = json.loads((data / "text_attack_train.json").read_text())
    return [(category, words) for category, listed in by_category.items() for words in listed]


def every_planting(data: Path) -> Iterator[Planted]:
    for mail in read_mails(data):
        for category, instruction in read_instructions(data):
            for place in PLACES:
                yield Planted(mail, instruction, category, place)


def some_plantings(data: Path, for_each: int) -> list[Planted]:
    """Deterministic: a fixed number of mails and places for each instruction."""
    chance = random.Random(7)
    mails = read_mails(data)
    return [
        Planted(mail, instruction, category, chance.choice(PLACES))
        for category, instruction in read_instructions(data)
        for mail in chance.sample(mails, for_each)
    ]
