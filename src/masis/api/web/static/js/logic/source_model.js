// A page of a document as lines and tables, with the cited words cut out so that they can be marked.
import { lengthOf, shownInPlace, sliced } from "./text.js";

const CELL_BREAK = " | ";

/**
 * @param {{text: string, start: number}} page its text, and where that begins in the document
 * @param {{start: number, end: number}|null} span the cited words, in the document
 * @returns {({kind: "text"|"heading", pieces: object[]} | {kind: "table", rows: {cells: object[][]}[]})[]}
 */
export function pageModel(page, span) {
  const text = shownInPlace(page.text);
  const marked = span && span.end > span.start ? { start: span.start - page.start, end: span.end - page.start } : null;
  const groups = [];
  let at = 0;
  for (const line of text.split("\n")) {
    const group = lineGroup(line, at, marked);
    const before = groups.at(-1);
    if (before?.kind === group.kind && group.kind === "table") before.rows.push(...group.rows);
    else if (before?.kind === "text" && group.kind === "text") before.pieces.push({ text: "\n", marked: false }, ...group.pieces);
    else groups.push(group);
    at += lengthOf(line) + 1;
  }
  return groups;
}

const HEADING = /^#{1,6} +/;

function lineGroup(line, at, marked) {
  const heading = HEADING.exec(line)?.[0].length;
  if (heading) return { kind: "heading", pieces: pieces(line.slice(heading), at + heading, marked) };
  if (!line.includes(CELL_BREAK)) return { kind: "text", pieces: pieces(line, at, marked) };
  const cells = [];
  let start = at;
  for (const cell of line.split(CELL_BREAK)) {
    cells.push(pieces(cell, start, marked));
    start += lengthOf(cell) + CELL_BREAK.length;
  }
  return { kind: "table", rows: [{ cells }] };
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
