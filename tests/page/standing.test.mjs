import assert from "node:assert/strict";
import { test } from "node:test";
import "./vocabulary.mjs";
import { passageNames } from "../../src/masis/api/web/static/js/logic/passage_names.js";
import { EMPTY, after } from "../../src/masis/api/web/static/js/logic/run_state.js";
import { draftStanding, withoutHalfCitation } from "../../src/masis/api/web/static/js/logic/standing.js";

const told = (...events) => draftStanding(events.map((event, seq) => ({ seq, ...event })).reduce(after, EMPTY));
const draft = (attempt) => ({ event: "draft", attempt, data: { text: "Revenue was" } });
const critique = { unsupported_claims: [], logical_gaps: ["The year before\nis not mentioned."] };
const criticised = { event: "finished", agent: "critic", attempt: 0, trace: {}, data: { critique } };
const sentBack = { event: "finished", agent: "supervisor", attempt: 0, trace: { decision: "retry", reason: "quality_issue_detected" } };
const searching = { event: "started", agent: "researcher", attempt: 1 };

test("a draft says whose it is, and that nobody has audited it", () => {
  assert.equal(told().told, "The answer appears here as it is written.");
  assert.deepEqual(told(draft(0)), { told: "Draft of attempt 1, not audited yet.", objection: "" });
});

test("the attempt after one that was sent back says why, and what the Critic said", () => {
  const { told: words, objection } = told(draft(0), criticised, sentBack, searching);
  assert.equal(words, "Attempt 1 was sent back: no sound answer yet; a wider search may find one. Its draft stays here until the next one is written.");
  assert.equal(objection, "missing: The year before is not mentioned.");
  assert.match(told(draft(0), criticised, sentBack, searching, draft(1)).told, /may find one\. Draft of attempt 2, not audited yet\.$/);
});

test("an attempt that goes on because a person decided was not sent back", () => {
  const answered = { ...sentBack, trace: { decision: "retry", reason: "answered_by_person" } };
  const { told: words, objection } = told(draft(0), criticised, answered, searching);
  assert.equal(words, "After attempt 1 the agents continue: a person decided. Its draft stays here until the next one is written.");
  assert.equal(objection, "");
});

test("a citation is shown when it is whole", () => {
  assert.equal(withoutHalfCitation("Revenue was $12 million. [cab12"), "Revenue was $12 million.");
  assert.equal(withoutHalfCitation("Revenue [cab12] rose."), "Revenue [cab12] rose.");
  assert.equal(withoutHalfCitation("See [the\nlist"), "See [the\nlist");
});

test("in a comparison a passage has its file, its page and one number", () => {
  const found = (...evidence) => ({ agents: { researcher: { data: { evidence } } } });
  const memo = (chunk_id) => ({ chunk_id, file_name: "memo.docx", page: 1 });
  const named = passageNames([found(memo("ca1")), found(memo("ca1"), memo("cb2"))]);
  assert.equal(named("A [ca1]. B [cb2, cc3]."), "A [1: memo.docx, page 1]. B [2: memo.docx, page 1, cc3].");
  assert.equal(named(undefined), "");
});
