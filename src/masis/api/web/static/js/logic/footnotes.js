// An answer as plain text with numbered sources, for the clipboard.
import { day, place } from "./format.js";
import { oneLine } from "./text.js";
import { OUTCOMES, needsDecision, verdictOf } from "./words.js";

/**
 * @param {ReturnType<import("./answer_model.js").answerModel>} model
 * @param {{question?: string, askedFirst?: string, standing?: string}} [about]
 */
export function withFootnotes(model, { question, askedFirst, standing } = {}) {
  const notes = new Notes();
  const lines = model.blocks.map((block) => lineOf(block, notes)).join("\n");
  const asked = [question && `Question: ${oneLine(question)}`, askedFirst && `Asked first: ${oneLine(askedFirst)}`];
  const parts = [standing, asked.filter(Boolean).join("\n"), lines, notes.lines.length > 0 && `Sources\n${notes.lines.join("\n")}`];
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

/** Each quote is a footnote: on paper nothing opens, and a number has to lead to the very words. */
class Notes {
  #numbers = new Map();
  lines = [];

  numberOf(citation) {
    const key = JSON.stringify([citation.chunk_id, citation.quote ?? ""]);
    if (!this.#numbers.has(key)) {
      this.#numbers.set(key, this.#numbers.size + 1);
      this.lines.push(`[${this.#numbers.size}] ${sourceLine(citation)}`);
    }
    return this.#numbers.get(key);
  }
}

function lineOf(block, notes) {
  const text = block.parts.map((part) => partText(part, notes)).join("").trim();
  if (block.kind === "item") return `${block.number ? `${block.number}.` : "-"} ${text}`;
  return text;
}

/** What did not pass is said where it stands: a copied answer must not look better than the page's. */
function partText(part, notes) {
  const text = part.pieces.map((piece) => pieceText(piece, notes)).join("");
  const verdict = part.claim ? verdictOf(part.claim) : null;
  return verdict && (verdict.tone === "bad" || verdict.tone === "doubt") ? `${text.trimEnd()} (${verdict.word}) ` : text;
}

function pieceText(piece, notes) {
  if (piece.type !== "citation") return piece.text;
  return piece.number === null ? `[${piece.citation.chunk_id}: no such passage]` : `[${notes.numberOf(piece.citation)}]`;
}

export function sourceLine(citation) {
  const where = [citation.file_name, place(citation), citation.date ? day(citation.date) : ""].filter(Boolean).join(", ");
  return citation.quote ? `${where}: “${oneLine(citation.quote)}”` : where;
}
