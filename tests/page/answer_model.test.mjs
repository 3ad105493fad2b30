import assert from "node:assert/strict";
import { test } from "node:test";
import "./vocabulary.mjs";
import { answerModel, aroundQuote, blocksOf, tableRows } from "../../src/masis/api/web/static/js/logic/answer_model.js";
import { standingOf, withFootnotes } from "../../src/masis/api/web/static/js/logic/footnotes.js";

const EVIDENCE = [
  { chunk_id: "c1", document_id: "d1", file_name: "report.pdf", page: 2, start: 100, end: 130, text: "Before. Churn was 7.4%. After.", date: "2026-03-12" },
  { chunk_id: "c2", document_id: "d2", file_name: "memo.docx", page: 1, start: 0, end: 10, text: "Churn 9.1%" },
];
const claim = (answer, text, rest = {}) => {
  const start = Array.from(answer.slice(0, answer.indexOf(text))).length;
  return { text, start, end: start + Array.from(text).length, kind: "claim", citations: [], verdict: "verbatim", reason: "", ...rest };
};
const piecesOf = (model) => model.blocks.flatMap((block) => block.parts.flatMap((part) => part.pieces));
const citations = (model) => piecesOf(model).filter((piece) => piece.type === "citation");

test("paragraphs, lists, headings and rows are told apart, with their spans", () => {
  const answer = "# Title\n\nOne line\nand the next.\n- first\n2. second\n| a | b |";
  const kinds = blocksOf(answer).map((block) => [block.kind, answer.slice(block.start, block.end)]);
  assert.deepEqual(kinds, [
    ["heading", "Title"],
    ["paragraph", "One line\nand the next."],
    ["item", "first"],
    ["item", "second"],
    ["row", "| a | b |"],
  ]);
});

test("citations are numbered in the order of reading, each passage once", () => {
  const answer = "A [c2]. B [c1, c2].";
  const model = answerModel({ answer, claims: [], evidence: EVIDENCE });
  assert.deepEqual(citations(model).map((piece) => piece.number), [1, 2, 1]);
  assert.deepEqual(model.sources.map((source) => source.citation.file_name), ["memo.docx", "report.pdf"]);
});

test("brackets that are no citation stay the writer's own words", () => {
  const answer = "See [the report](http://x) and [sic] and [c1].";
  const model = answerModel({ answer, evidence: EVIDENCE });
  assert.equal(citations(model).length, 1);
  assert.match(piecesOf(model).map((piece) => piece.text ?? "").join(""), /\[the report\]\(http:\/\/x\) and \[sic\]/);
});

test("a citation of nothing is kept, without a number", () => {
  const answer = "Invented [c9].";
  const found = { ...claim(answer, answer), verdict: "fabricated_citation", citations: [{ chunk_id: "c9", document_id: null }] };
  const model = answerModel({ answer, claims: [found], evidence: EVIDENCE });
  assert.equal(citations(model)[0].number, null);
  assert.equal(citations(model)[0].citation.exists, false);
  assert.equal(model.sources.length, 0);
});

test("spans count code points: a sentence after an emoji is cut where it begins", () => {
  const answer = "😀😀 First. Second [c1].";
  const model = answerModel({ answer, claims: [claim(answer, "😀😀 First."), claim(answer, "Second [c1].")], evidence: EVIDENCE });
  const sentences = model.blocks[0].parts.filter((part) => part.claim).map((part) => part.pieces[0].text);
  assert.deepEqual(sentences, ["😀😀 First.", "Second "]);
  assert.equal(model.sentences, 2);
});

test("the words of a citation are cut out of its passage", () => {
  const answer = "Churn was 7.4% [c1].";
  const cited = claim(answer, answer, { citations: [{ chunk_id: "c1", document_id: "d1", start: 108, end: 122, quote: "Churn was 7.4%" }] });
  const model = answerModel({ answer, claims: [cited], evidence: EVIDENCE });
  assert.deepEqual(aroundQuote(citations(model)[0].citation), { before: "Before. ", quote: "Churn was 7.4%", after: ". After." });
});

