// What the service's codes mean, in words. Tone gives the colour, shape the sign: neither stands alone.

export const VERDICTS = {
  verbatim: { word: "verbatim", tone: "good", shape: "disc", meaning: "Word for word in the source." },
  supported: { word: "supported", tone: "good", shape: "ring", meaning: "The source says this in other words." },
  numbers_differ: { word: "numbers differ", tone: "bad", shape: "unequal", meaning: "A number, date or unit is not the one in the source." },
  contradicted: { word: "contradicted", tone: "bad", shape: "cross", meaning: "The source says the opposite." },
  not_in_source: { word: "not in source", tone: "bad", shape: "square", meaning: "The cited passage does not say this." },
  uncited: { word: "uncited", tone: "doubt", shape: "triangle", meaning: "A claim without a citation." },
  fabricated_citation: { word: "false citation", tone: "bad", shape: "cross", meaning: "It cites a passage that does not exist." },
  unverified: { word: "unverified", tone: "doubt", shape: "dashes", meaning: "This could not be checked." },
};

export const KINDS = {
  limit: { word: "limit", tone: "plain", shape: "bar", meaning: "Says what the documents do not cover; it claims nothing." },
  recommendation: { word: "advice", tone: "plain", shape: "bar", meaning: "A recommendation, not a statement of the documents." },
};

const UNKNOWN = { word: "unverified", tone: "doubt", shape: "dashes", meaning: "This could not be checked." };

/** How a sentence is marked; null for a heading, which claims nothing. */
export function verdictOf(claim) {
  if (claim.verdict) return VERDICTS[claim.verdict] ?? UNKNOWN;
  if (claim.kind === "claim") return UNKNOWN;
  return KINDS[claim.kind] ?? null;
}

export const CHECKED_BY = {
  code: "checked by code, without a model",
  verifier: "checked by the embedded verifier",
  model: "checked by the configured model",
};

export const OUTCOMES = {
  answered: { word: "Answered", tone: "good", shape: "disc" },
  answered_with_caveat: { word: "Answered with a caveat", tone: "doubt", shape: "ring" },
  conflict: { word: "Documents disagree", tone: "doubt", shape: "unequal" },
  insufficient_evidence: { word: "Documents do not say", tone: "plain", shape: "bar" },
  out_of_scope: { word: "Not a question for documents", tone: "plain", shape: "square" },
  unavailable: { word: "Could not be finished", tone: "bad", shape: "cross" },
};

export const STATUSES = {
  queued: { word: "Queued", tone: "plain", shape: "dashes" },
  running: { word: "Working", tone: "live", shape: "open" },
  waiting: { word: "Needs a person", tone: "doubt", shape: "triangle" },
  finished: { word: "Finished", tone: "good", shape: "disc" },
  cancelled: { word: "Cancelled", tone: "plain", shape: "square" },
  failed: { word: "Failed", tone: "bad", shape: "cross" },
};

/** The one sign of a run: its outcome once it has one, else how it stands. */
export function signOf(run) {
  if (run.status === "finished" && OUTCOMES[run.outcome]) return OUTCOMES[run.outcome];
  return STATUSES[run.status] ?? STATUSES.queued;
}

// A run that drafted nothing has a confidence of 0, which says nothing about anything.
const WITHOUT_ANSWER = new Set(["insufficient_evidence", "out_of_scope", "unavailable"]);

/** The confidence worth telling of a run; null where there is none. @param {{confidence?: number|null, outcome?: string|null}} run */
export function confidenceOf({ confidence, outcome }) {
  return confidence || !WITHOUT_ANSWER.has(outcome) ? (confidence ?? null) : null;
}

export const AGENTS = [
  { name: "supervisor", title: "Supervisor", does: "decides who works next" },
  { name: "researcher", title: "Researcher", does: "finds the evidence" },
  { name: "synthesizer", title: "Synthesizer", does: "writes the answer" },
  { name: "critic", title: "Critic", does: "audits every sentence" },
  { name: "evaluator", title: "Evaluator", does: "scores the result" },
];

