// Files and folders by drag and drop or by choosing, and what becomes of each.
import { droppedFiles, visible } from "../dropped_files.js";
import { useShared } from "../context.js";
import { html, useRef, useState } from "../html.js";
import { seconds } from "../logic/format.js";
import { plural } from "../logic/text.js";
import { STAGES } from "../logic/words.js";
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
      ${refusals.map((each) => html`<${Refusal} ...${each} />`)}
      ${ingestions.map((ingestion) => html`<${Ingestion} key=${ingestion.ingestion_id} ingestion=${ingestion}
        onStop=${uploads.stop} />`)}
    </div>
  `;
}

function Refusal({ refusal, files }) {
  if (refusal.code === "duplicate_document")
    return html`<div class="note"><p>
      <strong>Already here.</strong> The workspace has these very bytes, so there is nothing to do: ${files.map((name, index) => html`${index ? ", " : ""}<${Foreign}>${name}<//>`)}.</p></div>`;
  return html`<div class="note tone-bad" role="alert"><p><strong>${refusal.message}</strong></p>
    <p>${refusal.advice}</p></div>`;
}

const OVER = { cancelled: "Stopped", failed: "Failed" };

function Ingestion({ ingestion, onStop }) {
  const { mayWrite, tellProblem } = useShared();
  const { progress, status } = ingestion;
  const isWorking = status === "queued" || status === "running";
  const files = plural(progress.files_total || ingestion.files.length, "file");
  const title = isWorking ? `Reading ${files}` : OVER[status] ? `${OVER[status]}: ${files}` : `${files} read`;
  return html`
    <section class="ingestion" aria-label="Upload of ${files}">
      <div class="ingestion-head">
        <strong>${title}</strong>
        <span class="faint">${progress.pages ? plural(progress.pages, "page") : ""}
          ${isWorking && progress.seconds_left ? `, about ${seconds(progress.seconds_left)} left` : ""}</span>
        ${isWorking && html`<progress aria-label="Passages" max=${progress.chunks_total || 1}
          value=${progress.chunks_done}></progress>`}
        ${isWorking && mayWrite && html`<button type="button" class="quiet"
          onClick=${() => onStop(ingestion).catch(tellProblem)}><${Icon} name="stop" /> Stop</button>`}
      </div>
      <ul class="files">
        ${ingestion.files.map((file) => html`<${FileRow} file=${file} isStopped=${status === "cancelled"} />`)}
        ${(ingestion.duplicates ?? []).map((file) => html`<${FileRow}
          file=${{ ...file, stage: "duplicate", reason: "The workspace has these very bytes already; nothing was read twice." }} />`)}
      </ul>
      ${status === "cancelled" && html`<p class="faint">What was read before stays; add the other files again to go on.</p>`}
      ${ingestion.error && html`<p class="faint"><${Foreign}>${ingestion.error}<//></p>`}
    </section>
  `;
}

function FileRow({ file, isStopped = false }) {
  const known = STAGES[file.stage] ?? STAGES.queued;
  const stage = isStopped && !known.tone ? STAGES.stopped : known;
  return html`
    <li>
      <span class="file-name"><${Foreign}>${file.file_name}<//></span>
      ${stage.tone ? html`<${Sign} sign=${stage} />` : html`<span class="stage">
        <progress aria-label="${file.file_name}: ${stage.word}" max="4"
        value=${stage.done}></progress> ${stage.word}</span>`}
      ${file.reason && html`<span class=${stage.tone === "bad" ? "reason" : "reason faint"}>
        <${Foreign}>${file.reason}<//></span>`}
    </li>
  `;
}
