"""Each verdict and each kind of conflict, on documents as people write them: the sample workspace and files beside."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from evals.sample import SAMPLE
from masis import Masis, Settings
from masis.audit.verdicts import judge_claims
from masis.reasoning.offline.disagreement import all_conflicts
from masis.reasoning.offline.verifier import second_opinion
from masis.types import ConflictKind, EvidenceChunk, Verdict

ASKED = "Which region grew fastest in fiscal 2025, and what drove its growth?"
VERDICTS: dict[Verdict, str] = {
    "verbatim": "Asia-Pacific was the fastest-growing region in fiscal 2025 [{id}].",
    "supported": "In fiscal 2025 the fastest-growing region was Asia-Pacific, where revenue rose 28.3% [{id}].",
    "numbers_differ": "Asia-Pacific was the fastest-growing region in fiscal 2025: its revenue rose 38.2% [{id}].",
    "contradicted": "Asia-Pacific was not the fastest-growing region in fiscal 2025 [{id}].",
    "not_in_source": "Asia-Pacific was led through the whole of the year by Gunnar Vestergaard [{id}].",
    "uncited": "Asia-Pacific was the fastest-growing region in fiscal 2025.",
    "fabricated_citation": "Asia-Pacific was the fastest-growing region in fiscal 2025 [c0zzzzzzz99].",
    "unverified": "In fiscal 2025 no region grew faster than Asia-Pacific, whose revenue rose 28.3% [{id}].",
}
ADJUSTED = """# Lender presentation

For lenders we report adjusted EBITDA. In fiscal 2025 the adjusted operating margin was 17.9%.
"""
REPORTED = """# Notes to the accounts

The reported operating margin in fiscal 2025 was 12.3%.
"""
KINDS: dict[ConflictKind, str] = {
    "contradiction": "What was customer churn in fiscal 2025?",
    "revision": "What was Tolmerick's total revenue in fiscal 2025?",
    "different_period": "How did gross margin develop from fiscal 2024 to fiscal 2025?",
    "different_definition": "What was the operating margin in fiscal 2025?",
}


@pytest.fixture(scope="module")
def masis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Masis]:
    folder: Path = tmp_path_factory.mktemp("kinds")
    for name, text in (("lenders.md", ADJUSTED), ("notes.md", REPORTED)):
        (folder / name).write_text(text)
    masis = Masis(Settings(home=folder / "home"))
    masis.ingest([SAMPLE, folder / "lenders.md", folder / "notes.md"], "w")
    yield masis
    masis.close()


@pytest.fixture(scope="module")
def report(masis: Masis) -> EvidenceChunk:
    found: Any = masis.ask(ASKED, "w").evidence
    return next(chunk for chunk in found if "fastest-growing region" in chunk["text"])


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_every_verdict(verdict: Verdict, report: EvidenceChunk) -> None:
    answer = VERDICTS[verdict].format(id=report["chunk_id"])
    (claim,) = judge_claims(answer, [report], second_opinion)
    assert claim["verdict"] == verdict, claim["reason"]
    assert claim["reason"]
    for citation in claim["citations"]:
        if citation["document_id"]:
            start, end = citation["start"], citation["end"]
            assert start is not None
            assert end is not None
            assert report["text"][start - report["start"] : end - report["start"]] == citation["quote"]


@pytest.mark.parametrize("kind", get_args(ConflictKind))
def test_every_kind_of_conflict(kind: ConflictKind, masis: Masis) -> None:
    evidence: Any = masis.ask(KINDS[kind], "w").evidence
    found = all_conflicts(KINDS[kind], evidence)
    assert kind in {conflict["kind"] for conflict in found}
    for conflict in found:
        for side in conflict["sides"]:
            text = next(chunk["text"] for chunk in evidence if chunk["chunk_id"] == side["chunk_id"])
            assert side["quote"] in text
