"""Every constant of MASIS, once. Each is a setting: `MASIS_` and its name in capitals, or an argument here."""

import os
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

Role = Literal["writer", "auditor", "judge"]
ROLES: tuple[Role, ...] = ("writer", "auditor", "judge")

RETRY_CEILING = 10
"""No run retries more often in one round; the graph's step limit follows from it."""

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


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Settings(BaseSettings):
    """Read from the environment; frozen, so that it can be shared and compared."""

    model_config = SettingsConfigDict(
        env_prefix="MASIS_",
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        env_ignore_empty=True,
        use_attribute_docstrings=True,
    )

    # Storage
    home: Path = Field(default_factory=lambda: Path.home() / ".masis")
    """The data folder: documents, index, runs."""
    database_url: str | None = Field(None, repr=False)
    """PostgreSQL address (postgresql://…) for documents, runs, checkpoints and jobs, instead of SQLite in the data
    folder."""
    database_prepare: bool = True
    """`off` for a PgBouncer older than 1.22 in transaction mode, which does not support prepared statements."""
    qdrant_host: str | None = Field(None, validation_alias=AliasChoices("QDRANT_HOST", "qdrant_host"))
    """Host of a Qdrant server to use instead of the embedded engine."""
    qdrant_port: int = Field(6333, validation_alias=AliasChoices("QDRANT_PORT", "qdrant_port"))
    """Port of the Qdrant server."""
    qdrant_url: str | None = Field(None, validation_alias=AliasChoices("QDRANT_URL", "qdrant_url"))
    """Full address of the Qdrant server, for a cluster or TLS."""
    qdrant_api_key: SecretStr | None = Field(None, validation_alias=AliasChoices("QDRANT_API_KEY", "qdrant_api_key"))
    """API key of the Qdrant server."""
    qdrant_collection: str = "masis"
    """Collection on the Qdrant server."""
    qdrant_timeout_seconds: float = 10.0
    """Timeout for requests to the Qdrant server."""
    qdrant_shards: int | None = Field(None, ge=1)
    """Shards of a new collection; when unset, one for each node of the cluster. Two per node leave room to grow."""
    qdrant_replicas: int = Field(1, ge=1)
    """Copies of each shard in a new collection; 2 survive the loss of a node."""
    qdrant_write_consistency: int = Field(1, ge=1)
    """Copies that must confirm a write before it counts as done."""
    qdrant_on_disk: bool = False
    """`on` leaves the vectors and their graph of a new collection on disk, and reads them on demand."""
    qdrant_quantization: Literal["off", "scalar", "binary"] = "off"
    """Vectors that a new collection searches in memory: `scalar` takes 1/4 of it, `binary` 1/32. The best candidates
    are compared again by their full vectors."""

    # Models
    openai_api_key: SecretStr | None = Field(
        None, validation_alias=AliasChoices("OPENAI_API_KEY", "MASIS_OPENAI_API_KEY", "openai_api_key")
    )
    """Key for OpenAI or another compatible endpoint."""
    model_base_url: str | None = None
    """Address of any OpenAI-compatible endpoint: Ollama, vLLM, llama.cpp, OpenRouter …"""
    writer_model: str | None = None
    """Model that writes answers and summaries; default `gpt-4o-mini` when models are configured. `offline` selects the
    offline engine."""
    auditor_model: str | None = None
    """Model that audits answers; default `gpt-4o` when models are configured."""
    judge_model: str | None = None
    """Model that scores answers; default `gpt-4o` when models are configured."""
    vision_model: str | None = None
    """Model that reads images; when unset, `masis[ocr]` reads them if installed."""
    writer_temperature: float | None = 0.0
    """Temperature of the writer; `None` sends none, for models that accept only their own."""
    auditor_temperature: float | None = 0.0
    """Temperature of the auditor."""
    judge_temperature: float | None = 0.0
    """Temperature of the judge."""
    writer_price_input: float | None = None
    """Price of the writer in US dollars per million input tokens; when unset, the list price of known models, 0 for
    others."""
    writer_price_output: float | None = None
    """The same for output tokens."""
    auditor_price_input: float | None = None
    """Price of the auditor per million input tokens."""
    auditor_price_output: float | None = None
    """The same for output tokens."""
    judge_price_input: float | None = None
    """Price of the judge per million input tokens."""
    judge_price_output: float | None = None
    """The same for output tokens."""
    max_output_tokens: int = Field(2048, ge=1)
    """Maximum length of a model reply, in tokens."""
    model_timeout_seconds: float = Field(30.0, gt=0)
    """A model that sends no byte for this long counts as failed. One that is still sending is never cut off."""
    model_deadline_seconds: float = Field(40.0, gt=0)
    """Time by which the first word of a reply must arrive, including all attempts and waits."""
    model_attempts: int = Field(4, ge=1)
    """Maximum attempts for a request that fails."""
    model_retry_after_cap_seconds: float = Field(30.0, gt=0)
    """Longest Retry-After that MASIS waits for."""
    rate_limit_calls: int = Field(10, ge=1)
    """Maximum model requests per window."""
    rate_limit_seconds: float = Field(60.0, gt=0)
    """Window for model requests, in seconds."""

    # Budgets and cache
    workspace_budget_usd: float | None = Field(None, ge=0)
    """Maximum model cost of all runs of a workspace together, in US dollars."""
    workspace_budgets: str | None = None
    """Budgets of individual workspaces: `acme=20, lab=5`."""
    workspace_budget_days: float = Field(30.0, gt=0)
    """Period over which a workspace budget is counted, in days."""
    model_cache: bool = False
    """`on` answers a repeated identical model request from the stored reply, separately for each workspace. `masis ask`
    uses the cache unless this is `off`; a service only when it is `on`."""

    # Embeddings
    embedding_model: str | None = None
    """Embedding model of an OpenAI-compatible endpoint; unset uses the embedded one."""
    embedding_base_url: str | None = None
    """Address for the embedding model; default MASIS_MODEL_BASE_URL, then OpenAI."""
    embedding_path: Path | None = None
    """Folder with a model.onnx and tokenizer.json to embed with instead."""
    embedding_device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the model of MASIS_EMBEDDING_PATH computes: `auto` takes a GPU if onnxruntime offers CUDA and the model is
    not quantised, `cuda` requires it. The embedded model always computes on the CPU; on Ray, `auto` does as well."""
    embedding_actors_per_gpu: int = Field(4, ge=1)
    """On Ray with `cuda`: how many actors share a GPU; each of them also takes a core."""
    embedding_batch: int = Field(64, ge=1)
    """Texts per embedding request, and per batch on a GPU. On a CPU, each text is embedded by itself."""
    embedding_max_tokens: int = Field(384, ge=16)
    """Longer texts are truncated before the embedded model reads them."""

    # Passages
    chunk_chars: int = Field(800, ge=200)
    """Maximum characters of a passage, packed from whole lines. Measured: 800, with neighbours joined, finds what 1,200
    finds in less text."""

    keyword_language: str = "english"
    """Language of the stop words and word endings in keyword search; fixed when an index is created."""

    # Researcher
    candidates: int = Field(10, ge=1)
    """Candidates in the first attempt."""
    retry_candidates: int = Field(20, ge=1)
    """Candidates in a retry."""
    relevance_threshold: float = Field(0.60, ge=0.0, le=1.0)
    """Minimum relevance of a candidate in the first attempt."""
    retry_relevance_threshold: float = Field(0.55, ge=0.0, le=1.0)
    """Minimum relevance of a candidate in a retry."""

    rerank: Literal["off", "order", "shortest"] = "off"
    """Second reading of the candidates by the embedded cross-encoder, about a second a search: `order` sorts them by
    it; `shortest` also drops clearly weaker ones and keeps only the part of each that concerns the question."""

    # Synthesizer
    context: Literal["pruned", "summaries"] = "pruned"
    """How evidence is made to fit: `pruned` to the sentences and rows that concern the question, or, with one more
    model call, the best passages whole and `summaries` of the others."""
    context_limit_chars: int = Field(16_000, ge=1)
    """Evidence longer than this is made to fit; with summaries the default is 6,000."""
    full_chunks: int = Field(3, ge=1)
    """Passages that are kept whole next to the summaries."""
    summary_chars: int = Field(200, ge=1)
    """Maximum characters of a summary."""
    over_compression_ratio: float = Field(0.35, ge=0.0, le=1.0)
    """An answer whose evidence was compressed below this share is sent back."""

    # Critic
    fabrication_penalty: float = Field(0.5, ge=0.0, le=1.0)
    """Factor applied to the confidence if a citation was fabricated."""
    uncited_penalty: float = Field(0.03, ge=0.0, le=1.0)
    """Confidence lost for each uncited claim."""
    uncited_penalty_max: float = Field(0.40, ge=0.0, le=1.0)
    """Maximum confidence lost for uncited claims together."""
    uncited_retry_count: int = Field(5, ge=1)
    """Number of uncited claims that sends an answer back."""

    # Evaluator
    weight_faithfulness: float = Field(0.35, ge=0.0, le=1.0)
    """Weight of faithfulness in the overall score."""
    weight_relevance: float = Field(0.25, ge=0.0, le=1.0)
    """Weight of relevance."""
    weight_completeness: float = Field(0.25, ge=0.0, le=1.0)
    """Weight of completeness."""
    weight_reasoning_quality: float = Field(0.15, ge=0.0, le=1.0)
    """Weight of reasoning quality."""
    faithfulness_cap_fabricated: float = Field(0.40, ge=0.0, le=1.0)
    """Maximum faithfulness after a fabricated citation or a hallucination."""
    faithfulness_cap_uncited: float = Field(0.50, ge=0.0, le=1.0)
    """Maximum faithfulness with several uncited claims."""
    faithfulness_cap_uncited_count: int = Field(5, ge=1)
    """How many uncited claims count as several."""
    faithfulness_cap_uncited_many: float = Field(0.30, ge=0.0, le=1.0)
    """Maximum faithfulness with many uncited claims."""
    faithfulness_cap_uncited_many_count: int = Field(10, ge=1)
    """How many uncited claims count as many."""

    # Supervisor
    confidence_threshold: float = Field(0.65, ge=0.0, le=1.0)
    """An answer with a lower confidence is sent back."""
    max_retries: int = Field(2, ge=1, le=RETRY_CEILING)
    """Retries when a question does not set them."""

    # Runs and jobs
    lease_seconds: float = Field(15.0, gt=0)
    """How long a worker holds a job without renewing it; then another worker takes over."""
    poll_seconds: float = Field(0.5, gt=0)
    """How often the queue and the runs of other processes are checked."""
    worker_runs: int = Field(100, ge=1)
    """Maximum runs of one worker at a time; most of the time they wait for models."""
    run_retention_days: float | None = Field(None, ge=0)
    """Runs that ended longer ago are deleted; unset keeps them."""
    checkpoint_retention_days: float = Field(7.0, ge=0)
    """Days after which the checkpoints of an ended run are deleted; its answer and its trail stay."""

    # Reading files
    max_file_bytes: int = Field(200_000_000, ge=1)
    """Maximum size of a file, also inside an archive."""
    max_unpacked_bytes: int = Field(1_000_000_000, ge=1)
    """Maximum unpacked size of an archive."""
    max_members: int = Field(10_000, ge=1)
    """Maximum number of files in an archive."""
    formats: str = ""
    """Your own file formats: modules, separated by commas, each with a tuple `FORMATS`."""
    parse_processes: int | None = Field(None, ge=1)
    """Files read at once, each in its own sandboxed process; default one for each core."""
    parse_memory_bytes: int = Field(1 << 30, ge=1 << 28)
    """Memory limit for reading one file."""
    parse_seconds: float = Field(300.0, gt=0)
    """Time limit for reading one file."""

    # Synchronisation
    sync_allowed: str = ""
    """Addresses and folders that may be added as sources through the service, with everything below them, separated by
    commas; otherwise only public web addresses may. Sources added with `masis sync` on the machine need no entry."""
    sync_max_files: int = Field(100_000, ge=1)
    """Maximum number of files of a source."""
    sync_max_pages: int = Field(1_000, ge=1)
    """Maximum number of web pages read from a sitemap."""

    # Logs and telemetry
    log: Literal["text", "json"] = "text"
    """Lines for people, or one JSON object a line; both go to standard error."""
    log_level: Literal["debug", "info", "warning", "error"] | None = None
    """Minimum level; default `info` for `masis serve` and `masis worker`, `warning` otherwise."""
    telemetry: bool = False
    """`on` sends OpenTelemetry traces and metrics to the OTEL_EXPORTER_OTLP_… address; needs `masis[otel]`."""
    telemetry_content: bool = False
    """`on` includes prompts and answers in the traces; otherwise no document text leaves with them."""

    # Access
    secret_key: SecretStr | None = None
    """Secret for stored API keys and sessions, at least 32 characters; by default one is generated and stored in the
    database. Changing it invalidates every key."""
    key_rate_calls: int = Field(600, ge=1)
    """Maximum requests of one API key per window."""
    key_rate_seconds: float = Field(60.0, gt=0)
    """Window for API key requests, in seconds."""

    # Service
    max_request_bytes: int = Field(1_000_000_000, ge=1)
    """Maximum size of an upload, all files together."""
    max_json_bytes: int = Field(1_000_000, ge=1)
    """Maximum size of any other request."""
    request_seconds: float = Field(60.0, gt=0)
    """A client that sends no byte of its request for this long is disconnected."""
    ask_seconds: float = Field(600.0, gt=0)
    """How long a request waits for an answer; the run itself continues."""
    drain_seconds: float = Field(0.0, ge=0)
    """When the service is stopped, how long it keeps serving while /health and /ready announce the stop, so that a
    proxy can switch."""
    stop_seconds: int = Field(5, ge=0)
    """After that, how long it waits for requests in progress. Runs continue elsewhere or later."""
    metrics_public: bool = False
    """`on` shows /metrics to anyone who can reach the service; otherwise it needs an admin key once there are keys."""

    @field_validator("workspace_budgets")
    @classmethod
    def _names_and_amounts(cls, budgets: str | None) -> str | None:
        for pair in (budgets or "").split(","):
            _, equals, amount = pair.partition("=")
            if pair.strip() and not (equals and float(amount) >= 0):
                raise ValueError("must look like acme=20, lab=5")
        return budgets

    @field_validator("home", "embedding_path")
    @classmethod
    def _expand_user(cls, path: Path | None) -> Path | None:
        return path.expanduser() if path else path

    @property
    def uses_models(self) -> bool:
        """Whether chat models were configured at all; otherwise every role is the offline engine."""
        return bool(self.openai_api_key or self.model_base_url)

    @property
    def models_run_here(self) -> bool:
        """Whether the models are served on this machine, so that silence means a slow machine and not a lost one."""
        try:
            return is_loopback(urlsplit(self.model_base_url or "").hostname or "")
        except ValueError:
            return False

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
    """The environment's settings; cached, since reading them costs more than a step of the graph."""
    relevant = (item for item in os.environ.items() if item[0].upper().startswith(("MASIS_", "QDRANT_", "OPENAI_")))
    return _settings_of(frozenset(relevant))


@lru_cache(maxsize=8)
def _settings_of(environment: frozenset[tuple[str, str]]) -> Settings:
    return Settings()
