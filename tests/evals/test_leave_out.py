import pytest

from evals.leave_out import RULES, without
from masis.language import question


def test_a_rule_is_left_out_and_put_back() -> None:
    (rule,) = [each for each in RULES if each[1] == "spelled_out"]
    asked = next(iter(question.ACRONYMS))
    before = question.spelled_out(asked)
    with without(*rule):
        assert question.spelled_out(asked) == asked
    assert question.spelled_out(asked) == before != asked


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule[1]))
def test_each_rule_is_there_to_be_left_out(rule: tuple[object, str, object]) -> None:
    home, name, instead = rule
    assert callable(getattr(home, name))
    assert getattr(home, name) is not instead
