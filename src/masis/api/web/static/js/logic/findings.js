// What an agent found, from its entry in the trace: one short line for the pipeline, one for the trail.
import { money, percent } from "./format.js";
import { latestAttempt, retryOf } from "./run_state.js";
import { plural } from "./text.js";
import { ACTIONS, SET_ASIDE, TRACE_FIELDS, VERDICTS, decisionInWords, needsDecision, personInWords, reasonInWords, signOf } from "./words.js";

/** @returns {string} what to show under an agent that is done */
export function finding(agent, trace, data = {}) {
  if (agent === "supervisor") return trace ? decision(trace) : "sends the question to the Researcher";
  if (!trace) return "done";
  if (trace.warning && trace.results_before_filter) return `${plural(trace.results_before_filter, "passage")} set aside: ${SET_ASIDE.far}`;
  if (trace.warning) return reasonInWords(trace.warning);
  return FOUND[agent]?.(trace, data) ?? "done";
}

const FOUND = {
  researcher: passagesFound,
  synthesizer: (trace) => `cited ${plural(trace.citations ?? 0, "passage")}` + (trace.context_compressed ? " of a shortened context" : ""),
  critic: (trace, data) => verdictCounts(data.claims) || "nothing to check",
  evaluator: (trace) => `overall score ${percent(trace.overall_score)}`,
  // Where the whole decision is at hand, it is shown below.
  human_review: (trace, data) => (data.pending_answer ? "decided" : (ACTIONS[trace.action] ?? reasonInWords(trace.action))),
};

function passagesFound(trace) {
  const [found, aside] = [plural(trace.chunks ?? 0, "passage"), trace.filtered_out ?? 0];
  const [most] = Object.keys(trace.set_aside ?? {});
  return aside ? `${found}, ${aside} set aside${most ? `: ${SET_ASIDE[most] ?? reasonInWords(most)}` : ""}` : found;
}

/** What the agents of a run found, in one line. */
export function summary(state) {
  const agents = latestAttempt(state)?.agents ?? {};
  const found = agents.researcher?.trace && finding("researcher", agents.researcher.trace);
  return [found, state.attempts.length > 1 && plural(state.attempts.length, "attempt")].filter(Boolean).join(" · ");
}

function decision(trace) {
  const done = decisionInWords(trace);
  return trace.decision === "finalize" ? done : `${done}: ${reasonInWords(trace.reason)}`;
}

/** “2 verbatim, 1 uncited”, worst last. */
export function verdictCounts(claims = []) {
  const counts = new Map();
  for (const claim of claims ?? []) if (claim.verdict) counts.set(claim.verdict, (counts.get(claim.verdict) ?? 0) + 1);
  const order = Object.keys(VERDICTS);
  return [...counts]
    .sort(([one], [other]) => order.indexOf(one) - order.indexOf(other))
    .map(([verdict, count]) => `${count} ${VERDICTS[verdict]?.word ?? verdict}`)
    .join(", ");
}

const SHARES = new Set([
  "avg_score", "threshold_used", "confidence", "raw_confidence", "overall_score", "faithfulness", "relevance", "completeness", "reasoning_quality",
]);
const HIDDEN = new Set(["node", "retry_count"]);

/** An entry of the trace as pairs of words. @returns {[string, string][]} */
export function readable(trace) {
  return Object.entries(trace ?? {})
    .filter(([key, value]) => !HIDDEN.has(key) && isShort(value))
    .map(([key, value]) => [TRACE_FIELDS[key] ?? key.replace(/_/g, " "), inWords(key, value, trace)]);
}

function isShort(value) {
  if (Array.isArray(value)) return value.every((each) => typeof each !== "object");
  return value !== null && typeof value !== "object";
}

function inWords(key, value, trace) {
  if (key.endsWith("_ms")) return `${Math.round(value * 10) / 10} ms`;
  if (key === "cost_usd") return money(value);
  if (key === "reason") return reasonInWords(value);
  if (key === "decision") return decisionInWords(trace);
  if (key === "action") return ACTIONS[value] ?? value;
  if (key === "by") return personInWords(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (SHARES.has(key)) return percent(value);
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  return String(value);
}

/** For a screen reader, once per attempt and at the end: not for every step. */
export function announcement(state) {
  const { status } = state;
  if (status === "waiting") return `${needsDecision(state.review)}.`;
  if (status === "cancelled") return "The run was cancelled.";
  if (status === "failed") return "The run failed.";
  if (status === "finished") return `${signOf(state).word}.`;
  const latest = latestAttempt(state);
  const before = latest && state.attempts.findLast((attempt) => attempt.number < latest.number && retryOf(attempt));
  return before ? `Attempt ${latest.number + 1}: ${reasonInWords(retryOf(before).reason)}.` : "The agents are at work.";
}

/** Whether there is a text of the agents' own: where nothing was drafted a sentence of the service stands in for it. */
export function wasDrafted(result) {
  return result.claims.length > 0;
}

/** Whether a result says nothing but that the documents do not answer. */
export function isSilence(result) {
  return result?.outcome === "insufficient_evidence" && result.claims.every((claim) => claim.kind !== "claim" && !claim.citations.length);
}

/** Of a silence: whether its text says more than that, such as what the documents do cover. */
export function saysMore(result) {
  const asked = (result.question ?? "").replace(/[\s?.!]+$/, "").toLowerCase();
  return result.claims.length > 1 || (result.claims.length === 1 && !result.answer.toLowerCase().includes(asked));
}

/** Each attempt that was audited: one that found nothing has no confidence. @returns {{attempt: number, confidence: number}[]} */
export function confidenceByAttempt(trace) {
  return trace
    .filter((entry) => entry.node === "critic" && entry.confidence != null)
    .map((entry) => ({ attempt: entry.retry_count + 1, confidence: entry.confidence }));
}
