"""Whole answers, end to end, with the offline engine: facts, numbers, citations, and silence if there is no answer."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from evals.answer_data import WORKSPACE, AnswerSet, Posed, all_asked, answer_sets, filing_sets, opened, table_sets
from evals.answer_scoring import Scored, compared, scored
from evals.intervals import mean, share
from evals.retrieval_systems import Keywords
from evals.tables import Section, table
from masis import Masis
from masis.language.sentences import split_sentences

HEADER = [
    "questions",
    "n",
    "answered",
    "right",
    "words of the reference",
    "numbers right",
    "citations resolve",
    "citation precision",
    "citation recall",
    "audit agrees",
]
EXPLAINED = (
    "All documents of a set are in one workspace; questions on articles and tables are asked of their own document, "
    "which they do not name (“What are the key topics of this article?”). “Right”: every number of the reference "
    "answer, in its scale, or, where it has none, 60 % of its words (the sample index: every fact). Both, and the two "
    "shares after it, count a refusal as nothing found, so that silence wins nothing; for questions without an answer "
    "a low “answered” is good. A citation is precise when the passage has 75 % of the sentence's words and all its "
    "digits, or the numbers that the sentence reckons with (checked apart from the product's audit), and recall is the "
    "share of sentences that such a citation bears out. “Audit agrees”: sentences that the product itself finds "
    "verbatim or supported. Offline engine, 95 % intervals."
)


def measure(limit: int | None = None) -> Section:
    """`limit`: the number of questions of each set, for trying out."""
    return _section("answers", "Answers end to end", answer_sets(limit))


def measure_filings() -> Section:
    return _section("filings", "Answers from filings, end to end", filing_sets())


def measure_tables() -> Section:
    return _section("tatqa", "Answers from reports with tables, end to end", table_sets())


def _section(key: str, title: str, sets: Sequence[AnswerSet]) -> Section:
    return Section(key, title, "\n\n".join([EXPLAINED, *map(_measured, sets)]))


def _measured(answer_set: AnswerSet) -> str:
    masis = opened(answer_set)
    try:
        ours = list(map(scored, answer_set.posed, all_asked(masis, answer_set.posed, answer_set.name)))
        quoting = quoting_bm25(masis, answer_set.posed)
    finally:
        masis.close()
    cheap = [compared(posed, quoting(posed)) for posed in answer_set.posed]
    kinds = list(dict.fromkeys(one.kind for one in ours))
    rows = [
        *([f"MASIS, {kind}", *_row([s for s in ours if s.kind == kind])] for kind in kinds),
        ["**MASIS, with an answer**", *_row([s for s in ours if s.answerable])],
        ["best BM25 sentence, with an answer", *_row([s for s in cheap if s.answerable])],
        ["always refuse, with an answer", *_row([compared(p, "") for p in answer_set.posed if p.answerable])],
        *_without_an_answer(ours, cheap),
    ]
    return f"### {answer_set.name}\n\n{table(HEADER, rows)}"


def _without_an_answer(ours: Sequence[Scored], cheap: Sequence[Scored]) -> list[list[object]]:
    unanswerable = [s for s in ours if not s.answerable]
    if not unanswerable:
        return []
    return [
        ["**MASIS, without an answer**", len(unanswerable), share([s.answered for s in unanswerable])],
        ["best BM25 sentence, without", len(unanswerable), share([s.answered for s in cheap if not s.answerable])],
    ]


def _row(of: Sequence[Scored]) -> list[object]:
    known = [s for s in of if s.answerable]
    return [
        len(of),
        share([s.answered for s in of]),
        share([s.right for s in known]),
        mean([s.words for s in known]),
        share(_all(s.numbers for s in known)),
        share(_all(s.resolve for s in of)),
        share(_all(s.precise for s in of)),
        share(_all(s.supported for s in of)),
        share(_all(s.audited for s in of)),
    ]


def _all(parts: Iterable[Sequence[bool]]) -> list[bool]:
    return list(chain.from_iterable(parts))


def quoting_bm25(masis: Masis, posed: Sequence[Posed]) -> Callable[[Posed], str]:
    """The sentence or line that BM25 ranks first in the documents of the question."""
    catalog = masis.library.catalog
    sentences = {
        document.file_name: [s.text for s in split_sentences(catalog.text(WORKSPACE, document.document_id) or "")]
        for document in catalog.documents(WORKSPACE)
    }
    scopes = {p.files: [s for f in p.files or sentences for s in sentences[f]] for p in posed}
    indexes = {files: Keywords(texts) for files, texts in scopes.items()}
    return lambda p: next((scopes[p.files][best] for best in indexes[p.files].best(p.text, 1)), "")
