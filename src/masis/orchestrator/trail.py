"""What a result says about its run besides the answer: one entry per step of an agent, and metrics.

All keys are optional unless marked otherwise: each agent writes what it knows.
"""

from typing import Any, Literal, Required, TypedDict

from masis.types import CitationAudit, Evaluation

AgentName = Literal["supervisor", "researcher", "synthesizer", "critic", "evaluator", "human_review"]


class InstructionSeen(TypedDict):
    """A sentence in a document that gives instructions to its reader; part of the Researcher's trace entry."""

    chunk_id: str
    file_name: str
    kind: str
    quote: str


class TraceEntry(TypedDict, total=False):
    """One step of an agent."""

    node: Required[str]
    """The agent."""
    retry_count: int
    """The attempt, counted from 0."""
    duration_ms: float
    warning: str
    """A code for what went wrong."""
    error: str
    """What went wrong, in words."""
    prompt: dict[str, str]
    """Version and hash of the prompt given to the model in this step."""
    summary_prompt: dict[str, str]
    stood_in: list[str]
    """For each model that the embedded engine replaced in this step: which one, and why."""
    from_cache: int
    """Number of model answers taken from the cache."""

    # Researcher
    chunks: int
    """Number of passages used."""
    filtered_out: int
    """Number of candidates not used."""
    set_aside: dict[str, int]
    """Number of unused candidates per reason, the most frequent reason first."""
    avg_score: float
    threshold_used: float
    augmented_query_used: bool
    """Whether the search was widened by the Critic's findings."""
    results_before_filter: int
    instructions_seen: list[InstructionSeen]

    # Synthesizer
    context_chars: int
    context_compressed: bool
    compression_latency_ms: float
    answer_length: int
    citations: int

    # Critic
    confidence: float
    """In the Supervisor's entry, that of the attempt it decided on."""
    raw_confidence: float
    """Before penalties."""
    hallucination: bool
    needs_retry: bool
    conflicts: int
    invalid_citations: list[str]
    uncited_claims: int
    refuted_claims: int
    repairs: list[dict[str, object]]
    """What the Critic repaired: the original sentence, whether it was `added`, `corrected` or `cut`, the citations and
    the reason."""

    # Evaluator
    overall_score: float
    faithfulness: float
    relevance: float
    completeness: float
    reasoning_quality: float

    # Supervisor
    decision: str | None
    """One of: retry, finalize, HITL_conflict, HITL_triggered."""
    reason: str

    # A person
    action: str
    prefer: list[str]
    over: list[str]
    question: str | None
    by: str
    note: str | None
    remember: bool


class RetryReason(TypedDict):
    """Why another attempt was made."""

    iteration: int
    confidence: float
    reason: str
    citation_issue: bool
    hallucination: bool


class ReceiptRow(TypedDict):
    """What one step of an agent spent."""

    agent: str
    attempt: int
    engine: str | None
    calls: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    seconds: float


class Metrics(TypedDict, total=False):
    """Metrics of a run: some are totals, some have one entry per attempt, all others hold the latest value."""

    # Over the whole run
    model_calls: int
    model_requests: int
    """HTTP requests, retries included."""
    input_tokens: int
    output_tokens: int
    cost_usd: float
    node_latency_ms: dict[str, float]
    """Per agent, like the next two."""
    calls_by_agent: dict[str, int]
    cost_by_agent: dict[str, float]
    answers_from_cache: int

    # One entry for each attempt that has one
    confidence_history: list[float]
    retry_reasons: list[RetryReason]
    citation_violations: list[dict[str, Any]]
    receipt: list[ReceiptRow]
    """One row for each step that called an engine."""

    # The latest
    retrieval_scores: list[float]
    avg_retrieval_score: float
    original_context_chars: int
    compressed_context_chars: int
    compression_ratio: float
    over_compression_flag: bool
    compression_latency_ms: float
    citation_count: int
    answer_length: int
    confidence_threshold: float
    last_citation_audit: CitationAudit | None
    evaluation: Evaluation | None
    iterations: int
    """Number of attempts."""
    budget_spent: bool
    """Whether a model was not asked because the run's budget is used up."""
    silent_models: list[str]
    """Local models that did not respond in time; the embedded engine replaced them for the rest of the run."""
    prompts: dict[str, str]
    """Version and hash of all prompts given to models."""
