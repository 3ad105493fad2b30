"""Names and figures that stand in the passage, in the place of others."""

import pytest

from masis.audit.checks.support import REFUTED, check_support
from masis.types import EvidenceChunk

FILING = """The acquisition termination cost of $1.35 billion was recorded at once. Cash was $8.07 billion.
We repurchased 46.2 million shares of our common stock for $6.0 billion under the program. Of the other program, $6.1
billion remained for use by the board."""


def refuted(text: str, claim: str) -> bool:
    chunk: EvidenceChunk = {
        "chunk_id": "c1", "file_name": "a.txt", "text": text, "score": 1.0, "document_id": "d", "page": 1, "start": 0,
        "end": len(text),
    }  # fmt: skip
    return check_support(claim, [chunk]).verdict in REFUTED


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (
            FILING,
            "It repurchased 46.2 million shares for $6.0 billion.",
            "It repurchased 46.2 million shares for $6.1 billion.",
        ),
    ],
)
def test_what_stands_in_the_place_of_another_is_refuted(text: str, right: str, wrong: str) -> None:
    assert not refuted(text, right)
    assert refuted(text, wrong)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (
            "The operating margin was 18.5%. In the year before it was 17.0%.",
            "The operating margin was 17.0% a year earlier.",
        ),
        (
            "| | Share |\n| --- | --- |\n| Total net sales | 117.2 |\n| Cost of sales | 66.8 |",
            "Apple net sales came to 117.2.",
        ),
        (
            "| Year | 2024 | 2025 |\n| --- | --- | --- |\n| Revenue | 163.8 | 184.1 |",
            "Revenue was 184.1, after 163.8, in 2025.",
        ),
    ],
)
def test_what_may_be_right_is_not(text: str, claim: str) -> None:
    assert not refuted(text, claim)
