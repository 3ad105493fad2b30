// What the Critic found wrong with a draft.
import { html } from "../html.js";
import { Foreign } from "./signs.js";

export function Criticism({ critique }) {
  const lists = [
    ["Not supported", critique.unsupported_claims],
    ["Missing", critique.logical_gaps],
    ["The documents disagree", critique.conflicting_evidence],
  ].filter(([, items]) => items?.length);
  if (!lists.length && !critique.hallucination_detected) return html`<p class="faint">No objections.</p>`;
  return html`
    <ul class="criticism">
      ${critique.hallucination_detected && html`<li><strong>Hallucination found</strong></li>`}
      ${lists.flatMap(([word, items]) => items.map((item) => html`<li>
        <strong>${word}:</strong> <${Foreign}>${item}<//></li>`))}
    </ul>
  `;
}
