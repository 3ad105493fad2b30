// Asking: the question box, and for a first visit the sample.
import { Composer, ask } from "../components/composer.js";
import { Link, addressOf } from "../router.js";
import { SampleInvitation } from "../components/sample.js";
import { Foreign, Sign } from "../components/signs.js";
import { workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html, useEffect } from "../html.js";
import { moment } from "../logic/format.js";
import { plural } from "../logic/text.js";
import { signOf } from "../logic/words.js";
import { useLoaded } from "../use_loaded.js";

export function AskView({ workspace }) {
  const { workspaces, mayWrite, tellProblem } = useShared();
  const known = workspaces.find((each) => each.workspace_id === workspace);
  const isEmpty = !known?.documents;
  useEffect(() => {
    document.title = `Ask ${workspace} · MASIS`;
    if (!isEmpty && matchMedia("(min-width: 48rem)").matches) document.getElementById("question")?.focus();
  }, [workspace, isEmpty]);
  if (!known) return html`<${NoWorkspace} workspace=${workspace} />`;
  if (isEmpty) return html`<${SampleInvitation} workspace=${workspace} />`;
  return html`
    <div class="page ask">
      <h1 tabindex="-1">What do you want to know?</h1>
      <p class="lead">Five agents read ${plural(known.documents, "document")} of <strong>
        ${workspace}</strong>, write an answer, check every sentence of it, and say what the documents do not.</p>
      <${Composer} workspace=${workspace} />
      <div class="columns">
        <${Recent} workspace=${workspace} />
        ${mayWrite && html`<${SampleQuestions} onAsk=${(question) => ask(workspace, question).catch(tellProblem)}
          workspace=${workspace} />`}
      </div>
    </div>
  `;
}

function NoWorkspace({ workspace }) {
  return html`
    <div class="page">
      <h1 tabindex="-1">No workspace here</h1>
      <p>There is no workspace “<${Foreign}>
        ${workspace}<//>”, or your key does not open it. Choose another one, or make it with the plus beside the list.</p>
    </div>
  `;
}

function Recent({ workspace }) {
  const { value } = useLoaded(workspacePath(workspace, "/runs?limit=6"));
  if (!value?.items.length) return html`<div></div>`;
  return html`
    <section aria-labelledby="recent-title">
      <h2 id="recent-title">Asked lately</h2>
      <ul class="cards">${value.items.map((run) => html`<li>
        <${Link} to=${addressOf(workspace, "runs", run.run_id)} class="card"><strong>
        <${Foreign}>${run.question}<//></strong><span class="card-foot"><${Sign} sign=${signOf(run)} />
        <span class="faint">${moment(run.created_at)}</span></span><//></li>`)}</ul>
    </section>
  `;
}

/** Only where the sample is what there is to ask about. */
function SampleQuestions({ workspace, onAsk }) {
  const sample = useLoaded("/masis/sample").value;
  const documents = useLoaded(workspacePath(workspace, "/documents?limit=50")).value;
  const names = new Set(documents?.items.map((document) => document.file_name));
  if (!sample?.documents.length || !sample.documents.every((name) => names.has(name))) return null;
  return html`
    <section aria-labelledby="try-title">
      <h2 id="try-title">Try one of these</h2>
      <ul class="cards">${sample.questions.map((each) => html`<li>
        <button type="button" class="card" onClick=${() => onAsk(each.question)}><strong>${each.question}</strong>
        <span class="faint">${each.shows}</span></button></li>`)}</ul>
    </section>
  `;
}
