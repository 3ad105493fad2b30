"""`python -m training.build`: makes the examples that the networks are trained on from ../shared/data.

Everything lands in .cache/training; the seed and the split are fixed, so the same data gives the same examples.
"""

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from masis.language.sentences import split_sentences
from masis.language.words import content_stems
from masis.reasoning.offline.verifier import excerpt
from training import sets
from training.edits import Edited, Surroundings, make_harmless, make_wrong
from training.selections import selections
from training.sets import ClaimExample
from training.thesaurus import Thesaurus
from training.written import own_documents, written

SEED = 20_261_115
SENTENCES_A_PASSAGE = {"ramdocs": 2}
OTHERWISE = 5
STILL_SAID = 0.6
"""A sentence whose words the rest of its passage has to this share may still be borne out without it."""


def made_claims(data: Path, thesaurus: Thesaurus, rng: random.Random) -> Iterator[ClaimExample]:
    texts = list(sets.passages(data))
    neighbours = Neighbours([text for _, _, text in texts], rng)
    for name, group, text in texts:
        sentences = [s for s in split_sentences(text) if 40 < s.end - s.start < 320]
        for sentence in rng.sample(sentences, min(SENTENCES_A_PASSAGE.get(name, OTHERWISE), len(sentences))):
            said = text[sentence.start : sentence.end]
            around = Surroundings(text, neighbours.of(text), thesaurus, rng)
            yield from _family(ClaimExample(name, group, said, text, 1), around)
            if rng.random() < 0.5 and (without := _without(text, sentence.start, sentence.end)):
                yield ClaimExample(name, group, said, without, 0, ((0, len(said)),), "support removed")
        if len(sentences) > 2:
            yield from _pairs(name, group, text, sentences, rng)


def _pairs(name: str, group: str, text: str, sentences: Sequence[Any], rng: random.Random) -> Iterator[ClaimExample]:
    """Two sentences as one claim: both said, or only one of them."""
    number = rng.randrange(len(sentences) - 1)
    first, second = sentences[number], sentences[number + 1]
    a, b = text[first.start : first.end], text[second.start : second.end]
    yield ClaimExample(name, group, f"{a} {b}", text, 1, (), "as it is", "", len(a) + 1)
    gone, wrong = (first, (0, len(a))) if rng.random() < 0.5 else (second, (len(a) + 1, len(a) + 1 + len(b)))
    if without := _without(text, gone.start, gone.end):
        yield ClaimExample(name, group, f"{a} {b}", without, 0, (wrong,), "half removed")


class Neighbours:
    """For a text, another one that speaks of like things: what is added from it is not told by its topic."""

    def __init__(self, texts: Sequence[str], rng: random.Random) -> None:
        self._texts = [(text, frozenset(content_stems(text))) for text in texts]
        self._rng = rng

    def of(self, text: str) -> str:
        said = frozenset(content_stems(text))
        pool = [other for other in self._rng.sample(self._texts, 40) if other[0] != text]
        return max(pool, key=lambda other: len(said & other[1]) / (1 + len(other[1])) ** 0.5)[0]


EDITS_OF_A_PARAPHRASE = 1


def edited_paraphrases(
    real: Iterable[ClaimExample], neighbours: Neighbours, thesaurus: Thesaurus, rng: random.Random
) -> Iterator[ClaimExample]:
    """Errors in sentences that people and models wrote from a passage."""
    for example in real:
        if not example.label or len(example.claim) - example.context < 40:
            continue
        around = Surroundings(example.passage, neighbours.of(example.passage), thesaurus, rng)
        before, said = example.claim[: example.context], example.claim[example.context :]
        if rng.random() < 0.3:
            yield _as_example(example, before, make_harmless(said, around), 1)
        for _ in range(EDITS_OF_A_PARAPHRASE):
            if wrong := make_wrong(said, around):
                yield _as_example(example, before, wrong, 0)


def _family(example: ClaimExample, around: Surroundings) -> Iterator[ClaimExample]:
    harmless = make_harmless(example.claim, around)
    yield _as_example(example, "", harmless, 1)
    if wrong := make_wrong(harmless.text if around.rng.random() < 0.5 else example.claim, around):
        yield _as_example(example, "", wrong, 0)


def _as_example(example: ClaimExample, before: str, edited: Edited, label: int) -> ClaimExample:
    wrong = tuple((a + len(before), b + len(before)) for a, b in edited.wrong)
    return ClaimExample(
        example.set, example.group, before + edited.text, example.passage, label, wrong, edited.kind, "", len(before)
    )


def _without(text: str, start: int, end: int) -> str | None:
    rest = f"{text[:start]} {text[end:]}".strip()
    wanted = set(content_stems(text[start:end]))
    left = wanted & set(content_stems(rest))
    return rest if wanted and len(left) < STILL_SAID * len(wanted) and len(rest) > 100 else None


def write(file: Path, entries: Iterable[dict[str, Any]]) -> None:
    entries = list(entries)
    with gzip.open(file, "wt") as out:
        out.writelines(json.dumps(entry) + "\n" for entry in entries)
    print(file.name, len(entries), Counter((e["set"], e.get("kind") == "real", e["held_out"]) for e in entries))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--wordnet", type=Path, required=True, help="the folder dict of WordNet 3.1")
    parser.add_argument("--out", type=Path, default=Path(".cache/training"))
    parser.add_argument("--documents", type=int, default=0, help="with so many files of questions on whole documents")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    thesaurus = Thesaurus(given.wordnet)
    real = [*sets.ragtruth(given.data), *sets.summedits(given.data)]
    neighbours = Neighbours([text for _, _, text in sets.passages(given.data)], rng)
    answers = list(sets.clapnq_answers(given.data))
    made = [
        *made_claims(given.data, thesaurus, rng),
        *answers,
        *edited_paraphrases([*real, *answers], neighbours, thesaurus, rng),
    ]
    measured = [_cut(e.as_json()) | {"only_measured": True} for e in sets.wice(given.data)]
    write(given.out / "claims.jsonl.gz", [*(_cut(e.as_json()) for e in [*real, *made]), *measured])
    own = [*written(given.data), *own_documents(given.documents)]
    write(
        given.out / "selections.jsonl.gz",
        (e.as_json() for e in selections(given.data, thesaurus, random.Random(SEED), own)),
    )


def _cut(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"passage": excerpt(entry["claim"], entry["passage"])}


if __name__ == "__main__":
    main()
