// What a reader meets every day: the scope of a question, the words of a search.
import assert from "node:assert/strict";
import test from "node:test";
import "./vocabulary.mjs";
import { excerpt, highlighted, searched } from "../../src/masis/api/web/static/js/logic/highlights.js";
import { isEverywhere, pagesFrom, scopeInWords, scopeProblem, tidied, typesOf } from "../../src/masis/api/web/static/js/logic/scope.js";
import { doneInWords, newsOf, scheduleInWords, stateOf } from "../../src/masis/api/web/static/js/logic/sources.js";
import { chosenQuestions } from "../../src/masis/api/web/static/js/components/overview.js";
import { plainly, quoteOf } from "../../src/masis/api/web/static/js/logic/text.js";
import { isSilence, saysMore } from "../../src/masis/api/web/static/js/logic/findings.js";
import { sureSign } from "../../src/masis/api/web/static/js/logic/words.js";

test("a scope is told in words, and what is empty does not restrict", () => {
  const names = new Map([["d1", "a.pdf"]]);
  assert.equal(scopeInWords({ documents: ["d1", "b.md"], file_types: ["pdf"], dated_from: "2024" }, names), "a.pdf, b.md · PDF · dated 2024 or later");
  assert.equal(scopeInWords({ documents: ["1", "2", "3"], dated_from: "2024-03", dated_to: "2025", pages: [2, 2] }), "3 documents · dated March 2024 to 2025 · page 2");
  assert.ok(isEverywhere({ documents: [], dated_from: "" }));
  assert.deepEqual(tidied({ documents: [], file_types: ["pdf"], dated_to: "" }), { file_types: ["pdf"] });
  assert.deepEqual(typesOf([{ file_name: "a.PDF" }, { file_name: "b.md" }, { file_name: "none" }, { file_name: "c.pdf" }]), ["md", "pdf"]);
  assert.equal(scopeProblem({ dated_from: "2024-03" }), "");
  assert.match(scopeProblem({ dated_to: "March" }), /is not a date/);
});

test("searched words are marked in their other forms, small words are not", () => {
  const marked = (text, query) => highlighted(text, searched(query)).filter((each) => each.isHit).map((each) => each.text);
  assert.deepEqual(marked("Customers of the firm: customer’s churning costs.", "the customer churn cost"), ["Customers", "customer’s", "churning", "costs"]);
  assert.deepEqual(marked("Umsätze im Geschäftsjahr", "umsätze"), ["Umsätze"]);
  assert.equal(highlighted("nothing here", searched("what")).map((each) => each.text).join(""), "nothing here");
  assert.equal(excerpt({ text: "One. Two. Three.", start: 100, focus: [105, 109] }), "… Two. Three.");
  const long = { text: `One two ${"words ".repeat(100)}`, start: 0 };
  assert.match(excerpt(long), /words …$/);
  assert.equal(excerpt({ text: "x".repeat(500), start: 0 }).length, 422);
  assert.match(excerpt({ text: `Table\n${"| a cell | another |\n".repeat(50)}`, start: 0 }), /\| another \|\n…$/);
  assert.equal(plainly("## Head\n\nText\n# not"), "Head\nText\nnot");
});

test("how sure an answer is is said in words, by its likelihood where that was fitted", () => {
  const claims = [{ kind: "claim" }];
  assert.equal(sureSign({ likelihood: 0.97, confidence: 0.2, claims }).word, "likely right (97%)");
  assert.equal(sureSign({ likelihood: null, confidence: 0.7, claims }).word, "fair confidence (70%)");
  assert.equal(sureSign({ likelihood: 0.7451, confidence: 0.7, claims }).word, "likely right (75%)", "the word is that of the figure shown");
  assert.equal(sureSign({ likelihood: 0.7449, confidence: 0.7, claims }).word, "check it (74%)");
  assert.equal(sureSign({ likelihood: null, confidence: 0.9, claims: [] }), null);
  assert.equal(sureSign({ likelihood: 0.9, confidence: 0.9, claims: [{ kind: "limit" }] }), null);
});

test("silence is told from an answer, and from a silence that says more", () => {
  const limit = { kind: "limit", citations: [] };
  const silent = { outcome: "insufficient_evidence", question: "Who chairs it?", answer: "Not answered: “Who chairs it”.", claims: [limit] };
  assert.deepEqual([isSilence(silent), saysMore(silent)], [true, false]);
  assert.equal(saysMore({ ...silent, answer: "The minutes name no chair." }), true);
  assert.equal(isSilence({ ...silent, claims: [limit, { kind: "claim", citations: [{}] }] }), false);
  assert.equal(isSilence({ ...silent, outcome: "answered" }), false);
});

test("a quote is read without the bars of its table", () => {
  assert.equal(quoteOf({ quote: "Sales | 3.1 | 13.1", shown: "Sales: 13.1 (2025)" }), "Sales: 13.1 (2025)");
  assert.equal(quoteOf({ quote: "Sales | 3.1 |\n|---|---|\n| Cost | 2 |" }), "Sales · 3.1 Cost · 2");
});

test("pages in words", () => {
  assert.deepEqual(["3", "3–7", " 3 - 7 ", ""].map(pagesFrom), [[3, 3], [3, 7], [3, 7], []]);
  assert.deepEqual(["7-3", "x", "0", "3-", "1,2"].map(pagesFrom), [null, null, null, null, null]);
  assert.match(scopeProblem({}, "x"), /not a page/);
});

test("sources in words", () => {
  assert.deepEqual([null, 900, 3600, 172800, 90].map(scheduleInWords), ["on request", "every 15 minutes", "every hour", "every 2 days", "every 90 seconds"]);
  assert.equal(doneInWords({ new: 2, moved: 1, unchanged: 9, failed: 0 }), "2 new, 1 renamed");
  assert.equal(doneInWords({ unchanged: 1 }), "1 file, nothing new");
  assert.deepEqual(newsOf({ moved: [["a", "b"]], failed: [["c", "c is damaged"], ["d", "no"]] }), [["renamed", "a → b"], ["not read", "c is damaged"], ["not read", "d: no"]]);
  const state = (given) => stateOf({ is_syncing: false, error: null, ...given }).word;
  assert.deepEqual([{ status: "new" }, { status: "synced" }, { status: "synced", error: "x" }, { status: "failed" }, { status: "failed", is_syncing: true }].map(state),
    ["Not synced yet", "In sync", "Partly in sync", "Failed", "Being synced"]);
});

test("questions that fit any document are asked of all of them, once", () => {
  const of = (name, ...questions) => ({ document: { document_id: name }, overview: { questions } });
  const asked = (...overviews) => chosenQuestions(overviews).map(({ question, document }) => `${document?.document_id ?? "all"}: ${question}`);
  assert.deepEqual(asked(of("a", "A1", "A2", "?"), of("b", "B1", "?")), ["a: A1", "b: B1", "a: A2", "all: Summarise these documents"]);
  assert.deepEqual(asked(of("a", "?"), of("b", "?")), ["all: Summarise these documents", "a: ?", "b: ?"]);
  assert.deepEqual(asked(of("a", "A1", "?", "??")), ["a: A1", "a: ?", "a: ??"]);
  assert.equal(asked(of("a", "A1", "A2", "A3", "A4", "A5", "?"), of("b", "?")).length, 5);
});
