// An answer, sentence by sentence: its words, its citations as buttons, its verdict as shape, colour and word.
import { html } from "../html.js";
import { aroundQuote, tableRows } from "../logic/answer_model.js";
import { day, place } from "../logic/format.js";
import { plainly, quoteOf } from "../logic/text.js";
import { CHECKED_BY, REPAIRS, verdictOf } from "../logic/words.js";
import { Popover } from "./popover.js";
import { Foreign, Shape } from "./signs.js";

/** @param {{model: object, onOpen: (citation: object) => void, scope: string, isSilence: boolean}} props `scope` keeps ids apart;
 * `isSilence`: nothing is claimed, so that nothing has a verdict */
export function Answer({ model, onOpen, scope = "answer", isSilence = false }) {
  return html`<div class="answer ${isSilence ? "is-silence" : ""}">${grouped(model.blocks).map((group) => html`<${Group} group=${group} onOpen=${onOpen}
    scope=${scope} />`)}</div>`;
}

/** Items that follow each other are one list, rows one table of text. */
function grouped(blocks) {
  const groups = [];
  for (const block of blocks) {
    const kind = block.kind === "item" ? (block.number ? "ol" : "ul") : block.kind;
    const before = groups.at(-1);
    if (before?.kind === kind && kind !== "paragraph" && kind !== "heading") before.blocks.push(block);
    else groups.push({ kind, blocks: [block] });
  }
  return groups;
}

function Group({ group, onOpen, scope }) {
  const parts = (block) => block.parts.map((part) => html`<${Part} part=${part} onOpen=${onOpen} scope=${scope} />`);
  if (group.kind === "ul") return html`<ul>${group.blocks.map((block) => html`<li>${parts(block)}</li>`)}</ul>`;
  if (group.kind === "ol") return html`<ol start=${group.blocks[0].number}>${group.blocks.map((block) => html`<li>
    ${parts(block)}</li>`)}</ol>`;
  if (group.kind === "row") return html`<${AnswerTable} rows=${tableRows(group.blocks)} onOpen=${onOpen} scope=${scope} />`;
  if (group.kind === "heading") return html`<h3>${parts(group.blocks[0])}</h3>`;
  return html`<p>${parts(group.blocks[0])}</p>`;
}

const LONGEST_FIGURE = 16;
const MANY_COLUMNS = 4;

/** A table cell by cell, each with its citations; the verdict of a row stands at its end. */
function AnswerTable({ rows, onOpen, scope }) {
  const [head, ...body] = rows.hasHead ? rows.list : [null, ...rows.list];
  const isShort = (pieces) => pieces.reduce((length, piece) => length + (piece.text ?? "").length, 0) <= LONGEST_FIGURE;
  const cells = (row, of) => row.cells.map((pieces, column) => of(pieces.map((piece, index) => html`<${Piece} piece=${piece} onOpen=${onOpen}
    id="${scope}-${row.index}-${column}-${index}" claim=${row.claim} />`), column, isShort(pieces)));
  return html`<div class="grid-scroll" tabindex="0" role="group" aria-label="Table"><table
    class="answer-table ${body[0]?.cells.length >= MANY_COLUMNS ? "has-many" : ""}">
    ${head && html`<thead><tr>${cells(head, (drawn) => html`<th scope="col">${drawn}</th>`)}<td></td></tr></thead>`}
    <tbody>${body.map((row) => {
      const verdict = row.claim && verdictOf(row.claim);
      return html`<tr class=${verdict ? `sentence tone-${verdict.tone}` : ""} data-sentence=${verdict ? row.index : undefined}>
        ${cells(row, (drawn, column, isFigure) => (column ? html`<td class=${isFigure ? "figure" : ""}>${drawn}</td>` : html`<th scope="row">${drawn}</th>`))}
        <td>${verdict && html`<${VerdictMark} id="${scope}-verdict-${row.index}" claim=${row.claim} verdict=${verdict} />`}</td></tr>`;
    })}</tbody></table></div>`;
}

function Part({ part, onOpen, scope }) {
  const verdict = part.claim ? verdictOf(part.claim) : null;
  const drawn = part.pieces.map((piece, index) => html`<${Piece} piece=${piece} onOpen=${onOpen}
    id="${scope}-${part.index}-${index}" claim=${part.claim} />`);
  if (!verdict) return html`<span>${drawn}</span>`;
  return html`<span class="sentence tone-${verdict.tone}" data-sentence=${part.index}
    data-verdict=${part.claim.verdict ?? part.claim.kind}
    ><span class="words">${drawn}</span>${"\u00a0"}<${VerdictMark} id="${scope}-verdict-${part.index}" claim=${part.claim}
      verdict=${verdict} /></span
  >`;
}

function Piece({ piece, onOpen, id, claim }) {
  if (piece.type === "citation") return html`<${CitationMark} id=${id} piece=${piece} onOpen=${onOpen}
    claim=${claim} />`;
  if (piece.type === "strong") return html`<strong>${piece.text}</strong>`;
  if (piece.type === "code") return html`<code>${piece.text}</code>`;
  return html`<${Foreign}>${piece.text}<//>`;
}

function CitationMark({ piece, onOpen, id, claim }) {
  const { citation, number } = piece;
  if (number === null) {
    const reason = claim?.reason || "no passage has this id";
    return html`<span class="citation false-citation"><s>[${citation.chunk_id}]</s>
      <span class="reason"> ${reason}</span></span>`;
  }
  const where = [citation.file_name, place(citation)].filter(Boolean).join(", ");
  const mark = (handlers) => html`<button type="button" class="citation" aria-label="Source ${number}: ${where}"
    onClick=${() => onOpen(citation)} ...${handlers}>${number}</button>`;
  return html`<${Popover} id="${id}-passage" anchor=${mark} className="passage">
    <${Passage} citation=${citation} /><//>`;
}

/** The passage a citation points to, with the words it stands on. */
export function Passage({ citation }) {
  const around = aroundQuote(citation);
  return html`
    <span class="passage-head"><strong><${Foreign}>${citation.file_name}<//></strong>
      <span>${[place(citation), citation.date && day(citation.date)].filter(Boolean).join(" · ")}</span></span>
    <span class="passage-text" dir="auto">${citation.shown ? html`<mark>${quoteOf(citation)}</mark>` : html`${plainly(tail(around.before))}<mark>${plainly(around.quote)}</mark>${plainly(head(around.after))}`}</span>
  `;
}

const tail = (text) => (text.length > 160 ? `… ${text.slice(-150)}` : text);
const head = (text) => (text.length > 220 ? `${text.slice(0, 210)} …` : text);

function VerdictMark({ id, claim, verdict }) {
  const mark = (handlers) => html`<button type="button" class="verdict tone-${verdict.tone}" ...${handlers}>
    <${Shape} ...${verdict} /><span>${[verdict.word, REPAIRS[claim.repaired]?.word].filter(Boolean).join(", ")}</span></button>`;
  return html`
    <${Popover} id=${id} anchor=${mark} className="why">
      <strong>${verdict.meaning}</strong>
      ${claim.reason && html`<span><${Foreign}>${claim.reason}<//></span>`}
      ${(claim.parts ?? []).map((part) => html`<span class="part">
        <${Shape} ...${verdictOf({ ...part, kind: "claim" })} /> <${Foreign}>${part.text}<//>: ${part.reason}</span>`)}
      ${claim.repaired && html`<span>${REPAIRS[claim.repaired]?.meaning}</span>`}
      ${claim.checked_by && html`<span class="faint">${CHECKED_BY[claim.checked_by]}</span>`}
    <//>
  `;
}
