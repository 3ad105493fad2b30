import assert from "node:assert/strict";
import { test } from "node:test";
import { opening, pageAt, pageModel, saidSpan } from "../../src/masis/api/web/static/js/logic/source_model.js";

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

test("a page is opened at the words that matter, as large as they fit", () => {
  const box = (left, right) => ({ left, right, top: 0.5, bottom: 0.51 });
  assert.deepEqual(opening([box(0.1, 0.4)], [], 2, 1200), { left: 0.1, right: 0.4, zoom: 2 });
  const half = opening([box(0.1, 0.3), box(0.5, 0.7)], [], 2, 1200);
  assert.ok(half.zoom > 1.5 && half.zoom < 1.6);
  // Words that fill the lines are shown whole; of a wide row its name and the figure, or the figure alone.
  assert.equal(opening([box(0.02, 0.98)], [], 2, 1200).zoom, 1);
  // … but never in letters too small to read: what is larger than the frame scrolls.
  assert.equal(opening([box(0.02, 0.98)], [], 2, 500).zoom.toFixed(1), "2.2");
  assert.equal(opening([box(0.02, 0.98)], [], 2, 100).zoom, 3);
  assert.deepEqual(opening([box(0.05, 0.95)], [box(0.4, 0.5)], 2, 1200), { left: 0.05, right: 0.5, zoom: 2 });
  assert.deepEqual(opening([box(0.05, 0.95)], [box(0.85, 0.95)], 2, 1200), { left: 0.85, right: 0.95, zoom: 2 });
});

test("of the cited words those figures matter that the sentence repeats", () => {
  const chunk = { text: "Sales | 3.1 | 13.1 | 7", start: 100 };
  const whole = { start: 100, end: 122 };
  assert.deepEqual(saidSpan(chunk, whole, "Sales were 13.1 in 2025."), { start: 114, end: 118 });
  assert.deepEqual(saidSpan(chunk, whole, "From 3.1 to 13.1."), { start: 108, end: 118 });
  assert.equal(saidSpan(chunk, whole, "Sales grew."), null);
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
