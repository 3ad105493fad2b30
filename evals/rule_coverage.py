"""`python -m evals.rule_coverage [name …]`: which statements of the rules no evaluation runs.

Runs the evaluations that ask or audit under coverage (about 45 minutes; their tables in docs/benchmarks.md are updated)
and lists, for `language`, `audit` and the offline engine, the functions that were never called. Such a function
changes no figure: it is required by the specification, or it can go.
"""

import argparse
import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
RULES = ("src/masis/language", "src/masis/audit", "src/masis/reasoning/offline")
JUDGING = (
    *("sample", "unseen", "given", "confidence", "answers", "filings", "tatqa", "tables", "limits", "versions"),
    *("model-answers", "written-answers", "planted-errors", "conflicts", "support", "poisoned"),
)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def never_called(source: str, missing: set[int]) -> Iterator[tuple[str, int]]:
    """Name and length of each function of which no statement ran."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DEFINITIONS):
            inside = [each.lineno for each in node.body if not _is_docstring(each)]
            if inside and missing.issuperset(inside):
                yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, report = f"--data-file={folder}/data", Path(folder) / "report.json"
        covered = ("coverage", "run", data, "--append", f"--source={','.join(RULES)}")
        for name in names or JUDGING:
            print(f"{name} …", flush=True)
            subprocess.run((sys.executable, "-m", *covered, "-m", "evals", "eval", name), cwd=ROOT, check=True)
        subprocess.run((sys.executable, "-m", "coverage", "json", "-q", data, "-o", report), cwd=ROOT, check=True)
        files = json.loads(report.read_text())["files"]
    for name, found in sorted(files.items()):
        unused = list(never_called((ROOT / name).read_text(), set(found["missing_lines"])))
        if unused:
            print(name, *(f"  {function} ({lines} lines)" for function, lines in unused), sep="\n")
    statements = sum(each["summary"]["num_statements"] for each in files.values())
    missed = sum(each["summary"]["missing_lines"] for each in files.values())
    print(f"{statements - missed:,} of {statements:,} statements ran ({1 - missed / statements:.0%}).")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m evals.rule_coverage", description=__doc__)
    parser.add_argument("names", nargs="*", help="which evaluations; all that ask or audit when none is named")
    main(parser.parse_args().names)
