"""The walks through the code that docs/architecture.md describes lead through files that exist, and are short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 25
FOREIGN = {"semantic_router/encoders/openai.py"}
"""Files of other projects."""


@pytest.mark.parametrize("thing", ["question", "document"])
def test_a_walk_leads_through_files_that_exist(thing: str) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    walk = page.split(f"## The walk of a {thing}\n")[1].split("\n## ")[0]
    files = re.findall(r"`([\w/]+\.py)`", walk)
    assert 10 < len(files) <= LONGEST
    assert [file for file in files if not (ROOT / "src" / "masis" / file).is_file()] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_pages_name_files_that_exist(page: Path) -> None:
    folders = (ROOT, ROOT / "src", ROOT / "src" / "masis")
    named = set(re.findall(r"`([\w]+/[\w/]+\.py)`", page.read_text())) - FOREIGN
    assert [file for file in named if not any((folder / file).is_file() for folder in folders)] == []
