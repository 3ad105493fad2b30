"""Patterns leave out what git would leave out: git itself is asked."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.sources.remote.listing import Ignore
from tests.support.growth import MOST, growth

PATTERNS = [
    "*.tmp",
    "/top.md",
    "notes/",
    "a/*/c.txt",
    "a/**/z.txt",
    "**/deep",
    "logs/**",
    "!keep.tmp",
    "[ab]*.csv",
    "[!a]?.dat",
    "\\#hash",
    "\\!bang",
    "# a comment",
    "",
    "trailing   ",
    "x/y",
]
NAMES = ["a", "b", "c.txt", "z.txt", "top.md", "notes", "deep", "logs", "keep.tmp", "a.tmp", "ab.csv", "#hash", "!bang"]
paths = st.lists(st.sampled_from([*NAMES, "x", "y", "bz.dat", "trailing"]), min_size=1, max_size=4).map("/".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("git")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@given(patterns=st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=6), asked=st.lists(paths, max_size=12))
def test_as_git_does(repository: Path, patterns: list[str], asked: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(patterns) + "\n")
    words = ["git", "-C", str(repository), "check-ignore", "--no-index", "--stdin", "-z"]
    said = subprocess.run(words, input="\0".join(asked), capture_output=True, text=True).stdout
    ignore = Ignore(patterns)
    assert {path for path in asked if ignore(path)} == set(said.split("\0")) - {""}


def test_hidden_files_and_the_leavings_of_programs_are_left_out_unless_asked_for() -> None:
    assert all(map(Ignore(), [".git/config", "a/.hidden", "~$report.docx", "b/Thumbs.db"]))
    assert not Ignore(["!.wanted.md"])(".wanted.md")


def test_many_stars_take_linear_time() -> None:
    ignore = Ignore(["*a" * 30 + "b", "/".join(["**", "x"] * 10)])
    assert growth(ignore, "a") < MOST
    assert growth(ignore, "x/") < MOST
