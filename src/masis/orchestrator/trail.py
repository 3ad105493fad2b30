"""What a result says about its run beside the answer: an entry for each turn of an agent, and figures.

Every key is optional but those of every entry: an agent writes what it knows.
"""

from typing import Any, Literal, Required, TypedDict

from masis.types import CitationAudit, Evaluation

AgentName = Literal["supervisor", "researcher", "synthesizer", "critic", "evaluator", "human_review"]


class InstructionSeen(TypedDict):
    """A sentence of a document that gives orders to its reader; an entry of the Researcher's trace."""

    chunk_id: str
    file_name: str
    kind: str
    quote: str


class TraceEntry(TypedDict, total=False):
    """One turn of an agent."""

    node: Required[str]
    """Which agent."""
    retry_count: int
    """In which attempt, from 0."""
    duration_ms: float
    warning: str
    """A code for what did not go as it should."""
    error: str
    """The same in words."""
    prompt: dict[str, str]
    """Version and hash of the words that the model of this turn was asked with."""
    summary_prompt: dict[str, str]
    stood_in: list[str]
    """For which model the embedded engine did this turn's work, and why."""
    from_cache: int
    """Answers of models that were not asked for again."""

    # Researcher
    chunks: int
    """Passages used."""
    filtered_out: int
    """Candidates that were set aside."""
    set_aside: dict[str, int]
    """Why, and how many; the commonest reason first."""
    avg_score: float
    threshold_used: float
    augmented_query_used: bool
    """The search was widened by what the Critic said."""
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
    """Also the Supervisor's: of the attempt that it decided on."""
    raw_confidence: float
    """Before penalties."""
    hallucination: bool
    needs_retry: bool
    conflicts: int
    invalid_citations: list[str]
    uncited_claims: int
    refuted_claims: int
    repairs: list[dict[str, object]]
    """What the Critic mended: the sentence as written, `added`, `corrected` or `cut`, with which citations and why."""

    # Evaluator
    overall_score: float
    faithfulness: float
    relevance: float
    completeness: float
    reasoning_quality: float

    # Supervisor
    decision: str | None
    """retry, finalize, HITL_conflict or HITL_triggered."""
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
    """Why there was another attempt."""

    iteration: int
    confidence: float
    reason: str
    citation_issue: bool
    hallucination: bool


class ReceiptRow(TypedDict):
    """What one turn of an agent spent."""

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
    """Figures of a run: some count over all of it, some have an entry for each attempt, all others are the latest."""

    # Over the whole run
    model_calls: int
    model_requests: int
    """Requests on the wire, retries included."""
    input_tokens: int
    output_tokens: int
    cost_usd: float
    node_latency_ms: dict[str, float]
    """By agent, like the two below."""
    calls_by_agent: dict[str, int]
    cost_by_agent: dict[str, float]
    answers_from_cache: int

    # One entry for each attempt that has one
    confidence_history: list[float]
    retry_reasons: list[RetryReason]
    citation_violations: list[dict[str, Any]]
    receipt: list[ReceiptRow]
    """One row for each turn that called an engine."""

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
    """How many attempts."""
    budget_spent: bool
    """A model was not asked, because the run may spend no more."""
    silent_models: list[str]
    """Models on this machine that did not respond in time; the embedded engine took over for the rest of the run."""
    prompts: dict[str, str]
    """Version and hash of all words that models were asked with."""
