"""`python -m training.candidates`: what a search finds for our own questions, as it is read when MASIS answers.

Documents and excerpts (training/questions) are ingested a dozen to a workspace, parts of the public corpora five to a
workspace; every question gets the passages that the Researcher reads, each with what stands above it, its sentences and
rows, and which of them answer. A network that learns from these learns what it is used for: to choose among passages
that all look right.
"""

import argparse
import asyncio
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from masis import Masis, Settings
from masis.language.question import parsed
from masis.language.words import words
from masis.reasoning.offline.selection import Candidate, as_read, candidates_of, lead_of
from masis.reasoning.ports import as_passage
from training.sets import corpora, held_out
from training.written import FOLDER

OUT = Path(".cache/training")
DATA = Path("../shared/data")
BLOCK = 30_000
"""Characters of a part of a corpus: one group of what is held out."""
SAME = 0.8
"""Share of its words that a statement has in common with a marked sentence if it is the same, cut differently."""


@dataclass(frozen=True, slots=True)
class Written:
    group: str
    name: str
    text: str
    questions: tuple[tuple[str, tuple[str, ...]], ...]
    """Each with the sentences and rows that answer it; none if nothing does."""


def written_documents() -> Iterator[Written]:
    for file in sorted(FOLDER.glob("documents-*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            document = json.loads(line)
            text = f"# {document['title']}\n"
            for section in document["sections"]:
                text += f"\n## {section['heading']}\n\n{_paragraphs(section['lines'])}\n"
            said = [[sentence for line in section["lines"] for sentence in line] for section in document["sections"]]
            asked = tuple(
                (entry["q"], tuple(said[int(s)][n] for s, numbers in entry["s"].items() for n in numbers))
                for entry in document["questions"]
            )
            yield Written(f"documents-{file.stem}-{number}", document["title"], text, asked)


def written_excerpts() -> Iterator[Written]:
    for file in sorted(FOLDER.glob("own-*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            passage = json.loads(line)
            said = [sentence for line in passage["lines"] for sentence in line]
            asked = tuple((entry["q"], tuple(said[n] for n in entry["s"])) for entry in passage["questions"])
            name = said[0] if len(said[0]) < 80 else " ".join(said[0].split()[:8])
            yield Written(f"own-{file.stem}-{number}", name, _paragraphs(passage["lines"]), asked)


def corpus_blocks(data: Path) -> Iterator[Written]:
    """Parts of the public corpora with our questions, whose answers are kept as places in the corpus."""
    texts = corpora(data)
    asked: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for file in sorted(FOLDER.glob("blocks-*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            text = texts[entry["block"].split("-")[0]]
            asked[entry["block"]].append((entry["q"], tuple(text[a:b] for a, b in entry["s"])))
    for name, questions in asked.items():
        corpus, number = name.split("-")
        start = int(number) * BLOCK
        yield Written(f"corpora-{name}", name, texts[corpus][start : start + BLOCK], tuple(questions))


def _paragraphs(lines: Sequence[Sequence[str]]) -> str:
    """A blank line between paragraphs, none between the rows of a table or the items of a list."""
    text, before = "", ""
    for line in lines:
        said = " ".join(line)
        text += ("\n" if said[:1] in "|-•" and before[:1] == said[:1] else "\n\n") + said
        before = said
    return text.strip()


def as_candidates(masis: Masis, workspace: str, document: Written, asked: str, gold: Sequence[str]) -> Any:
    """None where nothing was found, where the search missed what answers, or where two things are asked."""
    parts = parsed(asked).parts
    settings = Settings()
    searched = masis.library.search(workspace, asked, settings.candidates, at_least=settings.relevance_threshold)
    result = asyncio.run(searched)
    passages = [as_passage(chunk) for chunk in [*result.candidates, *result.further]]
    candidates = candidates_of(passages)
    if not candidates or len(parts) != 1:
        return None
    groups = [[c for c in candidates if c.passage.chunk_id == p.chunk_id] for p in passages]
    read = [_read(parts[0], group, candidates, gold) for group in groups if group]
    if gold and not any(one["gold"] for one in read):
        return None
    about = {"set": "own", "group": document.group, "held_out": held_out(document.group)}
    return about | {"question": parts[0].for_reading, "passages": read}


def _read(part: Any, group: Sequence[Candidate], candidates: Sequence[Candidate], gold: Sequence[str]) -> Any:
    lead = lead_of(part, group, candidates)
    text, units = as_read(group, lead)
    marked = [n for n, c in enumerate(group) if any(_is_same(c.statement.text, sentence) for sentence in gold)]
    file = group[0].passage.file_name
    return {"text": text, "lead": len(lead), "units": units, "gold": marked, "file": file}


def _is_same(statement: str, sentence: str) -> bool:
    ours, theirs = words(statement), words(sentence)
    if not ours or not theirs:
        return False
    if f" {' '.join(ours)} " in f" {' '.join(theirs)} " or f" {' '.join(theirs)} " in f" {' '.join(ours)} ":
        return min(len(ours), len(theirs)) >= 3 or ours == theirs
    return len(set(ours) & set(theirs)) >= SAME * max(len(set(ours)), len(set(theirs)))


KINDS = {"documents": written_documents, "excerpts": written_excerpts, "blocks": lambda: corpus_blocks(DATA)}
SIZES = {"documents": 12, "excerpts": 12, "blocks": 5}
"""How many share a workspace."""


def _workspaces(documents: Sequence[Written], size: int) -> Iterator[list[Written]]:
    """Those that are held out by themselves: nothing of theirs is seen in training."""
    for kept in (False, True):
        own = [d for d in documents if held_out(d.group) == kept]
        random.Random(5).shuffle(own)
        yield from (own[n : n + size] for n in range(0, len(own), size))


def of_workspace(documents: Sequence[Written], of_excerpts: int) -> tuple[list[Any], int]:
    """What is found for the questions on these documents, and for how many of them nothing of use is."""
    with (
        TemporaryDirectory() as home,
        TemporaryDirectory() as folder,
        Masis(Settings(home=Path(home))) as masis,
    ):
        for n, document in enumerate(documents):
            name = re.sub(r"\W+", "-", document.name[:60]).strip("-").lower()
            (Path(folder) / f"{n}-{name}.md").write_text(document.text)
        masis.ingest([folder], "w")
        asked = [(document, question) for document in documents for question in _asked(document, of_excerpts)]
        found = [as_candidates(masis, "w", document, *question) for document, question in asked]
    kept = [one for one in found if one]
    return kept, len(found) - len(kept)


def _asked(document: Written, of_excerpts: int) -> Sequence[tuple[str, tuple[str, ...]]]:
    questions = document.questions
    if document.group.startswith("own-"):
        return random.Random(document.group).sample(questions, min(len(questions), of_excerpts))
    return questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of-excerpts", type=int, default=5, help="questions asked of each excerpt")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[*KINDS], help="of what")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    of_each = partial(of_workspace, of_excerpts=given.of_excerpts)
    for kind in given.kinds:
        spaces = list(_workspaces(list(KINDS[kind]()), SIZES[kind]))
        made = missed = 0
        with Pool(given.processes) as pool, gzip.open(OUT / f"candidates-{kind}.jsonl.gz", "wt") as out:
            for number, (found, without) in enumerate(pool.imap(of_each, spaces), start=1):
                out.writelines(json.dumps(one) + "\n" for one in found)
                made, missed = made + len(found), missed + without
                print(f"{kind}: workspace {number} of {len(spaces)}, {made} questions, {missed} left out", flush=True)


if __name__ == "__main__":
    main()
