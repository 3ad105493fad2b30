"""Is the right passage found? MASIS against BM25, vectors alone and the libraries a user would pick instead."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evals import retrieval_data as data
from evals.retrieval_cache import CachedEmbedder, CachedReranker
from evals.retrieval_data import Collection, Question, Span
from evals.retrieval_metrics import documents, hit, mean, recall_within, reciprocal_rank, span_scores
from evals.retrieval_peers import PEERS, PYTHON, ask
from evals.retrieval_systems import READ_AGAIN, Index, bm25_alone
from evals.tables import NotMeasured, Section, machine, table

Ranking = list[list[Span]]
"""For each question, what was found, best first."""
TITLE = "Finding the passage: MASIS, BM25, vectors and other libraries"
WINDOW = 800
CHOSEN_ON_EVERY = 3
"""The settings of the second reading were chosen on every third question of the first set."""


@dataclass(frozen=True, slots=True)
class System:
    name: str
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Tools:
    embedder: CachedEmbedder
    reranker: CachedReranker


def measure() -> Section:
    loaded = {
        "chunking": data.chunking_evaluation(),
        "clapnq": data.clapnq(),
        "filings": data.filings(),
        "tatqa": data.tatqa(),
    }
    present = {name: collection for name, collection in loaded.items() if collection}
    if len(present) < len(loaded):
        raise NotMeasured("the data sets are not at ../shared/data")
    tools = Tools(CachedEmbedder(), CachedReranker())
    start = time.perf_counter()
    parts = [
        _spans_part(present["chunking"], tools),
        _passages_part(present["clapnq"], tools),
        _filings_part(present["filings"], tools),
        _blocks_part(present["tatqa"], tools),
    ]
    return Section("retrieval", TITLE, "\n\n".join([_introduction(), *parts, _cost(tools, start)]))


def _introduction() -> str:
    missing = "" if PYTHON.exists() else " The other libraries are missing here: `sh scripts/setup_peers.sh` gets them."
    return (
        "Everybody gets the same files and the same embedding model (bge-small-en-v1.5 int8). Best of each column in "
        "bold. “Search” is what the Researcher gets by default: 10 candidates; those side by side in a document "
        "are counted as one, up to 1,600 characters; “focus” the part of each that speaks of the question, which a "
        "search also tells. “Second reading” is `MASIS_RERANK=order`: the "
        f"embedded cross-encoder reads that part of each of the {READ_AGAIN} candidates and puts them in order. "
        "“Shortest” (`MASIS_RERANK=shortest`) also drops those clearly weaker than the best and keeps only that part "
        "of the others: for little context at a price, since one side of a disagreement may go. The weight of meaning "
        "in the search (0.7) was chosen on these sets. Near-duplicates, of which a search keeps the best, are left in "
        "here: the first set counts only one of two places with the same words (without them, recall was 86.1 when "
        "last tried)." + missing
    )


def _cost(tools: Tools, start: float) -> str:
    each = tools.reranker.milliseconds_a_passage
    return (
        f"The second reading takes {each:.0f} ms a passage (median), about {each * READ_AGAIN / 1000:.1f} s a "
        f"question. {machine()}; {time.perf_counter() - start:.0f} s for these tables, what was cached not counted."
    )


def _systems(collection: Collection, tools: Tools, *, shortest: bool = False) -> Iterator[System]:
    """All but BM25 alone, which differs by data set."""
    index = Index(collection, tools.embedder)
    asked = range(len(collection.questions))
    yield System("vectors alone (MASIS chunks)", [index.spans(index.by_meaning(number)) for number in asked])
    for peer in PEERS:
        if answer := ask(peer, collection):
            yield System(peer.name, answer.ranked)
    yield System("**MASIS, search**", [index.searched(number) for number in asked])
    if shortest:
        yield System("**MASIS, search, focus of each passage**", [index.searched(n, focus=True) for n in asked])
    yield System("**MASIS, second reading**", [index.read_again(number, tools.reranker) for number in asked])
    if shortest:
        ranking = [index.read_again(number, tools.reranker, shortest=True) for number in asked]
        yield System("**MASIS, second reading, shortest**", ranking)


def _spans_part(collection: Collection, tools: Tools) -> str:
    systems = [
        System("BM25 alone (800-character windows)", bm25_alone(collection, WINDOW)),
        System("BM25 alone (1,600-character windows)", bm25_alone(collection, 2 * WINDOW)),
        *_systems(collection, tools, shortest=True),
    ]
    header = [
        "",
        "recall",
        "precision",
        "IoU",
        "recall in 2,000 characters",
        "recall in 4,000 characters",
        "characters",
    ]
    rows = [[system.name, *_span_figures(collection.questions, system.ranking)] for system in systems]
    held_out = [number for number in range(len(collection.questions)) if number % CHOSEN_ON_EVERY]
    kept = [collection.questions[number] for number in held_out]
    apart = [
        [system.name, *_span_figures(kept, [system.ranking[number] for number in held_out])]
        for system in (systems[0], *systems[-4:])
    ]
    return (
        f"### Exact characters (chunking_evaluation, {len(collection.questions)} questions, 5 corpora asked together, "
        "5 passages)\n\n"
        "Longer passages hold more of the answer and more of everything else, so recall is also given for the same "
        "amount of text. Published with the same measures: recursive 200 tokens 88.1 / 7.0 / 6.9, cluster-semantic 400 "
        "tokens 91.3 recall, LLM chunker 91.9 / 3.9 / 3.9; BM25 without word endings on 800 characters 85.4 / 5.6 / "
        f"5.6.\n\n{_bold(header, rows, best=[max, max, max, max, max, min])}\n\n"
        f"On the {len(kept)} questions that played no part in choosing the settings of the second reading:\n\n"
        f"{_bold(header, apart, best=[max, max, max, max, max, min])}"
    )


def _span_figures(questions: Sequence[Question], ranking: Ranking) -> list[str]:
    scores = [span_scores(question, found[:5]) for question, found in zip(questions, ranking, strict=True)]
    within = [
        100 * mean(recall_within(question, found, size) for question, found in zip(questions, ranking, strict=True))
        for size in (2000, 4000)
    ]
    shown = mean(sum(span.end - span.start for span in found[:5]) for found in ranking)
    figures = [100 * mean(score[part] for score in scores) for part in range(3)]
    return [*(f"{figure:.1f}" for figure in (*figures, *within)), f"{shown:.0f}"]


def _passages_part(collection: Collection, tools: Tools) -> str:
    untitled = data.clapnq(titled=False)
    assert untitled is not None
    systems = [
        System("BM25 alone (the passage without its title)", _ranked_answerable(untitled)),
        System("BM25 alone", _ranked_answerable(collection)),
        *_systems(_answerable(collection), tools),
    ]
    questions = _answerable(collection).questions
    rows = [[system.name, *_rank_figures(questions, system.ranking, (1,))] for system in systems]
    return (
        f"### Encyclopedia passages (CLAPnq dev, {len(questions)} answerable questions, {len(collection.documents)} "
        "passages)\n\nPublished: BM25 without titles .793 hit@1, .849 MRR@10.\n\n"
        + _bold(["", "hit@1", "MRR@10"], rows, best=[max, max])
    )


def _answerable(collection: Collection) -> Collection:
    return replace(collection, questions=[question for question in collection.questions if question.gold])


def _ranked_answerable(collection: Collection) -> Ranking:
    return bm25_alone(_answerable(collection), 10**6)


def _rank_figures(questions: Sequence[Question], ranking: Ranking, depths: Sequence[int]) -> list[str]:
    pairs = list(zip(questions, ranking, strict=True))
    hits = [mean(hit(question, found, depth) for question, found in pairs) for depth in depths]
    return [f"{figure:.3f}" for figure in (*hits, mean(reciprocal_rank(*pair) for pair in pairs))]


def _filings_part(collection: Collection, tools: Tools) -> str:
    systems = [
        System("BM25 alone (800-character windows)", bm25_alone(collection, WINDOW)),
        *_systems(collection, tools),
    ]
    header = ["", "right filing first", "right filing among 5 passages", "filings covered", "amounts found"]
    rows = [[system.name, *_filing_figures(collection, system.ranking)] for system in systems]
    return (
        f"### Quarterly filings, PDF (kgrag_sec10q, {len(collection.questions)} questions, 12 filings, 5 passages)\n\n"
        "The answers name files, not pages. “Covered”: share of the filings a question needs; “amounts found”: share "
        "of the amounts in the reference answer that stand in the passages of the right filings.\n\n"
        + _bold(header, rows, best=[max] * 4)
    )


def _filing_figures(collection: Collection, ranking: Ranking) -> list[str]:
    pairs = [(question, found[:5]) for question, found in zip(collection.questions, ranking, strict=True)]
    measured = [
        mean(hit(question, found, 1) for question, found in pairs),
        mean(hit(question, found, 5) for question, found in pairs),
        mean(_covered(question, found) for question, found in pairs),
        mean(_amounts_found(question, found, collection) for question, found in pairs if question.figures),
    ]
    return [f"{figure:.3f}" for figure in measured]


def _covered(question: Question, found: Sequence[Span]) -> float:
    wanted = {gold.document for gold in question.gold}
    return len(wanted & set(documents(found))) / len(wanted)


def _amounts_found(question: Question, found: Sequence[Span], collection: Collection) -> float:
    wanted = {gold.document for gold in question.gold}
    shown = " ".join(
        collection.documents[span.document].text[span.start : span.end] for span in found if span.document in wanted
    )
    amounts = set(question.figures)
    return sum(amount in shown for amount in amounts) / len(amounts)


def _blocks_part(collection: Collection, tools: Tools) -> str:
    every = 4
    sampled = replace(collection, questions=collection.questions[::every])
    systems = [
        System("BM25 alone (whole blocks)", bm25_alone(sampled, 10**6)),
        *_systems(sampled, tools),
    ]
    rows = [[system.name, *_rank_figures(sampled.questions, system.ranking, (1, 5))] for system in systems]
    return (
        f"### Tables and paragraphs of reports (TAT-QA dev, every fourth question: {len(sampled.questions)}, "
        f"{len(collection.documents):,} blocks)\n\nThe questions were written for one report each and seldom name it, "
        "so that several blocks fit many of them.\n\n" + _bold(["", "hit@1", "hit@5", "MRR@10"], rows, best=[max] * 3)
    )


def _bold(header: Sequence[str], rows: list[list[str]], best: Sequence[Callable[..., float]]) -> str:
    """A table that highlights the best figure of each column."""
    winners = [choose(float(row[column]) for row in rows) for column, choose in enumerate(best, start=1)]
    marked = [
        [
            row[0],
            *(f"**{cell}**" if float(cell) == winner else cell for cell, winner in zip(row[1:], winners, strict=True)),
        ]
        for row in rows
    ]
    return table(header, marked)
