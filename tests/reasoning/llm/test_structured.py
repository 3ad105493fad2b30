import json

import pytest
from pydantic import BaseModel

from masis.reasoning.llm.structured import Misfit, Rung, ask_again, parse, response_format, with_schema
from masis.reasoning.llm.wire import Message

ASK: list[Message] = [{"role": "system", "content": "Count."}, {"role": "user", "content": "How much?"}]


class Amount(BaseModel):
    amount: int
    unit: str = "m"


@pytest.mark.parametrize(
    ("rung", "kind"), [("json_schema", "json_schema"), ("json_object", "json_object"), ("prompt", None)]
)
def test_each_rung_asks_in_its_own_way(rung: Rung, kind: str | None) -> None:
    assert (response_format(Amount, rung) or {}).get("type") == kind


def test_the_schema_is_added_to_the_last_message_and_the_callers_list_is_left_alone() -> None:
    before = json.dumps(ASK)
    system, user = with_schema(ASK, Amount, "prompt")
    assert system == ASK[0]
    assert user["content"].startswith("How much?\n\n")
    assert '"required": ["amount", "unit"]' in user["content"]
    assert json.dumps(ASK) == before


def test_the_candidate_that_fits_is_taken_even_if_a_larger_one_does_not() -> None:
    said = '{"amount": 3} is my answer, and not {"amounts": ["one", "two", "three"]}'
    assert parse(said, Amount).amount == 3


def test_a_misfit_speaks_of_the_largest_candidate() -> None:
    with pytest.raises(Misfit, match=r"^amount: Input should be a valid integer.*; unit: Input should be a valid"):
        parse('[1] {"amount": "many", "unit": 5}', Amount)


def test_a_misfit_repeats_no_values() -> None:
    with pytest.raises(Misfit) as raised:
        parse('{"amount": "zzz-value"}', Amount)
    assert "zzz-value" not in str(raised.value)


def test_a_very_long_answer_is_not_repeated_whole() -> None:
    again = ask_again(ASK, "x" * 50_000, Misfit("it contains no JSON."), Amount)
    assert len(again[2]["content"]) < 10_000