test("what is hostile stays text, and what disguises text is made visible", () => {
  const answer = "<script>alert(1)</script> \u202egnp.exe\u202c **bold** `code`";
  const pieces = piecesOf(answerModel({ answer }));
  assert.deepEqual(pieces.map((piece) => piece.type), ["text", "strong", "text", "code"]);
  assert.equal(pieces[0].text, "<script>alert(1)</script> \ufffdgnp.exe\ufffd ");
});

test("a copy carries footnotes, and says what did not pass", () => {
  const answer = "Churn was 7.4% [c1].\n- Sales doubled.";
  const claims = [
    claim(answer, "Churn was 7.4% [c1].", { citations: [{ chunk_id: "c1", document_id: "d1", quote: "Churn was\n7.4%" }] }),
    claim(answer, "Sales doubled.", { verdict: "uncited" }),
  ];
  const text = withFootnotes(answerModel({ answer, claims, evidence: EVIDENCE }), { question: "What happened?" });
  assert.equal(text, "Question: What happened?\n\nChurn was 7.4% [1].\n- Sales doubled. (uncited)\n\nSources\n[1] report.pdf, page 2, 12 March 2026: “Churn was 7.4%”");
});

test("sources have the numbers that the service gives them, one for each quote, on the page and in a copy", () => {
  const answer = "Churn was 7.4% [c1]. It came after [c1]. Again 7.4% [c1].";
  const quoting = (text, number, quote) => claim(answer, text, { citations: [{ chunk_id: "c1", document_id: "d1", quote, number }] });
  const claims = [
    quoting("Churn was 7.4% [c1].", 1, "Churn was 7.4%"),
    quoting("It came after [c1].", 2, "After."),
    quoting("Again 7.4% [c1].", 1, "Churn was 7.4%"),
  ];
  const model = answerModel({ answer, claims, evidence: EVIDENCE });
  assert.deepEqual(citations(model).map((piece) => piece.number), [1, 2, 1]);
  assert.deepEqual(model.sources.map((source) => source.number), [1, 2]);
  const text = withFootnotes(model);
  assert.match(text, /^Churn was 7\.4% \[1\]\. It came after \[2\]\. Again 7\.4% \[1\]\./);
  assert.deepEqual(text.match(/“.*?”/g), ["“Churn was 7.4%”", "“After.”"]);
});

test("a copy that is not a full answer says so first, and what was asked first after the question", () => {
  assert.equal(standingOf({ status: "waiting", outcome: "conflict" }, { cause: "conflict" }), "Draft. Needs a decision: the documents disagree");
  assert.equal(standingOf({ status: "waiting", outcome: "unavailable" }, null), "Draft. Needs a decision: please decide");
  assert.equal(standingOf({ status: "finished", outcome: "insufficient_evidence" }, null), "Not a full answer: not covered by the documents");
  assert.equal(standingOf({ status: "finished", outcome: "answered_with_caveat" }, null), "Answered with a caveat");
  assert.equal(standingOf({ status: "finished", outcome: "answered" }, null), "");
  const about = { question: "And\nnow?", askedFirst: "Before?", standing: "Draft" };
  assert.equal(withFootnotes(answerModel({ answer: "Yes." }), about), "Draft\n\nQuestion: And now?\nAsked first: Before?\n\nYes.");
});

test("rows are a table, cell by cell with their citations", () => {
  const answer = "| Region | 2025 |\n|---|---|\n| North | 12 [c1] |\n| South | 9 | [c2]";
  const evidence = ["c1", "c2"].map((id) => ({ chunk_id: id, text: "x", start: 0 }));
  const { hasHead, list } = tableRows(answerModel({ answer, evidence }).blocks);
  assert.ok(hasHead);
  const told = list.map((row) => row.cells.map((cell) => cell.map((piece) => piece.text ?? `#${piece.number}`).join(" ")));
  assert.deepEqual(told, [["Region", "2025"], ["North", "12 #1"], ["South", "9 #2"]]);
});
