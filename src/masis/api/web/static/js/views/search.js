// Searching: passages as one types, opened in place, and a question about one of them.
import { get, workspacePath } from "../api.js";
import { Composer } from "../components/composer.js";
import { ProblemNote } from "../components/notices.js";
import { Scope } from "../components/scope.js";
import { SourceSheet } from "../components/side_panel.js";
import { Foreign } from "../components/signs.js";
import { useShared } from "../context.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { day, percent, place } from "../logic/format.js";
import { excerpt, highlighted, searched } from "../logic/highlights.js";
import { pageModel } from "../logic/source_model.js";
import { plainly, plural } from "../logic/text.js";
import { addressOf, go } from "../router.js";

const PAUSE = 250;
const MOST = 20;

export function SearchView({ workspace, query }) {
  const { mayWrite } = useShared();
  const [filters, setFilters] = useState({});
  const [opened, setOpened] = useState(null);
  const [asking, setAsking] = useState(null);
  const { found, problem, isBusy } = useFound(workspace, query, filters);
  useEffect(() => {
    document.title = `Search ${workspace} · MASIS`;
    document.getElementById("search").focus();
  }, [workspace]);
  const typed = (event) => go(`${addressOf(workspace, "search")}?q=${encodeURIComponent(event.target.value)}`, { replace: true });
  const wanted = searched(query);
  return html`
    <div class="with-side ${opened ? "" : "is-bare"}">
      <div class="run search">
        <h1 tabindex="-1">Search</h1>
        <form role="search" onSubmit=${(event) => event.preventDefault()}>
          <label for="search">Words, or a question</label>
          <input id="search" type="search" maxlength="1000" autocomplete="off" value=${query} onInput=${typed} />
          <${Scope} workspace=${workspace} filters=${filters} onChange=${setFilters} id="search-scope" />
        </form>
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <p class="faint" role="status">${told(query, found, isBusy)}</p>
        <ul class="found" aria-label="Passages">${(found ?? []).map((passage) => html`<${Hit} key=${passage.chunk_id} passage=${passage}
          wanted=${wanted} isOpen=${opened?.chunk_id === passage.chunk_id} onOpen=${() => setOpened(atFocus(passage))}
          onAsk=${mayWrite && (() => setAsking(passage.chunk_id))}>
          ${asking === passage.chunk_id && html`<${Composer} workspace=${workspace} label="Ask about this passage" rows="2"
            filters=${{ documents: [passage.document_id], pages: [passage.page, passage.page] }} given=${NOTHING_YET} />`}<//>`)}</ul>
      </div>
      ${opened && html`<aside class="side has-source" aria-label="Source"><${SourceSheet} workspace=${workspace} source=${opened}
        onClose=${() => setOpened(null)} /></aside>`}
    </div>
  `;
}

const NOTHING_YET = { text: "" };

const atFocus = (passage) => ({ ...passage, chunk: passage, ...(passage.focus && { start: passage.focus[0], end: passage.focus[1] }) });

function told(query, found, isBusy) {
  if (!query.trim()) return "Passages appear as you type.";
  if (isBusy || !found) return "Searching …";
  return found.length ? plural(found.length, "passage") : "No passage matches these words.";
}

/** What the last words found; what older ones find too late is not shown. */
function useFound(workspace, query, filters) {
  const [state, setState] = useState({ found: null, problem: null, isBusy: false });
  const latest = useRef(0);
  const asked = JSON.stringify([workspace, query.trim(), filters]);
  useEffect(() => {
    const turn = ++latest.current;
    if (!query.trim()) {
      setState({ found: [], problem: null, isBusy: false });
      return undefined;
    }
    setState((known) => ({ ...known, isBusy: true }));
    const told = (news) => turn === latest.current && setState({ found: [], problem: null, isBusy: false, ...news });
    const timer = setTimeout(() => get(pathOf(workspace, query.trim(), filters)).then(
      (found) => told({ found }), (problem) => told({ problem })), PAUSE);
    return () => clearTimeout(timer);
  }, [asked]);
  return state;
}

function pathOf(workspace, query, { documents = [], file_types: types = [], pages = [], ...dates }) {
  const given = new URLSearchParams({ q: query, limit: MOST, ...dates, ...(pages.length && { first_page: pages[0], last_page: pages[1] }) });
  documents.forEach((each) => given.append("documents", each));
  types.forEach((each) => given.append("file_types", each));
  return workspacePath(workspace, `/search?${given}`);
}

const found = (pieces, wanted) => highlighted(plainly(pieces.map((piece) => piece.text).join("")).trim(), wanted).map(({ text, isHit }) => (isHit ? html`<mark>${text}</mark>` : text));

function drawn(group, wanted) {
  if (group.kind !== "table") return html`<p>${found(group.pieces, wanted)}</p>`;
  const row = (cells, tag) => html`<tr>${cells.map((cell) => html`<${tag}>${found(cell.pieces, wanted)}<//>`)}</tr>`;
  return html`<div class="grid-scroll" tabindex="0" role="group" aria-label="Table"><table class="small">
    ${group.head.length > 0 && html`<thead>${row(group.head, "th")}</thead>`}
    <tbody>${group.rows.map(({ cells }) => row(cells, "td"))}</tbody></table></div>`;
}

function Hit({ passage, wanted, isOpen, onOpen, onAsk, children }) {
  const facts = [place(passage), passage.date && day(passage.date), `relevance ${percent(passage.score)}`].filter(Boolean);
  return html`
    <li class=${isOpen ? "is-open" : ""}>
      <p class="hit-head"><strong><${Foreign}>${passage.file_name}<//></strong> <span class="faint">${facts.join(" · ")}</span></p>
      ${passage.heading && html`<p class="faint"><${Foreign}>${passage.heading}<//></p>`}
      <div class="hit-text" dir="auto">${pageModel({ text: excerpt(passage), start: 0 }, null).map((group) => drawn(group, wanted))}</div>
      <p class="hit-actions"><button type="button" onClick=${onOpen}>Open</button>
        ${onAsk && html`<button type="button" class="quiet" onClick=${onAsk}>Ask about this passage</button>`}</p>
      ${children}
    </li>
  `;
}
