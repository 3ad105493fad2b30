// The words of a search, marked in a passage.
import { sliced } from "./text.js";

const WORD = /[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu;
const SMALL = new Set("a an and are as at be by did do does for from had has have how in is it its of on or our that the their this to was were what when where which who why will with".split(" "));

/** Without the commonest endings: “costs” finds “cost”. */
function stem(word) {
  const low = word.toLowerCase();
  return low.length > 4 ? low.replace(/(?:’s|'s|ing|ed|es|s)$/, "") : low;
}

/** @returns {Set<string>} */
export function searched(query) {
  return new Set((query.match(WORD) ?? []).filter((word) => !SMALL.has(word.toLowerCase())).map(stem));
}

/** A text as pieces, those that were searched for marked. @returns {{text: string, isHit: boolean}[]} */
export function highlighted(text, wanted) {
  const pieces = [];
  let at = 0;
  for (const found of text.matchAll(WORD)) {
    if (!wanted.has(stem(found[0]))) continue;
    if (found.index > at) pieces.push({ text: text.slice(at, found.index), isHit: false });
    pieces.push({ text: found[0], isHit: true });
    at = found.index + found[0].length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isHit: false });
  return pieces;
}

const AROUND = 420;

/** The part of a passage around the words that come nearest; no word is cut. */
export function excerpt({ text, start, focus }) {
  const from = focus ? Math.max(focus[0] - start, 0) : 0;
  // A short one comes with what follows it.
  const to = Math.min(text.length, from + AROUND);
  const cut = sliced(text, from, to);
  const isCut = to < text.length && /\S/.test(text[to]);
  const line = cut.lastIndexOf("\n");
  const isRow = cut.startsWith("|", line + 1);
  // Neither a word nor a row of a table.
  const whole = isRow && to < text.length && text[to] !== "\n" ? cut.slice(0, Math.max(line, 0)) : isCut && /\s/.test(cut) ? cut.replace(/\s+\S*$/, "") : cut;
  return `${from > 0 ? "… " : ""}${whole}${to < text.length ? (isRow ? "\n…" : " …") : ""}`;
}