export function agentTitle(name) {
  if (name === "human_review") return "A person";
  return AGENTS.find((agent) => agent.name === name)?.title ?? name;
}

export const SCORES = [
  { key: "faithfulness", word: "Faithfulness", weight: "35 %", meaning: "Is everything in the answer in the evidence?" },
  { key: "relevance", word: "Relevance", weight: "25 %", meaning: "Does it answer the question that was asked?" },
  { key: "completeness", word: "Completeness", weight: "25 %", meaning: "Is every part of the question covered?" },
  { key: "reasoning_quality", word: "Reasoning", weight: "15 %", meaning: "Do the conclusions follow from what is cited?" },
];

export const REASONS = {
  quality_issue_detected: "the draft did not pass its audit",
  conflicting_evidence_attempting_resolution: "the documents disagree, and a wider search may settle it",
  conflicting_evidence: "the documents disagree",
  quality_checks_passed: "every check was passed",
  quality_issue_unresolved: "no draft passed its audit",
  answered_by_person: "a person has decided",
  decided_by_person: "a person has decided",
  standing_decision: "a standing decision settles the conflict",
  empty_workspace: "the workspace has no documents",
  weak_evidence: "nothing in the documents is close enough",
  unavailable: "a part that was needed did not answer",
  out_of_scope: "this is not a question for documents",
};
// Attempts that go on because something was decided, not because a draft failed.
const DECIDED = new Set(["answered_by_person", "standing_decision"]);

export function reasonInWords(reason) {
  return REASONS[reason] ?? String(reason ?? "").replace(/_/g, " ");
}

const DECISIONS = {
  retry: "tries again",
  finalize: "passes the answer",
  HITL_conflict: "asks a person",
  HITL_triggered: "asks a person",
};

/** What the Supervisor does. @param {{decision: string, reason?: string}} trace */
export function decisionInWords({ decision, reason }) {
  if (decision === "retry" && DECIDED.has(reason)) return "goes on";
  if (decision === "finalize" && reason === "decided_by_person") return "ends the run as a person decided";
  return DECISIONS[decision] ?? reasonInWords(decision);
}

/** Why there is another attempt, as a sentence. @param {string} reason */
export function nextAttemptInWords(reason) {
  const why = reasonInWords(reason);
  return DECIDED.has(reason) ? `${why[0].toUpperCase()}${why.slice(1)}, and the agents went on.` : `Sent back: ${why}.`;
}

export function isSentBack(reason) {
  return !DECIDED.has(reason);
}

// What a person did, as it follows their name.
export const ACTIONS = {
  prefer: "decided which document to trust",
  explain_both: "wants both sides explained",
  refine: "asked another question",
  look_again: "had it look again",
  accept: "accepted the draft as it was",
  stop: "stopped here",
};

/** Without keys and without a name the service knows nobody: it calls whoever decides “local”. */
export function personInWords(name) {
  return name === "local" ? "The person at this machine" : name;
}

export const CONFLICT_KINDS = {
  contradiction: "They contradict each other",
  revision: "A later document revises an earlier one",
  different_period: "They speak of different periods",
  different_definition: "They define it differently",
};

export const CAUSES = {
  conflict: "The documents disagree",
  quality: "No draft passed its own audit",
  empty_workspace: "This workspace has no documents",
  weak_evidence: "Nothing in the documents is close enough",
  unavailable: "A part that was needed did not answer",
  out_of_scope: "Not a question for documents",
};

export const STAGES = {
  queued: { word: "Queued", done: 0 },
  reading: { word: "Reading", done: 1 },
  findable: { word: "Findable by keyword", done: 2 },
  embedding: { word: "Learning its meaning", done: 3 },
  ready: { word: "Ready", done: 4, tone: "good", shape: "disc" },
  pending: { word: "Findable by keyword; its meaning follows", done: 4, tone: "doubt", shape: "open" },
  duplicate: { word: "Already here", done: 4, tone: "plain", shape: "bar" },
  failed: { word: "Failed", done: 4, tone: "bad", shape: "cross" },
  stopped: { word: "Stopped", done: 4, tone: "doubt", shape: "square" },
};
