import { html } from "../html.js";
import { SHORTCUTS } from "../shortcuts.js";

export function ShortcutList() {
  return html`<dl class="pairs shortcuts">${SHORTCUTS.map(([keys, does]) => html`<div>
    <dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`)}</dl>`;
}
