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


def test_the_folders_of_the_house_are_all_described() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = page.split("## The folders\n")[1].split("\n## ")[0].splitlines()
    named = {name for row in rows for name in re.findall(r"`([\w.]+)`", row.split("|")[1] if "|" in row else "")}
    house = ROOT / "src" / "masis"
    there = {path.name for path in house.iterdir() if (path / "__init__.py").is_file() or path.suffix == ".py"}
    assert named == there - {"__init__.py", "_version.py"}
    audited = page.split("## The audit is plain code\n")[1].split("\n## ")[0]
    parts = set(re.findall(r"^\| (?:`([\w.]+)`)(?:, `([\w.]+)`)? \|", audited, re.MULTILINE))
    own = {path.name for path in (house / "audit").iterdir() if not path.name.startswith("__")}
    assert {name for row in parts for name in row if name} == own
