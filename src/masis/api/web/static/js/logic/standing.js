// What a reader has to know of a text that may still change: whose draft it is, and why the one before was sent back.
import { latestAttempt, retryOf } from "./run_state.js";
import { oneLine } from "./text.js";
import { reasonInWords } from "./words.js";

/** @returns {{told: string, objection: string}} */
export function draftStanding(state) {
  const latest = latestAttempt(state);
  const before = latest && state.attempts.findLast((attempt) => attempt.number < latest.number && retryOf(attempt));
  const told = [before && `Attempt ${before.number + 1} was sent back: ${reasonInWords(retryOf(before).reason)}.`, whose(state, latest)];
  return { told: told.filter(Boolean).join(" "), objection: before ? firstObjection(before) : "" };
}

function whose(state, latest) {
  const written = state.attempts.findLast((attempt) => attempt.draft);
  if (!written) return "The answer appears here as it is written.";
  if (written.number < latest.number) return "Its draft stays here until the next one is written.";
  return `Draft of attempt ${written.number + 1}, not audited yet.`;
}

/** What the Critic found first. */
function firstObjection(attempt) {
  const critique = attempt.agents.critic?.data?.critique ?? {};
  const found = OBJECTIONS.flatMap(([name, word]) => (critique[name] ?? []).map((each) => `${word}: ${each}`));
  return oneLine(found[0]);
}

const OBJECTIONS = [
  ["unsupported_claims", "not supported"],
  ["logical_gaps", "missing"],
  ["conflicting_evidence", "documents disagree"],
];

/** Without the citation that is being written: half an id tells nobody anything. */
export function withoutHalfCitation(draft) {
  return draft.replace(/\s?\[[^[\]\n]{0,60}$/, "");
}
