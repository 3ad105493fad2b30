// What a reader meets every day: the scope of a question, the words of a search.
import assert from "node:assert/strict";
import test from "node:test";
import "./vocabulary.mjs";
import { excerpt, highlighted, searched } from "../../src/masis/api/web/static/js/logic/highlights.js";
import { isEverywhere, scopeInWords, scopeProblem, tidied, typesOf } from "../../src/masis/api/web/static/js/logic/scope.js";
import { plainly } from "../../src/masis/api/web/static/js/logic/text.js";
import { confidenceSign } from "../../src/masis/api/web/static/js/logic/words.js";

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
  assert.equal(excerpt({ text: "One. Two. Three.", start: 100, focus: [105, 109] }), "… Two. …");
  assert.equal(plainly("## Head\n\nText\n# not"), "Head\nText\nnot");
});

test("how sure an answer is is said in words, by its likelihood where that was fitted", () => {
  const claims = [{}];
  assert.equal(confidenceSign({ likelihood: 0.97, confidence: 0.2, claims }).word, "likely right (97 %)");
  assert.equal(confidenceSign({ likelihood: null, confidence: 0.7, claims }).word, "fair confidence (70 %)");
  assert.equal(confidenceSign({ likelihood: null, confidence: 0.9, claims: [] }), null);
});
