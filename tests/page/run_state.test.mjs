import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, after, answersOf, draftShown, isStill, latestAttempt, questionOf, retryOf } from "../../src/masis/api/web/static/js/logic/run_state.js";

const at = "2026-01-01T00:00:00+00:00";
const started = (seq, agent, attempt = 0) => ({ seq, at, event: "started", agent, attempt });
const finished = (seq, agent, attempt = 0, trace = null, data = {}) => ({ seq, at, event: "finished", agent, attempt, trace, data });

const CONFLICT_RUN = [
  { seq: 0, at, event: "queued", data: { question: "What was churn?" } },
  started(10, "supervisor"),
  finished(15, "supervisor"),
  started(20, "researcher"),
  finished(25, "researcher", 0, { chunks: 7, filtered_out: 3 }, { evidence: [{ chunk_id: "c1" }] }),
  started(30, "synthesizer"),
  { seq: null, at, event: "draft", attempt: 0, data: { text: "Churn was" } },
  finished(35, "synthesizer", 0, { answer_length: 14 }, { draft_answer: "Churn was 9.1%" }),
  started(40, "critic"),
  finished(45, "critic", 0, { confidence: 0.7 }, { critique: { conflicting_evidence: ["a"] }, claims: [] }),
  finished(65, "supervisor", 0, { decision: "retry", reason: "conflicting_evidence_attempting_resolution" }),
  started(70, "researcher", 1),
  finished(85, "synthesizer", 1, {}, { draft_answer: "Churn was 7.4%" }),
  finished(115, "supervisor", 1, { decision: "HITL_conflict", reason: "conflicting_evidence" }),
  { seq: 117, at, event: "waiting", data: { outcome: "conflict", confidence: 0.7, review: { cause: "conflict" } } },
  finished(125, "human_review", 1, { action: "prefer", by: "Ada" }, { pending_answer: { action: "prefer", by: "Ada" } }),
  started(130, "supervisor", 1),
  { seq: 199, at, event: "ended", data: { outcome: "answered", confidence: 1 } },
];
const reduced = (events) => events.reduce(after, EMPTY);

test("the events of a run give its attempts, its drafts and how it ended", () => {
  const state = reduced(CONFLICT_RUN);
  assert.equal(state.status, "finished");
  assert.equal(state.outcome, "answered");
  assert.equal(state.question, "What was churn?");
  assert.deepEqual(state.attempts.map((attempt) => attempt.draft), ["Churn was 9.1%", "Churn was 7.4%"]);
  assert.equal(retryOf(state.attempts[0]).reason, "conflicting_evidence_attempting_resolution");
  assert.equal(retryOf(state.attempts[1]), null);
  assert.equal(answersOf(state)[0].data.pending_answer.by, "Ada");
});

test("a reader who comes back at any moment ends up with the same state", () => {
  const whole = reduced(CONFLICT_RUN);
  for (let cut = 0; cut <= CONFLICT_RUN.length; cut += 1) {
    const before = reduced(CONFLICT_RUN.slice(0, cut));
    // The server sends what came after the last number seen; a careless one sends everything again.
    const rest = CONFLICT_RUN.filter((event) => event.seq === null || event.seq > before.seq);
    assert.deepEqual(rest.reduce(after, before), whole, `cut at ${cut}, caught up`);
    assert.deepEqual(CONFLICT_RUN.reduce(after, before), whole, `cut at ${cut}, everything again`);
  }
});

test("nothing is changed in place", () => {
  const frozen = (value) => {
    if (value && typeof value === "object") Object.values(Object.freeze(value)).forEach(frozen);
    return value;
  };
  assert.doesNotThrow(() => CONFLICT_RUN.reduce((state, event) => frozen(after(frozen(state), event)), EMPTY));
});

test("a draft grows while it is written, and never replaces the finished one", () => {
  const writing = reduced(CONFLICT_RUN.slice(0, 7));
  assert.equal(draftShown(writing), "Churn was");
  assert.equal(latestAttempt(writing).agents.synthesizer.status, "working");
  const written = reduced(CONFLICT_RUN.slice(0, 8));
  assert.equal(draftShown(after(written, CONFLICT_RUN[6])), "Churn was 9.1%");
});

test("waiting holds the question to the person, and going on takes it away", () => {
  const waiting = reduced(CONFLICT_RUN.slice(0, 15));
  assert.equal(waiting.status, "waiting");
  assert.equal(waiting.review.cause, "conflict");
  assert.ok(isStill(waiting.status));
  const resumed = reduced(CONFLICT_RUN.slice(0, 17));
  assert.equal(resumed.status, "running");
  assert.equal(resumed.review, null);
});

test("cancelled and failed runs are over; an unknown event changes nothing but the place", () => {
  assert.equal(after(EMPTY, { seq: 3, at, event: "cancelled" }).status, "cancelled");
  assert.equal(after(EMPTY, { seq: 3, at, event: "failed", data: { error: "the disk is full" } }).error, "the disk is full");
  assert.deepEqual(after(EMPTY, { seq: 3, at, event: "of_tomorrow" }), { ...EMPTY, seq: 3 });
});

test("the question is the one a person put last, by the result or, before there is one, by the events", () => {
  const record = { question: "What was churn?" };
  const refined = (seq, question) => finished(seq, "human_review", 1, {}, { pending_answer: { action: "refine", question } });
  const state = reduced([...CONFLICT_RUN, refined(200, "Churn in 2024?"), refined(210, "Churn in 2025?"), finished(220, "human_review", 1, { action: "accept" })]);
  assert.equal(questionOf(record, null, reduced(CONFLICT_RUN)), "What was churn?");
  assert.equal(questionOf(record, null, state), "Churn in 2025?");
  assert.equal(questionOf(record, { decisions: [{ action: "refine", question: "Why?" }, { action: "stop", question: null }] }, EMPTY), "Why?");
  assert.equal(questionOf(record, { decisions: [] }, EMPTY), "What was churn?");
});
