"""The sample: documents of an invented company, and questions that show what MASIS does with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_INSTALLED = Path(__file__).parent / "sample_documents"
_IN_A_CHECKOUT = Path(__file__).parents[2] / "examples" / "tolmerick"


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    question: str
    shows: str
    """What to look at in its answer."""


QUESTIONS: Sequence[SampleQuestion] = (
    SampleQuestion("What was the root cause of the gateway outage?", "An answer whose every sentence has its source."),
    SampleQuestion("What was customer churn in fiscal 2025?", "A conflict: two documents disagree, and you decide."),
    SampleQuestion(
        "How many patents does Tolmerick hold?", "A silence: the documents do not say, and neither does it."
    ),
    SampleQuestion(
        "When is the Singapore calibration laboratory to open, and how much money did the board approve for it?",
        "One answer from several documents.",
    ),
    SampleQuestion("How much was research and development expense in fiscal 2025?", "A figure from a table of a PDF."),
)


def sample_documents() -> list[Path]:
    """Empty where the sample is not installed."""
    folder = next((each for each in (_INSTALLED, _IN_A_CHECKOUT) if each.is_dir()), None)
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder else []
