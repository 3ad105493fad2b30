// One document, page by page.
import { workspacePath } from "../api.js";
import { ask } from "../components/composer.js";
import { ProblemNote, Waiting } from "../components/notices.js";
import { DocumentOverview } from "../components/overview.js";
import { Foreign } from "../components/signs.js";
import { SourceView } from "../components/source_view.js";
import { useShared } from "../context.js";
import { html, useEffect } from "../html.js";
import { day, size } from "../logic/format.js";
import { plural } from "../logic/text.js";
import { Link, addressOf } from "../router.js";
import { useLoaded } from "../use_loaded.js";

/** Where a link leads to, if it leads to a place in the document. */
function placeIn(query) {
  const [start, end, page] = ["start", "end", "page"].map((name) => Number.parseInt(query.get(name) ?? "", 10));
  return Number.isNaN(start) ? {} : { start, end, page };
}

export function DocumentView({ workspace, documentId, query }) {
  const { mayWrite, tellProblem } = useShared();
  const path = workspacePath(workspace, `/documents/${encodeURIComponent(documentId)}`);
  const { value: document_, problem } = useLoaded(path);
  useEffect(() => {
    if (document_) document.title = `${document_.file_name} · MASIS`;
  }, [document_]);
  if (problem) return html`<div class="page"><${ProblemNote} problem=${problem} /></div>`;
  if (!document_) return html`<div class="page"><${Waiting} /></div>`;
  const facts = [plural(document_.pages, "page"), plural(document_.chunks, "passage"), size(document_.size_bytes), document_.date && `dated ${day(document_.date)}`];
  return html`
    <div class="page wide document">
      <p><${Link} to=${addressOf(workspace, "documents")}>All documents<//></p>
      <h1 tabindex="-1"><${Foreign}>${document_.file_name}<//></h1>
      <p class="faint">
        ${facts.filter(Boolean).join(" · ")} · <a href="${path}/original" download>Download the original</a></p>
      <${DocumentOverview} workspace=${workspace} document=${document_} onAsk=${mayWrite && ((question) => ask(workspace, question,
        { filters: { documents: [documentId] } }).catch(tellProblem))} />
      <${SourceView} workspace=${workspace}
        source=${{ document_id: document_.document_id, file_name: document_.file_name, ...placeIn(query) }} />
    </div>
  `;
}
