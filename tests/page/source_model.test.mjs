import assert from "node:assert/strict";
import { test } from "node:test";
import { pageAt, pageModel } from "../../src/masis/api/web/static/js/logic/source_model.js";

const marked = (model) =>
  model
    .flatMap((group) => (group.kind === "table" ? group.rows.flatMap((row) => row.cells.flatMap((cell) => cell.pieces)) : group.pieces))
    .filter((piece) => piece.marked)
    .map((piece) => piece.text);

test("the cited words are marked where they stand, over the ends of lines", () => {
  const model = pageModel({ text: "One two\nthree four.", start: 50 }, { start: 54, end: 63 });
  assert.deepEqual(marked(model), ["two", "three"]);
});

const TABLE = "Intro\n|  | 2024 | 2025 |\n|---|---|---|\n| Sales | $ 3.1 | 13.1 |\nEnd";
const ROW = { start: TABLE.indexOf("Sales"), end: TABLE.indexOf(" |\nEnd") };

test("rows become a table under their columns' names, and a mark over several cells is in each of them", () => {
  const model = pageModel({ text: TABLE, start: 0 }, ROW);
  assert.deepEqual(model.map((group) => group.kind), ["text", "table", "text"]);
  assert.deepEqual(model[1].head.map((cell) => cell.pieces.map((piece) => piece.text).join("")), ["", "2024", "2025"]);
  assert.equal(model[1].rows.length, 1);
  assert.deepEqual(marked(model), ["Sales", "$ 3.1", "13.1"]);
});

test("of a cited row the cell that the sentence repeats is told apart, by its whole figure", () => {
  const said = (sentence) =>
    pageModel({ text: TABLE, start: 0 }, ROW, sentence)[1].rows[0].cells.map((cell) => cell.isSaid);
  assert.deepEqual(said("Sales were $3.1 million in 2024."), [false, true, false]);
  assert.deepEqual(said("Sales: 13.1 in 2025."), [false, false, true]);
  assert.deepEqual(said("Sales grew."), [false, false, false]);
});

test("headings lose their signs and no mark its place", () => {
  const model = pageModel({ text: "## Head\nBody here", start: 10 }, { start: 18, end: 22 });
  assert.equal(model[0].kind, "heading");
  assert.deepEqual(marked(model), ["Body"]);
});

test("a span of another page marks nothing", () => {
  assert.deepEqual(marked(pageModel({ text: "Nothing here", start: 100 }, { start: 3, end: 9 })), []);
});

test("spans count code points", () => {
  assert.deepEqual(marked(pageModel({ text: "𝔘 word", start: 0 }, { start: 2, end: 6 })), ["word"]);
});

test("a place in the text is on the page that it follows", () => {
  const pages = [{ number: 1, start: 0 }, { number: 2, start: 50 }];
  assert.equal(pageAt(pages, 49).number, 1);
  assert.equal(pageAt(pages, 50).number, 2);
  assert.equal(pageAt([], 5), null);
});
