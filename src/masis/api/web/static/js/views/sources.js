// What the workspace is kept in sync with: folders, storages, sites; when, and what went wrong.
import { post, remove, workspacePath } from "../api.js";
import { Confirm } from "../components/dialog.js";
import { ProblemNote, Waiting } from "../components/notices.js";
import { Foreign, Icon, Sign } from "../components/signs.js";
import { useShared } from "../context.js";
import { html, useEffect, useState } from "../html.js";
import { moment } from "../logic/format.js";
import { SCHEDULES, doneInWords, newsOf, scheduleInWords, stateOf } from "../logic/sources.js";
import { plural } from "../logic/text.js";
import { useLoaded } from "../use_loaded.js";

const LOOK_AGAIN = 1000;

export function SourcesView({ workspace }) {
  const { mayWrite, tellProblem, notify, refreshWorkspaces } = useShared();
  const path = workspacePath(workspace, "/sources");
  const { value, problem, reload } = useLoaded(path);
  const [removing, setRemoving] = useState(null);
  const isBusy = value?.some((each) => each.is_syncing);
  useEffect(() => {
    document.title = `Sources of ${workspace} · MASIS`;
  }, [workspace]);
  useEffect(() => {
    if (!isBusy) return undefined;
    const timer = setInterval(reload, LOOK_AGAIN);
    return () => {
      clearInterval(timer);
      refreshWorkspaces();
    };
  }, [isBusy]);
  const change = (work) => work.then(reload, tellProblem);
  const forget = async () => {
    await change(remove(`${path}/${removing.source_id}`).then(() => notify("It is no longer synced. Its documents stay.")));
    setRemoving(null);
  };
  return html`
    <div class="page wide">
      <h1 tabindex="-1">Sources</h1>
      <p>The workspace is kept in sync with its sources: new files are read, changed ones replaced, deleted ones deleted.</p>
      ${mayWrite && html`<${Add} path=${path} onAdded=${reload} />`}
      ${problem && html`<${ProblemNote} problem=${problem} onRetry=${reload} />`}
      ${!value && !problem && html`<${Waiting} />`}
      ${value?.length === 0 && html`<p class="empty">No sources yet. Add folders of the service's machine there:${" "}
        <code>masis sync FOLDER --workspace ${workspace}</code></p>`}
      ${value?.length > 0 && html`<ul class="document-list" aria-label="Sources">${value.map((each) => html`<${Row} key=${each.source_id}
        source=${each} onSync=${mayWrite && ((given) => change(post(`${path}/${each.source_id}/sync`, given)))}
        onRemove=${mayWrite && (() => setRemoving(each))} />`)}</ul>`}
      ${removing && html`<${Confirm} title="Stop syncing this source?" action="Stop syncing" onConfirm=${forget}
        onClose=${() => setRemoving(null)}><strong><${Foreign}>${removing.address}<//></strong> is no longer looked at. Its documents
        stay as they are.<//>`}
    </div>
  `;
}

function Add({ path, onAdded }) {
  const [address, setAddress] = useState("");
  const [every, setEvery] = useState("");
  const [problem, setProblem] = useState(null);
  const add = async (event) => {
    event.preventDefault();
    try {
      await post(path, { address: address.trim(), ...(every && { every }) });
      setAddress("");
      setProblem(null);
      onAdded();
    } catch (refusal) {
      setProblem(refusal);
    }
  };
  return html`
    <form class="filters" onSubmit=${add} aria-label="Add a source">
      <label class="grow">Address<input type="text" required maxlength="2000" autocomplete="off" placeholder="A web address of a file or a folder"
        value=${address} onInput=${(event) => setAddress(event.target.value)} /></label>
      <label>Sync<select value=${every} onChange=${(event) => setEvery(event.target.value)}>
        ${SCHEDULES.map(([value, word]) => html`<option value=${value}>${word}</option>`)}</select></label>
      <button type="submit" class="primary">Add</button>
    </form>
    ${problem && html`<${ProblemNote} problem=${problem} />`}
  `;
}

function Row({ source, onSync, onRemove }) {
  const { progress } = source;
  const facts = [
    source.last_sync ? `synced ${moment(source.last_sync)}` : "not synced yet",
    scheduleInWords(source.every_seconds),
    source.next_sync && !source.is_syncing && `next ${moment(source.next_sync)}`,
    doneInWords(source.summary.counts),
  ];
  const news = newsOf(source.summary);
  return html`
    <li>
      <div class="document-main">
        <strong class="document-name"><${Foreign}>${source.address}<//></strong>
        <span class="faint">${facts.filter(Boolean).join(" · ")}</span>
        ${source.is_syncing && progress.files_total > 0 && html`<span class="faint" role="status">${progress.files_done} of
          ${" "}${plural(progress.files_total, "file")} read</span>`}
        ${source.error && html`<span class="reason"><${Foreign}>${source.error}<//></span>`}
        ${news.length > 0 && html`<details><summary>What changed</summary><ul class="news">${news.map(([word, name]) => html`<li>
          <span class="faint">${word}</span> <${Foreign}>${name}<//></li>`)}</ul></details>`}
      </div>
      <${Sign} sign=${stateOf(source)} />
      ${onSync && html`<button type="button" class="quiet icon-only" aria-label="Sync ${source.address} now" disabled=${source.is_syncing}
        onClick=${() => onSync({})}><${Icon} name="again" /></button>`}
      ${onRemove && html`<button type="button" class="quiet icon-only" aria-label="Stop syncing ${source.address}"
        disabled=${source.is_syncing} onClick=${onRemove}><${Icon} name="bin" /></button>`}
    </li>
  `;
}
