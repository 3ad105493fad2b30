"""What MASIS imports is declared in pyproject.toml, not found by chance beside what is."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_direct_imports_are_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    declared = {re.split(r"[\[<>=~! ]", each)[0].lower() for each in [*project["dependencies"], *extras]}
    installed = packages_distributions()
    named = {name: {name, *installed.get(name, [])} for name in _imported() - {"psycopg_pool"}}  # of psycopg[pool]
    assert {
        name for name, by in named.items() if declared.isdisjoint(each.lower().replace("_", "-") for each in by)
    } == set()


def _imported() -> set[str]:
    found = set[str]()
    for path in (ROOT / "src" / "masis").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"masis"}
