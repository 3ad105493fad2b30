// The history: searched and filtered by the service, fetched a page at a time as the reader scrolls.
import { get, remove, workspacePath } from "../api.js";
import { ask } from "../components/composer.js";
import { Confirm } from "../components/dialog.js";
import { ProblemNote, Waiting } from "../components/notices.js";
import { Foreign, Icon, Sign } from "../components/signs.js";
import { WindowedList } from "../components/windowed.js";
import { useShared } from "../context.js";
import { html, useCallback, useEffect, useRef, useState } from "../html.js";
import { moment } from "../logic/format.js";
import { shortened } from "../logic/text.js";
import { OUTCOMES, STATUSES, signOf } from "../logic/words.js";
import { Link, addressOf, go, useRoute } from "../router.js";

const PAGE = 100;
const PAUSE = 250;
const LONGEST_SEARCH = 200;

export function RunsView({ workspace }) {
  const { mayWrite, tellProblem, notify } = useShared();
  const [filters, setFilters] = useFilters(workspace);
  const list = useRunList(workspace, filters);
  const [deleting, setDeleting] = useState(null);
  useEffect(() => {
    document.title = `Runs of ${workspace} · MASIS`;
  }, [workspace]);
  const erase = async () => {
    try {
      await remove(workspacePath(workspace, `/runs/${deleting.run_id}`));
      list.without(deleting.run_id);
      notify("The run and its trail are deleted.");
    } catch (problem) {
      tellProblem(problem);
    }
    setDeleting(null);
  };
  return html`
    <div class="page wide">
      <div class="title-line"><h1 tabindex="-1">Runs</h1>
        <${Link} to=${addressOf(workspace, "record")} class="button quiet">Track record<//></div>
      <${Filters} filters=${filters} onChange=${setFilters} />
      ${list.problem && html`<${ProblemNote} problem=${list.problem} onRetry=${list.more} />`}
      ${list.items.length > 0 && html`<${WindowedList} className="run-list" label="Runs, newest first"
        items=${list.items} draw=${(run) => html`<${RunRow} key=${run.run_id} run=${run} workspace=${workspace}
        mayWrite=${mayWrite} onDelete=${setDeleting} />`} />`}
      ${list.isLoading ? html`<${Waiting} />` : !list.items.length && !list.problem && html`<p class="empty">
        ${Object.values(filters).some(Boolean) ? "No matching runs. Search for other words, or show all outcomes." : "No questions yet. Those you ask are listed here."}</p>`}
      ${list.hasMore && html`<button type="button" ref=${list.edge} class="more"
        onClick=${list.more}>Show more</button>`}
      ${deleting && html`<${Confirm} title="Delete this run?" action="Delete the run" onConfirm=${erase}
        onClose=${() => setDeleting(null)}>“<${Foreign}>
        ${shortened(deleting.question, 120)}<//>” is deleted with its answer and its trail. The documents stay.<//>`}
    </div>
  `;
}

/** Stored in the address: a reader who returns from a run finds the list as it was. */
function useFilters(workspace) {
  const { query } = useRoute();
  const written = useRef(query.toString());
  const [filters, setFilters] = useState(() => filtersIn(query));
  useEffect(() => {
    // The reader went back, or followed the link in the navigation.
    if (written.current !== query.toString()) setFilters(filtersIn(query));
    written.current = query.toString();
  }, [query.toString()]);
  const change = (next) => {
    setFilters(next);
    const chosen = new URLSearchParams(Object.entries(next).filter(([, value]) => value)).toString();
    written.current = chosen;
    try {
      go(`${addressOf(workspace, "runs")}${chosen && `?${chosen}`}`, { replace: true });
    } catch {
      // A browser lets the address change only so often: the list is right all the same.
    }
  };
  return [filters, change];
}

/** What the service would not understand is left out. @param {URLSearchParams} query */
export function filtersIn(query) {
  const among = (words, value) => (value && Object.hasOwn(words, value) ? value : "");
  return {
    search: (query.get("search") ?? "").slice(0, LONGEST_SEARCH),
    outcome: among(OUTCOMES, query.get("outcome")),
    status: among(STATUSES, query.get("status")),
  };
}

function useRunList(workspace, filters) {
  const [items, setItems] = useState([]);
  const [cursor, setCursor] = useState(null);
  const [isLoading, setIsLoading] = useState(true);
  const [problem, setProblem] = useState(null);
  const asked = useRef(0);
  const edge = useRef(null);

  const fetchPage = useCallback(
    async (from) => {
      const number = ++asked.current;
      setIsLoading(true);
      setProblem(null);
      const query = new URLSearchParams({ limit: String(PAGE), ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value)) });
      if (from) query.set("cursor", from);
      try {
        const page = await get(workspacePath(workspace, `/runs?${query}`));
        // An older search that answers late must not overwrite a newer one.
        if (number !== asked.current) return;
        setItems((known) => (from ? [...known, ...page.items] : page.items));
        setCursor(page.next_cursor);
      } catch (refusal) {
        if (number === asked.current) setProblem(refusal);
      }
      if (number === asked.current) setIsLoading(false);
    },
    [workspace, filters],
  );
  useEffect(() => {
    const timer = setTimeout(() => fetchPage(null), filters.search ? PAUSE : 0);
    return () => clearTimeout(timer);
  }, [fetchPage]);
  const more = useCallback(() => fetchPage(cursor), [fetchPage, cursor]);
  useEffect(() => {
    // What was refused is asked for again by the reader, not by the scrolling: that would never end.
    if (!edge.current || isLoading || !cursor || problem) return undefined;
    const watcher = new IntersectionObserver((seen) => seen.at(-1).isIntersecting && more(), { rootMargin: "600px" });
    watcher.observe(edge.current);
    return () => watcher.disconnect();
  }, [more, isLoading, cursor, problem]);
  const without = (runId) => setItems((known) => known.filter((run) => run.run_id !== runId));
  return { items, isLoading, problem, hasMore: Boolean(cursor), more, edge, without };
}

function Filters({ filters, onChange }) {
  const set = (name) => (event) => onChange({ ...filters, [name]: event.target.value });
  const options = (words) => Object.entries(words).map(([value, { word }]) => html`<option value=${value}>
    ${word}</option>`);
  return html`
    <form class="filters" role="search" aria-label="Runs" onSubmit=${(event) => event.preventDefault()}>
      <label class="grow">Search questions<input type="search" maxlength=${LONGEST_SEARCH} value=${filters.search}
        onInput=${set("search")} /></label>
      <label>Outcome<select value=${filters.outcome} onChange=${set("outcome")}>
        <option value="">All</option>${options(OUTCOMES)}</select></label>
      <label>Status<select value=${filters.status} onChange=${set("status")}>
        <option value="">All</option>${options(STATUSES)}</select></label>
    </form>
  `;
}

function RunRow({ run, workspace, mayWrite, onDelete }) {
  const { tellProblem } = useShared();
  return html`
    <li>
      <${Link} to=${addressOf(workspace, "runs", run.run_id)} class="run-link">
        <span class="run-question"><${Foreign}>${shortened(run.question, 220)}<//></span>
        <span class="run-facts"><${Sign} sign=${signOf(run)} />
          <span class="faint">${moment(run.created_at)}</span>${run.asked_by !== "local" && html`<span class="faint">${run.asked_by}</span>`}</span>
      <//>
      ${mayWrite &&
      html`<span class="row-actions">
        <button type="button" class="quiet icon-only" aria-label="Ask again: ${shortened(run.question, 60)}"
          onClick=${() => ask(workspace, run.question).catch(tellProblem)}><${Icon} name="again" /></button>
        <button type="button" class="quiet icon-only" aria-label="Delete: ${shortened(run.question, 60)}"
          onClick=${() => onDelete(run)}><${Icon} name="bin" /></button>
      </span>`}
    </li>
  `;
}
