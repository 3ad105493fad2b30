"""167 real files of all formats, good and hostile: does each behave as its manifest says, and are its words found?"""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.tables import NotMeasured, Section, shared_data, table
from masis.errors import UnreadableFile
from masis.settings import Settings
from masis.sources.pdf.page_words import RIGHT_TO_LEFT
from masis.sources.pdf.text import opened_pdf
from masis.sources.sandbox.pool import Sandbox
from masis.sources.sniff import is_pdf

_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)|https?://\S+")
_MERGED = re.compile(r"(\|\s*([^|\n]*[^|\s][^|\n]*?)\s*)(?:\|\s*\2\s*(?=\|))+")
"""A cell repeated next to itself: one that the file merges over several columns."""
_SAYS_ENCRYPTED = re.compile(r"password|encrypted", re.IGNORECASE)
_SAYS_EMPTY = re.compile(r"empty|no text|no files", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judged:
    file: str
    expect: str
    outcome: str
    """The text's length, or the refusal."""
    is_as_expected: bool
    words_found: float | None
    """Share of the reference's words, if there is a reference."""


def measure() -> Section:
    title = "Real files of every format"
    folder = shared_data("formats")
    if folder is None:
        raise NotMeasured("the data set is not at ../shared/data")
    by_kind: dict[str, list[Judged]] = defaultdict(list)
    for judged in judge_all(folder):
        kind = Path(judged.file).suffix if judged.file.startswith("good/") else f"hostile: {judged.expect}"
        by_kind[kind].append(judged)
    rows = [_row(kind, by_kind[kind]) for kind in sorted(by_kind, key=lambda kind: (kind.startswith("h"), kind))]
    rows.append(_row("**all**", [judged for several in by_kind.values() for judged in several]))
    header = ["kind", "files", "behaved as expected", "words of the reference found"]
    body = (
        "Good files must give text, encrypted and empty ones must be refused with that reason, hostile ones must end "
        "as text or a refusal with advice, within limits and without fetching anything. All are read in the sandbox. "
        "The references are another program's Markdown of the same files, where the data set has one, with a merged "
        "cell counted once; of a PDF, pdfium's own text of what lies on the page.\n\n"
        f"{table(header, rows)}"
    )
    return Section("formats", title, body)


def _row(kind: str, judged: Sequence[Judged]) -> list[object]:
    shares = [one.words_found for one in judged if one.words_found is not None]
    words = f"{sum(shares) / len(shares):.3f} ({len(shares)} files)" if shares else ""
    return [kind, len(judged), sum(one.is_as_expected for one in judged), words]


def manifest(folder: Path) -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = json.loads((folder / "MANIFEST.json").read_text())["files"]
    return files


def judge_all(folder: Path) -> list[Judged]:
    sandbox = Sandbox(Settings())
    judged = [judge(sandbox, folder, entry) for entry in manifest(folder)]
    sandbox.close()
    return judged


def judge(sandbox: Sandbox, folder: Path, entry: dict[str, Any]) -> Judged:
    path = folder / entry["file"]
    expect = str(entry["expect"])
    try:
        document = sandbox.parse(path.read_bytes(), path.name)
    except UnreadableFile as refused:
        is_right = _is_right_refusal(expect, str(refused)) and bool(refused.advice)
        return Judged(entry["file"], expect, str(refused), is_right, None)
    reference = entry.get("expected_markdown")
    share = words_found((folder / reference).read_text(), document.text) if reference else None
    if expect == "text" and is_pdf(path.read_bytes()):
        share = words_found(pdf_text(path.read_bytes()), document.text)
    is_right = expect not in ("encrypted", "empty") and bool(document.text.strip() or document.members)
    return Judged(entry["file"], expect, f"{len(document.text)} characters", is_right, share)


def pdf_text(data: bytes) -> str:
    """As pdfium writes it, with hyphens at line ends joined, without what lies outside the page."""
    pages = (_on_page(page.get_textpage(), page.get_width()) for page in opened_pdf(data, "file.pdf"))
    return unicodedata.normalize("NFC", re.sub("[\ufffe\x02]\\s*", "", "\n".join(pages)))


def _on_page(text: Any, width: float) -> str:
    """One half of a spread has the other half printed outside its page."""
    lines = text.get_text_range().split("\r\n")
    counted, shown = 0, []
    for line in lines:
        middle = counted + len(line) // 2
        left, _, right, _ = text.get_charbox(min(middle, text.count_chars() - 1)) if line.strip() else (0, 0, 0, 0)
        shown += [line] if 0 <= (left + right) / 2 <= width else []
        counted += len(line) + 2
    return "\n".join(shown)


def _is_right_refusal(expect: str, refusal: str) -> bool:
    if expect == "encrypted":
        return bool(_SAYS_ENCRYPTED.search(refusal))
    if expect == "empty":
        return bool(_SAYS_EMPTY.search(refusal))
    return expect != "text"


def words_found(reference: str, text: str) -> float:
    """Counts how often a word occurs, without link addresses and comments, which a reader does not see."""
    once = _MERGED.sub(r"\1", _LINK_TARGET.sub(" ", _COMMENT.sub(" ", reference)))
    wanted = Counter(_words(once))
    found = wanted & Counter(_words(text))
    return found.total() / wanted.total() if wanted else 1.0


def _words(text: str) -> list[str]:
    words = (word.lower() for word in _WORD.findall(text.replace("\\_", "_")))
    # pdfium returns Arabic and Hebrew letters in the order of the page.
    return [min(word, word[::-1]) if RIGHT_TO_LEFT.search(word) else word for word in words]
