// An answer as blocks of sentences: the few constructs of Markdown that answers use, each sentence with its claim,
// each citation with its number. Nothing here makes HTML: the result is data that components draw as nodes.
import { lengthOf, shownInPlace, sliced } from "./text.js";
import { verdictOf } from "./words.js";

/**
 * @typedef {{kind: "heading"|"paragraph"|"item"|"row", level?: number, number?: string, start: number, end: number}} Block
 * @typedef {{type: "text"|"strong"|"emphasis"|"code", text: string} | {type: "citation", number: number|null, citation: object}} Piece
 */

/** Blocks with their spans in code points. @returns {Block[]} */
export function blocksOf(answer) {
  const blocks = [];
  let at = 0;
  for (const line of answer.split("\n")) {
    const length = lengthOf(line);
    const block = blockOf(line, at);
    const before = blocks.at(-1);
    if (block?.kind === "paragraph" && before?.kind === "paragraph" && before.end + 1 === at) before.end = at + length;
    else if (block) blocks.push(block);
    at += length + 1;
  }
  return blocks;
}

function blockOf(line, at) {
  if (!line.trim()) return null;
  const end = at + lengthOf(line);
  const heading = /^(#{1,6})\s+/.exec(line);
  if (heading) return { kind: "heading", level: heading[1].length, start: at + heading[0].length, end };
  const item = /^\s*(?:[-*•]|(\d{1,3})[.)])\s+/.exec(line);
  if (item) return { kind: "item", number: item[1], start: at + item[0].length, end };
  if (/^\s*\|.*\|\s*(?:\[[^\]]*\]\s*)*$/.test(line)) return { kind: "row", start: at, end };
  return { kind: "paragraph", start: at, end };
}

/** A block cut where sentences begin and end. */
function sentencesIn(block, claims) {
  const parts = [];
  let at = block.start;
  for (const claim of claims) {
    const start = Math.max(claim.start, at);
    const end = Math.min(claim.end, block.end);
    if (end <= start) continue;
    if (start > at) parts.push({ start: at, end: start, claim: null });
    parts.push({ start, end, claim });
    at = end;
  }
  if (at < block.end) parts.push({ start: at, end: block.end, claim: null });
  return parts;
}

/**
 * The whole answer, ready to be drawn.
 * @param {{answer: string, claims?: object[], evidence?: object[], invalid?: string[]}} result
 */
export function answerModel({ answer, claims = [], evidence = [], invalid = [] }) {
  const text = shownInPlace(answer);
  const ordered = [...claims].sort((one, other) => one.start - other.start);
  const numbers = new Map();
  const known = { evidence: new Map(evidence.map((chunk) => [chunk.chunk_id, chunk])), invalid: new Set(invalid), numbers };
  let index = 0;
  const blocks = blocksOf(text).map((block) => ({
    ...block,
    parts: sentencesIn(block, ordered).map((part) => ({
      claim: part.claim,
      index: part.claim && verdictOf(part.claim) ? index++ : null,
      pieces: piecesOf(sliced(text, part.start, part.end), part.claim, known),
    })),
  }));
  return { blocks, sources: sourcesOf(numbers), sentences: index };
}

