// What was deleted, counted as it went.
import { html } from "../html.js";
import { moment, size } from "../logic/format.js";
import { Dialog } from "./dialog.js";
import { Foreign } from "./signs.js";

export function Receipt({ receipt, onClose }) {
  return html`
    <${Dialog} title="Deleted" onClose=${onClose}>
      <dl class="pairs">${rowsOf(receipt).map(([name, value]) => html`<div><dt>${name}</dt><dd>
        <${Foreign}>${value}<//></dd></div>`)}</dl>
      <div class="dialog-foot"><button type="button" class="primary" onClick=${onClose}>Done</button></div>
    <//>
  `;
}

function rowsOf(receipt) {
  const what = receipt.document_id
    ? [["Document", receipt.file_names.join(", ")]]
    : [["Workspace", receipt.workspace_id], ["Documents", receipt.documents], ["Runs", receipt.runs]];
  return [
    ...what,
    ["Passages removed from the index", receipt.chunks],
    ["Characters of text", receipt.text_chars.toLocaleString("en-GB")],
    [receipt.document_id ? "Original" : "Originals", size(receipt.bytes)],
    ["Vectors in the cache", receipt.cached_vectors],
    ["When", moment(receipt.deleted_at)],
  ];
}
