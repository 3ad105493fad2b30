// The line above the text. It keeps its height from the first word of a draft to the verdicts: what is read stays put.
import { html, useState } from "../html.js";
import { verdictCounts } from "../logic/findings.js";
import { draftStanding } from "../logic/standing.js";
import { plural } from "../logic/text.js";
import { KINDS, VERDICTS } from "../logic/words.js";
import { Dialog } from "./dialog.js";
import { Foreign, Sign } from "./signs.js";

export function DraftStanding({ state }) {
  const { told, objection } = draftStanding(state);
  return html`<div class="standing"><p class="faint">${told}</p>
    ${objection && html`<p class="faint objection">Critic: <${Foreign}>${objection}<//></p>`}</div>`;
}

export function AnswerStanding({ claims, sentences }) {
  const counts = verdictCounts(claims);
  return html`<div class="standing"><p class="faint counts">
    ${plural(sentences, "sentence")}${counts ? `: ${counts}` : ""} <${LegendButton} /></p></div>`;
}

function LegendButton() {
  const [isOpen, setIsOpen] = useState(false);
  return html`<button type="button" class="quiet legend-button" onClick=${() => setIsOpen(true)}>What the signs mean</button>
    ${isOpen && html`<${Legend} onClose=${() => setIsOpen(false)} />`}`;
}

function Legend({ onClose }) {
  const signs = [...Object.values(VERDICTS), ...Object.values(KINDS)];
  return html`
    <${Dialog} title="What the signs mean" onClose=${onClose}>
      <p>Every sentence of an answer was compared with the passage it cites.</p>
      <dl class="pairs legend">${signs.map((sign) => html`<div><dt><${Sign} sign=${sign} /></dt>
        <dd>${sign.meaning}</dd></div>`)}</dl>
      <div class="dialog-foot"><button type="button" class="primary" onClick=${onClose}>Done</button></div>
    <//>
  `;
}
