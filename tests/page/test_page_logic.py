"""The page's logic runs where browsers run it, in JavaScript; and its files keep what its policy asks of them."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import masis.api
from masis.settings import Settings
from masis.wording import vocabulary

WEB = Path(masis.api.__file__).parent / "web"
OWN = sorted(path for path in (WEB / "static" / "js").rglob("*.js"))
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_logic_of_the_page() -> None:
    tests = sorted(str(path) for path in Path(__file__).parent.glob("*.test.mjs"))
    assert NODE
    assert tests
    words = os.environ | {"MASIS_WORDING": json.dumps(vocabulary(Settings()))}
    done = subprocess.run([NODE, "--test", *tests], capture_output=True, text=True, timeout=120, check=False, env=words)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_every_module_is_loaded_at_once() -> None:
    """A module that is not named in the page is fetched only when another one that imports it has come."""
    named = set(re.findall(r'rel="modulepreload" href="/static/([^"]+)"', (WEB / "index.html").read_text()))
    modules = {path.relative_to(WEB / "static").as_posix() for path in (WEB / "static").rglob("*.js")}
    assert named == modules - {"js/theme_first.js"}


def test_every_import_leads_to_a_file() -> None:
    for path in OWN:
        for target in re.findall(r'(?:from|import) "(\.[^"]+)"', path.read_text()):
            assert (path.parent / target).resolve().is_file(), f"{path.name} imports {target}"


def test_every_file_that_the_page_names_is_there() -> None:
    for target in re.findall(r'(?:href|src)="/static/([^"]+)"', (WEB / "index.html").read_text()):
        assert (WEB / "static" / target).is_file(), target


def test_nothing_is_inline_and_nothing_comes_from_elsewhere() -> None:
    page = (WEB / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?://", page)
    for path in [*OWN, *(WEB / "static" / "css").glob("*.css")]:
        assert not re.search(r"https?://|@import", path.read_text()), path.name


def test_no_text_ever_becomes_markup() -> None:
    forbidden = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|style=")
    for path in OWN:
        assert not forbidden.search(path.read_text()), path.name
