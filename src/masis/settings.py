"""Every constant of MASIS, once. Each is a setting: `MASIS_` and its name in capitals, or an argument here."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

Role = Literal["writer", "auditor", "judge"]
ROLES: tuple[Role, ...] = ("writer", "auditor", "judge")

RETRY_CEILING = 10
"""No run retries more often in one round, whoever asks; the graph's step limit follows from it."""

SUMMARIES_LIMIT_CHARS = 6000
"""Where summaries begin; pruned text may be longer, because all of it bears on the question."""

QUESTION_CEILING = 4000
"""Characters of the longest question; longer text is a document."""

OFFLINE = "offline"
"""The name of the engine that needs no model; any role can be set to it."""

DEFAULT_MODELS: dict[Role, str] = {"writer": "gpt-4o-mini", "auditor": "gpt-4o", "judge": "gpt-4o"}

DEFAULT_PRICES: dict[str, tuple[float, float]] = {
    "gpt-4o-mini": (0.15, 0.60),
    "gpt-4o": (2.50, 10.00),
    "gpt-4.1": (2.00, 8.00),
    "gpt-4.1-mini": (0.40, 1.60),
}
"""US dollars per million input and output tokens, for the receipt; settable per role."""


class Settings(BaseSettings):
    """Read from the environment; frozen, so that it can be shared and compared."""

    model_config = SettingsConfigDict(
        env_prefix="MASIS_",
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        env_ignore_empty=True,
        use_attribute_docstrings=True,
    )

    # Where things are
    home: Path = Field(default_factory=lambda: Path.home() / ".masis")
    """The data folder: documents, index, runs."""
    database_url: str | None = Field(None, repr=False)
    """PostgreSQL for documents, runs, checkpoints and jobs, instead of SQLite in the data folder: postgresql://…"""
    qdrant_host: str | None = Field(None, validation_alias=AliasChoices("QDRANT_HOST", "qdrant_host"))
    """A Qdrant server instead of the embedded engine …"""
    qdrant_port: int = Field(6333, validation_alias=AliasChoices("QDRANT_PORT", "qdrant_port"))
    """… and its port."""
    qdrant_url: str | None = Field(None, validation_alias=AliasChoices("QDRANT_URL", "qdrant_url"))
    """The server as a whole address, for a cluster or TLS."""
    qdrant_api_key: SecretStr | None = Field(None, validation_alias=AliasChoices("QDRANT_API_KEY", "qdrant_api_key"))
    qdrant_collection: str = "masis"
    """The collection on the server."""
    qdrant_timeout_seconds: float = 10.0
    """How long to wait for the server."""

    # Models
    openai_api_key: SecretStr | None = Field(
        None, validation_alias=AliasChoices("OPENAI_API_KEY", "MASIS_OPENAI_API_KEY", "openai_api_key")
    )
    model_base_url: str | None = None
    """Any OpenAI-compatible endpoint: Ollama, vLLM, llama.cpp, OpenRouter …"""
    writer_model: str | None = None
    """Who writes and compresses; `gpt-4o-mini` when models are configured, `offline` for the offline engine."""
    auditor_model: str | None = None
    """Who audits; `gpt-4o` when models are configured."""
    judge_model: str | None = None
    """Who scores; `gpt-4o` when models are configured."""
    vision_model: str | None = None
    """Who reads images, a model that can see; unset leaves them to `masis[ocr]` where that is installed."""
    writer_temperature: float | None = 0.0
    """None sends no temperature, for models that accept only their own."""
    auditor_temperature: float | None = 0.0
    judge_temperature: float | None = 0.0
    writer_price_input: float | None = None
    """US dollars per million tokens; unset takes the list price of known models, 0 of unknown ones."""
    writer_price_output: float | None = None
    auditor_price_input: float | None = None
    auditor_price_output: float | None = None
    judge_price_input: float | None = None
    judge_price_output: float | None = None
    max_output_tokens: int = Field(2048, ge=1)
    """The longest answer of a model."""
    model_timeout_seconds: float = Field(30.0, gt=0)
    """A model that sends no byte for so long is given up. One that is still sending is never cut off."""
    model_deadline_seconds: float = Field(40.0, gt=0)
    """By then the first word of an answer must have come, all attempts and waits of the call included."""
    model_attempts: int = Field(4, ge=1)
    """How often a request that fails is sent."""
    model_retry_after_cap_seconds: float = Field(30.0, gt=0)
    """A Retry-After longer than this is not waited for."""
    rate_limit_calls: int = Field(10, ge=1)
    """At most so many requests to models …"""
    rate_limit_seconds: float = Field(60.0, gt=0)
    """… in any so many seconds."""

    workspace_budget_usd: float | None = Field(None, ge=0)
    """What the runs of one workspace may spend on models together …"""
    workspace_budgets: str | None = None
    """… where a workspace has its own: `acme=20, lab=5`."""
    workspace_budget_days: float = Field(30.0, gt=0)
    """In so many days."""
    model_cache: bool = False
    """`on` answers the same words to the same model from what it said before, each workspace apart. `masis ask` does
    so unless this is `off`; a service only where it is `on`."""

    # Embeddings
    embedding_model: str | None = None
    """A model of an OpenAI-compatible endpoint; unset is the embedded one."""
    embedding_base_url: str | None = None
    """The endpoint of that model; unset is MASIS_MODEL_BASE_URL, then OpenAI."""
    embedding_path: Path | None = None
    """A folder with model.onnx and tokenizer.json to embed with instead."""
    embedding_batch: int = Field(64, ge=1)
    """Texts per request."""
    embedding_max_tokens: int = Field(384, ge=16)
    """Longer texts are cut before the embedded model reads them."""

    # Chunks
    chunk_chars: int = Field(800, ge=200)
    """A chunk is packed up to this many characters of whole lines. Measured: 800, with neighbours joined, finds
    what 1,200 finds in less text."""

    keyword_language: str = "english"
    """Whose word endings and stop words the keyword search knows; fixed when an index is made."""

    # Researcher
    candidates: int = Field(10, ge=1)
    """Candidates of the first attempt."""
    retry_candidates: int = Field(20, ge=1)
    """Candidates of a retry."""
    relevance_threshold: float = Field(0.60, ge=0.0, le=1.0)
    """The relevance a candidate of the first attempt needs."""
    retry_relevance_threshold: float = Field(0.55, ge=0.0, le=1.0)
    """The relevance a candidate of a retry needs."""

    rerank: Literal["off", "order", "shortest"] = "off"
    """A second reading of the candidates by the embedded cross-encoder, at a second or so a search: `order` puts them
    in its order; `shortest` also drops those clearly weaker than the best and keeps only the part of each that speaks
    of the question."""

    # Synthesizer
    context: Literal["pruned", "summaries"] = "pruned"
    """How evidence is made to fit: `pruned` to the sentences and rows that bear on the question, or, with one more
    model call, the best passages whole and `summaries` of the others."""
    context_limit_chars: int = Field(16_000, ge=1)
    """Evidence longer than this is made to fit; with summaries, and unless it is set, 6,000."""
    full_chunks: int = Field(3, ge=1)
    """How many of the best chunks stay whole beside summaries."""
    summary_chars: int = Field(200, ge=1)
    """The longest summary of the others."""
    over_compression_ratio: float = Field(0.35, ge=0.0, le=1.0)
    """Compressed below this share, the answer is sent back."""

    # Critic
    fabrication_penalty: float = Field(0.5, ge=0.0, le=1.0)
    """What confidence is multiplied by when a citation was made up."""
    uncited_penalty: float = Field(0.03, ge=0.0, le=1.0)
    """What each uncited claim costs …"""
    uncited_penalty_max: float = Field(0.40, ge=0.0, le=1.0)
    """… and all of them together at most."""
    uncited_retry_count: int = Field(5, ge=1)
    """So many uncited claims send the answer back."""

    # Evaluator
    weight_faithfulness: float = Field(0.35, ge=0.0, le=1.0)
    """Weight in the overall score."""
    weight_relevance: float = Field(0.25, ge=0.0, le=1.0)
    """Weight in the overall score."""
    weight_completeness: float = Field(0.25, ge=0.0, le=1.0)
    """Weight in the overall score."""
    weight_reasoning_quality: float = Field(0.15, ge=0.0, le=1.0)
    """Weight in the overall score."""
    faithfulness_cap_fabricated: float = Field(0.40, ge=0.0, le=1.0)
    """The most after a made-up citation or a hallucination."""
    faithfulness_cap_uncited: float = Field(0.50, ge=0.0, le=1.0)
    """The most with several uncited claims …"""
    faithfulness_cap_uncited_count: int = Field(5, ge=1)
    """… that is, from so many on."""
    faithfulness_cap_uncited_many: float = Field(0.30, ge=0.0, le=1.0)
    """The most with many uncited claims …"""
    faithfulness_cap_uncited_many_count: int = Field(10, ge=1)
    """… that is, from so many on."""

    # Supervisor
    confidence_threshold: float = Field(0.65, ge=0.0, le=1.0)
    """Below it, an answer is sent back."""
    max_retries: int = Field(2, ge=1, le=RETRY_CEILING)
    """What `max_retries` None, 0 or absent means."""

    # Runs and jobs
    lease_seconds: float = Field(15.0, gt=0)
    """How long a worker keeps a job without a sign of life; then another goes on with it."""
    poll_seconds: float = Field(0.5, gt=0)
    """How often the queue, and the runs of other processes, are looked at."""
    worker_runs: int = Field(100, ge=1)
    """How many runs one worker has in work at once; most of the time they wait for models."""
    run_retention_days: float | None = Field(None, ge=0)
    """Runs that ended longer ago are deleted; unset keeps them."""
    checkpoint_retention_days: float = Field(7.0, ge=0)
    """The states between the steps of a run that has ended are kept so long; its answer and its trail stay."""

    # Limits on input
    max_file_bytes: int = Field(200_000_000, ge=1)
    """The largest file, also inside an archive."""
    max_unpacked_bytes: int = Field(1_000_000_000, ge=1)
    """The most that one archive may unpack to."""
    max_members: int = Field(10_000, ge=1)
    """The most files that one archive may hold."""
    formats: str = ""
    """Modules with file formats of your own, separated by commas; each has a tuple `FORMATS`."""
    parse_processes: int | None = Field(None, ge=1)
    """How many files are read at once, each in a limited process of its own; unset is one for each core."""
    parse_memory_bytes: int = Field(1 << 30, ge=1 << 28)
    """What reading one file may use."""
    parse_seconds: float = Field(300.0, gt=0)
    """How long reading one file may take."""

    # What can be watched
    log: Literal["text", "json"] = "text"
    """Lines for people, or one JSON object a line; both go to standard error."""
    log_level: Literal["debug", "info", "warning", "error"] | None = None
    """From which level on; unset is `info` for `masis serve` and `masis worker`, `warning` for all else."""
    telemetry: bool = False
    """`on` sends OpenTelemetry traces and metrics where the OTEL_EXPORTER_OTLP_… variables say; needs `masis[otel]`."""
    telemetry_content: bool = False
    """`on` puts prompts and answers into the traces as well; without it no text of a document ever leaves with them."""

    # Access
    secret_key: SecretStr | None = None
    """What API keys are stored under, at least 32 characters; unset is one made once and kept in the database. A
    changed one makes every key given out invalid."""
    key_rate_calls: int = Field(600, ge=1)
    """At most so many requests by one API key …"""
    key_rate_seconds: float = Field(60.0, gt=0)
    """… in any so many seconds."""

    # Service
    max_request_bytes: int = Field(1_000_000_000, ge=1)
    """The largest upload, all its files together."""
    max_json_bytes: int = Field(1_000_000, ge=1)
    """The largest request that is no upload."""
    request_seconds: float = Field(60.0, gt=0)
    """A client that sends no byte of its request for so long is cut off."""
    ask_seconds: float = Field(600.0, gt=0)
    """How long a request waits for an answer; the run itself goes on."""
    metrics_public: bool = False
    """`on` shows /metrics to whoever can reach the service; otherwise it takes an admin's key where there are keys."""

    @field_validator("workspace_budgets")
    @classmethod
    def _names_and_amounts(cls, budgets: str | None) -> str | None:
        for pair in (budgets or "").split(","):
            _, equals, amount = pair.partition("=")
            if pair.strip() and (not equals or float(amount) < 0):
                raise ValueError("has to look like acme=20, lab=5")
        return budgets

    @field_validator("home", "embedding_path")
    @classmethod
    def _expand_user(cls, path: Path | None) -> Path | None:
        return path.expanduser() if path else path

    @property
    def uses_models(self) -> bool:
        """Whether chat models were configured at all; otherwise every role is the offline engine."""
        return bool(self.openai_api_key or self.model_base_url)

    def model_for(self, role: Role) -> str:
        """The model that plays a role, `offline` for the offline engine."""
        named: str | None = getattr(self, f"{role}_model")
        if named:
            return named
        return DEFAULT_MODELS[role] if self.uses_models else OFFLINE

    def temperature_for(self, role: Role) -> float | None:
        temperature: float | None = getattr(self, f"{role}_temperature")
        return temperature

    def price_for(self, role: Role) -> tuple[float, float]:
        """US dollars per million input and output tokens."""
        listed = DEFAULT_PRICES.get(self.model_for(role), (0.0, 0.0))
        own_input: float | None = getattr(self, f"{role}_price_input")
        own_output: float | None = getattr(self, f"{role}_price_output")
        return (
            listed[0] if own_input is None else own_input,
            listed[1] if own_output is None else own_output,
        )

    def budget_of(self, workspace_id: str) -> float | None:
        """US dollars in `workspace_budget_days`."""
        own = dict(pair.split("=", 1) for pair in (self.workspace_budgets or "").replace(" ", "").split(",") if pair)
        return float(own[workspace_id]) if workspace_id in own else self.workspace_budget_usd

    @property
    def context_limit(self) -> int:
        is_set = "context_limit_chars" in self.model_fields_set
        return SUMMARIES_LIMIT_CHARS if self.context == "summaries" and not is_set else self.context_limit_chars

    @property
    def readers(self) -> int:
        """How many files are read at once."""
        return self.parse_processes or os.cpu_count() or 1

    @property
    def uses_qdrant_server(self) -> bool:
        return bool(self.qdrant_host or self.qdrant_url)


def current_settings() -> Settings:
    """What the environment says now. Reading it anew costs more than a step of the graph, so it is kept."""
    relevant = (item for item in os.environ.items() if item[0].upper().startswith(("MASIS_", "QDRANT_", "OPENAI_")))
    return _settings_of(frozenset(relevant))


@lru_cache(maxsize=8)
def _settings_of(environment: frozenset[tuple[str, str]]) -> Settings:
    return Settings()