const INLINE = /\[([^[\]\n]{1,400})\](?!\()|\*\*([^*\n]+)\*\*|`([^`\n]+)`/g;

/** @returns {Piece[]} */
export function piecesOf(text, claim, known) {
  const pieces = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const made = found[1] === undefined ? inline(found) : citations(found[1], claim, known);
    if (!made) continue;
    if (found.index > at) pieces.push({ type: "text", text: text.slice(at, found.index) });
    pieces.push(...made);
    at = found.index + found[0].length;
  }
  if (at < text.length) pieces.push({ type: "text", text: text.slice(at) });
  return pieces;
}

function inline(found) {
  return [found[2] === undefined ? { type: "code", text: found[3] } : { type: "strong", text: found[2] }];
}

/** Brackets that hold nothing but ids of passages; others are the writer's own words. */
function citations(inside, claim, known) {
  const ids = inside.split(/[,;]/).map((id) => id.trim().replace(/^chunk_id\s*[:=]\s*/, ""));
  const found = ids.map((id) => citationsOf(id, claim, known));
  return found.every((each) => each.length) ? found.flat().map((citation) => numbered(citation, known.numbers)) : null;
}

/** What a sentence cites of a passage, quote by quote; a draft has no claims yet, and cites the passage as a whole. */
function citationsOf(id, claim, known) {
  const stated = claim?.citations?.filter((citation) => citation.chunk_id === id) ?? [];
  const found = (stated.length ? stated : [undefined]).map((each) => citationOf(id, each, known, claim?.text));
  return found.filter((citation, at) => citation && (!citation.number || found.findIndex((other) => other.number === citation.number) === at));
}

function citationOf(id, stated, known, said) {
  const chunk = known.evidence.get(id);
  if (chunk) return { ...chunk, ...withoutNulls(stated), chunk, said, exists: true };
  if (stated?.document_id) return { ...stated, chunk: null, said, exists: true };
  if (stated || known.invalid.has(id)) return { chunk_id: id, exists: false };
  return null;
}

function withoutNulls(record = {}) {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value != null));
}

/** The service numbers the sources of a finished answer; those of a draft are counted as they are read. */
function numbered(citation, numbers) {
  if (!citation.exists) return { type: "citation", number: null, citation };
  const key = citation.number ?? citation.chunk_id;
  if (!numbers.has(key)) numbers.set(key, { number: citation.number ?? numbers.size + 1, citation });
  return { type: "citation", number: numbers.get(key).number, citation };
}

function sourcesOf(numbers) {
  return [...numbers.values()].sort((one, other) => one.number - other.number);
}

const RULE = /^[\s|:-]+$/;

/** Rows of Markdown as cells of pieces; a rule under the first makes it the head. @param {{parts: object[]}[]} blocks */
export function tableRows(blocks) {
  const rows = blocks.map((block) => ({ cells: cellsOf(block.parts.flatMap((part) => part.pieces)), text: block.parts.flatMap((part) => part.pieces).map((piece) => piece.text ?? "[]").join(""), ...claimed(block.parts) }));
  return { hasHead: rows.length > 1 && RULE.test(rows[1].text), list: rows.filter((row) => !RULE.test(row.text)) };
}

function claimed(parts) {
  const part = parts.find((each) => each.claim);
  return { claim: part?.claim ?? null, index: part?.index ?? null };
}

/** Cut at the bars; a citation belongs to the cell it stands in, or after the last bar to the last cell. */
function cellsOf(pieces) {
  const cells = [[]];
  for (const piece of pieces) {
    if (piece.type !== "text") {
      cells.at(-1).push(piece);
      continue;
    }
    piece.text.split("|").forEach((text, at) => {
      if (at) cells.push([]);
      if (text.trim()) cells.at(-1).push({ ...piece, text: text.trim() });
    });
  }
  const inner = cells.slice(1);
  const behind = inner.length > 1 && !inner.at(-1).some((piece) => piece.type === "text") ? inner.pop() : [];
  inner.at(-1)?.push(...behind);
  return inner;
}

/** A text around the words it is cited for. */
export function aroundQuote(citation) {
  const { chunk } = citation;
  if (!chunk || citation.start == null) return { before: "", quote: shownInPlace(citation.quote ?? ""), after: "" };
  const text = shownInPlace(chunk.text);
  const start = Math.max(citation.start - chunk.start, 0);
  const end = Math.max(citation.end - chunk.start, start);
  return { before: sliced(text, 0, start), quote: sliced(text, start, end), after: sliced(text, end) };
}

/** With the span of its quote: a side of a conflict names its passage and its words, but not where they are. */
export function located(citation, evidence) {
  const chunk = evidence.find((each) => each.chunk_id === citation.chunk_id);
  const at = citation.start == null && citation.quote && chunk ? chunk.text.indexOf(citation.quote) : -1;
  if (at < 0) return { ...citation };
  const start = chunk.start + lengthOf(chunk.text.slice(0, at));
  return { ...citation, start, end: start + lengthOf(citation.quote) };
}
