// Two documents that do not agree, side by side.
import { html } from "../html.js";
import { day, place } from "../logic/format.js";
import { oneLine, quoteOf } from "../logic/text.js";
import { CONFLICT_KINDS } from "../logic/words.js";
import { Foreign } from "./signs.js";

/**
 * @param {object} props
 * @param {(side: object) => void} props.onOpen shows the side's source
 * @param {string} [props.chosen] the file that is trusted
 * @param {(file: string) => void} [props.onChoose] without it there is nothing to decide
 */
export function Conflict({ conflict, name, onOpen, chosen, onChoose }) {
  const title = `${oneLine(conflict.about)}${conflict.period ? ` (${conflict.period})` : ""}`;
  return html`
    <fieldset class="conflict">
      <legend><strong><${Foreign}>${title}<//></strong> <span class="faint">
        ${CONFLICT_KINDS[conflict.kind] ?? conflict.kind}</span></legend>
      <div class="sides">
        ${conflict.sides.map((side) => html`<${Side} side=${side} name=${name} onOpen=${onOpen}
          chosen=${chosen === side.file_name} onChoose=${onChoose} />`)}
      </div>
    </fieldset>
  `;
}

function Side({ side, name, onOpen, chosen, onChoose }) {
  return html`
    <div class="conflict-side ${chosen ? "is-chosen" : ""}">
      <p class="says"><${Foreign}>${side.value}<//></p>
      <p><strong><${Foreign}>${side.file_name}<//></strong></p>
      <p class="faint">
        ${[place(side), side.date ? `dated ${day(side.date)}` : "undated"].filter(Boolean).join(" · ")}</p>
      <blockquote dir="auto">“${quoteOf(side)}”</blockquote>
      <div class="side-actions">
        ${onChoose && html`<button type="button" class="primary" aria-pressed=${chosen} aria-label="Trust this: ${side.file_name}"
          onClick=${() => onChoose(side.file_name)}>Trust this</button>`}
        <button type="button" class="quiet" aria-label="Open the source: ${side.file_name}"
          onClick=${() => onOpen(side)}>Open the source</button>
      </div>
    </div>
  `;
}
