"""No secret is read where people and machines read."""

import json

import pytest

from masis.observability.logs import HIDDEN, Redaction, secrets_of
from masis.settings import Settings

TOKEN = "masis_k7f3_" + "aB3-_" * 9


@pytest.mark.parametrize(
    ("said", "hidden", "kept"),
    [
        (f"key {TOKEN} was refused", "aB3-_aB3", "masis_k7f3_"),
        ("Incorrect API key provided: sk-proj-4Fj2kQ9_x", "4Fj2kQ9", "Incorrect API key provided: sk-"),
        ("Authorization: Bearer abc.def-ghi", "abc.def", "Authorization: Bearer"),
        ("authorization: basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "basic"),
        ("postgresql://masis:s3cr:t@db:5432/masis", "s3cr:t", "postgresql://masis:"),
        ("GET /masis/me?api_key=hunter22&limit=5", "hunter22", "&limit=5"),
    ],
)
def test_secrets_known_by_their_shape(said: str, hidden: str, kept: str) -> None:
    safe = Redaction().text(said)
    assert hidden not in safe
    assert kept in safe


@pytest.mark.parametrize(
    "said",
    [
        "a risk-adjusted, task-specific return",
        "masis_model_request_duration_seconds_bucket",
        "http://127.0.0.1:8000/masis/workspaces/acme",
        "mailto:ada@example.org at 10:30",
        "the bearer of this note",
    ],
)
def test_what_is_no_secret_stays(said: str) -> None:
    assert Redaction().text(said) == said


def test_names_that_hold_secrets_at_any_depth() -> None:
    event = {"event": "asked", "headers": {"Authorization": "x", "X-API-Key": "y", "accept": "z"}, "token": "t"}
    assert Redaction().named(event) == {
        "event": "asked",
        "headers": {"Authorization": HIDDEN, "X-API-Key": HIDDEN, "accept": "z"},
        "token": HIDDEN,
    }
    counts = {"input_tokens": 100, "files": [{"password": "p"}]}
    assert Redaction().named(counts) == {"input_tokens": 100, "files": [{"password": HIDDEN}]}


def test_keys_of_the_settings_are_known_by_heart_whatever_their_shape() -> None:
    settings = Settings(
        openai_api_key='gsk"weird\\key', qdrant_api_key="qd-12345", database_url="postgresql://u:p%40ss@h/db"
    )
    safe = Redaction(secrets_of(settings))
    said = 'gsk"weird\\key, qd-12345, p@ss, p%40ss'
    assert safe.text(said) == f"{HIDDEN}, {HIDDEN}, {HIDDEN}, {HIDDEN}"
    assert "weird" not in safe.text(json.dumps({"said": said}))
