"""Every Python example of the docs runs, in order, as a reader would type it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if "```python" in page.read_text()]
FILE_NAME = re.compile(r"# (\w+\.py)\n")
"""The first line of an example that a reader saves as a file."""


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    names: dict[str, object] = {"__name__": "example"}
    for example in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        if named := FILE_NAME.match(example):
            (tmp_path / named[1]).write_text(example)
        exec(compile(example, page.name, "exec"), names)


def test_the_pages_for_programmers_have_examples() -> None:
    assert {"README.md", "python.md", "extending.md"} <= {page.name for page in WITH_EXAMPLES}
