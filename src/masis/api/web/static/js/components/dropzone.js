// Files and folders by drag and drop or by choosing, and what becomes of each.
import { workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { droppedFiles, visible } from "../dropped_files.js";
import { html, useRef, useState } from "../html.js";
import { seconds } from "../logic/format.js";
import { plural } from "../logic/text.js";
import { duplicatesOf, uploadTitle } from "../logic/upload_words.js";
import { STAGES } from "../logic/words.js";
import { Link, addressOf } from "../router.js";
import { useLoaded } from "../use_loaded.js";
import { Foreign, Icon, Sign } from "./signs.js";

export function Dropzone({ onFiles, label = "Drop files or folders here", compact = false }) {
  const [isOver, setIsOver] = useState(false);
  const files = useRef(null);
  const folder = useRef(null);
  const take = (found) => found.length && onFiles(found);
  const dropped = async (event) => {
    event.preventDefault();
    setIsOver(false);
    take(await droppedFiles(event.dataTransfer));
  };
  const chosen = (event) => {
    take(visible([...event.target.files]));
    event.target.value = "";
  };
  return html`
    <div class="dropzone ${isOver ? "is-over" : ""} ${compact ? "is-compact" : ""}" role="group" aria-label=${label}
      onDragOver=${(event) => { event.preventDefault(); setIsOver(true); }} onDragLeave=${() => setIsOver(false)} onDrop=${dropped}>
      <${Icon} name="upload" />
      <p><strong>${label}</strong>
        ${!compact && html`<span class="faint">PDF, Word, Excel, PowerPoint, HTML, mail, text, tables, archives and more</span>`}</p>
      <div class="actions">
        <button type="button" onClick=${() => files.current.click()}>Choose files</button>
        <button type="button" class="quiet" onClick=${() => folder.current.click()}>Choose a folder</button>
      </div>
      <input ref=${files} type="file" multiple hidden aria-label="Files to upload" onChange=${chosen} />
      <input ref=${folder} type="file" webkitdirectory hidden aria-label="Folder to upload" onChange=${chosen} />
    </div>
  `;
}

export function UploadProgress({ uploads }) {
  const { ingestions, sending, refusals } = uploads;
  return html`
    <div class="uploads" aria-live="polite">
      ${sending && html`<div class="sending"><span>Sending ${plural(sending.files, "file")} …</span>
        <progress aria-label="Sending" max="1" value=${sending.share}></progress></div>`}
      ${refusals.map((each) => html`<${Refusal} ...${each} onDismiss=${() => uploads.dismiss(each)} />`)}
      ${ingestions.map((ingestion) => html`<${Ingestion} key=${ingestion.ingestion_id} ingestion=${ingestion}
        onStop=${uploads.stop} onDismiss=${() => uploads.dismiss(ingestion)} />`)}
    </div>
  `;
}

function Dismiss({ onDismiss }) {
  const dismiss = () => {
    onDismiss();
    // The button goes with the report; who came to it by keyboard stays on the page.
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return html`<button type="button" class="quiet icon-only dismiss" aria-label="Dismiss the report" onClick=${dismiss}>
    <${Icon} name="close" /></button>`;
}

function Refusal({ refusal, workspace, files, onDismiss }) {
  if (refusal.code !== "duplicate_document")
    return html`<div class="note tone-bad dismissible" role="alert"><p><strong>${refusal.message}</strong></p>
      <p>${refusal.advice}</p><${Dismiss} onDismiss=${onDismiss} /></div>`;
  const known = refusal.body.documents ?? files.map((name) => ({ file_name: name }));
  return html`<div class="note dismissible"><p>
    <strong>Already here.</strong> The workspace already has these files: ${known.map((file, index) => html`${index ? ", " : ""}<${Foreign}>${file.file_name}<//><${KnownAs} workspace=${workspace} file=${file} />`)}.</p>
    <${Dismiss} onDismiss=${onDismiss} /></div>`;
}

/** Under which name the workspace has the bytes of a file, where that is another one. */
function KnownAs({ workspace, file, others = [] }) {
  const beside = others.find((each) => each.document_id === file.document_id);
  const path = !beside && file.document_id ? workspacePath(workspace, `/documents/${file.document_id}`) : null;
  const found = useLoaded(path).value;
  const name = (beside ?? found)?.file_name;
  if (!name || name === file.file_name) return null;
  return html` as <${Link} to=${addressOf(workspace, "documents", file.document_id)}><${Foreign}>${name}<//><//>`;
}

function Ingestion({ ingestion, onStop, onDismiss }) {
  const { mayWrite, tellProblem } = useShared();
  const { progress, status } = ingestion;
  const isWorking = status === "queued" || status === "running";
  const files = plural(progress.files_total || ingestion.files.length, "file");
  const own = ingestion.files.filter((file) => file.stage !== "duplicate");
  return html`
    <section class="ingestion" aria-label="Upload of ${files}">
      <div class="ingestion-head">
        <strong>${uploadTitle(ingestion)}</strong>
        <span class="faint">${progress.pages ? plural(progress.pages, "page") : ""}
          ${isWorking && progress.seconds_left ? `, about ${seconds(progress.seconds_left)} left` : ""}</span>
        ${isWorking && html`<progress aria-label="Passages" max=${progress.chunks_total || 1}
          value=${progress.chunks_done}></progress>`}
        ${isWorking && mayWrite && html`<button type="button" class="quiet"
          onClick=${() => onStop(ingestion).catch(tellProblem)}><${Icon} name="stop" /> Stop</button>`}
        ${!isWorking && html`<${Dismiss} onDismiss=${onDismiss} />`}
      </div>
      <ul class="files">
        ${own.map((file) => html`<${FileRow} file=${file} isStopped=${status === "cancelled"} />`)}
        ${duplicatesOf(ingestion).map((file) => html`<${FileRow} file=${{ ...file, stage: "duplicate" }}>Already in the workspace<${KnownAs}
          workspace=${ingestion.workspace_id} file=${file} others=${own} />, so not read again.<//>`)}
      </ul>
      ${status === "cancelled" && html`<p class="faint">Documents already read stay; add the other files again to continue.</p>`}
      ${ingestion.error && html`<p class="faint"><${Foreign}>${ingestion.error}<//></p>`}
    </section>
  `;
}

function FileRow({ file, isStopped = false, children }) {
  const known = STAGES[file.stage] ?? STAGES.queued;
  const stage = isStopped && !known.tone ? STAGES.stopped : known;
  return html`
    <li>
      <span class="file-name"><${Foreign}>${file.file_name}<//></span>
      ${stage.tone ? html`<${Sign} sign=${stage} />` : html`<span class="stage">
        <progress aria-label="${file.file_name}: ${stage.word}" max="4"
        value=${stage.done}></progress> ${stage.word}</span>`}
      ${children && html`<span class="reason faint">${children}</span>`}
      ${!children && file.reason && html`<span class=${stage.tone === "bad" ? "reason" : "reason faint"}>
        <${Foreign}>${file.reason}<//></span>`}
    </li>
  `;
}
