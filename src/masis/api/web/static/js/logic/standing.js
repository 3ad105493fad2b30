// What a reader has to know of a text that may still change: whose draft it is, and why the one before was sent back.
import { latestAttempt, retryOf } from "./run_state.js";
import { oneLine } from "./text.js";
import { isSentBack, reasonInWords } from "./words.js";

/** @returns {{told: string, objection: string}} */
export function draftStanding(state) {
  const latest = latestAttempt(state);
  const before = latest && state.attempts.findLast((attempt) => attempt.number < latest.number && retryOf(attempt));
  const told = [before && what(before), whose(state, latest)];
  const isObjected = before && isSentBack(retryOf(before).reason);
  return { told: told.filter(Boolean).join(" "), objection: isObjected ? firstObjection(before) : "" };
}

function what(before) {
  const { reason } = retryOf(before);
  const [attempt, why] = [before.number + 1, reasonInWords(reason)];
  return isSentBack(reason) ? `Attempt ${attempt} was sent back: ${why}.` : `After attempt ${attempt} the agents continue: ${why}.`;
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

/** Without the citation that is being written: half an id means nothing. */
export function withoutHalfCitation(draft) {
  return draft.replace(/\s?\[[^[\]\n]{0,60}$/, "");
}
