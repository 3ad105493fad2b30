// The first visit: one click loads the sample and asks its first question.
import { post, workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { useLoaded } from "../use_loaded.js";
import { ask } from "./composer.js";
import { Dropzone, UploadProgress } from "./dropzone.js";

/** @param {{failed: number}} props how many documents were put in that could not be read */
export function SampleInvitation({ workspace, isNew = false, uploads, failed, onChanged }) {
  const { refreshWorkspaces, tellProblem, mayWrite } = useShared();
  const [isLoading, setIsLoading] = useState(false);
  const sample = useLoaded("/masis/sample").value;
  const first = sample?.questions[0]?.question;
  const load = async () => {
    setIsLoading(true);
    try {
      const ended = await uploads.watch(await post(workspacePath(workspace, "/sample")));
      // Who stops the reading does not want the question asked either.
      if (ended.status === "done") {
        await ask(workspace, first);
        await refreshWorkspaces();
        return;
      }
      await onChanged();
    } catch (problem) {
      tellProblem(problem);
    }
    setIsLoading(false);
  };
  return html`
    <div class="page welcome">
      <h1 tabindex="-1">Answers you can defend</h1>
      <p class="lead">Add documents, ask a question, and trace every sentence of the answer to its source.${" "}
        ${!isNew && html`<strong>${workspace}</strong>${" "}${failed ? `has no readable documents: ${failed} could not be read` : "has no documents yet"}.`}</p>
      ${!mayWrite && html`<p class="note">Your key can read but not add documents.</p>`}
      ${mayWrite && sample?.available &&
      html`<section class="invite" aria-labelledby="sample-title">
        <h2 id="sample-title">Try the sample first</h2>
        <p>The sample holds ${sample.documents.length} documents of an invented company: a report, a memo, tables and notes that do not always agree. One click loads them and asks:</p>
        <p class="quoted">“${first}”</p>
        <button type="button" class="primary large" disabled=${isLoading || uploads.beingRead.size > 0} onClick=${load}>
          ${isLoading ? "Loading the sample …" : "Load the sample and ask"}</button>
      </section>`}
      ${mayWrite && !isLoading && html`<section aria-labelledby="own-title">
        <h2 id="own-title">Or add your own documents</h2><${Dropzone} onFiles=${uploads.send} /></section>`}
      <${UploadProgress} uploads=${uploads} />
    </div>
  `;
}
