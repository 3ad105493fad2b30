from typing import Any

import pytest
from pydantic import BaseModel

from masis.reasoning.llm.structured import Audit, Scorecard, Summaries, strict_schema


def objects(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [found for item in node for found in objects(item)]
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("type") == "object" else []
    return own + [found for value in node.values() for found in objects(value)]


@pytest.mark.parametrize("model", [Audit, Scorecard, Summaries])
def test_every_object_is_closed_and_complete(model: type[BaseModel]) -> None:
    found = objects(strict_schema(model))
    assert found
    for each in found:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])


@pytest.mark.parametrize("model", [Audit, Scorecard, Summaries])
def test_nothing_is_in_it_that_strict_modes_refuse(model: type[BaseModel]) -> None:
    printed = str(strict_schema(model))
    for word in ("$ref", "$defs", "default", "title", "minimum", "maximum"):
        assert word not in printed


def test_fields_keep_names_that_are_words_of_the_schema_language() -> None:
    class Book(BaseModel):
        title: str
        default: int = 1

    assert list(strict_schema(Book)["properties"]) == ["title", "default"]


def test_conflicts_are_asked_for_as_objects_with_known_kinds() -> None:
    conflict = strict_schema(Audit)["properties"]["conflicting_evidence"]["items"]
    assert list(conflict["properties"]) == [
        "about",
        "value_a",
        "chunk_a",
        "value_b",
        "chunk_b",
        "period",
        "kind",
    ]
    assert {"revision", "unknown"} < set(conflict["properties"]["kind"]["enum"])


def test_findings_are_asked_for_before_the_score_that_rests_on_them() -> None:
    assert list(strict_schema(Audit)["properties"])[-1] == "confidence"


def test_every_list_and_text_can_be_given_an_end() -> None:
    schema = strict_schema(Audit, bounded=True)
    claims = schema["properties"]["unsupported_claims"]
    assert claims["maxItems"] == 3
    assert claims["items"]["maxLength"] == 80
    conflicts = schema["properties"]["conflicting_evidence"]
    assert conflicts["maxItems"] == 1
    assert conflicts["items"]["properties"]["about"]["maxLength"] == 80
    assert "maxLength" not in conflicts["items"]["properties"]["kind"]
    assert "maxItems" not in str(strict_schema(Audit))
