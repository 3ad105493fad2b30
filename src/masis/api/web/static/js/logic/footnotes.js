// An answer as plain text with numbered sources, for the clipboard.
import { day, place } from "./format.js";
import { oneLine } from "./text.js";
import { verdictOf } from "./words.js";

/** @param {ReturnType<import("./answer_model.js").answerModel>} model */
export function withFootnotes(model, question) {
  const lines = model.blocks.map(lineOf).join("\n");
  const sources = model.sources.map(({ number, citation }) => `[${number}] ${sourceLine(citation)}`).join("\n");
  return [question ? `Question: ${oneLine(question)}` : "", lines, sources ? `Sources\n${sources}` : ""].filter(Boolean).join("\n\n");
}

function lineOf(block) {
  const text = block.parts.map(partText).join("").trim();
  if (block.kind === "item") return `${block.number ? `${block.number}.` : "-"} ${text}`;
  return text;
}

/** What did not pass is said where it stands: a copied answer must not look better than the page's. */
function partText(part) {
  const text = part.pieces.map(pieceText).join("");
  const verdict = part.claim ? verdictOf(part.claim) : null;
  return verdict && (verdict.tone === "bad" || verdict.tone === "doubt") ? `${text.trimEnd()} (${verdict.word}) ` : text;
}

function pieceText(piece) {
  if (piece.type !== "citation") return piece.text;
  return piece.number === null ? `[${piece.citation.chunk_id}: no such passage]` : `[${piece.number}]`;
}

export function sourceLine(citation) {
  const where = [citation.file_name, place(citation), citation.date ? day(citation.date) : ""].filter(Boolean).join(", ");
  return citation.quote ? `${where}: “${oneLine(citation.quote)}”` : where;
}
