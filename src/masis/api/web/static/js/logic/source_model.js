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
