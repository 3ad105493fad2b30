"""The records asked of the models, read leniently: models answer 85, "85%", "yes" and null.

Fields a model should think about come before the scores that rest on them: models write in the order asked.
Ranges are made to fit here and not demanded in the schema: `le=1` would throw a whole audit away for an 85.
"""

import math
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from masis.types import ConflictKind

ReportedKind = Literal["different_period", "different_definition", "revision", "contradiction", "unknown"]
_KINDS: tuple[ConflictKind, ...] = get_args(ConflictKind)
_NOTHING = ("", "none", "none.", "n/a", "null", "-", "no", "false")


def _fraction(value: object) -> float:
    """0 to 1; above 1 is a percentage."""
    number = _number(value)
    if not math.isfinite(number):
        raise ValueError("has to be a number from 0 to 1")
    return min(1.0, max(0.0, number / 100 if number > 1 else number))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("has to be a number from 0 to 1")
    if not isinstance(value, str):
        return float(value)
    text = value.strip().replace(",", ".")
    if text.endswith("%"):
        return float(text[:-1]) / 100
    part, _, whole = text.partition("/")
    return float(part) / (float(whole) or math.nan) if whole else float(part)


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case dict():
            return ": ".join(filter(None, map(_text, value.values())))
        case list():
            return ", ".join(filter(None, map(_text, value)))
        case _:
            return str(value).strip()


def _listed(value: object) -> list[object]:
    """A list, or the one thing that should have been in it; "none" is nothing."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if _text(item).lower() not in _NOTHING]


def _sentences(value: object) -> list[str]:
    return [_text(item) for item in _listed(value)]


def _flag(value: object) -> object:
    return value.strip().rstrip(".").lower() if isinstance(value, str) else value


def _kind(value: object) -> ReportedKind:
    asked = "_".join(_text(value).lower().replace("-", " ").split())
    return next((kind for kind in _KINDS if kind == asked), "unknown")


Fraction = Annotated[float, BeforeValidator(_fraction)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Text = Annotated[str, BeforeValidator(_text)]
Sentences = Annotated[list[str], BeforeValidator(_sentences)]
Kind = Annotated[ReportedKind, BeforeValidator(_kind)]


class Output(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ReportedConflict(Output):
    """Two passages that disagree, as the auditor puts it; a bare sentence is taken for what it is about."""

    about: Text = ""
    value_a: Text = ""
    chunk_a: Text = ""
    value_b: Text = ""
    chunk_b: Text = ""
    period: Text = ""
    kind: Kind = "contradiction"

    @model_validator(mode="before")
    @classmethod
    def _from_sentence(cls, value: Any) -> Any:
        return value if isinstance(value, dict) else {"about": value}


class Audit(Output):
    unsupported_claims: Sentences = []
    logical_gaps: Sentences = []
    conflicting_evidence: Annotated[list[ReportedConflict], BeforeValidator(_listed)] = []
    hallucination_detected: Flag
    needs_retry: Flag = False
    confidence: Fraction


class Scorecard(Output):
    improvement_suggestions: Sentences = []
    faithfulness: Fraction
    relevance: Fraction
    completeness: Fraction
    reasoning_quality: Fraction


class PassageSummary(Output):
    chunk_id: Text = ""
    summary: Text = ""


class Summaries(Output):
    summaries: list[PassageSummary]

    @model_validator(mode="before")
    @classmethod
    def _from_other_shapes(cls, value: Any) -> Any:
        """The bare list, or a mapping from id to summary, as small models answer."""
        listed = value.get("summaries") if isinstance(value, dict) else value
        if isinstance(listed, dict):
            listed = [{"chunk_id": key, "summary": text} for key, text in listed.items()]
        return {"summaries": listed}
