"""Every Python example of the docs runs, in order, as a reader would type it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if "```python" in page.read_text()]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {"__name__": "example"}
    for example in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(compile(example, page.name, "exec"), names)


def test_the_readme_and_the_python_page_have_examples() -> None:
    assert {"README.md", "python.md"} <= {page.name for page in WITH_EXAMPLES}
