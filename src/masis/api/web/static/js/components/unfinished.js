// Documents whose reading was stopped: what that means for a question, and how to finish it.
import { post, workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { plural } from "../logic/text.js";
import { useLoaded } from "../use_loaded.js";
import { Dropzone } from "./dropzone.js";
import { Foreign } from "./signs.js";

const MOST_NAMED = 5;

/** @param {{workspace: string, documents: object[], uploads: object, onChanged: () => Promise<unknown>}} props */
export function Unfinished({ workspace, documents, uploads, onChanged }) {
  const { mayWrite, tellProblem } = useShared();
  const [busy, setBusy] = useState(false);
  const sample = useLoaded("/masis/sample").value;
  const isSample = sample?.available && documents.every((each) => sample.documents.includes(each.file_name));
  const finish = async () => {
    setBusy(true);
    try {
      await uploads.watch(await post(workspacePath(workspace, "/sample")));
      await onChanged();
    } catch (problem) {
      tellProblem(problem);
    }
    setBusy(false);
  };
  const named = documents.slice(0, MOST_NAMED);
  const more = documents.length - named.length;
  return html`
    <section class="note tone-doubt" aria-labelledby="unfinished-title">
      <h2 id="unfinished-title">${plural(documents.length, "document is", "documents are")} not read to the end</h2>
      <p>Until they are, a question finds them by keyword at most: ${named.map((each, index) => html`${index ? ", " : ""}<${Foreign}>${each.file_name}<//>`)}${more > 0 ? ` and ${more} more` : ""}.</p>
      ${mayWrite && isSample && html`<button type="button" disabled=${busy} onClick=${finish}>Finish reading the sample</button>`}
      ${mayWrite && sample && !isSample && html`<${Dropzone} compact onFiles=${uploads.send}
        label="Add these files again to finish reading them" />`}
    </section>
  `;
}
