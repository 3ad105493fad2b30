// What the service's codes mean, in words: its own vocabulary, which `learnWords` is given once. Tone gives the colour,
// shape the sign: neither stands alone.

import { percent, wholePercent } from "./format.js";

export const VERDICTS = {};
export const KINDS = {};
export const CHECKED_BY = {};
export const OUTCOMES = {};
export const STATUSES = {};
export const CONFLICT_KINDS = {};
export const CAUSES = {};
const REASONS = {};
export const ACTIONS = {};
export const REPAIRS = {};
export const SET_ASIDE = {};
export const TRACE_FIELDS = {};
export const AGENTS = [];
export const SCORES = [];
const LIKELIHOODS = [];
const CONFIDENCES = [];
const ROUTES = {};
// Reasons for an attempt that was made because something was decided, not because a draft failed.
const DECIDED = new Set();

const SHAPES = {
  verdicts: {
    verbatim: "disc", supported: "ring", numbers_differ: "unequal", contradicted: "cross", not_in_source: "square",
    uncited: "triangle", fabricated_citation: "cross", unverified: "dashes",
  },
  claim_kinds: { claim: "dashes", limit: "bar", recommendation: "bar" },
  outcomes: {
    answered: "disc", answered_with_caveat: "ring", conflict: "unequal", insufficient_evidence: "bar",
    out_of_scope: "square", unavailable: "cross",
  },
  statuses: { queued: "dashes", running: "open", waiting: "triangle", finished: "disc", cancelled: "square", failed: "cross" },
};

/** @param {Record<string, Record<string, any>>} vocabulary what GET /masis/wording gives */
export function learnWords(vocabulary) {
  const signs = (table) => Object.fromEntries(Object.entries(SHAPES[table]).map(
    ([code, shape]) => [code, { ...vocabulary[table][code], shape }],
  ));
  Object.assign(VERDICTS, signs("verdicts"));
  Object.assign(KINDS, signs("claim_kinds"));
  Object.assign(OUTCOMES, signs("outcomes"));
  Object.assign(STATUSES, signs("statuses"));
  Object.assign(CHECKED_BY, vocabulary.checked_by);
  Object.assign(CONFLICT_KINDS, vocabulary.conflict_kinds);
  Object.assign(CAUSES, vocabulary.review_causes);
  Object.assign(REASONS, vocabulary.reasons);
  Object.assign(ACTIONS, vocabulary.actions);
  Object.assign(ROUTES, vocabulary.routes);
  Object.assign(REPAIRS, vocabulary.repairs);
  Object.assign(SET_ASIDE, vocabulary.set_aside);
  Object.assign(TRACE_FIELDS, vocabulary.trace_fields);
  LIKELIHOODS.splice(0, LIKELIHOODS.length, ...vocabulary.likelihoods);
  CONFIDENCES.splice(0, CONFIDENCES.length, ...vocabulary.confidences);
  vocabulary.decided.forEach((reason) => DECIDED.add(reason));
  const agents = Object.entries(vocabulary.agents).filter(([name]) => name !== "human_review");
  AGENTS.splice(0, AGENTS.length, ...agents.map(([name, { word, meaning }]) => ({ name, title: word, does: meaning })));
  const weighed = Object.entries(vocabulary.scores).filter(([, { weight }]) => weight !== null);
  SCORES.splice(0, SCORES.length, ...weighed.map(([key, score]) => ({ key, ...score, weight: percent(score.weight) })));
}

/** How a sentence is marked; null for a heading, which claims nothing. */
export function verdictOf(claim) {
  if (claim.verdict) return VERDICTS[claim.verdict] ?? VERDICTS.unverified;
  return KINDS[claim.kind] ?? null;
}

/** The one sign of a run: its outcome once it has one, else how it stands. */
export function signOf(run) {
  if (run.status === "finished" && OUTCOMES[run.outcome]) return OUTCOMES[run.outcome];
  return STATUSES[run.status] ?? STATUSES.queued;
}

const GRADE_SHAPES = { good: "disc", doubt: "triangle", bad: "cross" };

/** How sure an answer is, by one measure: how likely it is right where that was fitted, else the Critic's own confidence. Null
 * where nothing is claimed: silence is sure of nothing. */
export function sureSign({ likelihood, confidence, claims }) {
  if (!claims.some((claim) => claim.kind === "claim")) return null;
  const [value, scale] = likelihood == null ? [confidence ?? 0, CONFIDENCES] : [likelihood, LIKELIHOODS];
  // By the figure that is shown: the word beside “75%” is that of 75%.
  const term = scale.find((each) => wholePercent(value) >= wholePercent(each.at_least));
  return { ...term, shape: GRADE_SHAPES[term.tone], word: `${term.word} (${percent(value)})` };
}

/** What MASIS cut out of the answer, from the trail. @returns {string[]} */
export function removedSentences(trace = []) {
  const repairs = trace.flatMap((entry) => entry.repairs ?? []).filter((repair) => repair.repaired === "cut");
  return [...new Set(repairs.map((repair) => repair.sentence))];
}

export function agentTitle(name) {
  if (name === "human_review") return "A person";
  return AGENTS.find((agent) => agent.name === name)?.title ?? name;
}

export function reasonInWords(reason) {
  return REASONS[reason] ?? String(reason ?? "").replace(/_/g, " ");
}

/** What the Supervisor does. @param {{decision: string, reason?: string}} trace */
export function decisionInWords({ decision, reason }) {
  if (decision === "retry" && DECIDED.has(reason)) return "continues";
  if (decision === "finalize" && reason === "decided_by_person") return "ends the run, as a person decided";
  return ROUTES[decision] ?? reasonInWords(decision);
}

/** Why there is another attempt, as a sentence. @param {string} reason */
export function nextAttemptInWords(reason) {
  const why = reasonInWords(reason);
  return DECIDED.has(reason) ? `${why[0].toUpperCase()}${why.slice(1)}, and the agents continued.` : `Sent back: ${why}.`;
}

/** The headline of a run that needs a decision. @param {{cause: string}|null|undefined} review */
export function needsDecision(review) {
  const cause = CAUSES[review?.cause] ?? "Please decide";
  return `${STATUSES.waiting.word}: ${cause[0].toLowerCase()}${cause.slice(1)}`;
}

export function isSentBack(reason) {
  return !DECIDED.has(reason);
}

/** Without keys and without a name, the service calls the person who decides “local”. */
export function personInWords(name) {
  return name === "local" ? "The person at this machine" : name;
}

export const STAGES = {
  queued: { word: "Queued", done: 0 },
  reading: { word: "Reading", done: 1 },
  findable: { word: "Searchable by keyword", done: 2 },
  embedding: { word: "Embedding", done: 3 },
  ready: { word: "Ready", done: 4, tone: "good", shape: "disc" },
  pending: { word: "Searchable by keyword; embedding to follow", done: 4, tone: "doubt", shape: "open" },
  duplicate: { word: "Already here", done: 4, tone: "plain", shape: "bar" },
  failed: { word: "Failed", done: 4, tone: "bad", shape: "cross" },
  stopped: { word: "Stopped", done: 4, tone: "doubt", shape: "square" },
};
