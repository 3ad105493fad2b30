import assert from "node:assert/strict";
import { test } from "node:test";
import "./vocabulary.mjs";
import { wordDiff } from "../../src/masis/api/web/static/js/logic/diff.js";
import { announcement, confidenceByAttempt, finding, readable, verdictCounts } from "../../src/masis/api/web/static/js/logic/findings.js";
import { between, day, milliseconds, percent, place, size } from "../../src/masis/api/web/static/js/logic/format.js";
import { oneLine, shortened, shown, sliced } from "../../src/masis/api/web/static/js/logic/text.js";
import { EMPTY, after } from "../../src/masis/api/web/static/js/logic/run_state.js";
import { ACTIONS, OUTCOMES, STAGES, STATUSES, VERDICTS, nextAttemptInWords, signOf, verdictOf } from "../../src/masis/api/web/static/js/logic/words.js";

test("a diff gives both drafts back, and only what changed as changed", () => {
  const before = "Churn was 9.1% in 2025, says the memo.";
  const after = "Churn was 7.4% in 2025, says the annual report.";
  const parts = wordDiff(before, after);
  assert.equal(parts.filter((part) => part.kind !== "new").map((part) => part.text).join(""), before);
  assert.equal(parts.filter((part) => part.kind !== "gone").map((part) => part.text).join(""), after);
  assert.deepEqual(parts.filter((part) => part.kind === "gone").map((part) => part.text), ["9.1", "memo"]);
  assert.deepEqual(wordDiff("", ""), []);
});

test("drafts too long to compare word by word are shown whole", () => {
  const long = "word ".repeat(3000);
  assert.deepEqual(wordDiff(long, `${long}end`).map((part) => part.kind), ["gone", "new"]);
});

test("every verdict has a word, a shape and a tone; no two share word and shape", () => {
  const signs = Object.values(VERDICTS).map((verdict) => `${verdict.word}/${verdict.shape}`);
  assert.equal(new Set(signs).size, signs.length);
  assert.equal(verdictOf({ kind: "heading", verdict: null }), null);
  assert.equal(verdictOf({ kind: "claim", verdict: null }).word, "unverified");
  assert.equal(verdictOf({ kind: "claim", verdict: "of_tomorrow" }).word, "unverified");
  assert.equal(signOf({ status: "finished", outcome: "answered" }).word, "Answered");
  assert.equal(signOf({ status: "waiting", outcome: "conflict" }).word, "Needs a decision");
});

test("what an agent found is one line", () => {
  assert.equal(finding("researcher", { chunks: 1, filtered_out: 9, set_aside: { another_period: 9 } }), "1 passage, 9 set aside: about another year");
  assert.equal(finding("researcher", { warning: "no_qualifying_evidence" }), "no passage is close enough");
  assert.equal(finding("researcher", { warning: "no_qualifying_evidence", results_before_filter: 20 }), "20 passages set aside: too far from the question");
  assert.equal(finding("supervisor", null), "sends the question to the Researcher");
  assert.equal(finding("supervisor", { decision: "retry", reason: "quality_issue_detected" }), "tries again: no sound answer yet; a wider search may find one");
  assert.equal(finding("critic", { confidence: 0.7 }, { claims: [{ verdict: "uncited" }, { verdict: "verbatim" }] }), "1 verbatim, 1 uncited");
  assert.equal(verdictCounts([]), "");
  assert.deepEqual(readable({ node: "critic", needs_retry: false, invalid_citations: [] }), [["asks for another attempt", "no"], ["fabricated citations", "none"]]);
});

