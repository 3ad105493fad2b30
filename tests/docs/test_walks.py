"""The walks through the code that docs/architecture.md describes lead through files that exist, and are short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 25


@pytest.mark.parametrize("thing", ["question", "document"])
def test_a_walk_leads_through_files_that_exist(thing: str) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    walk = page.split(f"## The walk of a {thing}\n")[1].split("\n## ")[0]
    files = re.findall(r"`([\w/]+\.py)`", walk)
    assert 10 < len(files) <= LONGEST
    assert [file for file in files if not (ROOT / "src" / "masis" / file).is_file()] == []
