import json

import pytest

from masis.errors import ModelRefused, ModelRejected, ModelSilent, ModelUnavailable
from masis.reasoning.llm.failures import Redactor, classify, expected
from masis.reasoning.llm.wire import ErrorInBody, Interrupted, NotAChatEndpoint, Silent

OPEN = Redactor()


@pytest.mark.parametrize(
    ("error", "kind", "is_retryable"),
    [
        (TimeoutError(), ModelSilent, False),
        (Silent(), ModelSilent, False),
        (Interrupted("the connection broke"), ModelUnavailable, True),
        (NotAChatEndpoint("the answer is not JSON"), ModelRejected, False),
        (ErrorInBody(None, "hm"), ModelUnavailable, True),
        (ErrorInBody(503, "busy"), ModelUnavailable, True),
        (ErrorInBody(404, "no such model"), ModelRejected, False),
        (ErrorInBody(429, "insufficient_quota"), ModelRejected, False),
        (ErrorInBody(400, "content_filter"), ModelRefused, False),
    ],
)
def test_each_failure_has_its_error(error: Exception, kind: type[Exception], is_retryable: bool) -> None:
    failure = classify(error, "m", OPEN)
    assert type(failure.error) is kind
    assert failure.is_retryable is is_retryable
    assert isinstance(error, expected())


def test_our_own_mistakes_are_not_among_the_expected() -> None:
    assert not issubclass(KeyError, expected())
    assert not issubclass(ValueError, expected())


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (json.dumps({"message": "too busy", "code": 1}), "too busy"),
        (json.dumps({"detail": "Not here"}), "Not here"),
        (json.dumps({"detail": [{"loc": ["body"]}]}), '{"detail": [{"loc": ["body"]}]}'),
        ("plain words", "plain words"),
        ("null", "no reason given"),
        ("", "no reason given"),
    ],
)
def test_the_sentence_for_people_is_found(body: str, sentence: str) -> None:
    assert str(classify(ErrorInBody(500, body), "m", OPEN).error).endswith(f"(500): {sentence}")


def test_secrets_are_taken_out_of_every_quote() -> None:
    assert Redactor(("s3cret", "pass")).quote("a s3cret,\n s3cret and pass") == "a …, … and …"


def test_quotes_are_one_short_line() -> None:
    quote = OPEN.quote("word\n" * 1000)
    assert len(quote) == 300
    assert quote.endswith("…")
