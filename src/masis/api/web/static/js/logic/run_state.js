// A run as its events tell it: state = events.reduce(after, EMPTY). Whoever has the events has the state, so a refresh,
// a lost connection and a second tab all end up with the same page.

/**
 * @typedef {{status: "idle"|"working"|"done", trace?: object|null, data?: object, startedAt?: string, finishedAt?: string}} AgentState
 * @typedef {{number: number, agents: Record<string, AgentState>, draft: string, entries: object[]}} Attempt
 */

export const EMPTY = Object.freeze({
  seq: -1,
  status: "queued",
  question: null,
  agent: null,
  attempts: Object.freeze([]),
  review: null,
  outcome: null,
  confidence: null,
  error: null,
});

/** The state after one more event. An event that was seen already changes nothing. */
export function after(state, event) {
  if (event.seq != null && event.seq <= state.seq) return state;
  const change = CHANGES[event.event];
  const next = change ? change(state, event) : state;
  return event.seq == null ? next : { ...next, seq: event.seq };
}

const CHANGES = {
  queued: (state, event) => ({ ...state, status: "queued", question: event.data?.question ?? state.question }),
  started: (state, event) => ({
    ...inAgent(state, event, { status: "working", startedAt: event.at }),
    status: "running",
    agent: event.agent,
    review: null,
  }),
  finished: (state, event) => ({ ...withFound(state, event), agent: null }),
  draft: withDraft,
  waiting: (state, event) => ({ ...settled(state, event), status: "waiting", review: event.data?.review ?? null }),
  answered: (state) => ({ ...state, status: "queued", review: null }),
  ended: (state, event) => ({ ...settled(state, event), status: "finished", review: null }),
  cancelled: (state) => ({ ...state, status: "cancelled", agent: null }),
  failed: (state, event) => ({ ...state, status: "failed", agent: null, error: event.data?.error ?? null }),
};

function settled(state, event) {
  return { ...state, agent: null, outcome: event.data?.outcome ?? null, confidence: event.data?.confidence ?? null };
}

function withFound(state, event) {
  const found = { status: "done", trace: event.trace ?? null, data: event.data ?? {}, finishedAt: event.at };
  const next = inAgent(state, event, found);
  const entry = { agent: event.agent, at: event.at, trace: event.trace ?? null, data: event.data ?? {} };
  return inAttempt(next, event.attempt ?? 0, (attempt) => ({
    ...attempt,
    draft: event.data?.draft_answer ?? attempt.draft,
    entries: [...attempt.entries, entry],
  }));
}

/** Text that comes after the draft was finished is older than the draft. */
function withDraft(state, event) {
  return inAttempt(state, event.attempt ?? 0, (attempt) =>
    attempt.agents.synthesizer?.status === "done" ? attempt : { ...attempt, draft: event.data?.text ?? "" },
  );
}

function inAgent(state, event, news) {
  return inAttempt(state, event.attempt ?? 0, (attempt) => ({
    ...attempt,
    agents: { ...attempt.agents, [event.agent]: { ...attempt.agents[event.agent], ...news } },
  }));
}

function inAttempt(state, number, change) {
  const known = state.attempts.find((attempt) => attempt.number === number);
  const changed = change(known ?? { number, agents: {}, draft: "", entries: [] });
  const others = state.attempts.filter((attempt) => attempt.number !== number);
  return { ...state, attempts: [...others, changed].sort((one, other) => one.number - other.number) };
}

export function isOver(status) {
  return status === "finished" || status === "cancelled" || status === "failed";
}

/** Nothing more happens by itself. */
export function isStill(status) {
  return status === "waiting" || isOver(status);
}

export function latestAttempt(state) {
  return state.attempts.at(-1) ?? null;
}

/** The text to show while nothing is decided: of the last attempt that has any. */
export function draftShown(state) {
  return state.attempts.findLast((attempt) => attempt.draft)?.draft ?? "";
}

/** What the Supervisor said when it sent the attempt back; null for the last one. */
export function retryOf(attempt) {
  const decided = attempt.entries.findLast((entry) => entry.agent === "supervisor" && entry.trace?.decision);
  return decided?.trace.decision === "retry" ? decided.trace : null;
}

/** People's answers, in order. */
export function answersOf(state) {
  return state.attempts.flatMap((attempt) => attempt.entries).filter((entry) => entry.agent === "human_review");
}

/** The question as a person last put it; the record keeps the one that was asked first. */
export function questionOf(record, result, state) {
  const given = result?.decisions ?? answersOf(state).map(({ data, trace }) => data?.pending_answer ?? trace);
  return given.findLast((each) => each?.action === "refine" && each.question)?.question ?? record.question;
}
