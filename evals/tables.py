"""The tables of docs/benchmarks.md: each section is between its own markers and is replaced as a whole."""

import os
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


class NotMeasured(Exception):
    """Something that the measurement needs is missing; the message says what."""


@dataclass(frozen=True, slots=True)
class Section:
    key: str
    title: str
    body: str

    @property
    def markdown(self) -> str:
        return f"<!-- {self.key} -->\n## {self.title}\n\n{self.body.strip()}\n<!-- /{self.key} -->"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def shared_data(name: str) -> Path | None:
    """A public data set next to the repository, if it is there."""
    folder = PAGE.parents[2] / "shared" / "data" / name
    return folder if folder.exists() else None


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def update_page(name: str, measure: Callable[[], Section]) -> None:
    """Sections that could not be measured here keep their last table."""
    try:
        section = measure()
    except (NotMeasured, pytest.skip.Exception) as missing:  # the test servers skip if their program is not installed
        print(f"{name} was not measured: {missing}. Its table stays as it is.")
        return
    print(section.markdown)
    write_sections([section])


def write_sections(sections: Sequence[Section]) -> None:
    page = PAGE.read_text() if PAGE.exists() else "# Benchmarks\n"
    for section in sections:
        pattern = re.compile(rf"<!-- {section.key} -->.*?<!-- /{section.key} -->", re.DOTALL)
        if pattern.search(page):
            page = pattern.sub(lambda _, made=section.markdown: made, page)
        else:
            page = f"{page.rstrip()}\n\n{section.markdown}\n"
    PAGE.write_text(page)
