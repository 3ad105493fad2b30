// Which documents a question is put to: a line that says so, and opens.
import { all, workspacePath } from "../api.js";
import { html, useState } from "../html.js";
import { isEverywhere, pagesFrom, scopeInWords, scopeProblem, tidied, typesOf } from "../logic/scope.js";
import { useLoaded } from "../use_loaded.js";
import { Foreign } from "./signs.js";

const MOST = 1000;

/** Names of the documents, by their ids: a scope may name either. */
export function useNames(workspace, isNeeded) {
  const { value } = useLoaded(isNeeded ? workspacePath(workspace, "/documents?status=READY") : null, (path) => all(path, MOST));
  return { documents: value ?? [], names: new Map((value ?? []).map((each) => [each.document_id, each.file_name])) };
}

/** @param {{workspace: string, filters: object, onChange: (filters: object) => void, id: string}} props */
export function Scope({ workspace, filters, onChange, id }) {
  const [isOpen, setIsOpen] = useState(false);
  const { documents, names } = useNames(workspace, isOpen || filters.documents?.length > 0);
  return html`
    <div class="scope">
      <button type="button" class="quiet scope-line" aria-expanded=${isOpen} aria-controls=${id}
        onClick=${() => setIsOpen(!isOpen)}>In: <strong><${Foreign}>${scopeInWords(filters, names) || "all documents"}<//></strong></button>
      ${!isEverywhere(filters) && html`<button type="button" class="quiet" onClick=${() => onChange({})}>Everywhere</button>`}
      ${isOpen && html`<${Choices} id=${id} documents=${documents} filters=${filters} onChange=${onChange} />`}
    </div>
  `;
}

function Choices({ id, documents, filters, onChange }) {
  const [search, setSearch] = useState("");
  const [pages, setPages] = useState((filters.pages ?? []).join("–"));
  const choosePages = (text) => {
    setPages(text);
    if (pagesFrom(text) !== null) set("pages", pagesFrom(text));
  };
  const shown = documents.filter((each) => each.file_name.toLowerCase().includes(search.toLowerCase()));
  const chosen = filters.documents ?? [];
  const set = (name, value) => onChange(tidied({ ...filters, [name]: value }));
  const toggled = (list, value) => (list.includes(value) ? list.filter((each) => each !== value) : [...list, value]);
  const choice = (name, value, word) => html`<label class="choice"><input type="checkbox"
    checked=${(filters[name] ?? []).includes(value)} onChange=${() => set(name, toggled(filters[name] ?? [], value))} />
    <${Foreign}>${word}<//></label>`;
  const date = (name, word) => html`<label>${word}<input type="text" inputmode="numeric" maxlength="10" placeholder="2024-03"
    value=${filters[name] ?? ""} onInput=${(event) => set(name, event.target.value.trim())} /></label>`;
  return html`
    <fieldset id=${id} class="scope-choices">
      <legend class="unseen">Where to look</legend>
      ${documents.length > 8 && html`<label>Search names<input type="search" value=${search}
        onInput=${(event) => setSearch(event.target.value)} /></label>`}
      <div class="scope-documents" role="group" aria-label="Documents" tabindex="0">
        ${shown.slice(0, 200).map((each) => choice("documents", each.document_id, each.file_name))}
        ${!shown.length && html`<p class="faint">No document has that name.</p>`}</div>
      <p class="faint">${chosen.length ? `${chosen.length} chosen` : "None chosen: all of them"}</p>
      <div class="scope-types" role="group" aria-label="Types">${typesOf(documents).map((type) => choice("file_types", type, type.toUpperCase()))}</div>
      <div class="scope-dates">${date("dated_from", "Dated from")}${date("dated_to", "to")}
        <label>Pages<input type="text" inputmode="numeric" maxlength="15" placeholder="3–7" value=${pages}
          onInput=${(event) => choosePages(event.target.value)} /></label></div>
      <p class="problem" role="status">${scopeProblem(filters, pages)}</p>
    </fieldset>
  `;
}
