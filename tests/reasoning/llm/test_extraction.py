import pytest

from masis.reasoning.llm.structured import json_candidates

ANSWER = {"confidence": 0.9, "notes": ["a, b", "c"]}
TEXT = '{"confidence": 0.9, "notes": ["a, b", "c"]}'


@pytest.mark.parametrize(
    "said",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"<think>maybe {{}} or [1]</think>{TEXT}",
        f"Here is my audit, as asked [c1]:\n\n{TEXT}\n\nI hope this helps {{smile}}!",
        '{"confidence": 0.9, "notes": ["a, b", "c",],}',
        'Sure:\n{"confidence": 0.9,\n "notes": ["a, b", "c"\n, ]\n}',
    ],
)
def test_the_json_is_found(said: str) -> None:
    assert json_candidates(said)[0] == ANSWER


def test_line_breaks_inside_strings_are_forgiven() -> None:
    assert json_candidates('{"a": "one\ntwo"}')[0] == {"a": "one\ntwo"}


def test_a_comma_that_belongs_to_a_string_stays() -> None:
    assert json_candidates('{"a": "x, ]", "b": 1,}')[0] == {"a": "x, ]", "b": 1}


def test_the_largest_comes_first_and_the_others_follow() -> None:
    said = 'For example {"a": 1}. My answer: {"a": 2, "b": [1, 2, 3]}'
    assert json_candidates(said)[0] == {"a": 2, "b": [1, 2, 3]}
    assert {"a": 1} in json_candidates(said)


@pytest.mark.parametrize("said", ["", "no json here", '{"a": 1', "[c1]", "{" * 3000, '{"a":' * 3000])
def test_where_there_is_none_none_is_found(said: str) -> None:
    assert json_candidates(said) == []
