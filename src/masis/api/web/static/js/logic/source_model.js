// A page of a document as lines and tables, with the cited words cut out so that they can be marked.
import { lengthOf, shownInPlace, sliced } from "./text.js";

const ROW = /^\|.*\|$/;
const RULE = /^\|(?:\s*:?-+:?\s*\|)+$/;
const HEADING = /^#{1,6} +/;

/**
 * @param {{text: string, start: number}} page its text, and where that begins in the document
 * @param {{start: number, end: number}|null} span the cited words, in the document
 * @param {string} said the sentence that cites them: cells of a cited row that it repeats are marked as said
 * @returns {({kind: "text"|"heading", pieces: object[]}
 *   | {kind: "table", head: object[][], rows: {cells: {pieces: object[], isSaid: boolean}[]}[]})[]}
 */
export function pageModel(page, span, said = "") {
  const text = shownInPlace(page.text);
  const marked = span && span.end > span.start ? { start: span.start - page.start, end: span.end - page.start } : null;
  const groups = [];
  let at = 0;
  for (const line of text.split("\n")) {
    const before = groups.at(-1);
    const group = ROW.test(line) && line.length > 2 ? null : lineGroup(line, at, marked);
    if (group?.kind === "text" && before?.kind === "text") before.pieces.push({ text: "\n", marked: false }, ...group.pieces);
    else if (group) groups.push(group);
    else if (before?.kind === "table") addRow(before, line, at, marked, said);
    else addRow(groups[groups.push({ kind: "table", head: [], rows: [] }) - 1], line, at, marked, said);
    at += lengthOf(line) + 1;
  }
  return groups;
}

function lineGroup(line, at, marked) {
  const sign = HEADING.exec(line)?.[0].length ?? 0;
  return { kind: sign ? "heading" : "text", pieces: pieces(line.slice(sign), at + sign, marked) };
}

/** The row above a rule names the columns. */
function addRow(table, line, at, marked, said) {
  if (RULE.test(line)) {
    if (table.rows.length === 1) table.head = table.rows.pop().cells;
    return;
  }
  const cells = [];
  let start = at + 1;
  for (const cell of line.slice(1, -1).split(/(?<!\\)\|/)) {
    const words = cell.trim();
    const found = pieces(words, start + lengthOf(cell.slice(0, cell.indexOf(words))), marked);
    const isSaid = cells.length > 0 && found.some((piece) => piece.marked) && repeats(said, words);
    cells.push({ pieces: found, isSaid });
    start += lengthOf(cell) + 1;
  }
  table.rows.push({ cells });
}

const FIGURE = /\d[\d.,]*/g;

/** Where in the cited words the figures are that the sentence repeats: from the first to the last. Null where there are none.
 * @param {{text: string, start: number}} chunk @param {{start: number, end: number}} span @param {string} [said] */
export function saidSpan(chunk, span, said = "") {
  const cited = sliced(shownInPlace(chunk.text), span.start - chunk.start, span.end - chunk.start);
  const found = [...cited.matchAll(FIGURE)].map((each) => ({ figure: each[0].replace(/[.,]+$/, ""), at: each.index }));
  const repeated = found.filter(({ figure }) => repeats(said, figure));
  if (!repeated.length) return null;
  const [first, last] = [repeated[0], repeated.at(-1)];
  const placeOf = (index) => span.start + lengthOf(cited.slice(0, index));
  return { start: placeOf(first.at), end: placeOf(last.at + last.figure.length) };
}

/** Whether a sentence has the words or the figure of a cell, not merely within a longer one. */
function repeats(said, cell) {
  const words = cell.replace(/^[\s$€£¥(]+|[\s%)]+$/g, "");
  if (!words) return false;
  const escaped = words.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\d[.,])${escaped}(?![\\p{L}\\p{N}]|[.,]\\d)`, "iu").test(said);
}

function pieces(text, at, marked) {
  if (!marked) return [{ text, marked: false }];
  const start = Math.max(marked.start - at, 0);
  const end = Math.min(marked.end - at, lengthOf(text));
  if (end <= start) return [{ text, marked: false }];
  return [
    { text: sliced(text, 0, start), marked: false },
    { text: sliced(text, start, end), marked: true },
    { text: sliced(text, end), marked: false },
  ].filter((piece) => piece.text);
}

/** Which of a document's pages a place in its text is on. */
export function pageAt(pages, position) {
  if (position == null) return pages[0] ?? null;
  return pages.findLast((page) => page.start <= position) ?? pages[0] ?? null;
}

export function hasPageImages(fileName) {
  return /\.pdf$/i.test(fileName ?? "");
}

const ROOM = 0.94;
const READABLE = 1.3;
const LEAST_LETTERS = 11;
const LARGEST = 3;

/**
 * How large a page is opened, and which part of it is brought into the frame: all marked words where they fit in a readable size.
 * Of a row that is too wide the name and the figure that is repeated, or that figure alone. On a phone, where a line that fits is
 * too small to read, it is larger than the frame, and read from its beginning.
 * @param {{left: number, right: number, top: number, bottom: number}[]} marks shares of the page's width and height
 * @param {{left: number, right: number}[]} key those of the figures that the sentence repeats; empty for what is no row
 * @param {number} most the largest zoom that only helps
 * @param {number} height of the page as wide as its frame, in pixels
 * @returns {{zoom: number, left: number, right: number}}
 */
export function opening(marks, key, most, height) {
  const all = extent(marks);
  const figures = key.length ? extent(key) : null;
  const tried = figures ? [all, { left: all.left, right: figures.right }, figures] : [all];
  const fitting = tried.find((each) => fit(each) >= READABLE) ?? tried.at(-1);
  const lines = marks.map(({ top, bottom }) => (bottom - top) * height).sort((one, other) => one - other);
  // A note's raised number is no line of its own.
  const least = lines.find((line) => line > lines[Math.floor(lines.length / 2)] * 0.6);
  const legible = Math.min(LARGEST, LEAST_LETTERS / least);
  return { ...fitting, zoom: Math.max(1, legible, Math.min(most, fit(fitting))) };
}

const extent = (boxes) => ({ left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)) });

const fit = ({ left, right }) => ROOM / Math.max(right - left, 0.01);
