// Asking: the question box, and for a first visit the sample.
import { Composer, ask } from "../components/composer.js";
import { UploadProgress } from "../components/dropzone.js";
import { Waiting } from "../components/notices.js";
import { WhatIsHere } from "../components/overview.js";
import { SampleInvitation } from "../components/sample.js";
import { Foreign, Sign } from "../components/signs.js";
import { Unfinished } from "../components/unfinished.js";
import { workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html, useCallback, useEffect, useState } from "../html.js";
import { useUploads } from "../ingest_feed.js";
import { moment } from "../logic/format.js";
import { plural, shortened } from "../logic/text.js";
import { signOf } from "../logic/words.js";
import { Link, addressOf } from "../router.js";
import { useLoaded } from "../use_loaded.js";

/** @param {{workspace: string, isNew?: boolean}} props `isNew`: the workspace does not exist yet */
export function AskView({ workspace, isNew = false }) {
  const { workspaces, refreshWorkspaces } = useShared();
  const known = workspaces.find((each) => each.workspace_id === workspace);
  const documents = useLoaded(known ? workspacePath(workspace, "/documents?limit=50") : null);
  const halfRead = useLoaded(known ? workspacePath(workspace, "/documents?status=PROCESSING&limit=50") : null);
  const changed = useCallback(() => {
    documents.reload();
    halfRead.reload();
    return refreshWorkspaces();
  }, [refreshWorkspaces]);
  // Here and not in what is shown for a while: what became of each file is to be read when there is a question box too.
  const uploads = useUploads(workspace, changed);
  const [isCaughtUp, setIsCaughtUp] = useState(!known);
  useEffect(() => {
    if (known) uploads.catchUp(() => setIsCaughtUp(true)).catch(() => setIsCaughtUp(true));
  }, [workspace]);
  const left = halfRead.value?.items.filter((each) => !uploads.beingRead.has(each.document_id)) ?? [];
  const unfinished = isCaughtUp ? left : [];
  const isEmpty = !known?.documents && !unfinished.length;
  useEffect(() => {
    document.title = `Ask ${workspace} · MASIS`;
    if (!isEmpty && matchMedia("(min-width: 48rem)").matches) document.getElementById("question")?.focus();
  }, [workspace, isEmpty]);
  if (!known && !isNew) return html`<${NoWorkspace} workspace=${workspace} />`;
  const isLooking = known && !(isCaughtUp && [documents, halfRead].every(({ value, problem }) => value ?? problem));
  if (isEmpty && isLooking) return html`<div class="page"><${Waiting} /></div>`;
  if (isEmpty) return html`<${SampleInvitation} workspace=${workspace} isNew=${isNew} uploads=${uploads} onChanged=${changed}
    failed=${documents.value?.items.filter((each) => each.status === "FAILED").length ?? 0} />`;
  return html`<${QuestionBox} known=${known} uploads=${uploads} unfinished=${unfinished} documents=${documents.value}
    onChanged=${changed} />`;
}

function QuestionBox({ known, uploads, unfinished, documents, onChanged }) {
  const { mayWrite, tellProblem } = useShared();
  const workspace = known.workspace_id;
  const readable = known.documents + unfinished.filter((each) => each.chunks > 0).length;
  return html`
    <div class="page ask">
      <h1 tabindex="-1">What do you want to know?</h1>
      <p class="lead">Five agents read ${plural(readable, "document")} of <strong>
        ${workspace}</strong>, write an answer, check every sentence of it, and say what the documents do not.</p>
      <${UploadProgress} uploads=${uploads} />
      ${unfinished.length > 0 && html`<${Unfinished} workspace=${workspace} documents=${unfinished} uploads=${uploads}
        onChanged=${onChanged} />`}
      <${Composer} workspace=${workspace} />
      <div class="columns">
        <${Suggestions} workspace=${workspace} documents=${documents}
          onAsk=${mayWrite && ((question, more) => ask(workspace, question, more).catch(tellProblem))} />
        <${Recent} workspace=${workspace} />
      </div>
    </div>
  `;
}

function NoWorkspace({ workspace }) {
  return html`
    <div class="page">
      <h1 tabindex="-1">No workspace here</h1>
      <p>There is no workspace “<${Foreign}>
        ${workspace}<//>”, or your key has no access to it. Choose another one, or create it with the plus button next to the list.</p>
    </div>
  `;
}

const LONG_QUESTION = 220;

function Recent({ workspace }) {
  const { value } = useLoaded(workspacePath(workspace, "/runs?limit=6"));
  if (!value?.items.length) return html`<div></div>`;
  return html`
    <section aria-labelledby="recent-title">
      <h2 id="recent-title">Recent questions</h2>
      <ul class="cards">${value.items.map((run) => html`<li>
        <${Link} to=${addressOf(workspace, "runs", run.run_id)} class="card"><strong>
        <${Foreign}>${shortened(run.question, LONG_QUESTION)}<//></strong><span class="card-foot">
        <${Sign} sign=${signOf(run)} /><span class="faint">${moment(run.created_at)}</span></span><//></li>`)}</ul>
    </section>
  `;
}

/** The sample has questions of its own; other documents are looked through for some. */
function Suggestions({ workspace, documents, onAsk }) {
  const sample = useLoaded("/masis/sample").value;
  const ready = documents?.items.filter((each) => each.status === "READY") ?? [];
  const names = new Set(ready.map((document) => document.file_name));
  if (!sample || !documents) return html`<div></div>`;
  const isSample = sample.documents.length && sample.documents.every((name) => names.has(name));
  if (!isSample) return html`<${WhatIsHere} workspace=${workspace} documents=${ready} onAsk=${onAsk} />`;
  return onAsk && html`
    <section aria-labelledby="try-title">
      <h2 id="try-title">Try one of these</h2>
      <ul class="cards">${sample.questions.map((each) => html`<li>
        <button type="button" class="card" onClick=${() => onAsk(each.question)}><strong>${each.question}</strong>
        <span class="faint">${each.shows}</span></button></li>`)}</ul>
    </section>
  `;
}
