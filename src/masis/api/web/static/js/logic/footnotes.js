// An answer as plain text with numbered sources, for the clipboard.
import { day, place } from "./format.js";
import { oneLine, quoteOf } from "./text.js";
import { OUTCOMES, needsDecision, verdictOf } from "./words.js";

/**
 * @param {ReturnType<import("./answer_model.js").answerModel>} model
 * @param {{question?: string, askedFirst?: string, standing?: string}} [about]
 */
export function withFootnotes(model, { question, askedFirst, standing } = {}) {
  const lines = model.blocks.map(lineOf).join("\n");
  const notes = model.sources.map(({ number, citation }) => `[${number}] ${sourceLine(citation)}`);
  const asked = [question && `Question: ${oneLine(question)}`, askedFirst && `Asked first: ${oneLine(askedFirst)}`];
  const parts = [standing, asked.filter(Boolean).join("\n"), lines, notes.length > 0 && `Sources\n${notes.join("\n")}`];
  return parts.filter(Boolean).join("\n\n");
}

/** What has to be said before anything else when the text is not a full answer; empty where it is one. */
export function standingOf(record, review) {
  if (record.status === "waiting") {
    return `Draft. ${needsDecision(review)}`;
  }
  if (record.outcome === "answered" || !OUTCOMES[record.outcome]) return "";
  const { word } = OUTCOMES[record.outcome];
  return record.outcome === "answered_with_caveat" ? word : `Not a full answer: ${uncapitalised(word)}`;
}

const uncapitalised = (words) => words.charAt(0).toLowerCase() + words.slice(1);

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

function sourceLine(citation) {
  const where = [citation.file_name, place(citation), citation.date ? day(citation.date) : ""].filter(Boolean).join(", ");
  return citation.quote ? `${where}: “${quoteOf(citation)}”` : where;
}