test("a decision is told as what was done, and nothing is sent back by it", () => {
  const decided = (decision, reason) => finding("supervisor", { decision, reason });
  assert.equal(finding("human_review", { action: "prefer" }), "chose which document to trust");
  assert.equal(finding("human_review", { action: "prefer" }, { pending_answer: { action: "prefer" } }), "decided");
  assert.equal(decided("retry", "answered_by_person"), "continues: a person decided");
  assert.equal(decided("retry", "standing_decision"), "continues: a standing decision settles the conflict");
  assert.equal(decided("finalize", "decided_by_person"), "ends the run, as a person decided");
  assert.equal(decided("finalize", "quality_checks_passed"), "accepts the answer");
  assert.equal(decided("HITL_triggered", "weak_evidence"), "asks a person: no passage is close enough to the question");
  assert.equal(nextAttemptInWords("answered_by_person"), "A person decided, and the agents continued.");
  assert.equal(nextAttemptInWords("quality_issue_detected"), "Sent back: no sound answer yet; a wider search may find one.");
  assert.deepEqual(readable({ action: "stop", by: "local", decision: "retry", reason: "answered_by_person" }), [
    ["action", ACTIONS.stop], ["by", "The person at this machine"], ["decision", "continues"], ["reason", "a person decided"],
  ]);
});

test("a screen reader hears how a run ended, and that a person is needed", () => {
  const heard = (...events) => announcement(events.map((event, seq) => ({ seq, ...event })).reduce(after, EMPTY));
  const started = { event: "started", agent: "researcher", attempt: 0 };
  const sentOn = { event: "finished", agent: "supervisor", attempt: 0, trace: { decision: "retry", reason: "answered_by_person" } };
  assert.equal(heard(started), "The agents are at work.");
  assert.equal(heard(started, sentOn, { ...started, attempt: 1 }), "Attempt 2: a person decided.");
  assert.equal(heard(started, { event: "ended", data: { outcome: "answered", confidence: 1 } }), "Answered.");
  assert.equal(heard(started, { event: "ended", data: { outcome: "out_of_scope", confidence: 0 } }), "Not a question for documents.");
  assert.equal(heard(started, { event: "waiting", data: { review: { cause: "conflict" } } }), "Needs a decision: the documents disagree.");
  assert.equal(heard(started, { event: "cancelled" }), "The run was cancelled.");
});

test("confidence belongs to the attempt that was audited, and to a draft", () => {
  const trace = [{ node: "researcher", retry_count: 0 }, { node: "critic", retry_count: 1, confidence: 0.7 }, { node: "critic", retry_count: 3, confidence: 1 }];
  assert.deepEqual(confidenceByAttempt(trace), [{ attempt: 2, confidence: 0.7 }, { attempt: 4, confidence: 1 }]);
});

test("the tick means that something was found right, and work that goes on has none", () => {
  for (const sign of [STATUSES.running, STAGES.pending]) assert.equal(sign.shape, "open");
  assert.ok([VERDICTS.supported, OUTCOMES.answered_with_caveat].every((sign) => sign.shape === "ring"));
});

test("numbers and times as a reader says them", () => {
  assert.deepEqual([percent(0.934), percent(null)], ["93%", "–"]);
  assert.deepEqual([milliseconds(0.2), milliseconds(250), milliseconds(4359)], ["under 1 ms", "250 ms", "4.4 s"]);
  assert.deepEqual([day("2026-03-12"), day("2026-03"), day("2026")], ["12 March 2026", "March 2026", "2026"]);
  assert.deepEqual([size(17), size(19261), size(5_000_000)], ["17 bytes", "19 kB", "5.0 MB"]);
  assert.equal(between("2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z"), 90);
  assert.equal(between(null, "2026-01-01T00:01:30Z"), null);
  assert.deepEqual([place({ page: 3 }), place({ page: 3, label: "slide 3" })], ["page 3", "slide 3"]);
});

test("text of others: disguises become visible, spans stay true", () => {
  assert.equal(shown("a\u202eb\u2066c\u0007\r\nd"), "a\ufffdb\ufffdc\ufffd\nd");
  assert.equal(shown("שלום"), "שלום");
  assert.equal(sliced("a😀b😀c", 1, 4), "😀b😀");
  assert.equal(oneLine(" a\n  b "), "a b");
  assert.equal(shortened("one two three four", 12), "one two …");
});
