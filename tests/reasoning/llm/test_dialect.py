from dataclasses import replace

import pytest

from masis.reasoning.llm.structured import Dialect, after_refusal

ALL = frozenset({"response_format", "max_tokens", "temperature", "stream_options"})
FORMAT = frozenset({"response_format", "max_tokens", "temperature"})


@pytest.mark.parametrize(
    "words",
    [
        "response_format is not supported",
        "This model does not support response format `json_schema`",
        "Unknown field: response_format",
        "Failed to parse grammar",
        "'response_format.type' must be 'json_object' or 'text'",
    ],
)
@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
def test_a_refused_format_is_one_rung_down(status: int, words: str) -> None:
    lower = after_refusal(Dialect(), FORMAT, status, words)
    assert lower is not None
    assert lower.rung == "json_object"
    lowest = after_refusal(lower, FORMAT, status, words)
    assert lowest is not None
    assert lowest.rung == "prompt"
    assert after_refusal(lowest, FORMAT, status, words) is None


@pytest.mark.parametrize("status", [None, 401, 403, 429, 503])
def test_other_failures_teach_nothing(status: int | None) -> None:
    assert after_refusal(Dialect(), ALL, status, "response_format") is None


@pytest.mark.parametrize("words", ["model not found", "context length exceeded", ""])
def test_a_refusal_of_something_else_teaches_nothing(words: str) -> None:
    assert after_refusal(Dialect(), ALL, 400, words) is None


def test_what_was_not_sent_cannot_have_been_refused() -> None:
    words = "response_format, max_completion_tokens, temperature, stream_options"
    assert after_refusal(Dialect(), frozenset(), 400, words) is None


@pytest.mark.parametrize(
    ("words", "learnt"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            replace(Dialect(), token_limit="max_completion_tokens"),
        ),
        ("'temperature' does not support 0.0 with this model.", replace(Dialect(), sends_temperature=False)),
        ("Unrecognized request argument: stream_options", replace(Dialect(), sends_stream_options=False)),
    ],
)
def test_parameters_that_models_refuse_are_left_out(words: str, learnt: Dialect) -> None:
    assert after_refusal(Dialect(), ALL, 400, words) == learnt


def test_two_calls_at_once_keep_what_each_has_learnt() -> None:
    one = Dialect(rung="json_object", sends_temperature=False)
    other = Dialect(token_limit="max_completion_tokens")
    both = Dialect("json_object", "max_completion_tokens", False, True)
    assert one.merged(other) == other.merged(one) == both
