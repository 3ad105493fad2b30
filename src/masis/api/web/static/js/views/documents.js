// The documents of a workspace: adding, looking, deleting with a receipt.
import { all, remove, workspacePath } from "../api.js";
import { Confirm } from "../components/dialog.js";
import { Dropzone, UploadProgress } from "../components/dropzone.js";
import { ProblemNote, Waiting } from "../components/notices.js";
import { Receipt } from "../components/receipt.js";
import { Foreign, Icon, Sign } from "../components/signs.js";
import { useShared } from "../context.js";
import { html, useCallback, useEffect, useState } from "../html.js";
import { useUploads } from "../ingest_feed.js";
import { day, moment, size } from "../logic/format.js";
import { plural } from "../logic/text.js";
import { Link, addressOf } from "../router.js";
import { useLoaded } from "../use_loaded.js";

const STATES = {
  READY: { word: "Ready", tone: "good", shape: "disc" },
  PROCESSING: { word: "Being read", tone: "live", shape: "open" },
  UNREAD: { word: "Not read yet", tone: "plain", shape: "dashes" },
  UNFINISHED: { word: "Searchable by keyword", tone: "doubt", shape: "open" },
  FAILED: { word: "Failed", tone: "bad", shape: "cross" },
};
const MOST = 5000;

export function DocumentsView({ workspace }) {
  const { mayWrite, refreshWorkspaces, tellProblem } = useShared();
  const documents = useLoaded(workspacePath(workspace, "/documents"), (path) => all(path, MOST));
  const [search, setSearch] = useState("");
  const [deleting, setDeleting] = useState(null);
  const [receipt, setReceipt] = useState(null);
  const changed = useCallback(() => {
    documents.reload();
    refreshWorkspaces();
  }, [documents.reload, refreshWorkspaces]);
  const uploads = useUploads(workspace, changed);
  useEffect(() => {
    document.title = `Documents of ${workspace} · MASIS`;
    uploads.catchUp().catch(() => {});
  }, [workspace]);
  const erase = async () => {
    try {
      setReceipt(await remove(workspacePath(workspace, `/documents/${deleting.document_id}`)));
      changed();
    } catch (problem) {
      tellProblem(problem);
    }
    setDeleting(null);
  };
  const found = documents.value?.filter((each) => each.file_name.toLowerCase().includes(search.toLowerCase()));
  return html`
    <div class="page wide">
      <div class="title-line"><h1 tabindex="-1">Documents</h1>
        <${Link} to=${addressOf(workspace, "sources")} class="button quiet">Sources<//></div>
      ${mayWrite && html`<${Dropzone} onFiles=${uploads.send} />`}
      <${UploadProgress} uploads=${uploads} />
      ${documents.problem && html`<${ProblemNote} problem=${documents.problem} onRetry=${documents.reload} />`}
      ${!documents.value && !documents.problem && html`<${Waiting} />`}
      ${found &&
      html`<div class="filters"><label class="grow">Search names<input type="search" value=${search}
        onInput=${(event) => setSearch(event.target.value)} /></label></div>
        <p class="faint">${plural(found.length, "document")}</p>
        ${found.length > 0 && html`<ul class="document-list" aria-label="Documents">
          ${found.map((each) => html`<${DocumentRow} key=${each.document_id} document=${each} workspace=${workspace}
          state=${stateOf(each, uploads.beingRead)}
          onDelete=${mayWrite && (() => setDeleting(each))} />`)}</ul>`}`}
      ${deleting && html`<${Confirm} title="Delete this document?" action="Delete the document" onConfirm=${erase}
        onClose=${() => setDeleting(null)}><strong><${Foreign}>
        ${deleting.file_name}<//></strong> is deleted with its text, its passages and the original file. Past answers stay but can no longer open it.<//>`}
      ${receipt && html`<${Receipt} receipt=${receipt} onClose=${() => setReceipt(null)} />`}
    </div>
  `;
}

/** After a stop, a document may be in the keyword index but not yet embedded. */
function stateOf(document, beingRead) {
  const isLeft = document.status === "PROCESSING" && !beingRead.has(document.document_id);
  if (isLeft) return document.chunks > 0 ? STATES.UNFINISHED : STATES.UNREAD;
  return STATES[document.status] ?? STATES.PROCESSING;
}

function DocumentRow({ document, workspace, state, onDelete }) {
  const facts = [
    plural(document.pages, "page"),
    plural(document.chunks, "passage"),
    size(document.size_bytes),
    document.date && `dated ${day(document.date)}`,
    document.members > 0 && plural(document.members, "file inside", "files inside"),
    `added ${moment(document.created_at)}`,
  ];
  return html`
    <li>
      <div class="document-main">
        ${document.status === "READY" ? html`<${Link} to=${addressOf(workspace, "documents", document.document_id)}
          class="document-name"><${Foreign}>${document.file_name}<//><//>` : html`<strong class="document-name">
          <${Foreign}>${document.file_name}<//></strong>`}
        <span class="faint">${facts.filter(Boolean).join(" · ")}</span>
        ${document.address && html`<span class="faint"><${Foreign}>${document.address}<//></span>`}
        ${document.reason && html`<span class="reason"><${Foreign}>${document.reason}<//></span>`}
        ${document.note && html`<span class="faint"><${Foreign}>${document.note}<//></span>`}
      </div>
      <${Sign} sign=${state} />
      ${onDelete && html`<button type="button" class="quiet icon-only" aria-label="Delete ${document.file_name}"
        onClick=${onDelete}><${Icon} name="bin" /></button>`}
    </li>
  `;
}
