"""Every constant of the specification is the default of a named setting, and can be set."""

import pytest
from pydantic import ValidationError

from masis.settings import RETRY_CEILING, Settings, current_settings

CONSTANTS = {
    "confidence_threshold": 0.65,
    "max_retries": 2,
    "candidates": 10,
    "retry_candidates": 20,
    "relevance_threshold": 0.60,
    "retry_relevance_threshold": 0.55,
    "context_limit_chars": 16_000,
    "full_chunks": 3,
    "summary_chars": 200,
    "over_compression_ratio": 0.35,
    "fabrication_penalty": 0.5,
    "uncited_penalty": 0.03,
    "uncited_penalty_max": 0.40,
    "uncited_retry_count": 5,
    "weight_faithfulness": 0.35,
    "weight_relevance": 0.25,
    "weight_completeness": 0.25,
    "weight_reasoning_quality": 0.15,
    "faithfulness_cap_fabricated": 0.40,
    "faithfulness_cap_uncited": 0.50,
    "faithfulness_cap_uncited_count": 5,
    "faithfulness_cap_uncited_many": 0.30,
    "faithfulness_cap_uncited_many_count": 10,
    "rate_limit_calls": 10,
    "rate_limit_seconds": 60.0,
    "qdrant_port": 6333,
}


@pytest.mark.parametrize(("name", "value"), CONSTANTS.items())
def test_default(name: str, value: float) -> None:
    assert getattr(Settings(), name) == value


@pytest.mark.parametrize("name", [name for name in CONSTANTS if not name.startswith("qdrant")])
def test_every_constant_can_be_set_from_the_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"MASIS_{name.upper()}", "1")
    assert getattr(Settings(), name) == 1


@pytest.mark.parametrize(
    ("variable", "name", "value"),
    [
        ("QDRANT_HOST", "qdrant_host", "db"),
        ("QDRANT_PORT", "qdrant_port", 7000),
        ("QDRANT_URL", "qdrant_url", "http://db:7000"),
        ("MASIS_HOME", "home", "data"),
        ("MASIS_MODEL_BASE_URL", "model_base_url", "http://127.0.0.1/v1"),
        ("MASIS_EMBEDDING_MODEL", "embedding_model", "text-embedding-3-small"),
        ("MASIS_EMBEDDING_BASE_URL", "embedding_base_url", "http://127.0.0.1/v1"),
        ("MASIS_EMBEDDING_PATH", "embedding_path", "model"),
        ("MASIS_DATABASE_URL", "database_url", "postgresql://db"),
    ],
)
def test_the_names_that_scripts_rely_on(
    variable: str, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(value))
    assert str(getattr(Settings(), name)) == str(value)


def test_without_a_key_every_role_is_offline() -> None:
    assert {Settings().model_for(role) for role in ("writer", "auditor", "judge")} == {"offline"}


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "MASIS_MODEL_BASE_URL"])
def test_with_a_key_or_an_endpoint_the_default_models_play(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1/v1")
    settings = Settings()
    assert settings.model_for("writer") == "gpt-4o-mini"
    assert settings.model_for("auditor") == settings.model_for("judge") == "gpt-4o"


def test_each_role_has_its_own_model_temperature_and_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_MODEL_BASE_URL", "http://127.0.0.1/v1")
    monkeypatch.setenv("MASIS_AUDITOR_MODEL", "offline")
    monkeypatch.setenv("MASIS_JUDGE_MODEL", "llama")
    monkeypatch.setenv("MASIS_JUDGE_TEMPERATURE", "0.4")
    monkeypatch.setenv("MASIS_JUDGE_PRICE_INPUT", "1.5")
    settings = Settings()
    assert settings.model_for("auditor") == "offline"
    assert settings.temperature_for("judge") == 0.4
    assert settings.price_for("judge") == (1.5, 0.0)
    assert settings.price_for("writer") == (0.15, 0.60)


def test_secrets_are_not_printed() -> None:
    settings = Settings(openai_api_key="sk-hidden", qdrant_api_key="qd-hidden", secret_key="hidden" * 6)
    assert "hidden" not in repr(settings)


def test_no_more_than_the_ceiling_of_retries() -> None:
    with pytest.raises(ValueError, match="less than or equal"):
        Settings(max_retries=RETRY_CEILING + 1)


def test_current_settings_follow_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    before = current_settings()
    assert current_settings() is before
    monkeypatch.setenv("MASIS_CANDIDATES", "7")
    assert current_settings().candidates == 7


def test_an_unknown_setting_is_an_error_and_not_ignored() -> None:
    with pytest.raises(ValidationError, match="data_dir"):
        Settings(data_dir="elsewhere")  # type: ignore[call-arg]
