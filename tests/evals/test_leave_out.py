import pytest

from evals.leave_out import RULES, chosen_rules, chosen_set, without
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


def test_missing_articles_are_said_and_not_replaced_by_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.leave_out.answer_sets", lambda: ["the sample"])
    assert chosen_set("sample") == "the sample"
    with pytest.raises(SystemExit, match="“articles” are not at"):
        chosen_set("articles")


def test_rules_are_chosen_by_name_and_an_unknown_one_is_refused() -> None:
    assert [name for _, name, _ in chosen_rules(["lead_of"])] == ["lead_of"]
    assert chosen_rules([]) == list(RULES)
    with pytest.raises(SystemExit, match="There is no rule _led"):
        chosen_rules(["_led"])
